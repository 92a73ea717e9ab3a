"""What `reprolib compare` prints of a run beside the committed results."""

from __future__ import annotations

import shutil

import pytest

from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.records.rows import FILE_COLUMNS
from reprolib.rerun.verdicts.judge import judge_paper

#: The smallest results, with paths and digits of all kinds.
PAPER = "mkpm"
OTHERS = [key.upper() for key in (*PAPERS, *STUDIES) if key != PAPER]


@pytest.fixture
def copy(tmp_path):
    """Output folder of a run that gave what is committed."""
    shutil.copytree(committed_directory() / PAPER, tmp_path / "run" / "results" / PAPER)
    return tmp_path / "run"


def printed_score():
    """A printed performance behind which there are several trials."""
    verdicts = [v for v in judge_paper(PAPER) if v.quantity == "performance" and v.n_trials > 1]
    return verdicts[0].number


def told(capsys, *arguments) -> str:
    assert main(["compare", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def counts(text) -> list[str]:
    row = next(line for line in text.splitlines() if line.startswith(f"| {PAPER.upper()} |"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def rewrite(copy, table, change) -> None:
    path = copy / "results" / PAPER / f"{table}.csv"
    frame = change(results.load(PAPER, table, copy / "results"))
    frame = frame.astype({"level": "Int64"})
    frame.to_csv(path, index=False, float_format="%.10g", columns=FILE_COLUMNS)


def test_the_same_results_have_no_difference(copy, capsys):
    n_records = len(results.load_paper(PAPER))
    for folder in (copy, copy / "results"):
        text = told(capsys, folder)
        assert f"No difference: all {n_records} records agree." in text
        assert counts(text) == [str(n_records), "0", "0", "0", "0", "0"]
        assert f"No results in this run: {', '.join(OTHERS)}." in text
        assert "##" not in text


def test_an_altered_a_missing_and_a_new_record_are_listed(copy, capsys):
    number = printed_score()
    old = results.load(PAPER, number.results)
    wanted = {**number.select, "table": number.results, "reading": "headline"}
    altered, gone, *_ = results.select(old, **wanted).index
    assert (old.loc[gone, ["dataset", "method"]] == old.loc[altered, ["dataset", "method"]]).all()

    def change(frame):
        frame.loc[altered, "value"] += 0.125
        frame.loc[gone, "task"] += " of another"
        return frame

    rewrite(copy, number.results, change)
    text = told(capsys, copy)
    assert counts(text)[1:5] == ["1", "0", "1", "1"]
    assert int(counts(text)[5]) >= 1
    assert f"### {number.results}: 1 differ, 1 new" in text
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert "value" in lines[0]
    assert lines[1].endswith(": new")
    assert len(lines) == 2
    (missing,) = (
        line for line in text.splitlines() if line.startswith(f"| {number.results} | 1 |")
    )
    assert old.loc[gone, "task"] in missing
    moved = f"| {number.table} | {number.row} | {number.column} | "
    assert sum(line.startswith(moved) for line in text.splitlines()) == 1


def test_what_a_part_of_a_run_lacks_is_counted_and_not_listed(copy, capsys):
    """A run of selected tasks has few of the records; thousands of lines would hide the rest."""
    numbers = [v.number for v in judge_paper(PAPER) if v.n_trials]
    table, dataset = numbers[0].results, numbers[0].select["dataset"]
    for path in (copy / "results" / PAPER).glob("*.csv"):
        if path.stem not in (table, "tasks"):
            path.unlink()
    rewrite(copy, table, lambda frame: frame[frame["dataset"] == dataset])
    text = told(capsys, copy, "--limit", "100000")
    committed = results.load_paper(PAPER).groupby("table").size()
    others = committed.drop(table)
    for name, count in others.items():
        assert f"| {name} | {count} | `{name}/" in text
    assert "\n- " not in text
    lost = {n.id for n in numbers if n.select["dataset"] != dataset or n.results != table}
    assert f"without a record in this run: {len(lost)}, such as" in text
    assert counts(text)[5] == "0"


def test_no_more_records_of_a_table_are_listed_than_wanted(copy, capsys):
    table = min(results.load_paper(PAPER)["table"])
    rewrite(copy, table, lambda frame: frame.assign(n_test=frame["n_test"] + 1))
    text = told(capsys, copy, "--limit", "2")
    n_rows = len(results.load(PAPER, table))
    assert f"### {table}: {n_rows} differ" in text
    assert text.count("\n- `") == 2
    assert f"- and {n_rows - 2} more" in text


def test_other_data_are_named(copy, capsys):
    table = min(results.load_paper(PAPER)["table"])
    rewrite(copy, table, lambda frame: frame.assign(source="resampled"))
    text = told(capsys, copy)
    n_rows = len(results.load(PAPER, table))
    assert counts(text)[1:3] == [str(n_rows), str(n_rows)]
    assert "| data set | committed | this run |" in text
    assert "resampled |" in text


def test_a_value_that_rounding_hides_is_shown_with_more_digits(copy, capsys):
    number = printed_score()

    def change(frame):
        rows = frame["metric"] == number.select["metric"]
        frame.loc[rows, "value"] += 0.1 * 10.0**-number.digits / number.scale
        return frame

    rewrite(copy, number.results, change)
    row = next(
        line.split(" | ")
        for line in told(capsys, copy).splitlines()
        if line.startswith(f"| {number.table} | {number.row} | {number.column} | ")
    )
    assert row[4] != row[6]


def test_the_page_goes_to_a_file(copy, capsys, tmp_path):
    file = tmp_path / "new" / "difference.md"
    shown = told(capsys, copy)
    assert str(file) in told(capsys, copy, "--output", file)
    assert file.read_text(encoding="utf-8") == shown


def test_a_run_of_another_profile_is_called_so(copy, capsys):
    path = copy / "results" / PAPER / "run.json"
    path.write_text(path.read_text().replace('"profile": "full"', '"profile": "quick"'))
    assert f"{PAPER.upper()} is no full run (profile: quick)." in told(capsys, copy)


@pytest.mark.parametrize("folder", ["none", "empty"])
def test_a_folder_without_results_is_named_with_the_remedy(folder, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["compare", str(tmp_path / folder)]) == 2
    message = capsys.readouterr().err
    assert f"DIR is {tmp_path / folder}, which" in message
    assert f"`reprolib reproduce --full --output {tmp_path / folder}`" in message


def test_wrong_arguments_are_named(copy, capsys, tmp_path):
    for more, told_of in (
        (["--limit", "-1"], "--limit is -1"),
        (["--output", str(tmp_path)], "--output is"),
        (["--results", str(tmp_path / "none")], "--results is"),
    ):
        assert main(["compare", str(copy), *more]) == 2
        assert told_of in capsys.readouterr().err
