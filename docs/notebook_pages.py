"""Notebooks for the site: with launch links, and every picture with its text and in full size."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path

import nbformat
from docutils import nodes
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
        _empty_heads(cell)
        if cell.cell_type == "markdown":  # in the repository pages are in docs/, on the site above
            cell.source = cell.source.replace("](../docs/", "](../")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    places = [place for place in LAUNCHERS if place != "Colab" or f'/{repository}"' in code]
    explored = f' · <a href="../explore.html#{source.stem}">Explore its records</a>'
    links = _links(source.name, repository, places if repository else [])
    links += explored if source.stem in PAPERS else ""
    links += " · A click or tap on a picture opens it in full size."
    notebook.cells.insert(1, v4.new_markdown_cell(links))
    nbformat.write(notebook, target)


def _empty_heads(cell: NotebookNode) -> None:
    """Make the empty heads that pandas writes above an index plain cells, as axe asks."""
    for output in cell.get("outputs", []):
        if table := output.get("data", {}).get("text/html"):
            output.data["text/html"] = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", table)


def complete_pictures(app, doctree) -> None:
    """Give every picture of a notebook its text and its width, by which Sphinx links to it alone.

    myst-nb has one text for all pictures of a cell. On a phone a picture is as narrow as the page;
    a tap on it opens it in full size.
    """
    source = Path(app.env.doc2path(app.env.docname))
    if source.suffix == ".ipynb":
        told = alternative_texts(nbformat.read(source, as_version=4))
        for image in doctree.findall(nodes.image):
            picture = (Path(app.srcdir) / image["uri"]).read_bytes()
            if picture in told:
                image["alt"] = told[picture]
                image["width"] = f"{int.from_bytes(picture[16:20])}px"  # the head of a PNG


def alternative_texts(notebook: NotebookNode) -> dict[bytes, str]:
    """Alternative text of every PNG, from the metadata of its output, where Jupyter has it."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return {
        b64decode(output.data["image/png"]): output.metadata["image/png"]["alt"]
        for output in outputs
        if "alt" in output.get("metadata", {}).get("image/png", {})
    }


def _links(name: str, repository: str, places: Sequence[str]) -> str:
    links = [f"{{download}}`Download this notebook <{name}>`"]
    for place in places:
        address = LAUNCHERS[place].format(repository=repository, name=name)
        links.append(f"[Run it on {place}]({address})")
    return " · ".join(links)
