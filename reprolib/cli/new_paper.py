"""``reprolib new-paper``: the files of a paper from templates."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

import reprolib
from reprolib.cli import install_cell
from reprolib.cli.console import out
from reprolib.cli.notebook_metadata import METADATA

CHECKOUT = Path(reprolib.__file__).resolve().parents[1]
#: Template of every file, by its path in the checkout.
FILES = {
    "reprolib/papers/{key}/__init__.py": "package.py",
    "reprolib/papers/{key}/printed.toml": "printed.toml",
    "reprolib/papers/{key}/experiment.py": "experiment.py",
    "reprolib/papers/{key}/figures.py": "figures.py",
    "reprolib/papers/{key}/example.py": "example.py",
    "notebooks/{key}.ipynb": "notebook.txt",
    "benchmarks/{key}.py": "benchmark.py",
    "tests/papers/{key}/__init__.py": "empty.py",
    "tests/papers/{key}/test_experiment.py": "test_experiment.py",
}
NEXT = """
They run as they are: `reprolib reproduce {key}`. What comes next:
  1. reprolib/papers/{key}/printed.toml: the printed numbers
  2. reprolib/papers/{key}/experiment.py: the experiments, on the data of the paper
  3. `reprolib reproduce {key} --full`, `make renew-notebooks NOTEBOOKS=notebooks/{key}.ipynb`,
     `make readme`; a row in the table of papers of README.md, and CITATION.cff
CONTRIBUTING.md explains each step."""


def run(arguments) -> int:
    """Write the files of a new paper; none that exists is touched."""
    facts = {name: getattr(arguments, name) for name in ("key", "title", "year")}
    facts |= {"authors": arguments.authors, "venue": arguments.venue}
    for path in write_files(CHECKOUT, facts):
        out().print(f"wrote {path}")
    out().print(NEXT.format(key=arguments.key))
    return 0


def write_files(checkout: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Write all files of a paper.

    Parameters
    ----------
    checkout : Path
    facts : mapping
        key, title, authors, venue and year.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    ValueError
        If the key is no name of a module.
    FileNotFoundError
        If the folder is no checkout of the project.
    FileExistsError
        If a file is there already; nothing is written then.
    """
    _require_key(facts["key"])
    if not (checkout / "pyproject.toml").is_file():
        raise FileNotFoundError(f"{checkout} is no checkout: a paper is added to the sources")
    texts = {checkout / path: text for path, text in rendered(facts)}
    there = [str(path) for path in texts if path.exists()]
    if there:
        raise FileExistsError(f"{', '.join(there)} exists; take another KEY")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _require_key(key: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]*", key) or keyword.iskeyword(key):
        raise ValueError(f"KEY is {key!r}; give lower-case letters and digits, such as kpm2.")


def rendered(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield path and text of every file."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reprolib.cli"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    for path, template in FILES.items():
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
