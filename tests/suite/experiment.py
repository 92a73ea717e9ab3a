"""A paper's file, its tasks, its runs and its committed results: what they have to pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from data_fetch import Dataset
from reprolib.rerun.checks.check import check_paper
from reprolib.rerun.records.registry import committed_directory, readings_of
from reprolib.rerun.records.rows import OF_TASK, is_derived, to_frame
from reprolib.rerun.records.tables import (
    load_paper,
    load_tasks,
    seal_faults,
)
from reprolib.rerun.records.task import HEADLINE, Profile, Task, get_protocol
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.printed import numbers

#: Columns of a task that its records have, too; the others a record may have of its own.
SHARED = ("table", "dataset", "method", "seed", "trial")
#: Words that need a reason.
TO_EXPLAIN = ("not reproduced", "quoted", "not run")


class FileTests:
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


class TaskTests:
    """Of the list of tasks."""

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


class ResultTests:
    """Of the committed results."""

    def test_results_are_as_they_were_sealed(self, paper):
        """Nobody edited them by hand."""
        faults = seal_faults(committed_directory(paper) / paper)
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
        declared = set(readings_of(paper)) - {HEADLINE}
        measured = set(load_paper(paper)["reading"]) - {HEADLINE}
        assert measured == declared
