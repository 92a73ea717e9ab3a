"""What a reader of a notebook meets: a short story, plain code, and no number that is stale."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import nbformat
import numpy as np
import pytest

from reprolib.rerun.records import load_paper, select
from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.records.rows import paths

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[!.]*/*.ipynb"))
NOTEBOOKS += sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Levels of intervals, and the margin of the words.
FIXED = {"90", "95", "1.5", "0.015"}
#: Numbers up to this are counts that a reader checks at a glance.
SMALL = 12
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells_of(path, kind):
    notebook = nbformat.read(path, as_version=4)
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == kind and "remove-cell" not in cell.metadata.get("tags", [])
    ]


def prose_of(path) -> str:
    """Text without formulas, code and addresses."""
    text = "\n".join(cell.source for cell in cells_of(path, "markdown"))
    text = re.sub(r"<code>.*?</code>", " ", text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    # Numbers of pages and equations are the paper's own.
    text = re.sub(r"\(\d+\)|pages? \d+|[Ee]quations? (?:\d+(?:, | and | to )?)+", " ", text)
    return text.replace("\\", "")


@each
def test_a_notebook_is_short(path):
    is_case = path.parent.name == "cases"
    words = len(prose_of(path).split())
    assert words <= (1500 if is_case else 1400), f"{words} words"
    code = [c for c in cells_of(path, "code") if "parameters" not in c.metadata.get("tags", [])]
    assert len(code) <= 12, f"{len(code)} code cells"
    longest = max(len(cell.source.strip().splitlines()) for cell in code)
    assert longest <= 25, f"a cell of {longest} lines"


@pytest.mark.parametrize("key", PAPERS)
def test_papermill_can_say_where_the_numbers_come_from(key):
    """It puts a cell behind the tagged one: what uses RUN must come later."""
    code = cells_of(ROOT / "notebooks" / f"{key}.ipynb", "code")
    tagged = [i for i, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", [])]
    using = [i for i, cell in enumerate(code) if "run=RUN" in cell.source]
    assert len(tagged) == 1
    assert using
    assert tagged[0] < min(using)


@each
def test_the_face_and_the_estimators_are_all_that_is_imported_of_ours(path):
    for cell in cells_of(path, "code"):
        for node in ast.walk(ast.parse(re.sub(r"^%.*$", "", cell.source, flags=re.MULTILINE))):
            if isinstance(node, ast.Import):
                assert all(not a.name.startswith(("reprolib.", "data_fetch")) for a in node.names)
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("reprolib.", "data_fetch"))


@each
def test_no_cell_asserts(path):
    """`paper.agree` prints both answers; a reader who changes a number meets no traceback."""
    assert not [c for c in cells_of(path, "code") if re.search(r"^\s*assert ", c.source, re.M)]


@pytest.mark.parametrize("key", PAPERS)
def test_every_printed_table_stands_in_its_notebook(key):
    code = "\n".join(c.source for c in cells_of(ROOT / "notebooks" / f"{key}.ipynb", "code"))
    for table in printed_of(key).printed.tables:
        assert f'paper.table("{table}")' in code


@pytest.mark.parametrize("key", PAPERS)
def test_the_margin_that_the_prose_names_is_that_of_the_papers_file(key):
    """Tables, legends and the report follow the file by themselves; sentences do not."""
    prose = "\n".join(c.source for c in cells_of(ROOT / "notebooks" / f"{key}.ipynb", "markdown"))
    named = re.findall(r"(?:within|margin \()\s*(?:the )?([\d.]+) points", prose)
    assert {float(points) for points in named} <= {printed_of(key).printed.margin}


def shown_in(path) -> str:
    """Everything that the outputs of a notebook say."""
    texts = []
    for cell in cells_of(path, "code"):
        for output in cell.get("outputs", []):
            texts.append(str(output.get("text", "")))
            texts += [str(v) for k, v in output.get("data", {}).items() if k.startswith("text/")]
    return "\n".join(texts)


def listed(key) -> dict[str, dict]:
    """Numbers of the prose that stand in no output, by their text: see ``prose_KEY.toml`` here."""
    path = ROOT / f"tests/notebooks/prose_{key}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def papers_of(path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [key for key in PAPERS if f'reprolib.paper(\\"{key}\\"' in text]


@each
def test_every_number_of_the_prose_is_shown_printed_or_listed(path):
    """So that a number that changes with the records cannot stay behind in the text."""
    shown = shown_in(path)
    known: set[str] = set()
    for key in papers_of(path):
        printed = (ROOT / f"reprolib/papers/{key}/printed.toml").read_text(encoding="utf-8")
        shown += printed
        known |= listed(key).keys()
    numbers = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])", prose_of(path))
    stale = []
    for number in dict.fromkeys(numbers):
        plain = number.rstrip(",").replace(",", "")
        if float(plain) <= SMALL and "." not in plain:
            continue
        if plain in known | FIXED or re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d)", shown):
            continue
        stale.append(number)
    assert not stale, f"{stale}: in no output, not in printed.toml, not in the list of numbers"


@pytest.mark.parametrize("key", PAPERS)
def test_the_listed_numbers_are_those_of_the_records(key):
    """``"23.9" = { table = ..., at = 14 }``: mean over trials; ``fact`` for what no record has."""
    records = load_paper(key)
    for text, entry in listed(key).items():
        if "fact" in entry:
            continue
        wanted = dict(entry)
        at, scale = wanted.pop("at", None), wanted.pop("scale", 100)
        minus = wanted.pop("minus", None)

        def mean(columns, at=at, scale=scale):
            rows = select(records, **columns)
            values = [p[at - 1] for p in paths(rows)] if at else rows["value"]
            assert len(rows), f"no record of {columns}"
            return scale * float(np.mean(values))

        value = mean(wanted) - (mean({**wanted, **minus}) if minus else 0.0)
        digits = len(text.partition(".")[2])
        assert f"{abs(value):.{digits}f}" == text, f"{text} is {value:.4f} in the records: {entry}"
