"""A pytest plugin: one test for every expected word of a printed table.

``pytest --printed printed.toml --results results.csv`` fails where the word on a number or a claim
is worse than the one that ``[expect]`` in the TOML file names, with the difference and its
interval in the message.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--printed`` and ``--results``."""
    group = parser.getgroup("reprolib", "verdicts on a printed table")
    group.addoption("--printed", metavar="TOML", help="printed numbers and expected words")
    group.addoption("--results", metavar="CSV", help="one row a trial")


def pytest_collection(session: pytest.Session) -> None:
    """Collect the TOML file as if it had been named among the test files."""
    printed, results = (session.config.getoption(name) for name in ("--printed", "--results"))
    if bool(printed) != bool(results):
        raise pytest.UsageError("--printed needs --results, and --results --printed")
    if printed and printed not in session.config.args:
        named = session.config.args_source == pytest.Config.ArgsSource.ARGS
        session.config.args = [*(session.config.args if named else []), printed]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take the file that ``--printed`` names."""
    printed = parent.config.getoption("--printed")
    if not printed or file_path != Path(printed).resolve():
        return None
    return PrintedFile.from_parent(parent, path=file_path)


class PrintedFile(pytest.File):
    """A printed table, and the results that it is compared with."""

    def collect(self):
        """One test for every expected word."""
        from reprolib.rerun.verdicts.anyone import judge_table

        try:
            judged = judge_table(self.path, self.config.getoption("--results"))
        except (ValueError, OSError) as error:
            raise self.CollectError(str(error)) from error
        for name in judged.expected:
            yield ExpectedWord.from_parent(self, name=name, judged=judged)


class ExpectedWord(pytest.Item):
    """The word on one number or claim, at least as good as expected."""

    def __init__(self, *, judged, **known):
        super().__init__(**known)
        self.judged = judged

    def runtest(self):
        """Fail if the word is worse."""
        from reprolib.rerun.verdicts.anyone import worse_than_expected

        if message := worse_than_expected(self.judged).get(self.name):
            pytest.fail(message, pytrace=False)

    def reportinfo(self):
        """Where it is: the file and the name."""
        return self.path, None, self.name
