"""Pictures that say in their file what they show, so that a stale or swapped one is noticed.

Pixels differ with fonts and versions, and say nothing of how far a curve has moved. So a PNG
carries the plotted positions, values and texts, and what shares a colour, as JSON in a
compressed text chunk.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FuncFormatter
from PIL import Image
from PIL.PngImagePlugin import PngInfo

#: Name of the text chunk.
CHUNK = "reprolib"
#: Points kept of a line or a cloud, and cells of an image a side.
N_POINTS, N_CELLS = 30, 12
#: Where a contour's corners are: their number depends on the last digits, their quantiles hardly.
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def png(figure: Figure) -> bytes:
    """Draw a figure as Jupyter does, with its description in the file."""
    info, buffer = PngInfo(), io.BytesIO()
    text = json.dumps(describe(figure), ensure_ascii=True, separators=(",", ":"))
    info.add_text(CHUNK, text, zip=True)
    figure.savefig(
        buffer,
        format="png",
        dpi=figure.dpi,
        facecolor=figure.get_facecolor(),
        edgecolor=figure.get_edgecolor(),
        bbox_inches="tight",
        pil_kwargs={"pnginfo": info},
    )
    return buffer.getvalue()


def description(picture: bytes) -> dict[str, Any] | None:
    """What a PNG says that it shows; None if it says nothing."""
    with Image.open(io.BytesIO(picture)) as image:
        image.load()
        text = image.info.get(CHUNK)
    return None if text is None else json.loads(text)


def describe(figure: Figure) -> dict[str, Any]:
    """Texts of a figure, and what each of its axes shows.

    Returns
    -------
    dict
        Positions are in thousandths of the width and the height of their axes, values in
        thousandths of the range of their colours: what differs by less than ten, nobody sees.
    """
    figure.draw_without_rendering()
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return {
        "texts": [text.get_text() for text in figure.texts] + legends,
        "axes": [_axes(axis) for axis in figure.axes if axis.get_visible()],
    }


def _axes(axis: Axes) -> dict[str, Any]:
    drawn = [artist for artist in axis.collections if artist.get_visible()]
    contours = [artist for artist in drawn if isinstance(artist, ContourSet)]
    others = [artist for artist in drawn if not isinstance(artist, ContourSet)]
    colours = [[to_hex(line.get_color())] for line in axis.lines]
    for artist in others:
        # Those that are chosen, not looked up in a scale.
        is_chosen = artist.get_array() is None
        shades = [artist.get_facecolor(), artist.get_edgecolor()] if is_chosen else []
        colours.append([to_hex(c) for many in shades for c in np.reshape(many, (-1, 4))[:N_POINTS]])
    # Each colour as its place among all: what is told apart by colour, whatever the theme.
    places = {colour: i for i, colour in enumerate(dict.fromkeys(chain.from_iterable(colours)))}
    bars = [
        patch.get_path().transformed(patch.get_transform()).get_extents().get_points()
        for patch in axis.patches
        if patch.get_visible()
    ]
    corners_of_bars = np.concatenate(bars) if bars else np.empty((0, 2))
    return {
        "texts": list(_texts(axis)),
        "limits": [float(f"{end:.4g}") for end in (*axis.get_xlim(), *axis.get_ylim())],
        "points": [
            *(
                _sampled(_fractions(axis, line.get_transform().transform(line.get_xydata())))
                for line in axis.lines
            ),
            *(_sampled(_fractions(axis, _marks(artist))) for artist in others),
            _sampled(_fractions(axis, corners_of_bars)),
        ],
        "clouds": [
            _thousandths(np.quantile(_fractions(axis, corners), QUANTILES, axis=0))
            if len(corners := _corners(artist))
            else []
            for artist in contours
        ],
        "grids": [
            _cells(artist) for artist in (*others, *axis.images) if artist.get_array() is not None
        ],
        "colours": [[places[colour] for colour in of_artist] for of_artist in colours],
    }


def _texts(axis: Axes) -> Iterator[str]:
    """Titles, labels, own ticks, legend and notes; labels of contours stand where they fit."""
    yield from (axis.get_title(loc) for loc in ("left", "center", "right"))
    yield from (axis.get_xlabel(), axis.get_ylabel())
    for side in (axis.xaxis, axis.yaxis):
        if isinstance(side.get_major_formatter(), FixedFormatter | FuncFormatter):
            yield from (label.get_text() for label in side.get_ticklabels())
    if legend := axis.get_legend():
        yield from (text.get_text() for text in legend.get_texts())
    placed = [t for found in axis.collections for t in getattr(found, "labelTexts", ())]
    yield from (text.get_text() for text in axis.texts if text not in placed)


def _marks(artist) -> np.ndarray:
    """Where the marks of a collection are on the screen; of lines and areas, their corners."""
    offsets: Any = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
    if len(offsets) > 1 or offsets.any():
        return artist.get_offset_transform().transform(offsets)
    return _corners(artist)


def _corners(artist) -> np.ndarray:
    corners = [path.vertices for path in artist.get_paths() if len(path.vertices)]
    return (
        artist.get_transform().transform(np.concatenate(corners)) if corners else np.empty((0, 2))
    )


def _fractions(axis: Axes, points: np.ndarray) -> np.ndarray:
    """Points of the screen in fractions of the axes; far outside is outside."""
    points = axis.transAxes.inverted().transform(points) if len(points) else np.empty((0, 2))
    return np.clip(points, -1, 2)


def _sampled(points: np.ndarray) -> list[Any]:
    """Number of the points, and some of them in their order."""
    if not len(points):
        return [0]
    return [len(points), *_thousandths(points[_spread(len(points), N_POINTS)])]


def _spread(length: int, wanted: int) -> np.ndarray:
    """Some of the places in a sequence, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, wanted).astype(int))


def _cells(artist) -> list[Any]:
    """Values or colours on a coarse grid, as shares of the range of the colours."""
    values: Any = np.ma.asarray(artist.get_array(), dtype=float)
    if values.ndim < 3:
        values = artist.norm(values)
    n_kept = N_CELLS if values.ndim > 1 else N_CELLS**2
    for side in range(min(values.ndim, 2)):
        values = values.take(_spread(values.shape[side], n_kept), axis=side)
    return _thousandths(np.clip(np.ma.filled(values, np.nan), -1, 2))


def _thousandths(values: np.ndarray) -> list[int | None]:
    return [round(1000 * v) if np.isfinite(v) else None for v in np.ravel(values).tolist()]
