"""The same bounds and versions in all files that name dependencies, and prose that stays true."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parent.parent
CONDA_NAMES = {"mne-base": "mne"}
NOT_ON_PYPI = {"make", "pip"}
#: Extras in the environment of conda.
INSTALLED = ("papers", "eeg", "fmri", "test", "lab", "cluster")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def bounds(lines):
    found = [Requirement(line) for line in lines]
    return {CONDA_NAMES.get(r.name, r.name): r.specifier for r in found if r.name != "reprolib"}


def conda_bounds():
    text = (ROOT / "environment.yml").read_text()
    entries = re.findall(r"^ +- ([a-z][\w-]*(?: ?[<>=~!].*)?)$", text, flags=re.MULTILINE)
    found = bounds(entries)
    return {name: found[name] for name in found.keys() - NOT_ON_PYPI}


def test_every_dependency_has_a_bound(project):
    extras = project["optional-dependencies"].values()
    lines = sum(extras, start=list(project["dependencies"]))
    assert not [name for name, specifier in bounds(lines).items() if not specifier]


def test_environment_has_the_bounds_of_the_project(project):
    extras = project["optional-dependencies"]
    wanted = bounds(project["dependencies"])
    for name in INSTALLED:
        wanted |= bounds(extras[name])
    found = conda_bounds()
    python = found.pop("python")
    assert found == wanted
    assert project["requires-python"] in str(python).split(",")


def locked(name: str) -> set[tuple[str, str]]:
    """Names and versions in a lock file; a name has two where they depend on Python's version."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return set(re.findall(r"^([\w.-]+)==([^ ]+)", text, flags=re.MULTILINE))


def test_what_runs_the_papers_has_the_versions_that_were_tested():
    assert "numpy" in dict(locked("tools/locks/run.lock"))
    assert not locked("tools/locks/run.lock") - locked("tools/locks/develop.lock")


def test_a_new_dependency_is_locked(project):
    extras = project["optional-dependencies"]
    run = bounds([*project["dependencies"], *extras["papers"], *extras["eeg"], *extras["fmri"]])
    develop = bounds([line for lines in extras.values() for line in lines]) | run
    for wanted, name in ((run, "tools/locks/run.lock"), (develop, "tools/locks/develop.lock")):
        versions = dict(locked(name))
        for package, allowed in wanted.items():
            assert package in versions, f"{package} is not in {name}: make lock"
            assert Version(versions[package]) in allowed, f"{name}, {package}: make lock"


def test_running_the_papers_installs_no_tool_of_the_tests(project):
    tools = bounds(project["optional-dependencies"]["test"]).keys()
    assert not tools & dict(locked("tools/locks/run.lock")).keys()


#: What `uname -r` says on AWS, Debian, Ubuntu, WSL2 and el7.
KERNELS = (
    "6.1.141-155.222.amzn2023.x86_64",
    "6.1.0-37-amd64",
    "6.8.0-60-generic",
    "5.15.167.4-microsoft-standard-WSL2",
    "3.10.0-1160.el7.x86_64",
)
#: Files whose requirements pip reads, in the folders of the project and of its examples.
READ_BY_PIP = sorted(
    path
    for pattern in ("tools/locks/*.lock", "pyproject.toml", "examples/*/pyproject.toml")
    for path in ROOT.glob(pattern)
)


def requirements(path: Path) -> list[str]:
    """All requirements of a file, without hashes."""
    text = path.read_text(encoding="utf-8")
    if path.name == "pyproject.toml":
        found = tomllib.loads(text)
        extras = found["project"].get("optional-dependencies", {}).values()
        own = [*found["build-system"]["requires"], *found["project"].get("dependencies", [])]
        return sum(extras, start=own)
    lines = [line for line in text.splitlines() if re.match(r"[a-zA-Z]", line)]
    return [line.split("#")[0].rstrip(" \\") for line in lines]


def compared_as_versions(marker: str, environment: dict[str, str]) -> list[str]:
    """Values that pip 24.1 to 25.3 parse as versions: those compared with what reads as one."""
    found = []
    for name, operator, value in re.findall(r"(\w+) *([<>=!~]+) *['\"]([^'\"]*)['\"]", marker):
        try:
            SpecifierSet(operator + value)
        except InvalidSpecifier:
            continue
        found.append(environment[name])
    return found


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("path", READ_BY_PIP, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_pip_can_evaluate_every_marker_whatever_the_kernel_is_called(path, kernel):
    """A kernel's name is no version number, and some pips stop where they compare it as one."""
    environment = {**default_environment(), "platform_release": kernel, "platform_version": kernel}
    lines = requirements(path)
    assert lines, "no requirement was read"
    for line in lines:
        marker = Requirement(line).marker
        if marker is not None:
            marker.evaluate(environment)
            for value in compared_as_versions(str(marker), environment):
                Version(value)


COUNTED = r"\b(three|four|five|six|seven|eight|nine|ten|\d+)[ \n](papers|notebooks|studies)\b"


def texts():
    """Prose that a new paper must not make wrong.

    Notebooks, the papers' own files and the front page, which introduces each of them, may count.
    """
    files = [ROOT / name for name in ("CITATION.cff", "Makefile")]
    files += [ROOT / "pyproject.toml", ROOT / "data_fetch/catalog.toml", ROOT / "docs/conf.py"]
    files += (ROOT / "docs").glob("*.md")
    own = ROOT / "reprolib" / "papers"
    return files + [p for p in (ROOT / "reprolib").rglob("*.py") if own not in p.parents]


def test_the_number_of_papers_is_typed_nowhere():
    found = {
        str(path.relative_to(ROOT)): re.findall(COUNTED, path.read_text(encoding="utf-8"), re.I)
        for path in texts()
    }
    assert {name: counts for name, counts in found.items() if counts} == {}
