"""All tests of a paper at once."""

from __future__ import annotations

from reprolib.suite.experiment import FileTests, ResultTests, RunTests, TaskTests
from reprolib.suite.shown import FigureTests, NotebookTests


class PaperSuite(FileTests, TaskTests, RunTests, ResultTests, FigureTests, NotebookTests):
    """Everything that a paper in a repository of its own has to pass.

    Attributes
    ----------
    key : str
        Of the paper.
    fraction : float
        Part of the tasks of the committed results that is run again.
    """
