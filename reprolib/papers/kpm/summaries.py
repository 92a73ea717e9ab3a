"""Both regularisers, the norm and the dimension, on the same partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reprolib.papers.kpm.beyond import COSTS, DIMENSIONS
from reprolib.papers.kpm.experiment import BEYOND_SETS, PAPER_SETS, PARTITIONS
from reprolib.rerun.records import chosen, path_matrix, paths, select
from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import CORRELATION, Error

#: Method and setting of the records, by what is regularised.
REGULARISERS = {
    "KPM": ("table2", "kpm", ""),
    "KPCA + SVM": ("beyond", "svm on components", ""),
    "KPCA + SVM, D up to 60": ("beyond", "svm on components", "D up to 60"),
    "SVM": ("table2", "svm", ""),
    "SVM on the same costs": ("beyond", "svm on components", "all components"),
}
#: Stands for the D of all components, and for the C of no norm at all.
ALL, NO_NORM = "all", np.inf


def errors_of(records: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Test error in per cent of every way to regularise, one row a partition that all have."""
    rows = select(records, dataset=dataset, reading=PARTITIONS, metric="test error")
    columns = {
        name: select(rows, table=table, method=method, setting=setting).set_index("trial")["value"]
        for name, (table, method, setting) in REGULARISERS.items()
    }
    return 100 * pd.DataFrame(columns).dropna()


def differences(records: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """Error of ``a`` minus that of ``b`` with a 95 % interval, in points.

    That of the six is a statement on these sets alone.

    Parameters
    ----------
    records : DataFrame
        Of the paper.
    a, b : str
        Of `REGULARISERS`.

    Returns
    -------
    DataFrame
        One row a data set, and one for the mean of the paper's six.
    """
    wide = {name: errors_of(records, name) for name in BEYOND_SETS}
    return _with_six({name: (w[a] - w[b]).to_numpy() for name, w in wide.items()})


def _with_six(
    paired: dict[str, np.ndarray], correlation: float | pd.Series = CORRELATION
) -> pd.DataFrame:
    """Mean of every data set's differences, and of the paper's six, with their 95 % intervals."""
    rho = pd.Series(correlation, index=list(paired), dtype=float)
    found: dict[str, tuple[float, Error]] = {
        name: (float(values.mean()), errors.paired(values, rho[name]))
        for name, values in paired.items()
    }
    six = [found[name] for name in PAPER_SETS]
    error = errors.summed((error for _, error in six), 1 / len(six))
    found["the six"] = float(np.mean([mean for mean, _ in six])), error
    lines = {
        name: (mean, mean - error.half_width(), mean + error.half_width())
        for name, (mean, error) in found.items()
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=["difference", "low", "high"])


def error_maps(records: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Test error in per cent at every D and C, one row a partition.

    Returns
    -------
    DataFrame
        Columns (D, C): D up to `ALL`, C as a multiple of the published one up to `NO_NORM`, which
        is KPM; missing where a path of KPM ends before.
    """
    rows = select(records, dataset=dataset, table=["beyond", "table2"], reading=PARTITIONS)
    rows = select(rows, setting="")
    maps = select(rows, table="beyond", metric="test error map").set_index("trial")
    kpm = select(rows, table="table2", method="kpm", metric="test error path").set_index("trial")
    *D, n_points = chosen(maps, "D").iloc[0]
    kept = [*(d for d in D if d < n_points), ALL]
    D.append(ALL)
    lines = {}
    for trial, found, path in zip(maps.index, paths(maps), paths(kpm.loc[maps.index]), strict=True):
        line = dict(zip(pd.MultiIndex.from_product([D, COSTS]), found, strict=True))
        without = {(d, NO_NORM): path[d - 1] for d in D[:-1] if d <= len(path)}
        lines[trial] = line | without
    wide = 100 * pd.DataFrame.from_dict(lines, orient="index")
    columns = pd.MultiIndex.from_product([kept, [*COSTS, NO_NORM]], names=["D", "C"])
    return wide.reindex(columns=columns).rename_axis(index="trial")


def mean_map(records: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Mean over the partitions of `error_maps`, D by C; missing unless all partitions have it."""
    return as_map(error_maps(records, dataset))


def as_map(wide: pd.DataFrame) -> pd.DataFrame:
    """Mean of `error_maps`, as `mean_map` gives it."""
    mean = wide.mean(skipna=False)
    D = mean.index.get_level_values("D").unique()
    return mean.unstack("C").loc[D]


def rises(
    records: pd.DataFrame,
    correlation: float | pd.Series = CORRELATION,
    partitions: int | None = None,
) -> pd.DataFrame:
    """KPM's error at its last D minus that at the D that cross-validation chose, in points.

    Parameters
    ----------
    records : DataFrame
        Of the paper.
    correlation : float or Series
        Of the differences on two partitions; as a Series, of every data set its own.
    partitions : int, optional
        How many, from the first on; by default all that Table 2 has.

    Returns
    -------
    DataFrame
        The last D, the largest of the maps that all paths reach; and the rows and columns of
        `differences`.
    """
    rows = select(records, table="table2", method="kpm", setting="", reading=PARTITIONS)
    last, lost = {}, {}
    for name in BEYOND_SETS:
        own = select(rows, dataset=name).set_index("trial").sort_index()
        at_chosen = select(own, metric="test error")["value"].iloc[:partitions]
        found = path_matrix(select(own, metric="test error path").loc[at_chosen.index])
        reached = found.shape[1]
        last[name] = max(D for D in DIMENSIONS if reached >= D)
        lost[name] = 100 * (found[:, last[name] - 1] - at_chosen.to_numpy())
    table = _with_six(lost, correlation)
    table.insert(0, "last D", pd.Series(last))
    return table
