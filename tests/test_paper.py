"""The face of a paper gives tables, figures, numbers and data by name, wherever they come from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import reprolib
from reprolib.paper import Paper
from reprolib.rerun.records.registry import PAPERS, printed_of, readings_of

#: A small run that needs no data: one trial of KPM on generated ones.
ONE_TASK = "table2/embedded/twonorm/kpm/headline/0"


@pytest.fixture(scope="module")
def kpm():
    return reprolib.paper("kpm")


@pytest.mark.parametrize("key", PAPERS)
def test_every_printed_number_is_in_its_table_and_in_the_list_of_all(key):
    paper = reprolib.paper(key)
    tables = [paper.table(name) for name in printed_of(key).printed.tables]
    n_printed = sum(int(table.printed.notna().sum().sum()) for table in tables)
    assert n_printed == len(paper.numbers()) == len(paper.verdicts)
    for table in tables:
        assert table.heading in str(table)
        assert all(column in table._repr_html_() for column in table.columns)
        assert table.text("tex").startswith("% ")


@pytest.mark.parametrize("key", PAPERS)
def test_claims_readings_and_data_of_every_paper(key):
    paper = reprolib.paper(key)
    assert set(paper.claims()["claim"]) == {claim.name for claim in printed_of(key).printed.claims}
    assert set(paper.readings().index) == set(readings_of(key))
    named = set(paper.records["dataset"])
    assert {name for name in paper.data if not name.startswith("embedded/")} <= named
    assert all(name in repr(paper.data) for name in paper.data)


def test_a_paper_without_results_has_nothing_to_compute_again(kpm, monkeypatch, tmp_path, capsys):
    """As a copied example, before its first full run."""
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path))
    kpm.recompute(1.0)
    shown = capsys.readouterr().out
    assert "no results to compare with" in shown
    assert "`reprolib reproduce kpm --full` makes them" in shown


def test_a_name_that_is_not_there_is_answered_with_those_that_are(kpm):
    for ask, known in [
        (lambda: kpm.table("table9"), "table1, table2"),
        (lambda: kpm.figure("figure9"), "figure1"),
        (lambda: kpm.picture("none"), "components"),
        (lambda: kpm.sliders("none"), "refitted"),
        (lambda: kpm.turn("none"), "dimension_and_cost"),
        (lambda: kpm.readings("table9"), "table1, table2"),
        (lambda: reprolib.paper("kmp"), "kpm"),
        (lambda: reprolib.paper("kpm", run="quik"), "'records', 'quick' or 'full'"),
    ]:
        with pytest.raises(ValueError, match=known):
            ask()
    with pytest.raises(KeyError, match="raetsch/heart"):
        kpm.data["raetsch/hart"]


def test_a_figure_brings_a_text_for_those_who_cannot_see_it(kpm):
    picture = kpm.figure("figure1")
    data, metadata = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "Flare Solar" in metadata["image/png"]["alt"]


def test_a_figure_that_a_quick_run_lacks_is_drawn_from_the_committed_records(monkeypatch, capsys):
    """The simplex notebook stopped at it with ``RUN = "quick"``."""
    records = reprolib.paper("simplex").records
    few = property(lambda self: records[records["table"] != "classes"])
    monkeypatch.setattr(Paper, "records", few)
    assert Paper("simplex", "quick").figure("cost_by_classes").figure.axes
    assert "Drawn from the committed records" in capsys.readouterr().out
    with pytest.raises(ValueError, match="lack what the figure"):
        Paper("simplex", "full").figure("cost_by_classes")


def test_a_picture_of_the_method_is_drawn_from_its_name():
    codes = reprolib.paper("simplex").picture("codes", alt="code words")
    assert len(codes.figure.axes) == 2
    assert codes.alt == "code words"


@pytest.mark.parametrize(
    ("key", "picture", "values", "message"),
    [
        ("mkmmc", "accuracy_by_dimension", {"reading": "no"}, "reading is 'no'; known: "),
        ("simplex", "line_up", {"schedule": "no", "row": "no"}, "schedule='no', row='no'"),
        ("simplex", "line_up", {"schedul": "no"}, "takes schedule, row: missing"),
    ],
)
def test_a_picture_of_what_was_not_measured_is_answered_with_what_was(
    key, picture, values, message
):
    asked = reprolib.paper(key)
    with pytest.raises(ValueError, match=message):
        asked.picture(picture, **values)


def test_a_picture_that_is_asked_for_as_a_figure_is_named_as_one():
    with pytest.raises(ValueError, match=r"a picture of keops: paper.picture\('cap_map'"):
        reprolib.paper("keops").figure("cap_map")


def test_data_are_loaded_by_name(kpm):
    twonorm = kpm.data["embedded/twonorm"]
    assert (twonorm.name, twonorm.source) == ("embedded/twonorm", "embedded")


def test_texts_of_a_table_stand_on_the_left_and_in_full(kpm):
    numbers = kpm.numbers()
    assert "text-align: left" in numbers._repr_html_()
    assert max(numbers["reason"], key=len)[-20:] in numbers._repr_html_()
    assert "text-align: left" in numbers.head(2)._repr_html_(), "so do some of its lines"


def test_what_is_rerun_here_has_its_own_records_and_leaves_the_committed_ones(
    kpm, monkeypatch, capsys
):
    monkeypatch.setattr("data_fetch.available", lambda name: True)
    here = kpm.rerun("full", only=ONE_TASK)
    assert "computed here, full profile" in repr(here)
    assert set(here.records["task"]) == {ONE_TASK}
    assert {v.word for v in here.verdicts} == {"not run", "quoted"}, "embedded data judge nothing"
    assert "kpm: 1 of 1 tasks" in capsys.readouterr().err
    key = ["task", "metric", "setting", "reading"]
    values = [paper.records.set_index(key)["value"] for paper in (here, kpm)]
    pd.testing.assert_series_equal(values[0], values[1][values[0].index])


def test_claims_that_a_quick_run_does_not_measure_are_drawn_from_the_records(tmp_path, capsys):
    """As of simplex coding, whose quick profile has some of its data sets only."""
    quick = Paper("simplex", "quick", SimpleNamespace(name=tmp_path))  # a run that measured nothing
    assert len(quick.contrasts("SC-SVM the best online").figure.axes) == 1
    assert "Drawn from the committed records" in capsys.readouterr().out


def test_without_data_the_numbers_are_those_of_the_records_and_a_line_says_so(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv("REPROLIB_MIRROR", "")
    paper = reprolib.paper("keops", run="quick")
    assert "numbers: the committed results" in repr(paper)
    told = capsys.readouterr().out
    assert "Nothing was computed here" in told
    assert "reprolib data fetch p300/iib" in told


@pytest.mark.parametrize("first", ["import reprolib", "import reprolib.paper"])
def test_it_is_found_in_either_order_and_needs_no_pictures(first):
    """A module of the same name would stand in its place after ``import reprolib.paper``."""
    lines = (
        first,
        "import sys",
        "print(len(reprolib.paper('kpm').numbers()), 'matplotlib' in sys.modules)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.stdout.split() == ["36", "False"], done.stderr


def test_a_paper_in_a_repository_of_its_own_has_the_same_face(tmp_path):
    example = Path(__file__).parents[1] / "examples/kfd-raetsch"
    lines = (
        "import reprolib",
        "paper = reprolib.paper('kfd')",
        "print(paper.table('table1').printed.size == len(paper.numbers()), len(paper.records) > 0)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=example,
        env={"REPROLIB_PAPERS": str(example / "kfd"), "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["True", "True"], done.stderr
