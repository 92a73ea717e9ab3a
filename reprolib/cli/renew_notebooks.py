"""``reprolib renew-notebooks``: outputs that depend on the code and the results alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

import data_fetch
from reprolib.cli.console import err, out
from reprolib.cli.notebook_metadata import METADATA
from reprolib.report.sliders import STATIC
from reprolib.rerun.records.folders import write_atomically

#: Seconds for one cell.
TIMEOUT = 1200
TAG = "data:"


def run(paths: Sequence[Path]) -> int:
    """Execute notebooks in place; one that fails is left as it is.

    Returns
    -------
    int
        1 if one could not be executed, else 0.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    os.environ[STATIC] = "1"
    faults = [fault for path in paths if (fault := renew(path))]
    for fault in faults:
        err().print(fault, style="red")
    return 1 if faults else 0


def renew(path: Path) -> str:
    """Execute a notebook in its folder, and write it; return what is wrong, if anything."""
    notebook = nbformat.read(path, as_version=4)
    missing = [name for name in needed(notebook) if not data_fetch.available(name)]
    if missing:
        return f"{path} is left as it is: it needs {', '.join(missing)} (`reprolib data fetch`)"
    try:
        NotebookClient(
            notebook,
            timeout=TIMEOUT,
            kernel_name="python3",
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return f"{path} is left as it is: {error}"
    write_atomically(path, nbformat.writes(cleaned(notebook)).rstrip() + "\n")
    out().print(f"renewed {path}")
    return ""


def needed(notebook: NotebookNode) -> list[str]:
    """Data sets that cells of a notebook need, as their tags say."""
    tags = (tag for cell in notebook.cells for tag in cell.metadata.get("tags", []))
    return sorted({tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)})


def cleaned(notebook: NotebookNode) -> NotebookNode:
    """Leave nothing in the metadata but the tags of cells."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
    return notebook
