"""``reprolib notebooks``: copies of the notebooks to work on."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records.folders import homes, project_folder

HELP = "copy the notebooks into a folder of your own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="COPY_TO", help="made if it does not exist")


def _of_others() -> list[Path]:
    """Notebooks of papers outside of this package."""
    others = [home for home in homes().values() if not home.is_packaged]
    paths = (home.project / "notebooks" / f"{home.key}.ipynb" for home in others)
    return [path for path in paths if path.is_file()]


def run(arguments: argparse.Namespace) -> int:
    """Copy them, and say how to open them.

    Raises
    ------
    FileNotFoundError
        If the package has no notebooks.
    FileExistsError
        If one of them is there already: what was written into it is kept.
    """
    from reprolib.cli.console import out

    shared.require_output_folder(arguments.folder, "COPY_TO")
    originals = [*sorted(project_folder("notebooks").glob("*.ipynb")), *_of_others()]
    if not originals:
        raise FileNotFoundError(
            f"{project_folder('notebooks')} has no notebooks; install reprolib from a wheel or "
            "from its checkout"
        )
    copies = [arguments.folder / path.name for path in originals]
    existing = [copy for copy in copies if copy.exists()]
    if existing:
        raise FileExistsError(f"{existing[0]} exists, and is not overwritten; name another folder")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for original, copy in zip(originals, copies, strict=True):
        shutil.copyfile(original, copy)
    out().print(f"{len(copies)} notebooks in {arguments.folder}. To open them, install the")
    out().print(
        "extra `lab` of reprolib (make lab in a checkout), and run: jupyter lab", markup=False
    )
    out().print(f"To run and check them, its extra `test`: pytest --nbval {arguments.folder}")
    return 0
