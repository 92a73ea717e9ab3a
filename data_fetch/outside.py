"""Papers outside of this package: found by their entry points, or in folders that a variable names.

A paper is a Python package with the file ``printed.toml``; data sets of its own stand in
``data.toml`` beside it. What is wrong with one is a warning, so that the others stay usable.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

#: Group of the entry points, whose names are keys of papers and whose values are packages.
GROUP = "reprolib.papers"
#: Folders with papers, separated as in PATH; a folder may also be that of one paper.
VARIABLE = "REPROLIB_PAPERS"
#: What makes a folder that of a paper, and where its data sets are described.
MARK, CATALOG = "printed.toml", "data.toml"


@dataclass(frozen=True)
class OutsidePaper:
    """A paper that is not part of this package: its key, Python package, and folder of that."""

    key: str
    package: str
    folder: Path

    @property
    def catalog(self) -> Path | None:
        """File that describes the data sets of the paper, if there is one."""
        path = self.folder / CATALOG
        return path if path.is_file() else None


@functools.cache
def outside_papers() -> tuple[OutsidePaper, ...]:
    """Papers outside of this package, those of the variable first; of two of one key the first."""
    papers = list(_in_folders())
    for point in entry_points(group=GROUP):
        folder = _folder_of(point.value)
        if folder is not None and (folder / MARK).is_file():
            papers.append(OutsidePaper(point.name, point.value, folder))
        else:
            _warn(
                f"the entry point {point.name!r} of {GROUP} is left out: there is no package "
                f"{point.value!r} with a {MARK}"
            )
    found: dict[str, OutsidePaper] = {}
    for paper in papers:
        first = found.setdefault(paper.key, paper)
        if first.folder != paper.folder:
            _warn(
                f"two papers are called {paper.key!r}: {first.folder} is used, {paper.folder} not"
            )
    return tuple(found.values())


def _in_folders() -> Iterator[OutsidePaper]:
    """Papers in the folders that the variable names; their packages can be imported afterwards."""
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        folder = Path(name).expanduser().resolve()
        candidates = [folder] if (folder / MARK).is_file() else sorted(folder.glob("*"))
        papers = [path for path in candidates if (path / MARK).is_file()]
        if not papers:
            _warn(f"{VARIABLE} names {folder}, which has no folder with a {MARK}; give full paths")
        for path in papers:
            if str(path.parent) not in sys.path:
                sys.path.append(str(path.parent))
            if _folder_of(path.name) == path:
                yield OutsidePaper(path.name, path.name, path)
            else:
                _warn(
                    f"{path} is left out: importing {path.name!r} gives another module, or none; "
                    "give the folder a name that no other module has"
                )


def _folder_of(package: str) -> Path | None:
    """Folder that a package would be imported from; nothing of it is run but packages around it."""
    importlib.invalidate_caches()
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
