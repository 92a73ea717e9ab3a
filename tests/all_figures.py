"""Every figure that the package draws: of the report, on the committed records, and examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from data_fetch.p300 import CHANNELS
from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.keops import example as keops_example
from reprolib.papers.keops import figures as keops
from reprolib.papers.keops import summaries as keops_readings
from reprolib.papers.kpm import example as kpm
from reprolib.papers.kpm import figures as kpm_figures
from reprolib.papers.mkmmc import example as mkmmc
from reprolib.papers.mkpm import example as mkpm
from reprolib.papers.mkpm.figures import weight_maps
from reprolib.papers.simplex import example as simplex
from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun import records as results
from reprolib.rerun.verdicts.printed import numbers
from tests.full_profile import with_results

EXAMPLES = "examples"
KEYS = (*with_results(), EXAMPLES)


def of_examples() -> Mapping[str, Figure]:
    """Pictures of the notebooks, of invented data."""
    rng = np.random.default_rng(0)
    X, y = mkpm.rings(60, seed=0)
    X2, y2 = rng.normal(size=(40, 2)), rng.permutation(np.repeat([-1, 1], 20))
    M = rng.normal(size=(3, 3))
    cases = {"cone": simplex.undecided("cone", convex_hull=False, steps=4)}
    volume = rng.normal(size=(6, 5, 8))
    volume[0], volume[:, :, :2] = np.nan, np.nan
    columns = [number.column for number in numbers("keops") if number.row == "KEOPS"]
    scan = pd.DataFrame(rng.random((6, len(columns))), columns=columns)
    scan = scan.assign(draw=np.arange(6) // 3, cost=10.0 ** (np.arange(6) % 3))
    steps = [rng.dirichlet(np.ones(n), size=4) for n in (8, 64)]
    names = [[f"region {k}" for k in range(8)], list(CHANNELS)]
    draw: Mapping[str, Callable[[], Figure]] = {
        "codes": simplex.codes,
        "level sets": simplex.level_sets,
        "rings": lambda: mkpm.at_dimension(MKPMClassifier(40, gamma=1.0).fit(X, y), X, y, X, y, 12),
        "components": lambda: kpm.components(X2, y2, 0.5, [1, 2]),
        "path": lambda: kpm.path_picture(
            KPMClassifier(n_components=6, gamma=0.5).fit(X2, y2), X2, y2, X2, y2
        ),
        "beside an SVM": lambda: kpm.kpm_beside_svm(X2, y2, X2, y2, 5, 0.5, [0.1, 1.0]),
        "consistency": lambda: simplex.consistency_map(cases),
        "cap": keops_example.cap_map,
        "costs": lambda: keops.counts_along_costs(scan),
        "slices": lambda: weight_maps(
            {"face": volume, "house": -volume}, np.diag([-3.5, 3.75, 3.75, 1.0])
        ),
        "weights": lambda: keops_example.at_step(steps, names, 2),
        "triangle": lambda: mkmmc.simplex_figure(M + M.T, {"a": [1, 0, 0]}),
        "images": lambda: mkmmc.image_grid({"r": rng.random((4, 9))}, (3, 3)),
    }
    return {name: make() for name, make in draw.items()}


def of_records(key: str) -> dict[str, Figure]:
    """Figures of the report, and those of the notebook that need nothing but the records."""
    records = results.load_paper(key)
    figures = dict(report_figures(key, records))
    if key == "kpm":
        place = "raetsch/image", 100, 1.0
        figures["place"] = kpm_figures.at_dimension_and_cost(records, *place)
    if key == "keops":
        figures["readings"] = keops.readings_forest(records)
        figures["steps"] = keops_readings.frames_against_steps(records)
        figures["characters"] = keops_readings.aucs_by_character(records)
        figures["scores"] = keops_readings.scores_of_characters(records, [6, 9])
    return figures


def figures_of(key: str) -> dict[str, Figure]:
    """Every figure of a paper by caption; of `EXAMPLES`, the pictures that need no data."""
    use_style()
    return dict(of_examples() if key == EXAMPLES else of_records(key))
