"""Where papers live: in a folder of this package each, or in repositories of their own."""

from __future__ import annotations

import functools
import pkgutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import reprolib.papers
from data_fetch.outside import MARK, outside_papers

#: This package, and its checkout; in an installed package the copy that ``setup.py`` puts there.
PACKAGE = Path(__file__).resolve().parents[2]
_PROJECT_FILE = "pyproject.toml"


@dataclass(frozen=True)
class Home:
    """Where a paper lives.

    Parameters
    ----------
    key : str
    package : str
        Its Python package: "reprolib.papers.kpm".
    folder : Path
        That of the package, with ``printed.toml``.
    project : Path
        Has its folders "results" and "notebooks".
    is_packaged : bool
        Whether it is part of this package.
    """

    key: str
    package: str
    folder: Path
    project: Path
    is_packaged: bool

    @property
    def printed(self) -> Path:
        """File of its printed numbers."""
        return self.folder / MARK

    def about(self, path: Path) -> str:
        """Path in messages: from the project's folder on."""
        return str(path.relative_to(self.project) if self.project in path.parents else path)


def own_project() -> Path:
    """Folder of the checkout; in an installed package, the copy that ``setup.py`` puts there."""
    checkout = PACKAGE.parent
    return checkout if (checkout / _PROJECT_FILE).is_file() else PACKAGE / "shipped"


@functools.cache
def homes() -> Mapping[str, Home]:
    """Home of every paper, by key; those of this package first."""
    found = {home.key: home for home in _packaged()}
    for paper in outside_papers():
        if paper.key in found:
            warnings.warn(
                f"{paper.folder} is left out: reprolib has a paper called {paper.key!r}; "
                "give the folder another name",
                stacklevel=2,
            )
            continue
        project = _project_around(paper.folder)
        found[paper.key] = Home(paper.key, paper.package, paper.folder, project, False)
    return found


def _packaged() -> list[Home]:
    folders = Path(str(resources.files(reprolib.papers)))
    names = [module.name for module in pkgutil.iter_modules(reprolib.papers.__path__)]
    keys = [name for name in names if (folders / name / MARK).is_file()]
    package = reprolib.papers.__name__
    return [Home(k, f"{package}.{k}", folders / k, own_project(), True) for k in keys]


def _project_around(folder: Path) -> Path:
    """Repository of a package, which lies in it or in its folder "src"; else the package itself."""
    above = (folder.parent, folder.parent.parent)
    return next((path for path in above if (path / _PROJECT_FILE).is_file()), folder)


def project_of(paper: str) -> Path:
    """Project of a paper; that of this package for any other name."""
    home = homes().get(paper)
    return own_project() if home is None else home.project
