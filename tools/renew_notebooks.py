"""Execute notebooks in place, as they are committed: `make renew-notebooks`.

Their outputs depend on the code and the results alone, without versions and timings. A notebook
that fails, or lacks data, is left as it is. Usage: ``python tools/renew_notebooks.py [FILE ...]``;
without files all of ``notebooks``. Notebooks of a paper in its own repository are renewed so, too.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import metadata
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from reprolib.paper import NOTHING_COMPUTED
from reprolib.rerun.records.registry import write_atomically

#: Of every notebook; versions would differ between machines.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
#: Tag of the cell that installs the package; pages of the site leave it out.
TAG = "remove-cell"
#: One line, which runs where its first sign is taken away.
INSTALL = '# %pip install --quiet "{}"  # on Colab: take the first # away, and run this line first'
#: Seconds for one cell.
TIMEOUT = 1200
#: What a slider is in a notebook, where widgets are installed.
WIDGET = "application/vnd.jupyter.widget-view+json"


def install_cell() -> str:
    """Code that installs the package: from the repository if the package names it, else a wheel.

    Never by the bare name, under which a package index may have somebody else's package.
    """
    about = metadata("reprolib")
    addresses = dict(address.split(", ", 1) for address in about.get_all("Project-URL", []))
    if repository := addresses.get("Repository"):
        return INSTALL.format(f"reprolib[papers] @ git+{repository}")
    return INSTALL.format(f"reprolib-{about['Version']}-py3-none-any.whl[papers]")


def put_install_cell(notebook: NotebookNode) -> None:
    """Put the cell at the end of a notebook, or write it anew there."""
    cells = [cell for cell in notebook.cells if TAG not in cell.metadata.get("tags", [])]
    cell = nbformat.v4.new_code_cell(install_cell(), id="install", metadata={"tags": [TAG]})
    notebook.cells = [*cells, cell]


def renew(path: Path) -> str:
    """Execute a notebook in its folder, and write it; return what is wrong, if anything."""
    notebook = nbformat.read(path, as_version=4)
    put_install_cell(notebook)
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
    shown = "".join(
        out.get("text", "") for cell in notebook.cells for out in cell.get("outputs", [])
    )
    if NOTHING_COMPUTED in shown:
        return f"{path} is left as it is: it needs its data (`reprolib data fetch`)"
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        folded = {"jupyter": {"source_hidden": True}} if tags == [TAG] else {}
        cell.metadata = nbformat.from_dict({"tags": tags, **folded} if tags else {})
        if "outputs" in cell:  # without sliders, whose kernel is gone
            cell.outputs = [out for out in cell.outputs if WIDGET not in out.get("data", {})]
    write_atomically(path, nbformat.writes(notebook).rstrip() + "\n")
    return ""


def main(words: list[str]) -> int:
    """Renew notebooks; return 1 if one could not be."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    faults = 0
    for path in map(Path, words or sorted(Path("notebooks").glob("*.ipynb"))):
        fault = renew(path)
        print(fault or f"renewed {path}", file=sys.stderr if fault else sys.stdout)
        faults += bool(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
