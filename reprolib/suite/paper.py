"""All tests of a paper at once."""

from __future__ import annotations

from reprolib.suite.figures import FigureTests
from reprolib.suite.files import FileTests
from reprolib.suite.notebooks import NotebookTests
from reprolib.suite.results import ResultTests
from reprolib.suite.runs import RunTests
from reprolib.suite.tasks import TaskTests


class PaperSuite(FileTests, TaskTests, RunTests, ResultTests, FigureTests, NotebookTests):
    """Everything that a paper in a repository of its own has to pass.

    Attributes
    ----------
    key : str
        Of the paper.
    fraction : float
        Part of the tasks of the committed results that is run again.
    """
