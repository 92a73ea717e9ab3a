"""Figures of the KEOPS paper, drawn from records; scalp maps by mne."""

from __future__ import annotations

import mne
import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from scipy import stats

from data_fetch.p300 import CHANNELS, SAMPLING_RATE, make_raw
from reprolib.methods.keops.speller import SpellerFeatures
from reprolib.papers.keops.experiment import PAPER_METHODS
from reprolib.papers.keops.methods import regions
from reprolib.report.paper_figures import PaperFigure, has_table
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    WIDTH,
    figure_grid,
    note_source,
    small_multiples,
    source_text,
)
from reprolib.report.turning import Box, Turning, legend
from reprolib.rerun.records import HEADLINE, chosen, n_points, path_matrix, paths, select
from reprolib.rerun.verdicts.errors import corrected_interval
from reprolib.rerun.verdicts.printed import printed_values

#: Name in figures, and colour, of every method.
METHODS = {
    "keops": ("KEOPS", BLUE),
    "tree norm": ("SPAMS", ORANGE),
    "mkl": ("MKL", GREEN),
    "svm": ("SVM", RED),
    "lda": ("shrinkage LDA", PURPLE),
    "xdawn + lda": ("xDAWN + LDA", SKY),
    "keops, convex": ("KEOPS, convex p", BLACK),
}
N_FRAMES = SpellerFeatures().n_frames
#: Milliseconds from one frame to the next; the first is at the flash.
FRAME_MS = 50
#: Radius in metres of the head's outline in scalp maps: the equator in the azimuthal projection.
HEAD_RADIUS = 0.095
#: Channels that the paper names for KEOPS.
PRINTED_CHANNELS = ("P8", "PO7", "PO8", "FCz", "Cz", "CPz", "T9")

#: Changes of the protocol in a reader's words, by the name of the reading.
CONTROLS = {
    "as in Table 1": HEADLINE,
    "without the letter": "without the character",
    "the letter in 1 of 42": "the character in 1 of 42",
    "the letter as the EEG says": "as the EEG says",
}


def _note_source(figure: Figure, rows: pd.DataFrame, start: str = "") -> None:
    note_source(figure, start + source_text(rows.assign(dataset="P300 recordings")))


def relevances(records: pd.DataFrame, method: str) -> np.ndarray:
    """Relevances of the headline, shape (draws, channels, frames)."""
    rows = select(records, metric="relevance", method=method, reading=HEADLINE)
    return path_matrix(rows.sort_values("trial")).reshape(len(rows), len(CHANNELS), N_FRAMES)


def median_relevance(stack: np.ndarray) -> np.ndarray:
    """Median over the draws, scaled to sum to one (zero where there is nothing)."""
    median = np.median(stack, axis=0)
    return median / max(median.sum(), 1e-300)


def electrode_info() -> mne.Info:
    """Channels and their positions, for scalp maps."""
    blank = np.zeros((int(SAMPLING_RATE), len(CHANNELS)))
    return make_raw(blank, np.array([0]), [1], [False], (0, 0, "A")).info


def _methods_at_hand(records, wanted=PAPER_METHODS) -> list[str]:
    present = set(select(records, metric="relevance")["method"])
    return [m for m in wanted if m in present]


def scalp_maps(records: pd.DataFrame) -> Figure:
    """Median relevance of regions (above) and channels (below) on the scalp, a column a method.

    On the map of KEOPS the channels that it keeps are named, and those that the paper names ringed.
    """
    methods = _methods_at_hand(records)
    info = electrode_info()
    n = len(methods)
    figure, axes = figure_grid(2, n, size=(WIDTH / n, 2.3))
    names, positions = regions(CHANNELS), head_positions(info)
    of_region, of_channel = [], []
    for method in methods:
        per_channel = relevances(records, method).sum(axis=2)
        per_region = pd.DataFrame(per_channel.T).groupby(names).sum()
        median = pd.Series(median_relevance(per_region.to_numpy().T), per_region.index)
        of_region.append(median.reindex(names).to_numpy())
        of_channel.append(median_relevance(per_channel))
    for row, maps, what in ((axes[:n], of_region, "regions"), (axes[n:], of_channel, "channels")):
        for axis, values in zip(row, maps, strict=True):
            points = draw_electrodes(axis, info, values, np.max(maps))
        row[0].set_ylabel(what, labelpad=12)
        bar = figure.colorbar(
            points,
            ax=list(row),
            shrink=0.8,
            format="%g",
            label="median relevance\n(square-root scale)",
        )
        bar.set_ticks(np.arange(0, np.max(maps), 0.1))
    for axis, method in zip(axes, methods, strict=False):
        axis.set_title(METHODS[method][0])
    if methods[0] == "keops":
        ringed = np.flatnonzero(np.isin(CHANNELS, PRINTED_CHANNELS))
        axes[n].scatter(*positions[ringed].T, s=90, facecolor="none", edgecolor=RED, lw=1.5)
        axes[n].set_xlabel("rings: the seven channels that\nthe paper names for KEOPS", color=RED)
        kept = np.flatnonzero(of_channel[0])
        for k in {*ringed, *(kept if len(kept) <= 8 else ())}:
            side = 1 if CHANNELS[k].endswith("z") else -1
            axes[n].annotate(
                CHANNELS[k],
                positions[k],
                (7 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                color=BLACK if k in kept else RED,
                path_effects=[withStroke(linewidth=3, foreground="white")],
            )
    _note_source(figure, records)
    return figure


def draw_electrodes(axis, info, values, most: float):
    """Electrodes filled by relevance on the outline of the head; those without any are small.

    Returns the filled points, for a colour bar that ends at `most`.
    """
    kept = values > 0
    draw_head(axis)
    xy = head_positions(info)
    axis.scatter(*xy[~kept].T, s=3, color="#aaaaaa")
    return axis.scatter(
        *xy[kept].T,
        s=42,
        c=values[kept],
        cmap="Blues",
        norm=PowerNorm(0.5, vmin=0, vmax=max(most, 1e-12)),
        edgecolor=BLACK,
        lw=0.7,
        zorder=6,
    )


def draw_head(axis) -> None:
    """Outline of the head from above, nose up, on an axis without ticks."""
    turn = np.linspace(0, 2 * np.pi, 100)
    axis.plot(HEAD_RADIUS * np.cos(turn), HEAD_RADIUS * np.sin(turn), color=BLACK, lw=1)
    axis.plot([-0.012, 0, 0.012], [0.094, 0.108, 0.094], color=BLACK, lw=1)
    axis.set_aspect("equal")
    axis.set(xticks=[], yticks=[], xlim=(-0.11, 0.11), ylim=(-0.1, 0.112))
    axis.grid(False)
    axis.spines[:].set_visible(False)


def head_positions(info):
    """Flat positions of the electrodes: azimuthal projection of mne's montage, in metres."""
    positions = np.array([channel["loc"][:3] for channel in info["chs"]])
    radius = np.linalg.norm(positions, axis=1)
    polar = np.arccos(positions[:, 2] / radius)
    azimuth = np.arctan2(positions[:, 1], positions[:, 0])
    flat = (HEAD_RADIUS / (np.pi / 2)) * polar
    return np.column_stack([flat * np.cos(azimuth), flat * np.sin(azimuth)])


def frame_images(records: pd.DataFrame) -> Figure:
    """Median relevance of every frame in time, one line an electrode, front of the head above.

    Bands are those of the regions; the electrodes that the first method keeps are named.
    """
    methods = _methods_at_hand(records)
    cap = pd.DataFrame(head_positions(electrode_info()), columns=["x", "y"])
    cap["band"] = [name.split()[0] for name in regions(CHANNELS)]
    cap["row"] = [name.rstrip("z0123456789") for name in CHANNELS]
    depths = [-cap.groupby(part)["y"].transform("mean") for part in ("row", "band")]
    front_first = np.lexsort((cap["x"], *depths))
    images = [median_relevance(relevances(records, method))[front_first] for method in methods]
    norm = PowerNorm(0.5, vmin=0, vmax=max(image.max() for image in images))
    ends = cap.groupby("band", sort=False).size()[cap["band"].iloc[front_first].unique()].cumsum()
    figure, axes = figure_grid(1, len(methods), size=(WIDTH / len(methods), 4.0), sharey=True)
    for axis, method, image in zip(axes, methods, images, strict=True):
        dark = np.ma.masked_equal(image, 0.0)
        shown = axis.imshow(dark, cmap="Blues", norm=norm, aspect="auto", interpolation="nearest")
        axis.grid(False)
        axis.hlines(ends[:-1] - 0.5, -0.5, N_FRAMES - 0.5, color="#dddddd", lw=0.6)
        axis.set(title=METHODS[method][0], xlabel="ms after the flash")
        axis.set_xticks(range(0, N_FRAMES, 4), [str(FRAME_MS * k) for k in range(0, N_FRAMES, 4)])
    kept = np.flatnonzero(images[0].any(axis=1))
    axes[0].set_yticks(kept, [CHANNELS[front_first[k]] for k in kept])
    bands = axes[0].secondary_yaxis(-0.22)
    bands.set_yticks(ends - ends.diff().fillna(ends.iloc[0]) / 2 - 0.5, ends.index)
    bands.tick_params(length=0)
    bands.spines.left.set_visible(False)
    bands.set_ylabel("channels, front to back")
    label = "median relevance (square-root scale)"
    figure.colorbar(shown, ax=list(axes), location="top", aspect=50, format="%g", label=label)
    _note_source(figure, records)
    return figure


def selection_frequency(records: pd.DataFrame) -> Figure:
    """Share of the draws in which an electrode is kept."""
    methods = _methods_at_hand(records)
    info = electrode_info()
    figure, axes = small_multiples(len(methods), size=(WIDTH / 2, 2.4))
    for axis, method in zip(axes, methods, strict=True):
        frequency = (relevances(records, method).sum(axis=2) > 0).mean(axis=0)
        points = draw_electrodes(axis, info, frequency, 1.0)
        figure.colorbar(points, ax=axis, shrink=0.6)
        axis.set_title(METHODS[method][0])
    _note_source(figure, records)
    return figure


def auc_against_channels(records: pd.DataFrame) -> Figure:
    """Mean AUC against mean number of channels kept, along the grid; dense methods as lines."""
    rows = select(records, table="table1", reading=HEADLINE)
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 4.0))
    for method, (label, colour) in METHODS.items():
        auc = select(rows, method=method, metric="auc path")
        channels = select(rows, method=method, metric="channels path")
        if auc.empty:
            continue
        if channels.empty:
            best = 100 * select(rows, method=method, metric="auc")["value"].mean()
            axis.axhline(best, color=colour, ls="--", lw=1.2, label=f"{label}, all 64")
        else:
            x, y = path_matrix(channels).mean(axis=0), 100 * path_matrix(auc).mean(axis=0)
            axis.plot(x, y, "o-", color=colour, label=label)
    axis.set(xlabel="channels kept", ylabel="AUC in %")
    axis.legend(loc="lower right")
    _note_source(figure, rows)
    return figure


def auc_and_channels(records: pd.DataFrame) -> Turning:
    """AUC against the channels kept, ten draws of each method, after one change of the protocol."""
    box = Box((0, 66), (77, 91), bottom=290)
    ticks = {value: f"{value}" for value in range(78, 91, 4)}
    across = {value: f"{value}" for value in range(0, 61, 10)}
    still = box.axes(across, ticks, "channels kept", "AUC, %")
    still += legend({METHODS[method][0]: METHODS[method][1] for method in PAPER_METHODS}, 355, 3)
    still += box.text(0, 91, "● one draw   + mean   ◇ printed", anchor="start", shift=(120, -8))
    key = {"table": "table1", "dataset": "p300/iib", "setting": ""}
    for method in PAPER_METHODS:
        printed = printed_values("keops", {**key, "method": method})
        colour = METHODS[method][1]
        still += box.mark(printed["channels"], 100 * printed["auc"], colour, "D", 9)
    draws = {}
    for name, reading in CONTROLS.items():
        rows = select(records, table="table1", reading=reading, metric=["auc", "channels"])
        for method in PAPER_METHODS:
            own = select(rows, method=method)
            draws[name, method] = own.pivot_table(index="trial", columns="metric", values="value")

    def background() -> str:
        return still

    def marks(labels: str) -> str:
        parts = []
        for method in PAPER_METHODS:
            found, colour = draws[labels, method], METHODS[method][1]
            for channels, auc in zip(found["channels"], 100 * found["auc"], strict=True):
                parts.append(box.mark(channels, auc, colour, size=4))
            middle = found.mean()
            parts.append(box.mark(middle["channels"], 100 * middle["auc"], colour, "+", 12))
        return "".join(parts)

    def told(labels: str) -> str:
        means = {method: draws[labels, method].mean() for method in PAPER_METHODS}
        texts = [
            f"{METHODS[method][0]} {100 * mean['auc']:.1f} % with {mean['channels']:.1f} channels"
            for method, mean in means.items()
        ]
        return f"{labels[0].upper()}{labels[1:]}: {', '.join(texts)}."

    return Turning({"labels": list(CONTROLS)}, [background, marks], told, height=370)


def few_electrodes(records: pd.DataFrame) -> Figure:
    """AUC of shrinkage LDA refitted on the first k electrodes of every ranking."""
    rows = select(records, table="electrodes", metric="auc path")
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 4.0))
    for method in PAPER_METHODS:
        of_method = rows[(rows["method"] == method) & (rows["reading"] == HEADLINE)]
        sizes, mean = mean_by_size(of_method)
        axis.plot(sizes, 100 * mean, "o-", color=METHODS[method][1], label=METHODS[method][0])
    sizes, mean = mean_by_size(rows[rows["reading"] == "random electrodes"])
    axis.plot(sizes, 100 * mean, "s--", color="#888888", label="random electrodes")
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.set(xlabel="electrodes given to LDA", ylabel="AUC in %")
    axis.legend()
    _note_source(figure, rows)
    return figure


def mean_by_size(rows: pd.DataFrame):
    """Mean over the draws that reach a number of electrodes; only where half of them do."""
    sizes = chosen(rows, "electrodes")
    wide = pd.DataFrame([pd.Series(*draw) for draw in zip(paths(rows), sizes, strict=True)])
    mean = wide.loc[:, 2 * wide.count() >= len(rows)].mean().sort_index()
    return list(mean.index), mean.to_numpy()


def spelling(records: pd.DataFrame) -> Figure:
    """Share of the characters spelled as the EEG says, against repetitions."""
    figure, axes = figure_grid(1, 2, size=(WIDTH / 2, 3.2), sharey=True)
    n_characters = _n_characters(select(records, table="spelling"))
    audited = {k: v for k, v in _spelled(records).items() if k[1].endswith("as the EEG says")}
    for k, ((method, reading), share) in enumerate(audited.items()):
        axis = axes[1 if reading.startswith("ensemble") else 0]
        label, colour = METHODS[method]
        axis.plot(np.arange(1, len(share) + 1), 100 * share, color=colour, label=label)
        for repetitions in (1, 5, 10, 15):
            n_right = round(share[repetitions - 1] * n_characters)
            ends = stats.binomtest(n_right, n_characters).proportion_ci(method="wilson")
            place = repetitions + 0.1 * (k // 2 - 1.5)
            axis.plot([place, place], 100 * np.array(ends), color=colour, lw=1, alpha=0.6)
    axes[0].set(title="one classifier, 567 flashes", ylabel="characters right, %")
    axes[1].set(title="ensemble, one for each run")
    for axis in axes:
        axis.set_xlabel("repetitions")
    axes[0].legend()
    rows = records[records["table"] == "spelling"]
    _note_source(figure, rows, f"{_n_characters(rows)} characters, each run held out; ")
    return figure


def _spelled(records: pd.DataFrame) -> dict[tuple[str, str], np.ndarray]:
    """Share of characters right by number of repetitions, over all runs held out in turn."""
    rows = select(records, table="spelling", metric="correct characters")
    shares = {}
    for (method, reading), group in rows.groupby(["method", "reading"]):
        correct = np.sum(paths(group), axis=0)
        shares[str(method), str(reading)] = correct / n_points(group).sum()
    return shares


def _n_characters(rows: pd.DataFrame) -> int:
    one = select(rows, metric="correct characters", method="lda", reading=HEADLINE)
    return int(n_points(one).sum())


def difference_of(a: pd.Series, b: pd.Series) -> tuple[float, float]:
    """Mean of a - b over the same draws, and its half width; none from a single draw."""
    if len(a) < 2:
        return float((a - b).mean()), np.nan
    difference, low, high = corrected_interval(a, b)
    return difference, (high - low) / 2


#: Figures of the report, in its order.
FIGURES = (
    PaperFigure(
        "Figure 2 of the paper redrawn: median relevance of regions and channels",
        scalp_maps,
        alt=(
            "Median relevance of regions and channels on the cap for KEOPS, SPAMS and MKL. "
            "PO7 and PO8 stand out in all three; KEOPS keeps only C1 and CP1 besides."
        ),
    ),
    PaperFigure(
        "Figure 2 of the paper redrawn: median relevance of every frame",
        frame_images,
        alt=(
            "Median relevance of every frame in time, one line a channel, for KEOPS, SPAMS "
            "and MKL, highest around 300 ms at PO8. KEOPS keeps few lines, at the back."
        ),
    ),
    PaperFigure(
        "AUC against the number of electrodes kept along the grid of C",
        auc_against_channels,
    ),
    PaperFigure(
        "How often every electrode is kept over the draws",
        selection_frequency,
        alt=(
            "Share of the draws in which each electrode is kept: for KEOPS PO7, PO8 and C1 in "
            "nine of ten, for SPAMS and MKL most electrodes in many draws."
        ),
    ),
    PaperFigure(
        "AUC of shrinkage LDA on the first electrodes of every ranking",
        few_electrodes,
        alt=(
            "AUC of LDA against the number of electrodes: rankings by KEOPS, SPAMS and MKL "
            "reach 82 per cent with four to six electrodes, random electrodes need 32."
        ),
        fits=has_table("electrodes"),
    ),
    PaperFigure(
        "Characters spelled right against repetitions",
        spelling,
        alt=(
            "Characters spelled as the EEG says against repetitions for four methods; from 10 "
            "repetitions on all are between 89 and 100 per cent. Vertical lines: wide intervals "
            "of 18 characters."
        ),
        fits=has_table("spelling"),
    ),
)
