"""Pages of the estimators: to the text of each, its paper, its picture, what it supports.

``estimators/<Name>.md`` holds the problem and the advice, ``estimators/<Name>.py`` the code of the
picture. The rest is added while Sphinx reads the page, so that nothing is typed twice.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import reprolib
from reprolib.report.style import use_style
from reprolib.rerun.verdicts.printed import paper_entry

PAGES = Path(__file__).resolve().parent / "estimators"
#: Pictures and the table of all estimators, made at every build.
MADE = PAGES.parent / "made"


def estimators() -> dict[str, type]:
    """Classes that ``from reprolib import ...`` offers and that can be fitted, by name."""
    offered = {name: getattr(reprolib, name) for name in sorted(reprolib.__all__)}
    return {
        name: value
        for name, value in offered.items()
        if isinstance(value, type) and hasattr(value, "fit")
    }


def support(estimator: type) -> dict[str, str]:
    """What an estimator can take and give, from its tags and methods."""
    model = estimator()
    tags = get_tags(model)
    if tags.classifier_tags is None:
        classes = "transformer, any number of classes"
    else:
        classes = "any number" if tags.classifier_tags.multi_class else "two"
    weights = {
        "sample_weight": has_fit_parameter(model, "sample_weight"),
        "class_weight": "class_weight" in model.get_params(),
    }
    batches = hasattr(model, "partial_fit")
    return {
        "classes": classes,
        "probabilities": probabilities(estimator),
        "sparse X": _yes(tags.input_tags.sparse),
        "weights": ", ".join(f"`{name}`" for name, taken in weights.items() if taken) or "no",
        "data in batches": "`partial_fit`" if batches else "no",
    }


def probabilities(estimator: type) -> str:
    """Whether ``predict_proba`` is there, or with which losses."""
    if hasattr(estimator(), "predict_proba") or not hasattr(estimator, "predict_proba"):
        return _yes(hasattr(estimator, "predict_proba"))
    (allowed,) = estimator._parameter_constraints["loss"]
    given = [loss for loss in allowed.options if hasattr(estimator(loss=loss), "predict_proba")]
    return "with " + " or ".join(f'`loss="{loss}"`' for loss in sorted(given))


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def paper_of(estimator: type) -> dict[str, Any]:
    """Title, authors and venue of the paper in whose folder the estimator is."""
    return paper_entry(estimator.__module__.split(".")[2])["paper"]


def title(name: str) -> str:
    """Full name of the method, from the first line of its page."""
    return (PAGES / f"{name}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def table() -> str:
    """All estimators with what they support, in Markdown."""
    names = estimators()
    columns = ["estimator", *support(next(iter(names.values())))]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for name, estimator in names.items():
        first = f"[{name}](estimators/{name})<br>{title(name)}"
        lines.append(f"| {first} | {' | '.join(support(estimator).values())} |")
    return "\n".join(lines) + "\n"


def description(name: str) -> str:
    """What the picture shows: the docstring of its code."""
    return _code(name).split('"""')[1]


def _code(name: str) -> str:
    return (PAGES / f"{name}.py").read_text(encoding="utf-8")


def draw(name: str, target: Path) -> None:
    """Run the code of a picture and save its figure."""
    use_style()
    runpy.run_path(str(PAGES / f"{name}.py"))
    plt.gcf().savefig(target, dpi=110, metadata={"Software": None})
    plt.close("all")


def write_pictures_and_table() -> None:
    """Draw every picture, and list all estimators in a table."""
    for name in estimators():
        draw(name, MADE / f"{name}.png")
    (MADE / "estimators.md").write_text(table(), encoding="utf-8")


def complete(app, page: str, source: list[str]) -> None:
    """Handler of Sphinx's event ``source-read``: the whole page of an estimator."""
    name = page.removeprefix("estimators/")
    if name in estimators() and page != name:
        head, _, text = source[0].partition("\n")
        source[0] = "\n".join([head, "", _paper(name), text, _example(name), _reference(name)])


def _paper(name: str) -> str:
    about = paper_of(estimators()[name])
    place = f"{about['venue']}, {about['year']}" if str(about["year"]) not in about["venue"] else ""
    notebook = about["notebook"].removesuffix(".ipynb")
    return (
        f"`from reprolib import {name}`\n\n*{about['authors']}: {about['title']}. "
        f"{place or about['venue']}.* [Its rerun](../notebooks/{notebook}).\n"
    )


def _example(name: str) -> str:
    return f"""
## Example

```{{figure}} ../made/{name}.png
:alt: "{description(name)}"
:target: ../_images/{name}.png

{description(name)}
```

```{{literalinclude}} {name}.py
:language: python
:start-at: import
```
"""


def _reference(name: str) -> str:
    facts = "; ".join(f"{what}: {answer}" for what, answer in support(estimators()[name]).items())
    return f"""
## What it supports

{facts[0].upper() + facts[1:]}.

## Parameters, attributes and methods

```{{eval-rst}}
.. currentmodule:: reprolib

.. autoclass:: {name}
   :members:
   :inherited-members: object
```
"""
