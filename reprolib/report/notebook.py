"""What notebooks show: the same output on every machine, with data and without, saved or run."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from threadpoolctl import threadpool_limits

from reprolib.report.turning import label_of

if TYPE_CHECKING:
    from IPython.display import HTML
    from matplotlib.figure import Figure

#: One output: its data by mime type, and its metadata.
Bundle = tuple[dict[str, Any], dict[str, Any]]
PICTURE, PLAIN = "image/png", "text/plain"
#: Key of what the package notes in the metadata of an output.
MARK = "reprolib"
#: Characters from which on a text is read line by line, so that its column may not be narrow.
LONG = 60
#: Of a table of claims: every claim a block of lines.
ON_A_PHONE = (
    "@media (max-width: 40em) { .claims thead, .claims td:empty { display: none; } "
    ".claims tr, .claims th, .claims td { display: block; padding: .1em .3em !important; } "
    ".claims tr { padding: .5em 0 !important; text-align: left !important; } "
    ".claims td:nth-of-type(2), .claims td:nth-of-type(3) { display: inline-block; } "
    ".claims td:nth-of-type(2)::before { content: 'ours '; color: #595959; } "
    ".claims td:nth-of-type(3)::before { content: 'printed '; color: #595959; } }"
)
#: How to read a table of claims.
ALL_VARIANTS = (
    "Below an <i>interval</i> stands what would change the word. <i>Within 1.20; noise × 1.67</i>: "
    "a margin of 1.20, or a standard error 1.67 times as large. Of several rivals the one who "
    "would change it first is shown. <i>All variants</i>: the difference, one line each, sorted. A "
    "line is the interval that decides. Wholly in the green the sentence holds; a cross says that "
    "it fails."
)
#: Where a picture comes to stand in a table of claims; long, as a short text is not broken.
PLACE = "(the picture of all variants)"
#: Claims that are seen at once.
UNFOLDED = 8


def setup() -> None:
    """Pin BLAS to one thread, set the figure style, and show tables in full.

    Warnings of third-party libraries go unshown: their text holds paths and line numbers, which
    differ between machines.
    """
    from reprolib.report.style import use_style

    os.environ["OMP_NUM_THREADS"] = "1"
    threadpool_limits(limits=1)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="IProgress not found")
    use_style()
    pd.set_option("display.max_rows", 200)
    pd.set_option("display.max_columns", 30)
    pd.set_option("display.width", 140)
    pd.set_option("display.max_colwidth", None)


def in_notebook() -> bool:
    """Whether the code runs in a kernel, or in another shell of IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def left_aligned(frame: pd.DataFrame) -> HTML:
    """Table in full with its texts left-aligned, a long one read line by line.

    Parameters
    ----------
    frame : DataFrame
        Its index stands in the first columns; equal entries of it that follow each other are shown
        once.
    """
    from IPython.display import HTML

    return HTML(Frame(frame)._repr_html_())


class Frame(pd.DataFrame):
    """A DataFrame that a notebook shows as `left_aligned` does."""

    @property
    def _constructor(self) -> type[Frame]:
        return Frame

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None, "display.max_rows", None):
            page = self.to_html(justify="left")
        left = "text-align: left; vertical-align: top"
        page = re.sub(f"<td>(?=[^<]{{{LONG},}})", f'<td style="{left}; min-width: 19em">', page)
        page = page.replace("<td>", f'<td style="{left}">')
        return re.sub("<th(?=[ >])", f'<th style="{left}"', page)


class Claims(Frame):
    """A long table of claims, of which a notebook unfolds the first `UNFOLDED` only."""

    def _repr_html_(self) -> str:
        from reprolib.report.theme import LOOKS, signed

        shown = self.drop(columns=["sentence", "compared"])
        above = [f"“{sentence}”\n" if sentence else "" for sentence in self["sentence"]]
        shown["claim"] = above + self["claim"] + "\n" + self["compared"]
        shown["interval"] += ["\n" + s if s not in ("", "–") else "" for s in shown.pop("surely")]
        pictures = [p._repr_html_() for p in shown["all variants"] if p]
        shown["all variants"] = [PLACE if p else "" for p in shown["all variants"]]
        first, rest = Frame(shown.iloc[:UNFOLDED]), Frame(shown.iloc[UNFOLDED:])
        page = first._repr_html_()
        if len(rest):
            words = Counter(word.partition(" ")[2] for word in rest.index)
            told = ", ".join(f"{n} {word}" for word, n in words.items())
            summary = f"<summary>{len(rest)} more ({told})</summary>"
            page += f"<details>{summary}{rest._repr_html_()}</details>"
        page = page.replace("”\\n", "”<br>")
        page = re.sub(r"\\n([^<]*)</td>", r"<br><small>\1</small></td>", page)
        short = r"(<t[hd] style=\"[^\"]*)(\">(?:[^<]{1,18}|[^<]* %\))</t)"
        page = re.sub(short, r"\1; white-space: nowrap\2", page)
        for word in set(LOOKS) & {word.partition(" ")[2] for word in self.index}:
            tint = f'; color: {LOOKS[word].colour.light}">{signed(word)}</th>'
            page = page.replace(f'">{signed(word)}</th>', tint)
        for picture in pictures:
            page = page.replace(PLACE, picture, 1)
        told = f"<p>{ALL_VARIANTS}</p>"
        if cause := self.attrs.get("one cause"):
            told += f"<p>{cause}</p>"
        return f'<style>{ON_A_PHONE}</style><div class="claims">{told}{page}</div>'


def show(figure: Figure, alt: str, caption: str = "") -> None:
    """Display a figure once, with a text that says what it shows to those who cannot see it.

    Parameters
    ----------
    figure : Figure
        Closed afterwards.
    alt : str
        Alternative text of the picture in the notebook and in the pages made of it.
    caption : str, default=""
        Markdown below it, such as "Figure 1. Accuracy against the dimension."
    """
    from IPython.display import Markdown, display

    bundle, metadata = Picture(figure, alt)._repr_mimebundle_()
    display(bundle, raw=True, metadata=metadata)
    if caption:
        display(Markdown(caption))


@dataclass(frozen=True)
class Picture:
    """A drawn picture, which a notebook shows.

    Parameters
    ----------
    figure : Figure
        That of matplotlib.
    alt : str
        What it shows, for those who cannot see it.
    caption : str
        What stands below it in the report.
    """

    figure: Figure
    alt: str
    caption: str = ""

    def show(self, caption: str = "") -> None:
        """Show it now, in the middle of a cell.

        Parameters
        ----------
        caption : str, default=""
            Markdown below it.
        """
        show(self.figure, self.alt, caption)

    def _repr_mimebundle_(self, include=None, exclude=None) -> Bundle:
        """Output of the figure, which is closed.

        The picture carries the plotted data along (see `reprolib.report.picture`), so that a test
        can tell whether a stored picture is still the one that its cell draws.
        """
        import matplotlib.pyplot as plt

        from reprolib.report.picture import png

        bundle = {PICTURE: png(self.figure), PLAIN: repr(self.figure)}
        plt.close(self.figure)
        return bundle, {PICTURE: {"alt": self.alt}}


def drawn(draw: Callable[[], Figure], alt: str, caption: str = "") -> Picture:
    """Draw in our style, which is not left behind; the figure is not shown by itself.

    Parameters
    ----------
    draw : callable
        Gives a figure.
    alt : str
        What it shows, for those who cannot see it.
    caption : str, default=""
        What stands below it in the report.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from reprolib.report.style import use_style

    with mpl.rc_context():
        use_style()
        figure = draw()
    plt.close(figure)
    return Picture(figure, alt, caption)


def sliders(draw: Callable[..., Figure], alt: str, **choices: Sequence[Any]) -> None:
    """Draw a picture, and draw it again whenever one of its sliders is moved.

    Without ``ipywidgets``, or where no kernel runs, it stands still. The picture is all that is
    shown: what changes is in it, such as its title, so that a saved notebook passes
    ``pytest --nbval`` wherever its sliders were left.

    Parameters
    ----------
    draw : callable
        Gives a figure of matplotlib; called with one keyword argument for each choice. The defaults
        of its parameters are the start, else the first values.
    alt : str
        What the picture shows, for those who cannot see it. The places of the sliders are added.
    **choices : sequence
        Values of each slider, in order.

    Raises
    ------
    ValueError
        If a start is none of the values.
    """
    parameters = inspect.signature(draw).parameters
    start = {}
    for name, values in choices.items():
        given = parameters[name].default if name in parameters else inspect.Parameter.empty
        start[name] = next(iter(values)) if given is inspect.Parameter.empty else given
        if start[name] not in list(values):
            raise ValueError(f"{name} starts at {start[name]!r}, which is none of {list(values)}.")

    def at(values: Mapping[str, Any]) -> Bundle:
        told = ", ".join(f"{name} = {label_of(value)}" for name, value in values.items())
        bundle, metadata = drawn(lambda: draw(**values), f"{alt}: {told}")._repr_mimebundle_()
        note = {"sliders": {n: label_of(v) for n, v in values.items()}, "moved": values != start}
        return bundle, {**metadata, MARK: note}

    first = at(start)
    if in_notebook():
        _show_sliders(at, first, start, choices)


def _show_sliders(
    at: Callable[[Mapping[str, Any]], Bundle],
    first: Bundle,
    start: Mapping[str, Any],
    choices: Mapping[str, Sequence[Any]],
) -> None:
    """Show the sliders, and below them what is drawn, drawn over whenever one is moved.

    ``ipywidgets.interact`` has an output widget for this. Without a browser nbclient answers that
    widget on the socket on which it waits for the end of the cell, and can miss that end: papermill
    and ``nbconvert --execute`` hang (jupyter/nbclient, issue 312).
    """
    from IPython.display import display

    try:
        from ipywidgets import SelectionSlider
    except ImportError:
        choices = {}
    widgets = {
        name: SelectionSlider(
            options=[(label_of(value), value) for value in values],
            value=start[name],
            description=name,
            continuous_update=False,
        )
        for name, values in choices.items()
    }
    for widget in widgets.values():
        # Its text would be one more output than without widgets.
        view = {kind: v for kind, v in widget._repr_mimebundle_().items() if kind != PLAIN}
        display(view, raw=True)
    bundle, metadata = first
    handle = display(bundle, metadata=metadata, raw=True, display_id=True)

    def redraw(_):
        now, metadata = at({name: widget.value for name, widget in widgets.items()})
        handle.update(bundle | {PICTURE: now[PICTURE]}, metadata=metadata, raw=True)

    for widget in widgets.values():
        widget.observe(redraw, names="value")
