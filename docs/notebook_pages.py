"""Notebooks for the site: with launch links, and alternative text where myst-nb looks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from reprolib.rerun.records.registry import PAPERS

#: Where a notebook can be run in the browser, by the owner and name of the repository.
LAUNCHERS = {
    "Binder": "https://mybinder.org/v2/gh/{repository}/HEAD?labpath=notebooks/{name}",
    "Colab": "https://colab.research.google.com/github/{repository}/blob/HEAD/notebooks/{name}",
}


def write_page(source: Path, target: Path) -> None:
    """Write the copy of one notebook.

    The launch links need an address of the repository, which GitHub's workflows have in
    ``GITHUB_REPOSITORY``; elsewhere the page offers the download alone. Colab has an empty machine,
    so its link needs a notebook that installs the package from that address.
    """
    notebook = nbformat.read(source, as_version=4)
    for cell in notebook.cells:
        _move_alternative_text(cell)
        if cell.cell_type == "markdown":  # in the repository pages are in docs/, on the site above
            cell.source = cell.source.replace("](../docs/", "](../")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    places = [place for place in LAUNCHERS if place != "Colab" or f'/{repository}"' in code]
    explored = f' · <a href="../explore.html#{source.stem}">Explore its records</a>'
    links = _links(source.name, repository, places if repository else [])
    links += explored if source.stem in PAPERS else ""
    notebook.cells.insert(1, v4.new_markdown_cell(links))
    nbformat.write(notebook, target)


def _move_alternative_text(cell: NotebookNode) -> None:
    """From the metadata of the output, as Jupyter has it, to those of the cell."""
    for output in cell.get("outputs", []):
        if alt := output.get("metadata", {}).get("image/png", {}).get("alt"):
            cell.metadata["mystnb"] = {"image": {"alt": alt}}


def _links(name: str, repository: str, places: Sequence[str]) -> str:
    links = [f"{{download}}`Download this notebook <{name}>`"]
    for place in places:
        address = LAUNCHERS[place].format(repository=repository, name=name)
        links.append(f"[Run it on {place}]({address})")
    return " · ".join(links)
