"""What notebooks show: the same output on every machine, with data and without, saved or run."""

from __future__ import annotations

import json
import math
import os
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pandas as pd
from threadpoolctl import threadpool_limits

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
    ".claims tr { padding: .5em 0 !important; } }"
)
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

        shown = self.drop(columns="compared")
        shown["claim"] = self["claim"] + "\n" + self["compared"]
        first, rest = Frame(shown.iloc[:UNFOLDED]), Frame(shown.iloc[UNFOLDED:])
        page = first._repr_html_()
        if len(rest):
            words = Counter(word.partition(" ")[2] for word in rest.index)
            told = ", ".join(f"{n} {word}" for word, n in words.items())
            summary = f"<summary>{len(rest)} more ({told})</summary>"
            page += f"<details>{summary}{rest._repr_html_()}</details>"
        page = re.sub(r"\\n([^<]*)</td>", r"<br><small>\1</small></td>", page)
        short = r"(<t[hd] style=\"[^\"]*)(\">(?:[^<]{1,18}|[^<]* %\))</t)"
        page = re.sub(short, r"\1; white-space: nowrap\2", page)
        for word in set(LOOKS) & {word.partition(" ")[2] for word in self.index}:
            tint = f'; color: {LOOKS[word].colour.light}">{signed(word)}</th>'
            page = page.replace(f'">{signed(word)}</th>', tint)
        return f'<style>{ON_A_PHONE}</style><div class="claims">{page}</div>'


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


def label_of(value: Any) -> str:
    """Text of a value in titles and controls; infinity by its sign."""
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return str(value)


def require_measured(name: str, value: Any, measured: Iterable[Any]) -> None:
    """Raise ValueError unless a value is one of those that were measured; the error lists them."""
    known = list(measured)
    if value not in known:
        told = ", ".join(map(label_of, known))
        raise ValueError(f"{name} = {label_of(value)} was not measured; measured: {told}")


def displayed(call: Callable[[], Any]) -> list[Bundle]:
    """Everything that a call prints, displays and returns, in this order, and nothing shown yet.

    ``ipywidgets.interact`` has an output widget for this. Without a browser nbclient answers that
    widget on the socket on which it waits for the end of the cell, and can miss that end: papermill
    and ``nbconvert --execute`` hang (jupyter/nbclient, issue 312).
    """
    from IPython.display import display
    from IPython.utils.capture import capture_output

    with capture_output(stderr=False) as captured:
        value = call()
        if value is not None:
            display(value)
    bundles = [(output.data, output.metadata or {}) for output in captured.outputs]
    return [({PLAIN: captured.stdout}, {})] * bool(captured.stdout) + bundles


def sliders(draw: Callable[..., Any], **choices: Mapping[str, Any]) -> None:
    """Draw a picture, with one slider for each of its parameters where they can be shown.

    What ``pytest --nbval`` compares is the same with sliders and without, and wherever they were
    left when the notebook was saved: it compares texts, and neither pictures nor widgets.

    Parameters
    ----------
    draw : callable
        Draws with matplotlib; called with one keyword argument for each choice. It displays as
        many things at every value as at the start, and the same texts: what changes is in the
        picture.
    **choices : dict
        ``values`` (a sequence in the order of the slider) and ``start``, one of them.

    Raises
    ------
    ValueError
        If a start is none of the values; in a notebook, if the texts at the first or at the last
        values differ from those at the start.

    Examples
    --------
    >>> sliders(lambda D: print("D is", D), D={"values": [1, 2, 5], "start": 2})  # doctest: +SKIP
    D is 2
    """
    for name, choice in choices.items():
        if choice["start"] not in list(choice["values"]):
            raise ValueError(
                f"{name} starts at {choice['start']!r}, which is none of {list(choice['values'])}."
            )
    start = {name: choice["start"] for name, choice in choices.items()}
    if not in_notebook():
        draw(**start)
        return

    def at(values: Mapping[str, Any], moved: bool = False) -> list[Bundle]:
        note = {"sliders": {n: _as_json(value) for n, value in values.items()}, "moved": moved}
        bundles = displayed(lambda: draw(**values))
        return [(data, {**metadata, MARK: note}) for data, metadata in bundles]

    first = at(start)
    # An error is raised here for the start and the ends; later a slider is moved, and it is shown.
    for place in (0, -1):
        values = {name: list(choice["values"])[place] for name, choice in choices.items()}
        if values != start:
            _refuse_other_texts(first, start, at(values), values)
    _show_sliders(at, first, start, choices)


def _as_json(value: Any) -> Any:
    """Value as a message to the browser may hold it, which knows neither numpy nor infinity."""
    value = value.item() if hasattr(value, "item") else value
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return label_of(value)
    return value


def _of_words(text: str) -> Picture:
    """Picture of what cannot be drawn, and why."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(7, 1.5))
    figure.text(0.5, 0.5, textwrap.fill(text, 70), ha="center", va="center")
    return Picture(figure, text)


def _refuse_other_texts(
    first: Sequence[Bundle], start: Mapping[str, Any], now: Sequence[Bundle], values: Mapping
) -> None:
    """Raise an error that names what a slider changes beside its picture."""

    def text_of(bundle: Mapping[str, Any]) -> str:
        """What is compared of an output: of a picture, that it is one."""
        if PICTURE in bundle:
            return PICTURE
        rich = [str(shown) for kind, shown in bundle.items() if kind != PLAIN]
        return "; ".join(rich or map(str, bundle.values()))

    before, after = ([text_of(bundle) for bundle, _ in bundles] for bundles in (first, now))
    if before == after:
        return
    pairs = zip_longest(before, after, fillvalue="nothing")
    was, became = next((a, b) for a, b in pairs if a != b)
    there, here = (", ".join(f"{n} = {value}" for n, value in at.items()) for at in (start, values))
    raise ValueError(
        f"What is drawn at {here} differs from that at {there} in more than its "
        f"picture: {was!r} becomes {became!r}. A saved notebook would then fail "
        "pytest --nbval. Put what changes into the picture, as its title."
    )


def _show_sliders(
    at: Callable[..., list[Bundle]],
    first: Sequence[Bundle],
    start: Mapping[str, Any],
    choices: Mapping[str, Mapping[str, Any]],
) -> None:
    """Show the sliders, and below them what is drawn, drawn over whenever one is moved."""
    from IPython.display import display

    try:
        from ipywidgets import SelectionSlider
    except ImportError:
        choices = {}
    widgets = {
        name: SelectionSlider(
            options=[(label_of(value), value) for value in choice["values"]],
            value=choice["start"],
            description=name,
            continuous_update=False,
        )
        for name, choice in choices.items()
    }
    for widget in widgets.values():
        # Its text would be one more output than without widgets.
        view = {kind: v for kind, v in widget._repr_mimebundle_().items() if kind != PLAIN}
        display(view, raw=True)
    handles = [
        display(bundle, metadata=metadata, raw=True, display_id=True) for bundle, metadata in first
    ]

    def redraw(_):
        values = {name: widget.value for name, widget in widgets.items()}
        try:
            now = at(values, moved=values != start)
        except ValueError as error:
            bundle, metadata = _of_words(str(error))._repr_mimebundle_()
            words = ({PICTURE: bundle[PICTURE]}, metadata)
            now = [words if PICTURE in before else (before, {}) for before, _ in first]
        for handle, (before, _), (bundle, metadata) in zip(handles, first, now, strict=True):
            if PICTURE in bundle:
                bundle = before | {PICTURE: bundle[PICTURE]}
            handle.update(bundle, metadata=metadata, raw=True)

    for widget in widgets.values():
        widget.observe(redraw, names="value")
