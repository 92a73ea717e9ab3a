"""A paper runs: its quick profile, one task twice, and a part of its committed results again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import data_fetch
from reprolib.rerun.checks.verify import verify_paper
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.records.tables import load_run, write_results
from reprolib.rerun.tasks.worker import execute
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.suite.shared import OfPaper, loaded, quick_records, quick_run
from reprolib.suite.tasks import first_tasks

#: Parts of a record that may differ from one run to the next.
OF_RUN = ("seconds",)


class RunTests(OfPaper):
    """Of runs."""

    #: Part of the tasks of every table that is run again.
    fraction = 0.02

    def test_quick_profile_runs(self, paper):
        """No task fails."""
        records = quick_records(paper)
        failed = records[records["status"] != "ok"]
        assert failed.empty, failed[["task", "status"]].to_string()

    def test_quick_results_are_judged(self, paper, tmp_path):
        """Every printed number and claim has a word, if only "undecided"."""
        records, run = quick_records(paper), quick_run(paper)
        write_results(records, tmp_path / paper, run.tasks, run.about)
        for verdict in judge_paper(paper, tmp_path):
            assert verdict.word
        judge_claims(paper, tmp_path)

    def test_a_task_measures_the_same_again(self, paper):
        """The result follows from the task and its data alone: random choices have seeds."""
        datasets = loaded(get_protocol(paper).datasets("quick"))
        tasks = first_tasks(paper, "quick", datasets)
        if not tasks:
            pytest.skip("needs real data that are not at hand")
        digest = datasets[tasks[0].dataset].digest()
        one, other = (
            [{k: v for k, v in row.items() if k not in OF_RUN} for row in finished.rows]
            for finished in (execute(get_protocol(paper), tasks[0], digest) for _ in range(2))
        )
        assert one == other

    def test_a_part_of_the_committed_results_is_reproduced(self, paper):
        """Another part every day."""
        if not load_run(paper):
            pytest.skip(f"no results yet: `reprolib reproduce {paper} --full` makes them")
        if lost := [n for n in get_protocol(paper).datasets("full") if not data_fetch.available(n)]:
            pytest.skip(f"needs real data that are not at hand: {', '.join(lost)}")
        today = datetime.now(UTC).toordinal()
        outcome = verify_paper(paper, fraction=self.fraction, seed=today)
        assert not outcome.differences, "\n".join(outcome.differences)
