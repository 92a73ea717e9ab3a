from .figures import FigureTests
from .files import FileTests
from .notebooks import NotebookTests
from .paper import PaperSuite
from .results import ResultTests
from .runs import RunTests
from .tasks import TaskTests

__all__ = [
    "FigureTests",
    "FileTests",
    "NotebookTests",
    "PaperSuite",
    "ResultTests",
    "RunTests",
    "TaskTests",
]
