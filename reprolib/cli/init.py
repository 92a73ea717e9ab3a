"""``reprolib init``: the files of a paper in a repository of its own, from templates."""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from reprolib.cli import install_cell
from reprolib.cli.console import out
from reprolib.cli.notebook_metadata import METADATA

#: Template of every file, by its path in the repository.
FILES = {
    "{key}/__init__.py": "package.py",
    "{key}/printed.toml": "printed.toml",
    "{key}/experiment.py": "experiment.py",
    "{key}/data.toml": "data.toml",
    "{key}/data.py": "data.py",
    "{key}/figures.py": "figures.py",
    "{key}/example.py": "example.py",
    "notebooks/{key}.ipynb": "notebook.txt",
    "tests/test_{key}.py": "test.py",
}
#: Those of the repository, which may be there already.
SHARED = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    ".gitignore": "gitignore",
}
NEXT = """
So that reprolib finds the paper, install this folder, or name it:
  pip install -e {folder}
  export REPROLIB_PAPERS={folder}
It runs as it is:
  reprolib reproduce {key}              tables, figures and a report in build/
  reprolib reproduce {key} --full       the results that you commit, in results/{key}
  reprolib renew-notebooks            the outputs of notebooks/{key}.ipynb
  pytest                              all that a paper has to pass
What comes next: the printed numbers in {key}/printed.toml, the data in {key}/data.toml, the
experiments in {key}/experiment.py."""
TO_ADD = """
{folder}/pyproject.toml is left as it is. Add to it:
  [project.entry-points."reprolib.papers"]
  {key} = "{key}"
  [tool.setuptools.package-data]
  {key} = ["*.toml"]
and {key} to the packages of [tool.setuptools]."""


def run(arguments) -> int:
    """Write the files of a new paper; none that exists is touched."""
    facts = {name: getattr(arguments, name) for name in ("key", "title", "year")}
    facts |= {"authors": arguments.authors, "venue": arguments.venue}
    folder = arguments.folder.resolve()
    written = write_files(folder, facts)
    for path in written:
        out().print(f"wrote {path}", soft_wrap=True)
    names = {"key": arguments.key, "folder": folder}
    if folder / "pyproject.toml" not in written:
        out().print(TO_ADD.format(**names), soft_wrap=True, markup=False)
    out().print(NEXT.format(**names), soft_wrap=True, markup=False, highlight=False)
    return 0


def write_files(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Write all files of a paper, and those of the repository that are not there yet.

    Parameters
    ----------
    folder : Path
        Of the repository; made if it does not exist.
    facts : mapping
        key, title, authors, venue and year.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    ValueError
        If the key is no name of a module, or that of one that is installed.
    FileExistsError
        If a file of the paper is there already; nothing is written then.
    """
    _require_key(facts["key"])
    texts = {folder / path: text for path, text in rendered(FILES, facts)}
    existing = [str(path) for path in texts if path.exists()]
    if existing:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise FileExistsError(f"{existing[0]}{more} exists; take another KEY")
    _require_free(facts["key"])
    shared = {folder / path: text for path, text in rendered(SHARED, facts)}
    texts |= {path: text for path, text in shared.items() if not path.exists()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _require_key(key: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]*", key) or keyword.iskeyword(key):
        raise ValueError(f"KEY is {key!r}; give lower-case letters and digits, such as kpm2.")


def _require_free(key: str) -> None:
    """Raise ValueError if the paper's package would hide, or be hidden by, another module."""
    if importlib.util.find_spec(key) is not None:
        raise ValueError(f"KEY is {key!r}, the name of an installed module; take another one.")
    if importlib.util.find_spec(f"reprolib.papers.{key}") is not None:
        raise ValueError(f"KEY is {key!r}, a paper that reprolib has; take another one.")


def rendered(files: Mapping[str, str], facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield path and text of files, by their templates."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reprolib.cli"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    for path, template in files.items():
        text = environment.get_template(f"{template}.jinja").render(
            facts, install=install_cell.source()
        )
        if path.endswith(".ipynb"):
            text = notebook(text, facts["key"])
        yield path.format(key=facts["key"]), text


def notebook(text: str, key: str) -> str:
    """Notebook as JSON, from text whose cells begin with ``%% kind [tag ...]``."""
    cells = []
    for number, block in enumerate(re.split("^%% ", text, flags=re.MULTILINE)[1:]):
        head, _, source = block.partition("\n")
        kind, *tags = head.split()
        cell = {
            "cell_type": kind,
            "id": f"{key}-{number:02}",
            "metadata": {"tags": tags} if tags else {},
            "source": source.strip().splitlines(keepends=True),
        }
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    content = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
