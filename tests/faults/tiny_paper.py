"""The KPM paper with twelve tasks of seconds, for runs that a fault meets.

A module of its own: the fingerprint of a run covers all that the module of its tasks imports.
"""

from __future__ import annotations

import dataclasses

from reprolib.rerun.records.task import Stage, Task, get_protocol

DATASET = "embedded/twonorm"
N_TASKS = 12


def _first_stage(profile, datasets, records):
    """Two SVMs, and KPM in two dimensions."""
    (name,) = datasets
    svm = [Task("kpm", "table1", name, "svm", trial=i, params={"C": 1.0}) for i in range(2)]
    return svm + [_kpm(name, i, "first", 2) for i in range(6)]


def _second_stage(profile, datasets, records):
    """Tasks that depend on the records of the first stage."""
    (name,) = datasets
    return [_kpm(name, i, "second", len(records) - i) for i in range(4)]


def _kpm(name, trial, reading, D):
    return Task("kpm", "table1", name, "kpm", reading, trial, {"D": D})


def protocol(dataset=DATASET):
    """The KPM protocol with twelve tasks."""
    return dataclasses.replace(
        get_protocol("kpm"),
        datasets=lambda profile: [dataset],
        stages=(Stage(_first_stage), Stage(_second_stage, reads=("table1",))),
    )
