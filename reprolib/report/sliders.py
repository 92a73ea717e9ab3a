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
        Draws with matplotlib; called with one keyword argument for each choice.
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
    """Show the sliders; False if there can be none here."""
    if os.environ.get(STATIC):
        return False
    try:
        from ipywidgets import SelectionSlider, interact
    except ImportError:
        return False
    interact(
        draw,
        **{
            name: SelectionSlider(
                options=list(choice["values"]), value=choice["start"], continuous_update=False
            )
            for name, choice in choices.items()
        },
    )
    return True
