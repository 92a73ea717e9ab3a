from .derived import derived_row, is_derived
from .disagreement import disagreements
from .queries import chosen, machine_names, ok, path_matrix, paths, select
from .rows import COLUMNS, KEY, Rows
from .tables import load, load_paper, load_run, load_tasks, to_frame, write_results
from .task import HEADLINE, Measurement, Profile, Protocol, Stage, Task

__all__ = [
    "COLUMNS",
    "HEADLINE",
    "KEY",
    "Measurement",
    "Profile",
    "Protocol",
    "Rows",
    "Stage",
    "Task",
    "chosen",
    "derived_row",
    "disagreements",
    "is_derived",
    "load",
    "load_paper",
    "load_run",
    "load_tasks",
    "machine_names",
    "ok",
    "path_matrix",
    "paths",
    "select",
    "to_frame",
    "write_results",
]
