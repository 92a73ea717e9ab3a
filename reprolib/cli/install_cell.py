"""The cell of every notebook that installs the package where it is missing, as on Colab."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Tag of the cell; pages of the site leave it out.
TAG = "remove-cell"
#: Of a wheel beside the notebook: what can be installed while the repository has no address.
FROM_WHEEL = """from glob import glob
from importlib.util import find_spec

if find_spec("reprolib") is None:  # not installed, as on Colab: put its wheel beside this notebook
    wheel = glob("reprolib-*.whl")[0]
    %pip install --quiet "{wheel}[rerun]\""""
FROM_REPOSITORY = """from importlib.util import find_spec

if find_spec("reprolib") is None:  # not installed, as on Colab
    %pip install --quiet "reprolib[rerun] @ git+REPOSITORY\""""


def source() -> str:
    """Code of the cell: from the repository if the package names it, else from a wheel.

    Never by the bare name, under which a package index may have somebody else's package.
    """
    addresses = dict(
        address.split(", ", 1) for address in metadata("reprolib").get_all("Project-URL", [])
    )
    repository = addresses.get("Repository")
    return FROM_REPOSITORY.replace("REPOSITORY", repository) if repository else FROM_WHEEL


def put_first(notebook: NotebookNode) -> None:
    """Put the cell above the first other code cell of a notebook, or write it anew there."""
    from nbformat import v4

    cells = [cell for cell in notebook.cells if TAG not in cell.metadata.get("tags", [])]
    kinds = [cell.cell_type for cell in cells]
    place = kinds.index("code") if "code" in kinds else len(cells)
    cell = v4.new_code_cell(source(), id="install", metadata={"tags": [TAG]})
    notebook.cells = [*cells[:place], cell, *cells[place:]]
