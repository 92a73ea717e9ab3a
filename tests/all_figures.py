"""Every figure that the package draws: of the report, on the committed records, and examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from reprolib.papers.keops import example as keops_example
from reprolib.papers.kpm import example as kpm
from reprolib.papers.mkmmc import example as mkmmc
from reprolib.papers.mkpm import example as mkpm
from reprolib.papers.simplex import example as simplex
from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun import records as results
from tests.full_profile import with_results

EXAMPLES = "examples"
KEYS = (*with_results(), EXAMPLES)


def of_examples() -> Mapping[str, Figure]:
    """Pictures of the notebooks, of invented data."""
    rng = np.random.default_rng(0)
    X2, y2 = rng.normal(size=(40, 2)), rng.permutation(np.repeat([-1, 1], 20))
    draw: Mapping[str, Callable[[], Figure]] = {
        "codes": simplex.codes,
        "level sets": simplex.level_sets,
        "spent": lambda: mkpm.spent((X2, y2 // 2 + 1), (X2, y2 // 2 + 1), 0.5, [2, 3], [1, 4]),
        "components": lambda: kpm.components(X2, y2, 0.5, [1, 2]),
        "cap": keops_example.cap_map,
        "refitted": lambda: kpm.refitted(X2, y2, X2, y2, 3, 0.5),
        "S-LS refitted": lambda: simplex.refitted(X2, y2 // 2 + 1, X2, y2 // 2 + 1, 0.5, 0.1),
        "weights": lambda: mkmmc.weights_on_their_way(np.eye(4), {"MKMMC": 1.0, "pixels": 2.0}),
        "tree": lambda: keops_example.weights_of_tree([0, 1, 2], [1, 1, 0], [[[0, 1]], [[2]]], "t"),
        "digits": lambda: mkmmc.eigenimages(*load_digits(n_class=3, return_X_y=True)),
        "images": lambda: mkmmc.image_grid({"r": rng.random((4, 9))}, (3, 3)),
    }
    return {name: make() for name, make in draw.items()}


def of_records(key: str) -> dict[str, Figure]:
    """Figures of the report."""
    return dict(report_figures(key, results.load_paper(key)))


def figures_of(key: str) -> dict[str, Figure]:
    """Every figure of a paper by caption; of `EXAMPLES`, the pictures that need no data."""
    use_style()
    return dict(of_examples() if key == EXAMPLES else of_records(key))
