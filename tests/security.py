"""SECURITY.md, made of the sentences that tests hold.

``python -m tests.security`` writes it anew. A sentence is an argument of ``pytest.mark.security``
on the test that fails where it is not true; there is no other way into the file.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PATH = ROOT / "SECURITY.md"
#: Sections in their order.
SECTIONS = (
    "What is downloaded",
    "How it is checked",
    "What is written",
    "When power fails",
    "What is sent",
    "What is run",
    "What is shown",
    "How it is built",
)
HEAD = """# Security

Each sentence below names the test that fails where it is not true. `python -m tests.security`
writes this file from the tests; a sentence without a test cannot stand here.
[Whom to trust with what](docs/trust.md) is about shared caches, mirrors and clusters;
[Faults](docs/faults.md) counts the faults that are tried.
"""
TAIL = """
## Report a weakness

In private, by the "Report a vulnerability" button of the repository's security page, with what
`reprolib --version` prints: it shows no passwords. The newest release is the one that gets fixes.
"""


class Sentence(NamedTuple):
    """A sentence, its section, and the test that holds it."""

    section: str
    text: str
    test: str


def sentences() -> Iterator[Sentence]:
    """Yield every marked sentence, by files and lines."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.security(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if ast.unparse(decorator).startswith("pytest.mark.security("):
                        section, sentence = map(ast.literal_eval, decorator.args)
                        name = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                        yield Sentence(section, sentence, name)


def document() -> str:
    """Text of SECURITY.md."""
    found = list(sentences())
    if unknown := {s.section for s in found} - set(SECTIONS):
        raise ValueError(f"no section {sorted(unknown)}; there are {', '.join(SECTIONS)}")
    parts = [HEAD]
    for section in SECTIONS:
        lines = [f"- {s.text}\n  (`{s.test}`)" for s in found if s.section == section]
        if lines:
            parts.append("\n".join([f"\n## {section}\n", *lines, ""]))
    return "".join([*parts, TAIL])


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")
    sys.stdout.write(f"{PATH}\n")
