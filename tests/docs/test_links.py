"""Every relative link of a page leads to a file, and to a heading, of a clone."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md"]
# What a build of the site writes is not in a clone.
PAGES += [path for path in (ROOT / "docs").rglob("*.md") if "made" not in path.parts]
PAGES += sorted(
    path for path in (ROOT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
)
PAGES += sorted((ROOT / "examples").rglob("README.md"))
#: README.md is no page of the site.
SITE = set(PAGES[1:])
#: Addresses of Markdown links and pictures, and of HTML in Markdown.
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|(?:href|src|srcset)=\"([^\"]+)\"")
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1$|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.M | re.S)


@functools.cache
def prose(path: Path) -> str:
    """Markdown of a page, or of the cells of a notebook, without its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return text


def links(path: Path) -> list[str]:
    """Addresses within the repository that a page leads to."""
    found = [a or b for a, b in LINK.findall(CODE.sub("", prose(path)))]
    return [address for address in found if not re.match(r"\w+:", address)]


@functools.cache
def anchors(path: Path) -> set[str]:
    """Anchors of a page as GitHub makes them of its headings, and those that it names."""
    text = prose(path)
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.*?) *#*$", without_blocks, flags=re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    named = re.findall(r"(?:id|name)=\"([^\"]+)\"", text)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in plain} | set(named)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_of_a_page_leads_somewhere_in_a_clone(path):
    dead = []
    for address in links(path):
        name, _, anchor = unquote(address).partition("#")
        target = path.parent / name if name else path
        if not target.exists():
            dead.append(address)
        elif anchor and target.suffix in (".md", ".ipynb") and anchor not in anchors(target):
            dead.append(f"{address} (there is no such heading)")
        elif path in SITE and target.suffix == ".md" and target.resolve() not in SITE:
            dead.append(f"{address} (the site has no such page, so that `make docs` fails)")
    assert not dead


def test_a_link_is_found_in_prose_and_not_in_code(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        '[a](b.md#c) ![x](p.png) `[no](no.md)` <a href="d.html">d</a> [w](https://w.org)\n'
        "```\n[no](no.md)\n```\n## Über `x_y`, z!\n"
    )
    assert links(page) == ["b.md#c", "p.png", "d.html"]
    assert anchors(page) == {"über-x_y-z"}
