"""The committed results of a paper: sealed, of its tasks, and every miss explained."""

from __future__ import annotations

import pytest

from reprolib.rerun.records import seal
from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.rows import OF_TASK, is_derived
from reprolib.rerun.records.tables import load_paper, load_run, load_tasks
from reprolib.rerun.records.task import HEADLINE, Task
from reprolib.rerun.verdicts.judge import judge_paper
from reprolib.rerun.verdicts.printed import numbers, paper_entry
from reprolib.suite.shared import OfPaper

#: Columns of a task that its records have, too; the others a record may have of its own.
SHARED = ("table", "dataset", "method", "seed", "trial")
#: Words that need a reason.
TO_EXPLAIN = ("not reproduced", "quoted", "not run")


class ResultTests(OfPaper):
    """Of the committed results; skipped where there are none yet."""

    @pytest.fixture(autouse=True)
    def _need_results(self, request) -> None:
        """Skip the tests of results where there are none."""
        if request.function.__qualname__.startswith("ResultTests."):
            paper = request.getfixturevalue("paper")
            if not load_run(paper):
                pytest.skip(f"no results yet: `reprolib reproduce {paper} --full` makes them")

    def test_results_are_as_they_were_sealed(self, paper):
        """Nobody edited them by hand."""
        faults = seal.faults(committed_directory(paper) / paper)
        assert not faults, "\n".join(faults)

    def test_every_record_is_of_a_task_whose_columns_it_has(self, paper):
        """Records and table of tasks name the same tasks."""
        records, tasks = load_paper(paper), load_tasks(paper).set_index("task")
        measured = records[~is_derived(records)]
        assert set(measured["task"]) == set(tasks.index), "every task has records, and a line"
        for column in SHARED:
            in_table = measured["task"].map(tasks[column])
            assert (measured[column] == in_table).all(), column
        lines = tasks[list(OF_TASK)].itertuples(index=False, name=None)
        names = [Task("", **dict(zip(OF_TASK, line, strict=True))).id for line in lines]
        assert names == list(tasks.index)

    def test_every_miss_is_explained(self, paper):
        """A number that is not reproduced, quoted or not run says why, from an experiment."""
        verdicts = judge_paper(paper)
        assert len(verdicts) == len(numbers(paper))
        silent = [v.number.id for v in verdicts if v.word in TO_EXPLAIN and not v.reason]
        assert not silent, f"[[tables.NAME.explanations]] of printed.toml lacks {silent}"

    def test_readings_of_the_file_and_of_the_records_are_the_same(self, paper):
        """Every answer to what the text leaves open was measured."""
        declared = {entry["name"] for entry in paper_entry(paper).get("readings", [])} - {HEADLINE}
        measured = set(load_paper(paper)["reading"]) - {HEADLINE}
        assert measured == declared
