"""Tables of the preparations and of the choices that fit print."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reprolib.papers.mkpm import figures, summaries
from reprolib.papers.mkpm.preparations import ITS_VOXELS, RECORDED, Preparation
from reprolib.rerun import records as results
from reprolib.rerun.records import COLUMNS, HEADLINE
from reprolib.rerun.verdicts.errors import corrected_interval

ROOT = Path(__file__).parents[3]


def prepared_records():
    """Ten runs on which MKPM is ahead by nothing as recorded, and by a tenth at lag 1."""
    rng = np.random.default_rng(0)
    lines = []
    for preparation, gain in ((RECORDED, 0.0), (Preparation(lag=1), 0.1)):
        svm = 0.6 + 0.05 * rng.normal(size=10)
        for method, values in (("svm", svm), ("mkpm", svm + gain + 0.01 * rng.normal(size=10))):
            lines += [
                {
                    **dict.fromkeys(COLUMNS, ""),
                    "table": "preparations",
                    "dataset": "haxby/subj1",
                    "method": method,
                    "setting": preparation.name,
                    "metric": "accuracy",
                    "reading": "headline",
                    "status": "ok",
                    "source": "partial",
                    "trial": trial,
                    "value": value,
                }
                for trial, value in enumerate(values)
            ]
    return pd.DataFrame(lines)


def test_differences_have_the_interval_of_the_claim():
    records = prepared_records()
    found = summaries.prepared_differences(records)
    assert found["recorded"].tolist() == [True, False]
    assert found["holds"].tolist() == [False, True]
    own = records[records["setting"] == RECORDED.name].set_index("trial")
    mkpm, svm = (own[own["method"] == m]["value"].astype(float) for m in ("mkpm", "svm"))
    expected = corrected_interval(mkpm, svm, 1 / 10)  # ten runs, left out in turn
    np.testing.assert_allclose(found.iloc[0][["difference", "low", "high"]].tolist(), expected)


def test_another_reading_of_mkpm_is_beside_the_same_svm():
    headline = prepared_records()
    behind = headline[headline["method"] == "mkpm"].assign(
        reading=ITS_VOXELS, value=lambda rows: rows["value"] - 0.2
    )
    records = pd.concat([headline, behind])
    was, found = (
        summaries.prepared_differences(records, reading=r) for r in (HEADLINE, ITS_VOXELS)
    )
    np.testing.assert_allclose(was["difference"] - found["difference"], 0.2)
    np.testing.assert_array_equal(was["SVM"], found["SVM"])


def test_figure_says_in_how_many_the_claim_holds():
    (axis,) = figures.preparations(prepared_records()).axes
    assert axis.get_xlabel().endswith("in 1 of 2")


def test_choices_that_round_to_print_are_found_with_their_d():
    path = np.full(701, 0.9)
    path[[5, 6, 690]] = 0.95696, 0.95704, 0.9545  # printed: 0.957 at d = 690
    row = {
        **dict.fromkeys(COLUMNS, ""),
        "table": "printed_choices",
        "dataset": "statlog/dna",
        "setting": "all rows, v = 0",
        "status": "ok",
        "path": " ".join(map(str, path)),
    }
    (found,) = summaries.printed_choices(pd.DataFrame([row])).to_dict("records")
    assert found["at the printed d"] == 0.9545
    assert (found["d tried"], found["d that give the digits"], found["which"]) == (700, 2, "5-6")


def test_ranges_of_whole_numbers():
    assert summaries.ranges([3, 7, 8, 9]) == "3, 7-9"
    assert summaries.ranges([]) == ""


@pytest.mark.parametrize(
    ("notebook", "dataset", "reading", "sentence"),
    [
        (
            "mkpm",
            "haxby/subj1",
            HEADLINE,
            "We named {n} preparations after trying fourteen: MKPM is ahead in {ahead}, beyond "
            "doubt in {surely_ahead}.",
        ),
        (
            "cases/shared_budget",
            "haxby/one_slice",
            HEADLINE,
            "surely ahead of the SVM in {surely_ahead} of {n} preparations and surely behind in "
            "{surely_behind},",
        ),
        (
            "cases/shared_budget",
            "haxby/one_slice",
            ITS_VOXELS,
            "it is surely ahead in none and surely behind in {surely_behind}.",
        ),
    ],
)
def test_a_notebook_counts_the_preparations_as_the_records_do(notebook, dataset, reading, sentence):
    """The counts stand in sentences, and one image moves them."""
    frame = summaries.prepared_differences(results.load_paper("mkpm"), dataset, reading)
    counts = {
        "n": len(frame),
        "ahead": (frame["difference"] > 0).sum(),
        "surely_ahead": (frame["low"] > 0).sum(),
        "surely_behind": (frame["high"] < 0).sum(),
    }
    text = (ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8")
    assert sentence.format(**counts) in text
    assert "in none" not in sentence or counts["surely_ahead"] == 0
