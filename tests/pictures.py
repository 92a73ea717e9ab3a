"""What the figures of the report show, as numbers and texts: a stored list for every paper.

``python -m tests.pictures KEY ...`` writes ``tests/report/pictures/KEY.json`` anew from the
committed records, after a change that was meant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FuncFormatter

from data_fetch.p300 import CHANNELS
from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.across import figures as across
from reprolib.papers.keops import example as keops_example
from reprolib.papers.keops import figures as keops
from reprolib.papers.keops._readings import frames_against_steps
from reprolib.papers.kpm import example as kpm
from reprolib.papers.mkmmc import example as mkmmc
from reprolib.papers.mkmmc.figures import deviation_table, deviations_figure
from reprolib.papers.mkpm import example as mkpm
from reprolib.papers.mkpm.figures import weight_maps
from reprolib.papers.simplex import example as simplex
from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun import records as results
from reprolib.rerun.verdicts.printed import numbers
from tests import stored_list
from tests.golden import with_results

FOLDER = Path(__file__).parent / "report/pictures"
EXAMPLES = "examples"
KEYS = (*with_results(), EXAMPLES)


def described(figure: Figure) -> dict[str, Any]:
    """Size, texts and axes of a figure."""
    return {
        "size": _numbers(figure.get_size_inches()),
        "texts": [text.get_text() for text in figure.texts],
        "legends": [[t.get_text() for t in legend.get_texts()] for legend in figure.legends],
        "styles": [_text_style(t) for t in (*figure.texts, *_first_of_legends(figure.legends))],
        "axes": [_axes(axis) for axis in figure.axes],
    }


def _axes(axis: Axes) -> dict[str, Any]:
    legend, texts = axis.get_legend(), _own_texts(axis)
    return {
        "title": axis.get_title(),
        "labels": [axis.get_xlabel(), axis.get_ylabel()],
        "scales": [axis.get_xscale(), axis.get_yscale()],
        "limits": _numbers([*axis.get_xlim(), *axis.get_ylim()]),
        "ticks": [_ticks(axis.xaxis), _ticks(axis.yaxis)],
        "grid": [line.get_visible() for of in (axis.xaxis, axis.yaxis) for line in _first_grid(of)],
        "texts": [[t.get_text(), *_numbers(t.get_position())] for t in texts],
        "legend": [] if legend is None else [text.get_text() for text in legend.get_texts()],
        "keys": [] if legend is None else [_style(key) for key in legend.legend_handles],
        "box": [] if axis.get_box_aspect() is None else _numbers(np.ravel(axis.get_box_aspect())),
        "lines": [_marks(line.get_xydata()) for line in axis.lines],
        "collections": [_marks(_points(c)) for c in axis.collections if not _labels(c)],
        "images": [_marks(np.reshape(image.get_array(), (-1, 1))) for image in axis.images],
        "patches": [_numbers(patch.get_path().get_extents().bounds) for patch in axis.patches],
        "styles": [
            *(_text_style(text) for text in _texts_of(axis)),
            *(_style(found) for found in (*axis.lines, *axis.collections, *axis.patches)),
            *(_colour_scale(found) for found in (*axis.collections, *axis.images)),
        ],
    }


def _texts_of(axis: Axes) -> list:
    """Title, labels, the first label of the ticks of either axis, of the legend, and own texts."""
    ticks = [labels[0] for labels in (axis.get_xticklabels(), axis.get_yticklabels()) if labels]
    own = [*_first_of_legends([axis.get_legend()]), *_own_texts(axis)]
    return [axis.title, axis.xaxis.label, axis.yaxis.label, *ticks, *own]


def _first_of_legends(legends) -> list:
    return [legend.get_texts()[0] for legend in legends if legend and legend.get_texts()]


def _text_style(text) -> list[Any]:
    places = [text.get_ha(), text.get_va(), to_hex(text.get_color())]
    return [*_numbers([text.get_fontsize(), text.get_rotation()]), *places]


def _style(found) -> list[Any]:
    return _line_style(found) if isinstance(found, Line2D) else _area_style(found)


def _line_style(line) -> list[Any]:
    sizes = [line.get_linewidth(), line.get_markersize(), line.get_markeredgewidth(), _alpha(line)]
    marks = [line.get_linestyle(), str(line.get_marker()), to_hex(line.get_color())]
    return [*_numbers([*sizes, line.get_zorder()]), *marks]


def _area_style(found) -> list[Any]:
    """Line widths, opacity and first colours of a collection or a patch; sizes of its marks."""
    sizes = np.ravel(found.get_sizes())[:1] if hasattr(found, "get_sizes") else []
    widths = np.ravel(found.get_linewidth())[:3]
    colours = [found.get_facecolor(), found.get_edgecolor()]
    named = [to_hex(c) for many in colours for c in np.reshape(many, (-1, 4))[:2]]
    return [*_numbers([*sizes, *widths, _alpha(found), found.get_zorder()]), *named]


def _colour_scale(found) -> list[Any]:
    """Ends of the colour map, limits and exponent; levels of contours; empty without values."""
    if found.get_array() is None:
        return []
    norm, levels = found.norm, np.ravel(getattr(found, "levels", ()))
    numbers = [norm.vmin, norm.vmax, getattr(norm, "gamma", 1.0), *levels]
    ends = [to_hex(found.get_cmap()(at)) for at in (0.0, 1.0)]
    return [*ends, *_numbers(numbers)]


def _alpha(artist) -> float:
    alpha = artist.get_alpha()
    return 1.0 if alpha is None else alpha


def _own_texts(axis: Axes) -> list:
    labels = [label for found in axis.collections for label in _labels(found)]
    return [text for text in axis.texts if text not in labels]


def _labels(collection) -> list:
    """Labels of contours; where they are, and cut the lines, depends on matplotlib's version."""
    return list(getattr(collection, "labelTexts", ()))


def _ticks(axis) -> list[str]:
    """Labels that the figure gives its ticks; those of matplotlib depend on its version."""
    if not isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter):
        return []
    return [label.get_text() for label in axis.get_ticklabels()]


def _first_grid(axis) -> list:
    return axis.get_gridlines()[:1]


def _points(collection) -> np.ndarray:
    """Where the marks of a collection are; of lines and areas, their corners."""
    offsets = np.ma.asarray(collection.get_offsets())
    corners = [path.vertices for path in collection.get_paths()]
    return offsets if len(offsets) > 1 or offsets.any() else np.concatenate([offsets, *corners])


def _marks(points) -> list[float]:
    """Number of the points that are there, and their mean and spread."""
    points = np.ma.filled(np.ma.asarray(points, dtype=float), np.nan)
    points = points[np.isfinite(points).all(axis=1)] if len(points) else points
    if not len(points):
        return [0.0]
    return [float(len(points)), *_numbers(points.mean(axis=0)), *_numbers(points.std(axis=0))]


def _numbers(values) -> list[float]:
    return [float(f"{value:.9g}") for value in values]


def _examples() -> Mapping[str, Figure]:
    """Pictures of the notebooks, of invented data."""
    rng = np.random.default_rng(0)
    X, y = mkpm.rings(60, seed=0)
    X2, y2 = rng.normal(size=(40, 2)), rng.permutation(np.repeat([-1, 1], 20))
    M = rng.normal(size=(3, 3))
    cases = {"cone": simplex.undecided("cone", convex_hull=False, steps=4)}
    volume = rng.normal(size=(6, 5, 8))
    volume[0], volume[:, :, :2] = np.nan, np.nan
    columns = [number.column for number in numbers("keops") if number.row == "KEOPS"]
    scan = pd.DataFrame(rng.random((6, len(columns))), columns=columns)
    scan = scan.assign(draw=np.arange(6) // 3, cost=10.0 ** (np.arange(6) % 3))
    steps = [rng.dirichlet(np.ones(n), size=4) for n in (8, 64)]
    names = [[f"region {k}" for k in range(8)], list(CHANNELS)]
    draw: Mapping[str, Callable[[], Figure]] = {
        "codes": simplex.codes,
        "level sets": simplex.level_sets,
        "online": lambda: simplex.online_learning("cone", 0.01, 2),
        "rings": lambda: mkpm.at_dimension(MKPMClassifier(40, gamma=1.0).fit(X, y), X, y, X, y, 12),
        "components": lambda: kpm.components(X2, y2, 0.5, [1, 2]),
        "path": lambda: kpm.path_picture(
            KPMClassifier(n_components=6, gamma=0.5).fit(X2, y2), X2, y2, X2, y2
        ),
        "beside an SVM": lambda: kpm.kpm_beside_svm(X2, y2, X2, y2, 5, 0.5, [0.1, 1.0]),
        "consistency": lambda: simplex.consistency_map(cases),
        "turned": lambda: mkmmc.turned_figure(
            {"a": {1.0: 80.0, 2.0: 90.0}}, 2.0, X2, (y2 > 0) + 1, np.arange(40) % 3 == 0
        ),
        "cap": keops_example.cap_map,
        "costs": lambda: keops.counts_along_costs(scan),
        "slices": lambda: weight_maps(
            {"face": volume, "house": -volume}, np.diag([-3.5, 3.75, 3.75, 1.0])
        ),
        "weights": lambda: keops_example.at_step(steps, names, 2),
        "triangle": lambda: mkmmc.simplex_figure(M + M.T, {"a": [1, 0, 0]}),
        "images": lambda: mkmmc.image_grid({"r": rng.random((4, 9))}, (3, 3)),
    }
    return {name: make() for name, make in draw.items()}


def _of_records(key: str) -> dict[str, Figure]:
    """Figures of the report, and those of the notebook that need nothing but the records."""
    records = results.load_paper(key)
    figures = dict(report_figures(key, records))
    if key == "mkmmc":
        table = deviation_table(records[records["method"] == "mmc"], "MMC", ["mmc"])
        figures["deviations"] = deviations_figure(table, "MMC")
    if key == "across":
        figures["paired"] = across.paired_differences(records, "extra trees")
    if key == "keops":
        figures["readings"] = keops.readings_forest(records)
        figures["steps"] = frames_against_steps(records)
    return figures


def described_of(key: str) -> dict[str, Any]:
    """Every figure of a paper by caption; of `EXAMPLES`, the pictures that need no data."""
    with mpl.rc_context():
        use_style()
        figures = _examples() if key == EXAMPLES else _of_records(key)
        found = {caption: described(figure) for caption, figure in figures.items()}
        plt.close("all")
    return found


if __name__ == "__main__":
    for key in sys.argv[1:] or KEYS:
        print(stored_list.write(described_of(key), FOLDER / f"{key}.json"))
