"""Verdicts on anyone's table, as a stranger uses them."""

from __future__ import annotations

import json
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.cli.main import main
from reprolib.rerun import records as package_records
from reprolib.rerun.printed.schema import Expected
from reprolib.rerun.verdicts import judge_paper, judge_table
from reprolib.rerun.verdicts.anyone import ORDER, place
from reprolib.rerun.verdicts.claims import CLAIM_WORDS
from reprolib.rerun.verdicts.table_file import read_table
from reprolib.rerun.verdicts.words import JUDGED

PRINTED = """
[units]
printed = "percent"

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
    printed, _ = changed(files, 'printed = "percent"', 'results = "fraction"')
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
            '"percent"',
            '"per cent"',
            "units: 'per cent'; did you mean 'percent'.* has no default margin",
        ),
        (
            '"percent"',
            '"percent"\nresults = "s"',
            "print is in 'percent' and the results in 's'",
        ),
        (
            '"as good" = "undecided"',
            '"as good" = "reproduced"',
            "is a claim, which cannot be",
        ),
        (
            'KFD" = "reproduced"',
            'KFD" = "reproducd"',
            "'reproducd'; it must be one of",
        ),
        ('KFD" = "reproduced"', 'KFD" = "holds"', "is a number, which cannot be 'holds'"),
        ('name = "as good"', 'name = "table1/Heart/KFD"', "is the name of a number, too"),
        ("trials = 100", "trials = 1", "printed as its spread, but not over how many trials"),
        ("[[16.1, 3.4],", "[nan,", "row 'Heart', column 'KFD' is nan; it must be a number"),
        ("[[16.1, 3.4],", "[216.1,", "is 216.1, which is no percent; say its own unit"),
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
    with pytest.raises(ValueError, match="row 2: error is 'x'; give a number, or leave"):
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


def test_the_picture_loads_nothing(files, tmp_path):
    printed, table = map(str, files)
    forest = tmp_path / "f.svg"
    made = ["--forest", str(forest)]
    assert main(["judge", printed, table, *made]) == 1
    drawn = ElementTree.parse(forest).iter()
    assert not [e for e in drawn if e.tag.endswith(("image", "script"))]
    first = forest.read_bytes()
    assert main(["judge", printed, table, *made]) == 1
    assert forest.read_bytes() == first, "the same verdicts must give the same file"
    assert main(["judge", printed, table, "--forest", str(tmp_path / "f.bmp")]) == 2


def test_markup_in_a_file_is_shown_and_not_run(files):
    from reprolib.report.judged import page

    printed, table = changed(files, "Banana = { dataset", '"<script>x</script>" = { dataset')
    changed((printed, table), "Banana = [[", '"<script>x</script>" = [[')
    assert "<script>" not in page(judge_table(printed, table))


ONE = """
[tables.t]
design = "splits"
trials = 20
[tables.t.rows]
A = { dataset = "d" }
[tables.t.columns]
M = { method = "m" }
[tables.t.values]
A = [[0.85, 0.02]]
"""


def runs(mean: float, spread: float, n: int, **more) -> pd.DataFrame:
    values = mean + spread * np.random.default_rng(0).standard_normal(n)
    return pd.DataFrame({"dataset": "d", "method": "m", "trial": range(n), "value": values} | more)


def judged(tmp_path, text: str, frame: pd.DataFrame):
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    return judge_table(tmp_path / "p.toml", frame)


@pytest.mark.parametrize(
    ("units", "value", "ours", "word"),
    [
        ("", "[0.85, 0.02]", runs(0.10, 0.02, 20), "undecided"),
        ("", "[1.8, 0.4]", runs(3.0, 0.3, 30), "undecided"),
        ("", "[90, 1]", runs(90, 1, 30), "undecided"),
        ('printed = "fraction"', "[0.85, 0.02]", runs(0.10, 0.02, 20), "not reproduced"),
        ('printed = "fraction"', "[0.85, 0.02]", runs(0.85, 0.02, 20), "reproduced"),
        ('printed = "rank"\nmargin = 0.5', "[1.8, 0.4]", runs(3.0, 0.3, 30), "not reproduced"),
        ('printed = "seconds"\nmargin = 2', "[0.8, 0.1]", runs(2.1, 0.1, 20), "reproduced"),
    ],
)
def test_a_difference_is_small_only_in_a_unit_that_was_said(tmp_path, units, value, ours, word):
    """The margin was 1.5 in whatever unit: a mean rank of 3.0 beside 1.8 was "reproduced"."""
    text = f"[units]\n{units}\n" + ONE.replace("[0.85, 0.02]", value)
    found = judged(tmp_path, text, ours)
    assert found.words() == {"t/A/M": word}
    (verdict,) = found.verdicts
    assert verdict.interval[0] < verdict.interval[1], "the interval needs no unit"
    assert bool(found.notes) == (units == "")
    assert ("No unit is said" in verdict.reason) == (units == "")


def test_a_row_has_a_margin_of_its_own_beside_a_share(tmp_path):
    text = '[units]\nprinted = "fraction"\n' + ONE.replace(
        'dataset = "d" }', 'dataset = "d", margin = 0.9 }'
    )
    assert judged(tmp_path, text, runs(0.10, 0.02, 20)).words() == {"t/A/M": "reproduced"}


def test_a_printed_mean_of_seeds_gives_the_interval_of_two_means(tmp_path):
    """90.0 +- 1.0 over 5 seeds beside ten of ours: without test points it was +- 237."""
    text = '[units]\nprinted = "percent"\n' + ONE.replace("[0.85, 0.02]", "[90, 1.0]")
    text = text.replace('"splits"', '"seeds"').replace("trials = 20", "trials = 5")
    (verdict,) = judged(tmp_path, text, ours := runs(90, 1, 10)).verdicts
    variance = ours["value"].var(ddof=1) / 10 + 1.0 / 5
    assert verdict.half_width == pytest.approx(stats.t.ppf(0.975, 5 - 1) * variance**0.5)


def test_runs_that_both_sides_share_differ_at_least_as_their_spreads(tmp_path):
    """The same 18 subjects on both sides, equal to the last printed digit."""
    text = '[units]\nprinted = "percent"\n' + ONE.replace("trials = 20", "trials = 18")
    text = text.replace('"splits"', '"runs"')
    ours = runs(56.56, 10.08, 18)
    mean, spread = ours["value"].mean(), ours["value"].std()
    same = judged(tmp_path, text.replace("[0.85, 0.02]", f"[{mean:.2f}, {spread:.2f}]"), ours)
    assert same.words() == {"t/A/M": "reproduced"}
    other = judged(tmp_path, text.replace("[0.85, 0.02]", f"[{mean:.2f}, {spread + 6:.2f}]"), ours)
    assert other.words() == {"t/A/M": "undecided"}


PAIR = (
    '[units]\nprinted = "percent"\n'
    + ONE.replace('M = { method = "m" }', 'M = { method = "m" }\nS = { method = "s" }').replace(
        "[[0.85, 0.02]]", "[[90, 5], [90, 5]]"
    )
    + """
[[claims]]
name = "m better"
text = "m is better than s"
page = 1
tables = ["t"]
claims = "better"
metric = "value"
larger = "better"
a = { method = "m" }
b = [{ method = "s" }]
"""
)


def test_a_claim_compares_equal_trials_or_none(tmp_path):
    s = runs(80, 5, 20).assign(method="s")
    both = pd.concat([s.assign(method="m", value=s["value"] + 1), s])
    assert judged(tmp_path, PAIR, both).words()["m better"] == "holds"
    with pytest.raises(ValueError, match="'m better' compares equal trials.* no column trial"):
        judged(tmp_path, PAIR, both.iloc[:-1].drop(columns="trial"))
    apart = both.assign(trial=both["trial"] + 100 * (both["method"] == "s"))
    with pytest.raises(ValueError, match="m and s have no trial in common on d"):
        judged(tmp_path, PAIR, apart)
    twice = PAIR + PAIR[PAIR.index("[[claims]]") :]
    with pytest.raises(ValueError, match="claims: 2 have the name 'm better'"):
        judged(tmp_path, twice, both)


PERCENT = '[units]\nprinted = "percent"\n' + ONE.replace("[0.85, 0.02]", "[90, 1]")


def test_columns_that_happen_to_be_there(tmp_path):
    """One called "reading" is used if it is named; the only metric need not be named."""
    for more in ({"reading": "digits"}, {"metric": "acc"}):
        assert judged(tmp_path, PERCENT, runs(90, 1, 30, **more)).words() == {"t/A/M": "reproduced"}
    both = pd.concat([runs(90, 1, 30, metric="acc"), runs(90, 1, 30, metric="f1")])
    with pytest.raises(ValueError, match="several metrics, and table 't' names none; say which"):
        judged(tmp_path, PERCENT, both)


def test_a_trial_may_have_two_names(tmp_path):
    text = '[columns]\ntrial = ["subject", "session"]\n' + PERCENT
    frame = runs(90, 1, 30).drop(columns="trial")
    frame = frame.assign(subject=np.repeat(range(15), 2), session=["a", "b"] * 15)
    assert judged(tmp_path, text, frame).words() == {"t/A/M": "reproduced"}
    with pytest.raises(ValueError, match="row 2: a second value of one trial .*trial 0, a"):
        judged(tmp_path, text, frame.assign(session="a"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "16,5"}, "row 1: value is '16,5'; write the decimal with a point"),
        ({"value": True}, "row 1: value is 'True'; give a number"),
        ({"value": np.inf}, "row 1: value is 'inf'; give a number"),
        ({"value": 216.0}, "row 1: the value is 216, which is no percent"),
        ({"n_test": True}, "row 1: n_test is 'True'; give the number of test points"),
        ({"n_test": -5}, "row 1: n_test is '-5'; give the number of test points"),
        ({"n_test": 7.5}, "row 1: n_test is '7.5'; give the number of test points"),
        ({"n_test": [10.0] * 29 + [np.nan]}, "row 30: n_test is empty; give the number of test"),
        ({"trial": [None, *range(29)]}, "row 1: trial is empty; name the trial in every row"),
    ],
)
def test_a_field_that_cannot_be_meant_is_named_with_its_row(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        judged(tmp_path, PERCENT, runs(90, 1, 30).assign(**change))


CSV = runs(90, 1, 30).assign(method="Müller").to_csv(index=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "r.dat is empty; give a CSV"),
        (b" \n \n", "r.dat is empty; give a CSV"),
        (CSV.encode("cp1252"), "r.dat, line 2: the encoding is not UTF-8; save the file as UTF-8"),
        (b"PAR1\x15\x04", "r.dat is (a|no sound) parquet file"),
        (b"PK\x03\x04", "r.dat is an Excel file or a zip archive; save the sheet as CSV"),
        (b"\x1f\x8b\x08", "r.dat is compressed by gzip; unpack it"),
        (b"{nonsense", "r.dat begins as JSON, but is no list of rows"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_remedy(tmp_path, content, message):
    (tmp_path / "r.dat").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "r.dat")


def test_a_toml_file_in_another_encoding_or_nested_without_end_is_refused(tmp_path):
    path = tmp_path / "p.toml"
    path.write_bytes(PERCENT.replace('"m"', '"Müller"').encode("cp1252"))
    with pytest.raises(ValueError, match=r"p.toml, line \d+: the encoding is not UTF-8"):
        judge_table(path, runs(90, 1, 30))
    path.write_text("a = " + "[" * 20_000 + "]" * 20_000, encoding="utf-8")
    with pytest.raises(ValueError, match="nested too deeply"):
        judge_table(path, runs(90, 1, 30))


def test_a_better_word_than_expected_is_no_failure():
    assert (
        place("to the digit") > place("reproduced") > place("undecided") > place("not reproduced")
    )
    assert place("undecided") > place("undecided, differs") > place("not reproduced")
    assert place("holds") > place("holds, but") > place("undecided") > place("fails")
    judged = {*JUDGED, "to the digit", "reproduced in a variant", *CLAIM_WORDS}
    assert judged == {*ORDER} == {*get_args(Expected)}, "any word can be expected"
    assert place("not run") < min(map(place, ORDER))
