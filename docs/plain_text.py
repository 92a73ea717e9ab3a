"""Docstrings are plain text: formulas stand indented, and ``w_`` is a name. Say so to Sphinx."""

from __future__ import annotations

import re

_PARAMETER = re.compile(r"^\*{0,2}\w+(, \*{0,2}\w+)* : ")
_QUOTED = re.compile(r"(``.*?``|`.*?`)")
#: A name that ends in an underscore would be a link, a bar would start a substitution.
_MARKUP = re.compile(r"(?<=\w)_(?!\w)|\|")


def as_rst(lines: list[str]) -> list[str]:
    """Lines of a docstring: formulas as literal blocks, names escaped, examples as they are.

    Parameters
    ----------
    lines : list of str

    Returns
    -------
    list of str
    """
    made: list[str] = []
    in_sections = in_formula = in_doctest = False
    for i, line in enumerate(lines):
        following = lines[i + 1].strip() if i + 1 < len(lines) else ""
        in_sections |= bool(line) and set(following) == {"-"}
        indented = line.startswith("    ")
        if indented and i > 0 and not lines[i - 1] and not in_sections and not in_formula:
            in_formula = True
            if not made[-2].endswith("::"):
                made += ["::", ""]
        in_formula &= indented or not line
        in_doctest = bool(line) and (in_doctest or line.lstrip().startswith(">>> "))
        as_it_is = in_formula or in_doctest or set(line) == {"-"}
        made.append(line if as_it_is else _escaped(line))
    return made


def _escaped(line: str) -> str:
    name = _PARAMETER.match(line)
    head = name.group() if name else ""
    parts = _QUOTED.split(line[len(head) :])
    return head + "".join(
        part if part.startswith("`") else _MARKUP.sub(r"\\\g<0>", part) for part in parts
    )


def process(app, what, name, obj, options, lines: list[str]) -> None:
    """Handler of Sphinx's event ``autodoc-process-docstring``."""
    lines[:] = as_rst(lines)
