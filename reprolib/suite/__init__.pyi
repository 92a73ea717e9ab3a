from .experiment import FileTests, ResultTests, RunTests, TaskTests
from .paper import PaperSuite
from .shown import FigureTests, NotebookTests

__all__ = [
    "FigureTests",
    "FileTests",
    "NotebookTests",
    "PaperSuite",
    "ResultTests",
    "RunTests",
    "TaskTests",
]
