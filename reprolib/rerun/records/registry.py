"""The papers, those of this package and others, by their keys, and the folders of their results.

No paper is named here.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import pkgutil
import secrets
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import ModuleType

import platformdirs

import reprolib.papers
from data_fetch.environment import configured_folder
from data_fetch.outside import MARK, VARIABLE, outside_papers
from reprolib.rerun.printed.file import digest, read
from reprolib.rerun.printed.names import resolved, unknown
from reprolib.rerun.printed.readings import Readings
from reprolib.rerun.printed.schema import File

#: This package. In an installed one ``tools/archives.py`` put a copy of the committed folders.
PACKAGE = Path(__file__).resolve().parents[2]
_PROJECT_FILE = "pyproject.toml"


@dataclass(frozen=True)
class Home:
    """Where a paper lives.

    Parameters
    ----------
    key : str
        Key of the paper.
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
    """Folder of the checkout; in an installed package, the copy in it."""
    checkout = PACKAGE.parent
    return checkout if (checkout / _PROJECT_FILE).is_file() else PACKAGE / "shipped"


@functools.cache
def homes() -> Mapping[str, Home]:
    """Home of every paper and study, by key; those of this package first."""
    package = reprolib.papers.__name__
    folders = Path(str(resources.files(reprolib.papers)))
    names = [module.name for module in pkgutil.iter_modules(reprolib.papers.__path__)]
    keys = [name for name in names if (folders / name / MARK).is_file()]
    found = {k: Home(k, f"{package}.{k}", folders / k, own_project(), True) for k in keys}
    for paper in outside_papers():
        if paper.key in found:
            warnings.warn(
                f"{paper.folder} is left out: reprolib has a paper called {paper.key!r}; "
                "give the folder another name",
                stacklevel=2,
            )
            continue
        # Its repository: the package lies in it or in its folder "src"; else the package itself.
        above = (paper.folder.parent, paper.folder.parent.parent)
        around = (path for path in above if (path / _PROJECT_FILE).is_file())
        project = next(around, paper.folder)
        found[paper.key] = Home(paper.key, paper.package, paper.folder, project, False)
    return found


def project_of(paper: str) -> Path:
    """Project of a paper; that of this package for any other name."""
    home = homes().get(paper)
    return own_project() if home is None else home.project


def store_directory() -> Path:
    """Folder of the record store: ``REPROLIB_RECORDS``, or one in the user's cache folder."""
    default = platformdirs.user_cache_path("reprolib") / "records"
    return configured_folder("REPROLIB_RECORDS", default)


def project_folder(name: str) -> Path:
    """Folder of the checkout; in an installed package, the copy in it."""
    return own_project() / name


def committed_directory(paper: str = "") -> Path:
    """Folder with the folder of a paper's committed results.

    That is ``REPROLIB_RESULTS``, or the folder "results" of the project that has the paper: its own
    repository, or this one.
    """
    return configured_folder("REPROLIB_RESULTS", project_of(paper) / "results")


def results_directory(paper: str, named: Path | None = None) -> Path:
    """Folder with the folder of a paper's results: the named one, or that of the committed ones."""
    return committed_directory(paper) if named is None else Path(named)


def can_be_committed(paper: str = "") -> bool:
    """Whether the folder of a paper's committed results is in a checkout, or was named by hand."""
    named = "REPROLIB_RESULTS" in os.environ
    return named or (committed_directory(paper).parent / "pyproject.toml").exists()


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, texts in UTF-8: a reader sees the old file or the new one, never a part.

    Raises
    ------
    OSError
        If the folder cannot be written to or the disk is full; the old file stays as it was.
    """
    try:
        replace_file(path, content)
    except OSError as error:
        message = (
            f"cannot write {path} ({error.strerror}); free some space there or name another folder"
        )
        raise OSError(error.errno, message) from error


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file beside the old one, then put it in its place.

    Its bytes are on the disk before it gets the name: after a power cut there is the old file or
    the new one. The umask says who may read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def home(paper: str) -> Home:
    """Where a paper lives.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    if paper not in homes():
        raise _not_found(paper, homes())
    return homes()[paper]


def _not_found(paper: str, known: Collection[str]) -> ValueError:
    fault = unknown("paper", paper, known)
    return ValueError(
        f"{fault} A paper in a repository of its own is found once `pip install -e` has installed "
        f"it, or {VARIABLE} names its folder."
    )


def printed_name(paper: str) -> str:
    """Name of a paper's file of printed numbers, in messages."""
    of = home(paper)
    return of.about(of.printed)


@functools.cache
def printed_of(paper: str) -> File:
    """What a paper's ``printed.toml`` says.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is wrong; all faults are named.
    """
    return read(printed_text(paper), printed_name(paper))


def readings_of(paper: str) -> Readings:
    """Readings of a paper.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is wrong.
    """
    return Readings(paper, printed_of(paper).readings)


def printed_text(paper: str) -> str:
    """Text of a paper's ``printed.toml``.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    return home(paper).printed.read_text(encoding="utf-8")


def printed_digest(paper: str) -> str:
    """Sha256 of what a paper's ``printed.toml`` says, its story left out; empty without a file."""
    if paper not in homes() or not home(paper).printed.is_file():
        return ""
    return digest(printed_text(paper))


def _year(paper: str) -> int:
    """Year of a paper; of one whose file has a fault, which commands that read it say, the last."""
    try:
        return printed_of(paper).printed.paper.year
    except ValueError:
        return 9999


#: Papers in the order of their years.
PAPERS = tuple(sorted(homes(), key=lambda key: (_year(key), key)))


def packaged(papers: Iterable[str]) -> tuple[str, ...]:
    """Those of the papers that are part of this package."""
    return tuple(paper for paper in papers if homes()[paper].is_packaged)


def paper_key(name: str) -> str:
    """Key of a paper, whatever the letter case it was typed in.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    if name.lower() not in map(str.lower, PAPERS):
        raise _not_found(name, PAPERS)
    return resolved("paper", name, PAPERS)


def paper_module(paper: str, name: str) -> ModuleType | None:
    """Module of a paper, such as "figures"; None if it has none of that name.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    full = f"{home(paper).package}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) else None
