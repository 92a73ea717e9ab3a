"""The tasks of a paper's experiment: the same every time, each of one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from data_fetch import Dataset
from reprolib.rerun.records.readings import readings_of
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.records.rows import to_frame
from reprolib.rerun.records.task import Profile, Task
from reprolib.suite.shared import OfPaper, loaded


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
