"""What a function displays in a notebook, taken up before it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: One output: its data by mime type, and its metadata.
Bundle = tuple[dict[str, Any], dict[str, Any]]


def in_notebook() -> bool:
    """Whether the code runs in a kernel, or in another shell of IPython."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


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
    return [({"text/plain": captured.stdout}, {})] * bool(captured.stdout) + bundles
