"""``reprolib renew-notebooks``: outputs that depend on the code and the results alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from reprolib.cli import install_cell
from reprolib.cli.console import err, out
from reprolib.cli.notebook_metadata import METADATA
from reprolib.report.notebook import MARK
from reprolib.rerun.records.folders import write_atomically

#: Seconds for one cell.
TIMEOUT = 1200
#: What a slider is in a notebook, where widgets are installed.
WIDGET = "application/vnd.jupyter.widget-view+json"


def run(paths: Sequence[Path]) -> int:
    """Execute notebooks in place; one that fails is left as it is.

    Returns
    -------
    int
        1 if one could not be executed, else 0.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    faults = [fault for path in paths if (fault := renew(path))]
    for fault in faults:
        err().print(fault, style="red")
    return 1 if faults else 0


def renew(path: Path) -> str:
    """Execute a notebook in its folder, and write it; return what is wrong, if anything."""
    notebook = nbformat.read(path, as_version=4)
    install_cell.put_first(notebook)
    try:
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=False,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return f"{path} is left as it is: {error}"
    if missing := not_at_hand(notebook):
        return f"{path} is left as it is: it needs {', '.join(missing)} (`reprolib data fetch`)"
    write_atomically(path, nbformat.writes(cleaned(notebook)).rstrip() + "\n")
    out().print(f"renewed {path}")
    return ""


def not_at_hand(notebook: NotebookNode) -> list[str]:
    """Data sets that live cells did not have, so that they showed their committed result."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    notes = [output.get("metadata", {}).get(MARK, {}) for output in outputs]
    return sorted({name for note in notes for name in note.get("missing", [])})


def cleaned(notebook: NotebookNode) -> NotebookNode:
    """Keep only the tags of cells as metadata, and drop sliders, whose kernel is gone."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if "outputs" in cell:
            cell.outputs = [out for out in cell.outputs if WIDGET not in out.get("data", {})]
    return notebook
