"""A picture with sliders in JupyterLab, and the same picture without them anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

#: Set in test runs and where notebooks are written: no widgets, whose output differs every time.
STATIC = "REPROLIB_STATIC"


def sliders(draw: Callable[..., Any], **choices: Mapping[str, Any]) -> None:
    """Draw a picture, with one slider for each of its parameters where they can be shown.

    Parameters
    ----------
    draw : callable
        Draws with matplotlib; called with one keyword argument for each choice. It displays as
        many things at every value as at the start.
    **choices : dict
        ``values`` (a sequence in the order of the slider) and ``start``, one of them.

    Raises
    ------
    ValueError
        If a start is none of the values.

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
    if not _show_widgets(draw, choices):
        draw(**{name: choice["start"] for name, choice in choices.items()})


def _show_widgets(draw, choices) -> bool:
    """Show the sliders with the picture below them; False if there can be none here."""
    if os.environ.get(STATIC):
        return False
    try:
        from IPython import get_ipython
        from IPython.display import display
        from ipywidgets import SelectionSlider
    except ImportError:
        return False
    if get_ipython() is None:
        return False
    shown = {
        name: SelectionSlider(
            options=list(choice["values"]),
            value=choice["start"],
            description=name,
            continuous_update=False,
        )
        for name, choice in choices.items()
    }
    display(*shown.values())
    handles = [
        display(bundle, metadata=metadata, raw=True, display_id=True)
        for bundle, metadata in _displayed(draw, shown)
    ]

    def redraw(_):
        for handle, (bundle, metadata) in zip(handles, _displayed(draw, shown), strict=True):
            handle.update(bundle, metadata=metadata, raw=True)

    for slider in shown.values():
        slider.observe(redraw, names="value")
    return True


def _displayed(draw, shown) -> list[tuple[dict, dict]]:
    """Everything that ``draw`` prints and displays, with its metadata, and nothing shown yet.

    ``ipywidgets.interact`` has an output widget for this. Without a browser nbclient answers that
    widget on the socket on which it waits for the end of the cell, and can miss that end: papermill
    and ``nbconvert --execute`` hang (jupyter/nbclient, issue 312).
    """
    from IPython.utils.capture import capture_output

    with capture_output(stderr=False) as captured:
        draw(**{name: slider.value for name, slider in shown.items()})
    bundles = [(output.data, output.metadata or {}) for output in captured.outputs]
    return [({"text/plain": captured.stdout}, {})] * bool(captured.stdout) + bundles
