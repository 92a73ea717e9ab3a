"""Cells of notebooks that need real data: computed where these are, else shown as committed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import data_fetch
from reprolib.report.displayed import Bundle, displayed, in_notebook
from reprolib.report.notebook import MARK
from reprolib.rerun.records.folders import project_of


def live(notebook: str, *datasets: str) -> Callable[[Callable[[], Any]], None]:
    """Run what needs real data, and display it; where they are not at hand, the committed result.

    Nothing is downloaded: data sets count that are in the cache or in the mirror. Otherwise the
    outputs are those of the committed notebook, below a line that says so.

    Parameters
    ----------
    notebook : str
        Name of the notebook, such as "kpm".
    *datasets : str
        What it needs, such as "raetsch/heart".

    Returns
    -------
    callable
        Decorator of a function without parameters, which it runs once, now. What the function
        prints, displays or returns is displayed. The function's name tells the committed results
        of a notebook apart.

    Examples
    --------
    >>> @live("kpm", "raetsch/heart")  # doctest: +SKIP
    ... def heart():
    ...     return recompute("kpm", "table1", "raetsch/heart", "kpm").round(3)
    """

    def run(compute: Callable[[], Any]) -> None:
        missing = [name for name in datasets if not data_fetch.available(name)]
        if not missing:
            try:
                return _show(compute, compute.__name__)
            except data_fetch.DataUnavailableError:
                missing = list(datasets)
        return _show_committed(notebook, compute.__name__, missing)

    return run


def _show(compute: Callable[[], Any], name: str) -> None:
    if in_notebook():
        _display(displayed(compute), name)
    elif (value := compute()) is not None:
        print(value)


def _show_committed(notebook: str, name: str, missing: Sequence[str]) -> None:
    """Show a line that names the missing data, and the committed outputs below it."""
    outputs = committed_outputs(notebook, name)
    verb = "is" if len(missing) == 1 else "are"
    end = "Below is the committed result." if outputs else "The committed result was deleted."
    command = f"`reprolib data fetch {' '.join(missing)}`"
    text = f"Not recomputed here: {', '.join(missing)} {verb} not at hand ({command}). {end}"
    if not in_notebook():
        print(text)
        return
    from IPython.display import display

    bundle = {"text/markdown": f"**{text}**", "text/plain": text}
    display(bundle, raw=True, metadata={MARK: {"missing": list(missing)}})
    _display(outputs, name)


def _display(bundles: Iterable[Bundle], name: str) -> None:
    """Display outputs, with the name under which they are found again."""
    from IPython.display import display

    for data, metadata in bundles:
        display(data, raw=True, metadata={**metadata, MARK: {"live": name}})


def committed_outputs(notebook: str, name: str) -> list[Bundle]:
    """Outputs of a live cell in the committed notebook; none if they were deleted from it."""
    path = project_of(notebook) / "notebooks" / f"{notebook}.ipynb"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError):
        return []
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [
        ({kind: _joined(value) for kind, value in output["data"].items()}, output["metadata"])
        for output in outputs
        if output.get("metadata", {}).get(MARK, {}).get("live") == name
    ]


def _joined(value: Any) -> Any:
    """A text, which a notebook may store as its lines."""
    return "".join(value) if isinstance(value, list) else value
