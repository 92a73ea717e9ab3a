"""What people bring to `reprolib judge`: read rightly, or refused with place and remedy."""

from __future__ import annotations

import math
import tomllib
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reprolib.cli.main import main
from reprolib.rerun.printed.file import parsed_toml
from reprolib.rerun.verdicts import judge_table
from reprolib.rerun.verdicts.printed import standard_deviation
from tests.rerun.test_anyone import PAIR, PERCENT, judged, runs


def pair(m: float, s: float, spread: float = 0.01) -> pd.DataFrame:
    of_s = runs(s, spread, 20).assign(method="s")
    return pd.concat([of_s.assign(method="m", value=of_s["value"] + m - s), of_s])


@pytest.mark.parametrize("kind", ["same", "at least as good", "better"])
@pytest.mark.parametrize(
    ("printed", "ours"),
    [
        ("[90, 1], [90, 1]", pair(0.60, 0.95)),
        ("[1.2, 0.2], [1.1, 0.2]", pair(0.30, 0.011, 0.002)),
        ("[0.8, 0.2], [0.9, 0.2]", pair(0.30, 0.20)),
        ("[90, 1], [90, 1]", pair(90, 0.95)),  # two tools in one file
    ],
)
def test_fractions_beside_percent_are_refused_until_they_are_said(tmp_path, kind, printed, ours):
    """0.60 beside 0.95 was "the same": their difference is small in percent."""
    text = PAIR.replace("[90, 5], [90, 5]", printed).replace(
        '"better"\nmetric', f'"{kind}"\nmetric'
    )
    with pytest.raises(
        ValueError, match=r"within 0 and 1 .*print is in percent.*results = \"percent\" or results"
    ):
        judged(tmp_path, text, ours)
    said = judged(tmp_path, text.replace('"percent"', '"percent"\nresults = "percent"'), ours)
    assert len(said.verdicts) == 2, "what is said wins: there are errors below one percent"


def test_percent_and_fractions_in_one_column_are_refused(tmp_path):
    """Half of the splits in fractions: 90 beside a mean of 45 was "not reproduced"."""
    ours = runs(90, 1, 30)
    ours["value"] /= np.where(ours["trial"] < 15, 100, 1)
    with pytest.raises(ValueError, match="15 of 30 values of method 'm' on 'd' lie within 0 and 1"):
        judged(tmp_path, PERCENT, ours)
    small = PERCENT.replace("[90, 1]", "[1.0, 0.3]")
    assert judged(tmp_path, small, runs(1.0, 0.3, 30)).words() == {"t/A/M": "reproduced"}


TIME = (
    PERCENT.replace('M = { method = "m" }', 'M = { metric = "acc" }\nT = { metric = "time", UNIT }')
    .replace("[[90, 1]]", "[[90, 1], [250, 2]]")
    .replace('"percent"', '"percent"\nresults = "fraction"')
)


def test_a_time_beside_an_accuracy_has_a_unit_of_its_own(tmp_path):
    """With accuracies in fractions a time was taken for one, and multiplied by 100."""
    both = pd.concat([runs(0.9, 0.01, 30, metric="acc"), runs(250, 2, 30, metric="time")])
    text = TIME.replace("UNIT", 'unit = "seconds", margin = 5')
    found = judged(tmp_path, text, both)
    assert found.words() == {"t/A/M": "reproduced", "t/A/T": "reproduced"}
    assert found.understood[1].endswith("unit seconds; print 250, unit seconds")
    for unit, message in (
        ('unit = "seconds"', "'T': unit is 'seconds'; set margin to the difference"),
        ('unit = "fraction"', "'T': unit is 'fraction'; say a share in"),
    ):
        with pytest.raises(ValueError, match=message):
            judged(tmp_path, TIME.replace("UNIT", unit), both)


def test_a_method_that_only_a_claim_names_is_refused_too(tmp_path):
    text = PAIR.replace('S = { method = "s" }', 'S = { method = "m" }')
    with pytest.raises(ValueError, match="values of method 's' on 'd' lie within 0 and 1"):
        judged(tmp_path, text, pair(90, 0.95))


def test_printed_fractions_called_percent_are_refused(tmp_path):
    text = PERCENT.replace("[90, 1]", "[0.9, 0.01]")
    with pytest.raises(ValueError, match='Say printed = "fraction" and results = "percent"'):
        judged(tmp_path, text, runs(90, 1, 30))
    said = text.replace('"percent"', '"percent"\nresults = "percent"')
    assert judged(tmp_path, said, runs(90, 1, 30)).words() == {"t/A/M": "not reproduced"}


def test_no_error_at_all_is_the_same_in_both_units(tmp_path):
    text = PERCENT.replace("[90, 1]", "[0.2, 0.1]")
    assert judged(tmp_path, text, runs(0, 0, 30)).words() == {"t/A/M": "reproduced"}


def test_what_was_read_is_said_before_the_words(tmp_path, capsys):
    frame = pd.concat([runs(90, 1, 30), runs(80, 1, 7).assign(method="lda")]).assign(note="x")
    mean = runs(90, 1, 30)["value"].mean()
    (tmp_path / "p.toml").write_text(PERCENT, encoding="utf-8")
    frame.to_csv(tmp_path / "r.csv", index=False)
    assert main(["judge", str(tmp_path / "p.toml"), str(tmp_path / "r.csv")]) == 0
    first, second, third, *rest = capsys.readouterr().out.splitlines()
    assert first == f"30 rows for m, mean {mean:.4g}, unit percent; print 90, unit percent"
    assert second == "7 rows belong to no printed number: d of lda"
    assert third == "Columns of r.csv that are not read: note"
    assert "reproduced" in "".join(rest)


@pytest.mark.parametrize("missing", [None, np.nan, "", " ", "nan", "NA", "None", "NULL"])
@pytest.mark.parametrize("column", ["method", "dataset", "metric"])
def test_a_row_without_a_name_is_refused_with_its_number(tmp_path, column, missing):
    """Such a row was dropped without a word."""
    frame = runs(90, 1, 30, metric="acc")
    frame.loc[[3, 7], column] = missing
    with pytest.raises(
        ValueError, match=rf"row 4: {column} is .*; name the {column} in .*2 such rows: 4, 8\)"
    ):
        judged(tmp_path, PERCENT, frame)


def test_a_method_that_is_called_none_is_one_where_print_says_so(tmp_path):
    text = PERCENT.replace('method = "m"', 'method = "None"')
    assert judged(tmp_path, text, runs(90, 1, 30, method="None")).words() == {"t/A/M": "reproduced"}


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("90,5", "write the decimal with a point, and nothing between thousands"),
        ("1,234.5", "write the decimal with a point, and nothing between thousands"),
        ("1'234", "write the decimal with a point, and nothing between thousands"),
        ("1 234", "write the decimal with a point, and nothing between thousands"),
        ("90.5%", "write it without %; the unit stands in"),
        ("90.5 %", "write it without %; the unit stands in"),
        ("9_0", "give a number, or leave the row out"),
        ("0x1F", "give a number"),
        ("1e999", "give a number"),
        ("٩٠", "give a number"),
        ("90 ± 1", "give a number"),
        ("\N{MINUS SIGN}1", "give a number"),
        ("true", "give a number"),
        (pd.Timedelta("90s"), "give a number"),
        (pd.Timestamp("2024-01-02"), "give a number"),
        (1j, "give a number"),
    ],
)
def test_a_cell_that_is_no_plain_number_is_refused(tmp_path, cell, message):
    values = pd.Series([90.0, 91.0, cell] * 10, dtype=object)
    with pytest.raises(ValueError, match=rf"row 3: value is .*; {message}"):
        judged(tmp_path, PERCENT, runs(90, 1, 30).assign(value=values))


def test_times_are_no_numbers(tmp_path):
    """A column of times was taken for nanoseconds: 0.8 s was 8e8."""
    text = PERCENT.replace('"percent"', '"seconds"\nmargin = 1').replace("[90, 1]", "[0.8, 0.1]")
    times = pd.to_timedelta([0.8] * 30, unit="s")
    with pytest.raises(ValueError, match="row 1: value is '0 days 00:00:00.8.*give a number"):
        judged(tmp_path, text, runs(90, 1, 30).assign(value=times))


def test_a_column_in_other_letters_is_asked_for(tmp_path):
    """Two methods under "Method" were pooled as one, as nothing was called "method"."""
    one = PERCENT.replace('M = { method = "m" }', "M = {}")
    frame = pd.concat([runs(90, 1, 30), runs(50, 1, 30).assign(method="s", trial=range(30, 60))])
    with pytest.raises(ValueError, match=r'has a column \'Method\' .* method = "Method"'):
        judged(tmp_path, one, frame.rename(columns={"method": "Method"}))
    with pytest.raises(ValueError, match="several methods, and table 't' names none"):
        judged(tmp_path, one, frame.set_index("method"))


FOLDS = PERCENT.replace('"splits"', '"cross-validation"\nfolds = 10').replace("[90, 1]", "90")


def test_trials_are_folds_by_their_number_and_not_by_their_place(tmp_path):
    """Rows sorted as texts (0, 1, 10, 11, ...) were put into other partitions."""
    ours = runs(90, 0.1, 100)
    ours["value"] += ours["trial"] // 10
    (ordered,) = judged(tmp_path, FOLDS, ours).verdicts
    texts = ours.iloc[np.argsort(ours["trial"].astype(str))]
    for other in (texts, texts.assign(trial=texts["trial"].astype(float)), ours.iloc[::-1]):
        (verdict,) = judged(tmp_path, FOLDS, other).verdicts
        assert verdict.interval == pytest.approx(ordered.interval)


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (range(1, 101), "both counted from 0, and those of the results begin at 1"),
        (
            [f"fold {k}" for k in range(100)],
            "both counted from 0, a whole number in one column of the results",
        ),
    ],
)
def test_folds_that_are_not_counted_from_zero_are_refused(tmp_path, trial, message):
    with pytest.raises(
        ValueError, match=f"trial 10 p \\+ k must be fold k of partition p, {message}"
    ):
        judged(tmp_path, FOLDS, runs(90, 1, 100).assign(trial=trial))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('b = [{ method = "s" }]', "b = []", "b is \\[\\]; it must be a list of tables, at least"),
        (
            'b = [{ method = "s" }]',
            "b = [{}]",
            "b, entry 1: it selects nothing; say method or value",
        ),
        ('a = { method = "m" }', "a = {}", "claims, entry 1.a: method is missing"),
        ('a = { method = "m" }', "a = { value = 3 }", "claims, entry 1.a: unknown key 'value'"),
        ('a = { method = "m" }', 'a = { method = "s", label = "we" }', "a is compared with itself"),
        ('metric = "value"', 'metric = "value"\ndatasets = ["e"]', "tables have no dataset 'e'"),
        ('[tables.t.rows]\nA = { dataset = "d" }\n', "", "p.toml: tables.t: rows is missing"),
        ("[tables.t.columns]", "[tables.t.colums]", "tables.t: unknown key 'colums'"),
        (
            "[tables.t.rows]",
            "rows = [1]\n[tables.u]",
            "tables.t: rows is \\[1\\]; it must be a table",
        ),
        ("trials = 20", f"trials = {'9' * 5000}", "p.toml: Exceeds the limit"),
        ("trials = 20", f"trials = {'9' * 400}", "p.toml: tables.t: trials is 99"),
        ("[[90, 5]", f"[[{'9' * 400}, 5]", "p.toml: tables.t.values: row 'A', column 'M' is"),
        ("trials = 20", "trials = 20\ndigits = 99999999999", "at least 0 and at most 15"),
        ("trials = 20", 'trials = 20\nspread = "variance"', "spread is 'variance'; it must be one"),
        ("[[90, 5], [90, 5]]", '["", ""]', "p.toml: its tables have no printed number"),
    ],
)
def test_a_part_of_the_file_that_is_missing_or_empty_is_named(tmp_path, old, new, message):
    """KeyError, AttributeError, OverflowError; and a claim against nobody held."""
    assert old in PAIR
    with pytest.raises(ValueError, match=message):
        judged(tmp_path, PAIR.replace(old, new), pair(91, 90))


def test_a_file_without_a_table_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="tables is {}; it must be a table of tables, at least one"
    ):
        judged(tmp_path, "[tables]", pair(91, 90))


def test_a_word_is_expected_only_of_a_claim_that_is_judged(tmp_path):
    text = PAIR + 'not_judged = "no seed"\n'
    assert "Claim 'm better' is not judged: no seed" in judged(tmp_path, text, pair(91, 90)).notes
    with pytest.raises(ValueError, match=r"\[expect\]: claim 'm better' is not judged \(no seed\)"):
        judged(tmp_path, text + '[expect]\n"m better" = "holds"\n', pair(91, 90))


def test_two_numbers_of_one_name_are_refused(tmp_path):
    text = PERCENT.replace(
        'A = { dataset = "d" }', 'A = { dataset = "d" }\n"A/M" = { dataset = "d" }'
    )
    text = text.replace('M = { method = "m" }', 'M = { method = "m" }\n"M/M" = { method = "m" }')
    text = text.replace("A = [[90, 1]]", 'A = ["", 90]\n"A/M" = [90, ""]')
    with pytest.raises(ValueError, match="2 numbers have the name 't/A/M/M'; leave / out"):
        judged(tmp_path, text, runs(90, 1, 30))


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        ("standard deviation", 2.0),
        ("standard error", 2.0 / math.sqrt(20)),
        ("95 % interval", float(2.0 / math.sqrt(20) * stats.t.ppf(0.975, 19))),
    ],
)
def test_a_spread_that_is_said_gives_the_interval_of_its_standard_deviation(
    tmp_path, kind, printed
):
    (expected,) = judged(tmp_path, PERCENT.replace("[90, 1]", "[90, 2]"), runs(90, 1, 30)).verdicts
    text = PERCENT.replace("[90, 1]", f"[90, {printed!r}]")
    text = text.replace("trials = 20", f'trials = 20\nspread = "{kind}"')
    (verdict,) = judged(tmp_path, text, runs(90, 1, 30)).verdicts
    assert verdict.interval == pytest.approx(expected.interval)


def test_a_median_of_normal_values_is_as_sure_as_is_derived():
    """Median and quartiles of made-up papers, against the spread of the medians themselves."""
    values = np.random.default_rng(0).normal(90, 2, size=(4000, 101))
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75], axis=1)
    derived = standard_deviation(float((upper - lower).mean()), "interquartile range", 101)
    assert derived / math.sqrt(101) == pytest.approx(median.std(), rel=0.04)


def test_what_a_median_assumes_is_said(tmp_path):
    text = PERCENT.replace("A = {", 'A = { spread = "interquartile range",')
    (note,) = judged(tmp_path, text, runs(90, 1, 30)).notes
    assert note.startswith("A printed median is taken for a mean")


def test_a_median_beside_runs_is_refused(tmp_path):
    text = PERCENT.replace('"splits"', '"runs"\nspread = "interquartile range"')
    with pytest.raises(ValueError, match="has an interquartile range and the design runs"):
        judged(tmp_path, text, runs(90, 1, 20))


@pytest.mark.parametrize(
    "sign", ["\\u0007", "\\u001b[2J", "\\u202e", "\\u2066", "\\u0085", "\\uFFFE"]
)
@pytest.mark.parametrize("old", ["A", '"d"', '"m"'])
def test_what_steers_a_terminal_or_a_page_is_refused_in_the_printed_file(tmp_path, sign, old):
    """U+202E turned the line round, a control character made the SVG malformed."""
    text = PERCENT.replace(f"{old} = ", f'"A{sign}" = ').replace(old, f'{old[:-1]}{sign}"')
    text = PERCENT.replace(f"{old} =", f'"A{sign}" =') if old == "A" else text
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"p.toml: the text .* has the character U\+[0-9A-F]{4}"):
        judge_table(tmp_path / "p.toml", runs(90, 1, 30))


def test_no_file_of_the_package_reads_otherwise(tmp_path):
    text = 'a = "two\\nlines\\tand a tab, שלום"\nb = [1, { c = "é" }]\n'
    assert parsed_toml(text, "x") == tomllib.loads(text)


def test_a_label_that_steers_a_page_is_refused(tmp_path):
    for label in ("m\x1b[2J", "m\u202e", "m\nn"):
        frame = pd.concat([runs(90, 1, 30), runs(90, 1, 1, method=label)])
        with pytest.raises(
            ValueError, match="row 31: method is .*; leave out what cannot be shown"
        ):
            judged(tmp_path, PERCENT, frame)


def test_the_console_shows_marks_that_turn_the_direction(capsys):
    from reprolib.cli.console import out

    out().print("a\u202eb\u2066c\x1bd")
    assert capsys.readouterr().out == "a�b�c�d\n"


def test_a_sound_picture_of_odd_names(tmp_path):
    text = PERCENT.replace("A = ", '"<A> & \\"é\\"" = ')
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    runs(90, 1, 30).to_csv(tmp_path / "r.csv", index=False)
    files = [str(tmp_path / name) for name in ("p.toml", "r.csv", "f.svg")]
    assert main(["judge", *files[:2], "--forest", files[2]]) == 0
    ElementTree.parse(files[2])


def test_values_are_what_the_file_says_to_the_last_digit(tmp_path):
    values = np.random.default_rng(1).uniform(80, 99, 30)
    frame = runs(90, 1, 30).assign(value=values)
    frame.to_csv(tmp_path / "r.csv", index=False)
    (tmp_path / "p.toml").write_text(PERCENT, encoding="utf-8")
    for given in (frame, tmp_path / "r.csv"):
        (verdict,) = judge_table(tmp_path / "p.toml", given).verdicts
        assert verdict.ours == pytest.approx(values.mean(), abs=1e-12)
