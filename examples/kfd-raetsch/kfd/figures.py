"""Figures of KFD, drawn from records."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.paper_figures import PaperFigure
from reprolib.report.style import figure_grid, note_source, source_text
from reprolib.rerun.records import HEADLINE

MARKS = {"kfd": "o", "svm": "x"}


def error_figure(records: pd.DataFrame) -> Figure:
    """Test error of every realisation, by data set and method.

    Parameters
    ----------
    records : DataFrame
        Of all tables.
    """
    errors = records[(records["metric"] == "test error") & (records["reading"] == HEADLINE)]
    figure, axes = figure_grid(1, 1, size=(5.6, 3.4))
    for shift, (method, mark) in zip((-0.12, 0.12), MARKS.items(), strict=True):
        own = errors[errors["method"] == method]
        places = pd.Categorical(own["dataset"], sorted(set(errors["dataset"]))).codes + shift
        axes[0].plot(100 * own["value"], places, mark, label=method.upper(), markersize=4)
    names = [name.partition("/")[2].replace("_", " ") for name in sorted(set(errors["dataset"]))]
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_xlabel("test error in %")
    axes[0].legend()
    note_source(figure, source_text(errors))
    return figure


FIGURES = (
    PaperFigure(
        "Test errors of the realisations",
        error_figure,
        alt="Test errors of KFD and of the SVM on the realisations of five sets, nearly level.",
    ),
)
