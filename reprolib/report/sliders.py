"""A picture with sliders where a notebook has widgets, and the same picture anywhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from reprolib.report.displayed import Bundle, displayed, in_notebook
from reprolib.report.notebook import MARK

PICTURE, PLAIN = "image/png", "text/plain"


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
    first = _drawn(draw, start)
    for place in (0, -1):
        values = {name: list(choice["values"])[place] for name, choice in choices.items()}
        if values != start:
            _refuse_other_texts(first, start, _drawn(draw, values), values)
    _show(draw, first, start, _widgets(choices))


def _refuse_other_texts(
    first: Sequence[Bundle], start: Mapping[str, Any], now: Sequence[Bundle], values: Mapping
) -> None:
    """Raise an error that names what a slider changes beside its picture."""
    before, after = ([_text_of(bundle) for bundle, _ in bundles] for bundles in (first, now))
    if before == after:
        return
    pairs = zip_longest(before, after, fillvalue="nothing")
    was, became = next((a, b) for a, b in pairs if a != b)
    raise ValueError(
        f"What is drawn at {_told(values)} differs from that at {_told(start)} in more than its "
        f"picture: {was!r} becomes {became!r}. A saved notebook would then fail "
        "pytest --nbval. Put what changes into the picture, as its title."
    )


def _text_of(bundle: Mapping[str, Any]) -> str:
    """What is compared of an output: of a picture, that it is one."""
    if PICTURE in bundle:
        return PICTURE
    rich = [str(shown) for kind, shown in bundle.items() if kind != PLAIN]
    return "; ".join(rich or map(str, bundle.values()))


def _told(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _widgets(choices: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Sliders by name; none where widgets are not installed."""
    try:
        from ipywidgets import SelectionSlider
    except ImportError:
        return {}
    return {
        name: SelectionSlider(
            options=list(choice["values"]),
            value=choice["start"],
            description=name,
            continuous_update=False,
        )
        for name, choice in choices.items()
    }


def _show(draw, first: Sequence[Bundle], start: Mapping[str, Any], widgets: Mapping) -> None:
    """Show the sliders, and below them what is drawn, drawn over whenever one is moved."""
    from IPython.display import display

    for widget in widgets.values():
        display(_view(widget), raw=True)
    handles = [
        display(bundle, metadata=metadata, raw=True, display_id=True) for bundle, metadata in first
    ]

    def redraw(_):
        values = {name: widget.value for name, widget in widgets.items()}
        now = _drawn(draw, values, moved=values != start)
        for handle, (before, _), (bundle, metadata) in zip(handles, first, now, strict=True):
            if PICTURE in bundle:
                bundle = before | {PICTURE: bundle[PICTURE]}
            handle.update(bundle, metadata=metadata, raw=True)

    for widget in widgets.values():
        widget.observe(redraw, names="value")


def _view(widget) -> dict[str, Any]:
    """The view of a widget alone: its text would be one more output than without widgets."""
    return {kind: view for kind, view in widget._repr_mimebundle_().items() if kind != "text/plain"}


def _drawn(draw, values: Mapping[str, Any], moved: bool = False) -> list[Bundle]:
    """What is drawn at some values of the sliders; its metadata say which, and if of the start."""
    note = {"sliders": dict(values), "moved": moved}
    bundles = displayed(lambda: draw(**values))
    return [(data, {**metadata, MARK: note}) for data, metadata in bundles]
