"""Verdicts on anyone's table, and the pytest plugin, as a stranger uses them."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from reprolib.cli.main import main
from reprolib.rerun import records as package_records
from reprolib.rerun.verdicts import judge_paper, judge_table
from reprolib.rerun.verdicts.expected import ORDER, place

PRINTED = """
[columns]
method = "classifier"
value = "error"

[tables.table1]
design = "splits"
trials = 100
digits = 1
[tables.table1.rows]
Banana = { dataset = "banana" }
Heart = { dataset = "heart" }
[tables.table1.columns]
KFD = { method = "kfd" }
SVM = { method = "svm", role = "baseline" }
[tables.table1.values]
Banana = [[10.8, 0.5], [11.5, 0.7]]
Heart = [[16.1, 3.4], [16.0, 3.3]]

[[claims]]
name = "as good"
text = "KFD is at least as good as an SVM"
page = 1
tables = ["table1"]
claims = "at least as good"
metric = "value"
larger = "worse"
a = { method = "kfd" }
b = [{ method = "svm" }]

[expect]
"table1/Heart/KFD" = "reproduced"
"as good" = "undecided"
"""
TRUE = {
    ("banana", "kfd"): 10.7,
    ("banana", "svm"): 11.6,
    ("heart", "kfd"): 20,
    ("heart", "svm"): 16,
}


def results(scale=1.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (dataset, method, trial, scale * rng.normal(mean, 0.6 if dataset == "banana" else 3))
        for (dataset, method), mean in TRUE.items()
        for trial in range(40)
    ]
    return pd.DataFrame(rows, columns=["dataset", "classifier", "trial", "error"])


@pytest.fixture
def files(tmp_path):
    printed, table = tmp_path / "printed.toml", tmp_path / "results.csv"
    printed.write_text(PRINTED, encoding="utf-8")
    results().to_csv(table, index=False)
    return printed, table


def changed(files, old: str, new: str):
    printed, table = files
    text = printed.read_text(encoding="utf-8")
    assert old in text
    printed.write_text(text.replace(old, new), encoding="utf-8")
    return printed, table


def test_words_of_a_table_whose_answer_is_known(files):
    words = judge_table(*files).words()
    assert words["table1/Banana/KFD"] == words["table1/Banana/SVM"] == "reproduced"
    assert words["table1/Heart/KFD"] == "not reproduced"
    assert words["as good"] in ("undecided", "fails")


def test_unit_of_the_results_and_a_data_frame_change_no_word(files):
    in_percent = judge_table(*files)
    printed, _ = changed(files, "[columns]", '[units]\nresults = "fraction"\n[columns]')
    as_fractions = judge_table(printed, results(0.01))
    assert as_fractions.words() == in_percent.words()
    for one, other in zip(as_fractions.verdicts, in_percent.verdicts, strict=True):
        assert one.interval == pytest.approx(other.interval, abs=1e-9)


def test_a_table_of_this_package_has_the_same_words_from_outside(tmp_path):
    """SVM in KPM's Table 2, from its committed records as a plain CSV with other column names."""
    own = [
        v
        for v in judge_paper("kpm")
        if v.number.table == "table2" and v.number.select["method"] == "svm" and v.n_trials
    ]
    assert len(own) >= 5
    ((metric, results_file, reading),) = {
        (v.number.select["metric"], v.number.results, v.number.judged) for v in own
    }
    values = {v.number.row: f"[[{v.number.value}, {v.number.spread}]]" for v in own}
    datasets = {v.number.row: v.number.select["dataset"] for v in own}
    lines = [
        '[units]\nresults = "fraction"\n[columns]\nvalue = "wrong"\n[tables.t]',
        'design = "splits"\ntrials = 100\n[tables.t.columns]',
        f'SVM = {{ method = "svm", metric = "{metric}" }}\n[tables.t.rows]',
        *(f'"{row}" = {{ dataset = "{name}" }}' for row, name in datasets.items()),
        "[tables.t.values]",
        *(f'"{row}" = {value}' for row, value in values.items()),
    ]
    (tmp_path / "p.toml").write_text("\n".join(lines), encoding="utf-8")
    records = package_records.select(
        package_records.load_paper("kpm"),
        table=results_file,
        method="svm",
        metric=metric,
        reading=reading,
        setting="",
    )
    plain = records[["dataset", "method", "metric", "trial"]].assign(wrong=records["value"])
    found = judge_table(tmp_path / "p.toml", plain)
    for mine, theirs in zip(own, found.verdicts, strict=True):
        assert theirs.interval == pytest.approx(mine.interval, abs=1e-6)
        assert theirs.word == mine.judged_word


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('method = "kfd" }\nSVM', 'method = "kdf" }\nSVM', "no method 'kdf'; did you mean 'kfd'"),
        ('value = "error"', 'value = "eror"', "no column 'eror'; did you mean 'error'"),
        ("[columns]", "[columns]\nfold = 3", "columns: unknown key 'fold'"),
        ('"as good" =', '"as god" =', r"\[expect\]: no number or claim 'as god'; did you mean"),
        (
            "[columns]",
            '[units]\nresults = "per cent"\n[columns]',
            "units: results is .per cent.; it must be one of percent, fraction",
        ),
        ("digits = 1", "digits = ", "printed.toml: "),
        ("Heart = [[16.1, 3.4],", "Heart = [", "row 'Heart' has 1 entries for 2 columns"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(files, old, new, message):
    with pytest.raises(ValueError, match=message):
        judge_table(*changed(files, old, new))


def test_values_that_are_no_numbers_and_trials_that_stand_twice_are_named(files):
    printed, _ = files
    table = results()
    with pytest.raises(ValueError, match="row 3: a second value of one trial .*banana"):
        judge_table(printed, table.assign(trial=[0, 1, 1, *range(3, len(table))]))
    with pytest.raises(ValueError, match="row 2: 'x' is no number"):
        judge_table(printed, table.assign(error=["1", "x", *table["error"][2:]]))


def test_command_writes_json_and_a_page_that_loads_nothing(files, tmp_path, capsys):
    printed, table = map(str, files)
    made = tmp_path / "o.json", tmp_path / "o.html"
    assert main(["judge", printed, table, "--json", str(made[0]), "--html", str(made[1])]) == 1
    shown = capsys.readouterr().out
    assert "not reproduced, expected reproduced" in shown
    found = json.loads(made[0].read_text(encoding="utf-8"))
    assert found["numbers"]["table1/Heart/KFD"]["word"] == "not reproduced"
    assert found["claims"]["as good"]["interval"][0] < found["claims"]["as good"]["interval"][1]
    page = made[1].read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")
    capsys.readouterr()
    assert main(["judge", printed, table, "--html", str(made[0] / "o.html")]) == 2
    assert f"--html is {made[0] / 'o.html'}, but {made[0]} is a file" in capsys.readouterr().err


def test_the_picture_loads_nothing_and_is_the_same_file_again(files, tmp_path):
    printed, table = map(str, files)
    forest = tmp_path / "f.svg"
    made = ["--forest", str(forest)]
    assert main(["judge", printed, table, *made]) == 1
    assert not [e for e in ElementTree.parse(forest).iter() if e.tag.endswith(("image", "script"))]
    first = forest.read_bytes()
    assert main(["judge", printed, table, *made]) == 1
    assert forest.read_bytes() == first, "the same verdicts must give the same file"
    assert main(["judge", printed, table, "--forest", str(tmp_path / "f.bmp")]) == 2


def test_markup_in_a_file_is_shown_and_not_run(files):
    from reprolib.report.judged import page

    printed, table = changed(files, "Banana = { dataset", '"<script>x</script>" = { dataset')
    changed((printed, table), "Banana = [[", '"<script>x</script>" = [[')
    assert "<script>" not in page(judge_table(printed, table))


def test_pytest_fails_where_a_word_got_worse_and_says_by_how_much(files):
    printed, table = map(str, files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "reprolib.rerun.verdicts.plugin"]
    # Importing the plugins of others takes five times as long as the run.
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    call = functools.partial(
        subprocess.run, capture_output=True, text=True, cwd=files[0].parent, env=alone
    )
    options = ["--printed", printed, "--results", table]
    run = call([*command, *options])
    assert run.returncode == 1
    assert "table1/Heart/KFD is not reproduced, expected reproduced" in run.stdout
    changed(files, '"table1/Heart/KFD" = "reproduced"', '"table1/Banana/KFD" = "reproduced"')
    run = call([*command, *options])
    assert run.returncode == 0, run.stdout
    lone = call([*command, *options[:2]])
    assert lone.returncode == 4
    assert "--printed needs --results" in lone.stderr + lone.stdout


def test_a_better_word_than_expected_is_no_failure():
    assert place("reproduced") > place("undecided") > place("not reproduced")
    assert place("not run") < min(map(place, ORDER))
