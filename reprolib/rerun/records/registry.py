"""The papers, those of this package and others, by their keys, and the folders of their results.

No paper is named here.

What a person types is found whatever its letter case, and the nearest name is suggested.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib
import importlib.util
import os
import pkgutil
import re
import secrets
import tomllib
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import platformdirs

import reprolib.papers
from data_fetch.environment import configured_folder
from data_fetch.outside import MARK, VARIABLE, outside_papers

#: This package. In an installed one ``tools/archives.py`` put a copy of the committed folders.
PACKAGE = Path(__file__).resolve().parents[2]
_PROJECT_FILE = "pyproject.toml"
#: Characters that steer what shows them: controls but tabulator and line ends, and marks that turn
#: the direction of writing; and the two that XML does not know.
STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


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


def resolved(what: str, name: str, known: Collection[str]) -> str:
    """Return the known name that was meant.

    Parameters
    ----------
    what : str
        What the name stands for, in messages: "paper", "command".
    name : str
        As it was typed.
    known : collection of str
        The names that there are.

    Raises
    ------
    ValueError
        If there is none.
    """
    for candidate in known:
        if candidate.lower() == name.lower():
            return candidate
    raise unknown(what, name, known)


def unknown(what: str, name: str, known: Collection[str]) -> ValueError:
    """Error on a name that is not known; it says the nearest one, and all of them."""
    near = _nearest(name, known)
    advice = f"did you mean {near!r}? Known: " if near else "known: "
    return ValueError(f"{what} is {name!r}; {advice}{', '.join(known)}.")


def nearest(name: str, known: Iterable[object]) -> str:
    """Advice on a name that is not known, to end a sentence: the nearest name, or all of them."""
    names = sorted({str(candidate) for candidate in known})
    near = _nearest(name, names)
    return f"; did you mean {near!r}?" if near else f"; known: {', '.join(names)}"


def _nearest(name: str, known: Iterable[str]) -> str:
    originals = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), originals, n=1, cutoff=0.5)
    return originals[near[0]] if near else ""


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
def printed_toml(paper: str) -> dict[str, Any]:
    """What a paper's ``printed.toml`` says, unchecked.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is no TOML.
    """
    return parsed_toml(printed_text(paper), printed_name(paper))


def parsed_toml(text: str, file: str) -> dict[str, Any]:
    """Parse TOML; ``file`` is its name in messages.

    Raises
    ------
    ValueError
        If it is none, or a text in it has a character that steers a terminal or a page.
    """
    try:
        parsed = tomllib.loads(text)
    except ValueError as error:  # also of a number with thousands of digits
        raise ValueError(f"{file}: {error}") from error
    parts: list[Any] = [parsed]
    for part in parts:  # grows
        if isinstance(part, dict):
            parts += [*part, *part.values()]
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, str) and (found := STEERING.search(part)):
            raise ValueError(
                f"{file}: the text {part!r} has the character U+{ord(found[0]):04X}, which cannot "
                "be shown; leave it out"
            )
    return parsed


def printed_text(paper: str) -> str:
    """Text of a paper's ``printed.toml``.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    return home(paper).printed.read_text(encoding="utf-8")


def printed_digest(paper: str) -> str:
    """Sha256 of a paper's ``printed.toml``; empty for a protocol without such a file."""
    if paper not in homes() or not home(paper).printed.is_file():
        return ""
    return hashlib.sha256(printed_text(paper).encode()).hexdigest()


def _year(paper: str) -> int:
    """Year of a paper; of one whose file has a fault, which commands that read it say, the last."""
    try:
        return int(printed_toml(paper)["paper"]["year"])
    except (ValueError, KeyError, TypeError):
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
