"""Files of printed numbers: every fault is named with file, table and key."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.checks import check
from reprolib.rerun.printed.file import digest, fits, form_faults, name_faults, read
from reprolib.rerun.printed.schema import File
from reprolib.rerun.records.registry import PAPERS, printed_text
from reprolib.rerun.verdicts import judge
from reprolib.rerun.verdicts.judge import judge_paper
from reprolib.rerun.verdicts.printed import numbers, numbers_of


def entry():
    """A sound file: that of KPM."""
    return tomllib.loads(kpm_text())


def faults(entry):
    """As `read` names them."""
    of_form = list(form_faults("", entry, File))
    assert fits(entry, File) == (not of_form)
    return of_form or list(name_faults(msgspec.convert(entry, File), "printed."))


def kpm_text() -> str:
    return printed_text("kpm")


def with_change(change):
    changed = entry()
    change(changed["printed"]["tables"]["table1"])
    return changed


def first(mapping):
    return next(iter(mapping))


FAULTS = {
    "unknown key": (lambda t: t.update(tirals=3), "unknown key 'tirals'; did you mean 'trials'?"),
    "unknown key of a row": (
        lambda t: t["rows"][first(t["rows"])].update(metod="kpm"),
        "unknown key 'metod'; did you mean 'method'?",
    ),
    "unknown design": (
        lambda t: t.update(design="split"),
        "design is 'split'; it must be one of cross-validation, runs, seeds, selection",
    ),
    "designs of a column": (
        lambda t: t["columns"][first(t["columns"])].update(design=["seeds", "median"]),
        "design is ['seeds', 'median']; it must be one of cross-validation",
    ),
    "a cell of no row": (
        lambda t: t.update(cells=[{"row": "Hart", "column": "KPM", "trials": 3}]),
        "no row 'Hart'; did you mean 'Heart'?",
    ),
    "no trials": (lambda t: t.update(trials=0), "trials is 0; it must be a whole number, at least"),
    "scale": (lambda t: t.update(scale=-1), "scale is -1; it must be a number above 0"),
    "missing": (lambda t: t.pop("columns"), "tables.table1: columns is missing"),
    "too few": (lambda t: t["values"][first(t["values"])].pop(), "has 3 entries for 4 columns"),
    "too many": (lambda t: t["values"][first(t["values"])].append(1.0), "has 5 entries for 4"),
    "no list": (
        lambda t: t["values"].update({first(t["values"]): 1.0}),
        "must be a list, one entry",
    ),
    "text": (lambda t: t["values"][first(t["values"])].__setitem__(0, "x"), "is 'x'; it must be a"),
    "triple": (
        lambda t: t["values"][first(t["values"])].__setitem__(0, [1.0, 2.0, 3.0]),
        "is [1.0, 2.0, 3.0]; it must be a number, a pair",
    ),
    "row without values": (lambda t: t["values"].pop(first(t["values"])), "has no values"),
    "values without row": (
        lambda t: t["values"].update(Banan=[1, 2, 3, 4]),
        "no row 'Banan'; did you mean 'Banana'?",
    ),
    "not_run": (lambda t: t["not_run"].update(Nobody="x"), "not_run: no row or column 'Nobody'"),
    "a row of a quotation": (
        lambda t: t.update(quoted=[{"row": "Banan", "column": "*", "text": "x"}], role="own"),
        "quoted, entry 1: no row 'Banan'; did you mean 'Banana'?",
    ),
    "quoted": (
        lambda t: t["quoted"].append({"row": "*", "column": "SWM", "text": "x"}),
        "quoted, entry 3: no column 'SWM'; did you mean 'SVM'?",
    ),
    "role": (
        lambda t: t["columns"]["KPM"].update(role="quoted"),
        "role is 'quoted'; it must be one of baseline, own",
    ),
    "no role": (
        lambda t: t["columns"]["KPM"].pop("role"),
        "nothing says the role of row 'Banana', column 'KPM'",
    ),
    "no quantity": (
        lambda t: t.pop("quantity"),
        "nothing says the quantity of row 'Banana', column 'KPM'",
    ),
    "selector": (
        lambda t: t["columns"]["KPM"].pop("method"),
        "neither row 'Banana' nor column 'KPM' says the method",
    ),
}


@pytest.mark.parametrize("n_entries", [0, 1, 3, 5, 8])
def test_ragged_row_is_named_with_its_length(n_entries):
    printed = entry()["printed"]["tables"]["table1"]
    row = first(printed["values"])
    n_columns = len(printed["columns"])
    assert n_entries != n_columns
    found = faults(with_change(lambda t: t["values"].update({row: [1.0] * n_entries})))
    assert (
        f"printed.tables.table1.values: row {row!r} has {n_entries} entries for {n_columns} columns"
        in found
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_a_table_is_named(fault):
    change, message = FAULTS[fault]
    found = faults(with_change(change))
    assert found
    assert all(line.startswith("printed.tables.table1") for line in found)
    assert any(message in line for line in found), found


def test_several_faults_are_named_at_once_with_the_file():
    text = (
        kpm_text()
        .replace('design = "splits"', 'design = "split"')
        .replace("[printed.paper]", "[printed.paper]\nx = 1")
    )
    with pytest.raises(
        ValueError, match="papers/kpm.toml: printed.paper: unknown key 'x'"
    ) as error:
        read(text, "papers/kpm.toml")
    assert "papers/kpm.toml: printed.tables.table1: design is 'split'" in str(error.value)
    assert "papers/kpm.toml: printed.tables.table2: design is 'split'" in str(error.value)


def test_file_that_is_no_toml_is_named():
    with pytest.raises(ValueError, match="papers/x.toml: Expected"):
        read("[paper", "papers/x.toml")


@pytest.mark.parametrize(
    "top",
    [{}, {"printed": {"paper": 1, "tables": {}}}, {"printd": {}}, {"printed": {"tables": {}}}],
)
def test_file_without_its_parts_is_faulty(top):
    assert faults(top)


@pytest.mark.parametrize("paper", PAPERS)
def test_no_committed_verdict_has_an_automatic_reason(paper):
    automatic = [v for v in judge_paper(paper) if v.word == "not run" and not v.number.not_run]
    assert automatic == []


@pytest.mark.parametrize(
    ("part", "name", "key", "value", "message"),
    [
        ("columns", "KPM", "method", "kmp", "no method 'kmp'; did you mean 'kpm'?"),
        ("columns", "KPM", "metric", "test eror", "no metric 'test eror'; did you mean"),
        ("rows", "Banana", "dataset", "raetsch/banan", "no dataset 'raetsch/banan'; did you mean"),
        ("columns", "KPM", "results", "tabel1", "no table 'tabel1'; did you mean 'table1'?"),
    ],
)
def test_misspelt_name_is_an_error_on_committed_results(
    monkeypatch, tmp_path, part, name, key, value, message
):
    def change(table):
        table[part][name][key] = value

    listed = numbers_of(msgspec.convert(with_change(change), File))
    known = check.committed_names("kpm")
    found = [fault for number in listed for fault in check.number_faults(number, known)]
    assert found
    assert all(line.startswith("tables.table1, ") and message in line for line in found)
    monkeypatch.setattr(judge, "_judged", judge._judged.__wrapped__)
    monkeypatch.setattr(judge, "numbers", lambda paper: listed)
    with pytest.raises(ValueError, match="(?s)kpm, table1/Banana/KPM: .*reprolib check kpm"):
        judge_paper("kpm")
    assert judge_paper("kpm", tmp_path), "results of another run may be incomplete"


def test_experiment_that_was_left_out_is_an_error_on_committed_results(monkeypatch):
    records = results.load_paper("kpm")
    left = records[(records["dataset"] != "raetsch/banana") | (records["table"] != "table1")]
    monkeypatch.setattr(judge, "_judged", judge._judged.__wrapped__)
    monkeypatch.setattr(judge, "load_paper", lambda paper, directory=None: left)
    with pytest.raises(ValueError, match="kpm, table1/Banana/KPM: "):
        judge_paper("kpm")


def test_role_and_quantity_of_every_number_are_known():
    by_id = {n.id: n for n in numbers("kpm")}
    assert by_id["table1/Banana/KPM"].role == "own"
    assert by_id["table1/Banana/SVM"].role == "quoted"
    assert by_id["table2/Banana/SVM"].role == "baseline"
    assert by_id["table1/Banana/selected D"].quantity == "selection"
    for paper in PAPERS:
        for n in numbers(paper):
            assert n.role in ("own", "baseline", "quoted")
            assert (n.role == "quoted") == bool(n.quoted)
            assert n.quantity in ("performance", "selection")
            assert n.quantity == "selection" or not n.fixed
    fixed = {n.select["dataset"] for n in numbers("mkmmc") if n.fixed}
    assert fixed == {"faces/orl", "faces/yale"}


def test_a_change_of_the_story_makes_no_record_stale():
    """The digest stands in run.json; a corrected sentence voided a paper's records."""
    text = kpm_text()
    told = text.replace('stands = "Equal within the margin, and worse"', 'stands = "Equal"')
    assert told != text
    assert digest(told) == digest(text) == digest(text + "# a comment\n")
    assert digest(text.replace("10.73", "10.74", 1)) != digest(text)
    assert digest(text.replace("center = true", "center = false")) != digest(text)


def test_a_table_that_says_nothing_else_has_single_runs_in_printed_units():
    def bare(table):
        for name in ("trials", "scale", "digits", "folds", "drawn_once"):
            for part in (table, *table["rows"].values(), *table["columns"].values()):
                part.pop(name, None)
        table.pop("cells", None)

    changed = with_change(bare)
    number = next(n for n in numbers_of(msgspec.convert(changed, File)) if n.table == "table1")
    assert (number.trials, number.scale, number.digits) == (1, 1, 2)
    assert (number.folds, number.drawn_once) == (None, "")


SOUND = {
    "no digits": lambda t: t.update(digits=0),
    "one trial": lambda t: t.update(trials=1),
    "small scale": lambda t: t.update(scale=0.5),
    "no spread": lambda t: t["values"]["Banana"].__setitem__(0, [10.7, 0]),
    "nothing printed": lambda t: t["values"]["Banana"].__setitem__(0, ""),
    "row that is not run": lambda t: (
        t["not_run"].update(dict.fromkeys(t["rows"], "x")),
        t["columns"]["KPM"].pop("method"),
    ),
    "column that is not run": lambda t: (
        t["not_run"].update(KPM="x"),
        t["columns"]["KPM"].pop("method"),
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_is_just_allowed_is_sound(name):
    assert faults(with_change(SOUND[name])) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.update(digits=-1),
            "digits is -1; it must be a whole number, at least 0 and at most 15",
        ),
        (lambda t: t.update(digits=True), "digits is True; it must be"),
        (lambda t: t.update(digits=1.0), "digits is 1.0; it must be"),
        (lambda t: t.update(trials=True), "trials is True; it must be"),
        (lambda t: t.update(scale=0), "scale is 0; it must be a number above 0"),
        (lambda t: t.update(scale=True), "scale is True; it must be"),
        (lambda t: t.update(scale="1"), "scale is '1'; it must be"),
        (lambda t: t.update(pool={"results": "x"}), "pool: without is missing"),
        (lambda t: t.update(caption=""), "caption is ''; it must be a text"),
        (lambda t: t.update(caption=1), "caption is 1; it must be a text"),
        (lambda t: t.update(quoted=["x"]), "quoted, entry 1 must be a table"),
        (lambda t: t["values"]["Banana"].__setitem__(0, [10.7, -0.1]), "is [10.7, -0.1]; it must"),
        (lambda t: t["values"]["Banana"].__setitem__(0, [10.7]), "is [10.7]; it must be a number"),
        (lambda t: t["values"]["Banana"].__setitem__(0, ["x", 1]), "is ['x', 1]; it must be a"),
        (lambda t: t["values"]["Banana"].__setitem__(0, True), "is True; it must be a number"),
        (
            lambda t: t["quoted"].append({"row": "qqqqqq", "column": "*", "text": "x"}),
            "quoted, entry 3: no row 'qqqqqq'; known: Banana, Breast Cancer, Diabetis",
        ),
    ],
)
def test_what_is_just_not_allowed_is_a_fault(change, message):
    found = faults(with_change(change))
    assert any(message in line for line in found), found


def test_fault_of_a_reading_is_named_with_its_number():
    changed = entry()
    name = changed["readings"][1].pop("name")
    assert faults(changed) == ["readings, entry 2: name is missing"]
    changed["readings"][1].update(name=name, control="x")
    assert faults(changed) == ["readings, entry 2: control is 'x'; it must be true or false"]
    changed["readings"][1].pop("control")
    changed["story"]["readings"][name].pop("text")
    assert faults(changed) == [f'story.readings."{name}": text is missing']
    changed["story"]["readings"].pop(name)
    assert faults(changed) == [f"story.readings: {name!r} is missing; say its question and text"]


def test_an_explanation_stands_on_a_number_of_the_paper():
    changed = entry()
    changed["story"]["explanations"][0].update(row="Banan")
    (fault,) = faults(changed)
    assert "story.explanations of 'table1', entry 1: no row 'Banan'; did you mean" in fault
    changed["story"]["explanations"][0].update(table="table9")
    assert "no table 'table9'; did you mean" in faults(changed)[0]


CLAIM_FAULTS = {
    "no text": (lambda c: c.pop("text"), "printed.claims, entry 1: text is missing"),
    "unknown table": (lambda c: c.update(tables=["tabel2"]), "no table 'tabel2'; did you mean"),
    "unknown word": (
        lambda c: c.update(claims="best"),
        "it must be one of at least as good, better, same",
    ),
    "a side of numbers": (lambda c: c["a"].update(method=3), "method is 3; it must be a text"),
    "nothing to judge": (lambda c: c.pop("a"), "a is missing"),
}


@pytest.mark.parametrize("fault", CLAIM_FAULTS)
def test_fault_of_a_claim_is_named(fault):
    change, message = CLAIM_FAULTS[fault]
    changed = entry()
    change(changed["printed"]["claims"][0])
    found = faults(changed)
    assert found
    assert all(line.startswith("printed.claims, entry 1") for line in found)
    assert any(message in line for line in found), found
