"""``reprolib notebooks``: copies of the notebooks to work on."""

from __future__ import annotations

import argparse
import shutil
from importlib.util import find_spec
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records.registry import homes, project_folder

HELP = "copy the notebooks into a folder of your own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="COPY_TO", help="made if it does not exist")


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
    outside = [home for home in homes().values() if not home.is_packaged]
    of_others = [home.project / "notebooks" / f"{home.key}.ipynb" for home in outside]
    originals = sorted(project_folder("notebooks").glob("*.ipynb"))
    originals += [path for path in of_others if path.is_file()]
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
    out().print(f"{len(copies)} notebooks in {arguments.folder}.")
    if find_spec("jupyterlab") is None:
        out().print("JupyterLab is missing: install reprolib's extra `lab`, or use `make lab`.")
    out().print(f"To open them: jupyter lab {arguments.folder}")
    if find_spec("nbval") is None:
        out().print("To check them, install the extra `test`.")
    out().print(f"To run and check them: pytest --nbval {arguments.folder}")
    return 0
