"""Faults of committed tables that need no task: how they are told."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from reprolib.rerun.checks import soundness
from tests import fake_paper


@pytest.mark.parametrize(
    ("trials", "text"),
    [
        ([3, 1, 1], "1, 3"),
        (range(5), "0, 1, 2, 3, 4"),
        (range(6), "0, 1, 2, 3, 4, ... 5 (6 trials)"),
        ([9, 8, 7, 6, 5, 4, 30], "4, 5, 6, 7, 8, ... 30 (7 trials)"),
    ],
)
def test_five_trials_are_listed_and_of_more_the_last(trials, text):
    assert soundness._listed(trials) == text


def rows(*sources, reading="drawn", method="m"):
    return pd.DataFrame(
        {
            "table": "t",
            "dataset": "real/coins",
            "method": method,
            "setting": "",
            "reading": reading,
            "trial": range(len(sources)),
            "source": sources,
        }
    )


def test_a_reading_is_resampled_in_all_of_its_trials_of_real_data_or_in_none():
    data = {"real/coins": fake_paper.dataset()}
    sound = [rows("resampled", "resampled"), rows("original", reading="headline")]
    assert soundness.wrong_sources(pd.concat(sound), data) == []
    mixed = pd.concat([*sound, rows("resampled", "original", method="n")])
    assert soundness.wrong_sources(mixed, data) == [
        "t real/coins: 1 records of trials 0 with source resampled, but the data are original"
    ]
    embedded = {"real/coins": dataclasses.replace(data["real/coins"], source="embedded")}
    assert soundness.wrong_sources(sound[0], embedded) == [
        "t real/coins: 2 records of trials 0, 1 with source resampled, but the data are embedded"
    ]


def test_digests_that_differ_are_told_with_their_tables():
    a, b = "0" * 64, "1" * 64
    meta = {t: {"data_digests": {"d": digest}} for t, digest in [("t", a), ("u", b), ("v", a)]}
    assert soundness._digest_conflicts(meta) == [
        f"the meta files give d different digests: {a[:16]} in t, v; {b[:16]} in u"
    ]
    assert soundness._digest_conflicts({"t": meta["t"], "v": meta["v"]}) == []
