"""A paper's file, its tasks, its runs and its committed results: what they have to pass."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pandas as pd
import pytest

import data_fetch
from data_fetch import Dataset
from reprolib.rerun.checks.check import check_paper
from reprolib.rerun.checks.verify import verify_paper
from reprolib.rerun.records.folder import folder_faults
from reprolib.rerun.records.rows import failed, statuses, to_frame
from reprolib.rerun.records.tables import load_paper, load_run, write_results
from reprolib.rerun.records.task import HEADLINE, Profile, Task, get_protocol, readings_of
from reprolib.rerun.tasks.runner import Run, run_protocol
from reprolib.rerun.tasks.worker import execute
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.printed import numbers, paper_entry

#: Parts of a record that may differ from one run to the next.
OF_RUN = ("seconds",)
#: Words that need a reason.
TO_EXPLAIN = ("not reproduced", "quoted", "not run")


class OfPaper:
    """Tests of one paper, which ``key`` names."""

    key: str = ""

    @pytest.fixture
    def paper(self) -> str:
        """Key of the paper."""
        assert self.key, 'name the paper in the test class: key = "..."'
        return self.key


@functools.cache
def quick_run(paper: str) -> Run:
    """Run of the quick profile, once in a session; finished tasks are taken from the store."""
    return run_protocol(get_protocol(paper), "quick")


def quick_records(paper: str) -> pd.DataFrame:
    """Records of the quick profile; the test is skipped where no data of the paper are at hand."""
    records = quick_run(paper).records
    if records.empty:
        names = " ".join(get_protocol(paper).datasets("quick"))
        pytest.skip(f"needs real data that are not at hand: `reprolib data fetch {names}`")
    return records


def loaded(names: Iterable[str]) -> dict[str, Dataset]:
    """Data sets that need no download; for others those that stand in for them."""
    sources = [[n] if data_fetch.available(n) else data_fetch.counterparts(n) for n in names]
    return {name: data_fetch.load(name) for names_of_one in sources for name in names_of_one}


class FileTests(OfPaper):
    """Of the printed numbers."""

    def test_file_and_experiment_have_the_same_names(self, paper):
        """Data sets, methods, metrics and readings, as `reprolib check` sees them."""
        faults = check_paper(paper)
        assert not faults, "\n".join(faults)

    def test_every_printed_number_is_listed_once(self, paper):
        """No two cells of one table, row and column."""
        counts = Counter(number.id for number in numbers(paper))
        doubled = [name for name, n in counts.items() if n > 1]
        assert not doubled, f"listed twice: {doubled}"


def first_tasks(paper: str, profile: Profile, datasets: Mapping[str, Dataset]) -> list[Task]:
    """Tasks that are not chosen from records."""
    protocol = get_protocol(paper)
    names = protocol.datasets(profile)
    used = {n: d for n, d in datasets.items() if n in names or n.startswith("embedded/")}
    return protocol.stages[0].tasks(profile, used, to_frame([]))


class TaskTests(OfPaper):
    """Of the list of tasks."""

    @pytest.fixture
    def datasets(self, paper) -> dict[str, Dataset]:
        """Data of both profiles that need no download."""
        protocol = get_protocol(paper)
        names = [*protocol.datasets("quick"), *protocol.datasets("full")]
        return loaded(dict.fromkeys(names))

    def test_quick_profile_is_a_part_of_the_full_one(self, paper, datasets):
        """Else a quick run would say nothing of the full one."""
        quick, full = (
            {task.id for task in first_tasks(paper, profile, datasets)}
            for profile in ("quick", "full")
        )
        assert quick, "the quick profile has no task on the data at hand"
        assert quick <= full, f"not in the full profile: {sorted(quick - full)[:3]}"

    def test_tasks_are_listed_the_same_again_and_each_of_one_name(self, paper, datasets):
        """A run that was interrupted finds its finished tasks by their names."""
        tasks = first_tasks(paper, "full", datasets)
        assert tasks == first_tasks(paper, "full", datasets)
        doubled = [name for name, n in Counter(task.id for task in tasks).items() if n > 1]
        assert not doubled, f"give them settings, readings, trials or seeds: {doubled[:3]}"

    def test_readings_that_are_run_stand_in_the_file(self, paper, datasets):
        """With the question that each answers."""
        run = {task.reading for task in first_tasks(paper, "full", datasets)}
        lost = run - set(readings_of(paper))
        assert not lost, f"[[readings]] of printed.toml lacks {sorted(lost)}"


class RunTests(OfPaper):
    """Of runs."""

    #: Part of the tasks of every table that is run again.
    fraction = 0.02

    def test_quick_profile_runs(self, paper):
        """No task fails."""
        records = quick_records(paper)
        broken = failed(records)
        assert broken.empty, dict(zip(broken["task"], statuses(broken), strict=True))

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


class ResultTests(OfPaper):
    """Of the committed results; skipped where there are none yet."""

    @pytest.fixture(autouse=True)
    def _need_results(self, request) -> None:
        """Skip the tests of results where there are none."""
        if request.function.__qualname__.startswith("ResultTests."):
            paper = request.getfixturevalue("paper")
            if not load_run(paper):
                pytest.skip(f"no results yet: `reprolib reproduce {paper} --full` makes them")

    def test_results_are_whole(self, paper):
        """As a run wrote and sealed them: nobody edited them by hand."""
        assert folder_faults(paper) == ()

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
