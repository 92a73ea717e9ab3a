"""What fMRI people do to voxels before they classify: a family, named before it is run.

Every member has five choices. None is said to be the paper's, which calls its values "raw".
Fourteen preparations had been tried before this family was named, and five of them had an interval
above zero; they are members of it, or lie between two of them.

- runs: the first ten, as the paper counts them, or all twelve.
- lag: the response to a picture comes seconds later. On a whole series a volume gets the label of
  0 to 3 volumes before; where the rest between blocks is not at hand, the first 0 to 3 volumes of
  every block are left out. The labels of this distribution have a lag of their own: in run 1 they
  begin at 15.0 s, and the pictures, by the events of OpenNeuro's ds000105, at 12.0 s.
- drift: the scanner drifts within a run. See `DRIFTS`; a line is fitted to each voxel and run.
- clock: volumes are numbered as they were taken, or (as software does where rest was cut out
  before) one after the other. See `CLOCKS`.
- scale: values as they are, or with mean 0 and standard deviation 1, in each run or over all.

What is estimated (lines, means, deviations) is so on all volumes of a run that are at hand, and
without their labels: before the lag, the held-out run by itself.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from data_fetch import Dataset
from reprolib.papers.mkpm.splits import z_score, z_score_runs

#: What is taken away from every voxel in each run.
DRIFTS = ("as recorded", "line removed", "line removed, mean kept", "slope removed")
#: When a volume was taken: by its number in the scanner, or among the volumes that are left.
CLOCKS = ("scanner's clock", "rest cut out")
SCALES = ("", "z in each run", "z over all")
LAGS, RUNS = (0, 1, 2, 3), (10, 12)
#: Reading on the slice: d up to the number of its voxels, as the paper has it with all voxels.
ITS_VOXELS = "d up to the voxels of the slice"


@dataclass(frozen=True)
class Preparation:
    """One way to make rows of a series.

    Parameters
    ----------
    runs : int
        How many of the runs, the first ones.
    lag : int
        Volumes between a picture and its response.
    drift, clock, scale : str
        Of `DRIFTS`, `CLOCKS` and `SCALES`.
    with_rest : bool
        Whether the volumes of rest take part, in what is estimated and behind the lag.
    """

    runs: int = 10
    lag: int = 0
    drift: str = DRIFTS[0]
    clock: str = CLOCKS[0]
    scale: str = SCALES[0]
    with_rest: bool = False

    @property
    def name(self) -> str:
        """For example "10 runs, lag 1, line removed (rest cut out), z over all"."""
        clock = "" if self.drift == DRIFTS[0] or self.with_rest else f" ({self.clock})"
        words = [f"{self.runs} runs", f"lag {self.lag}", f"{self.drift}{clock}", self.scale]
        return ", ".join(filter(None, [*words, "with rest" if self.with_rest else ""]))


#: What the paper's words are taken for in Table 1.
RECORDED = Preparation()


def family(*, with_rest: bool = False) -> list[Preparation]:
    """All preparations, each once: no two give the same values up to a constant of every voxel.

    z-scores take means away, so that it does not matter to them which ones a line leaves. With rest
    nothing is cut out, and the two clocks are one.

    Parameters
    ----------
    with_rest : bool
        Those that use the volumes of rest, instead of those that do without.

    Returns
    -------
    list of Preparation
        120 without rest, 72 with it.
    """
    clocks = CLOCKS[:1] if with_rest else CLOCKS
    parts = [(DRIFTS[0], CLOCKS[0], scale) for scale in SCALES]
    for clock in clocks:
        parts += [(DRIFTS[1], clock, scale) for scale in SCALES]
        parts += [(DRIFTS[2], clock, SCALES[0])]
        parts += [(DRIFTS[3], clock, scale) for scale in (SCALES[0], SCALES[2])]
    return [
        Preparation(runs, lag, *part, with_rest)
        for runs, lag, part in itertools.product(RUNS, LAGS, parts)
    ]


def members(dataset: Dataset, runs: int) -> list[Preparation]:
    """Those of the family with so many runs that a data set allows; none without a series."""
    if "voxels" not in dataset.extra:
        return []
    found = family() + (family(with_rest=True) if has_rest(dataset) else [])
    return [p for p in found if p.runs == runs]


def has_rest(dataset: Dataset) -> bool:
    """Whether the volumes between the blocks are at hand."""
    return bool(np.any(dataset.extra["voxels"][dataset.extra["labels"] == "rest"]))


def prepared(dataset: Dataset, preparation: Preparation) -> tuple[np.ndarray, ...]:
    """Rows, labels and runs of a prepared series.

    Parameters
    ----------
    dataset : Dataset
        Of `data_fetch.haxby.masked_dataset`.
    preparation : Preparation
        What is done to it.

    Returns
    -------
    X : ndarray of shape (n, voxels)
        Volumes of the task.
    y, groups : ndarray of shape (n,)
        Category and run of each.
    """
    voxels, labels, all_runs = (dataset.extra[name] for name in ("voxels", "labels", "runs"))
    kept = all_runs < preparation.runs
    if not preparation.with_rest:
        kept &= labels != "rest"
    volume = np.flatnonzero(kept)
    X, runs = voxels[volume].astype(np.float64), all_runs[volume]
    time = volume if preparation.clock == CLOCKS[0] else np.arange(len(volume))
    X = _without_drift(X, runs, time.astype(np.float64), preparation.drift)
    if preparation.scale == SCALES[1]:
        X = z_score_runs(X, runs)
    elif preparation.scale == SCALES[2]:
        X = z_score(X)
    shown = volume - preparation.lag  # when the picture was, which must be in the same run
    seen = (shown >= 0) & (all_runs[shown] == runs)
    task = seen & (labels[shown] != "rest")
    return X[task], labels[shown[task]], runs[task]


def _without_drift(X, runs, time, drift: str):
    """Take a line, or its slope alone, away from every voxel in each run."""
    if drift == DRIFTS[0]:
        return X
    left = np.empty_like(X)
    for run in np.unique(runs):
        own = runs == run
        since = time[own] - time[own].mean()
        slope = since @ X[own] / (since @ since)
        left[own] = X[own] - np.outer(since, slope)
        if drift != DRIFTS[3]:
            left[own] -= left[own].mean(axis=0)
    return left + X.mean(axis=0) if drift == DRIFTS[2] else left
