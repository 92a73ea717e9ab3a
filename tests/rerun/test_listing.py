"""The fingerprint of a list of experiments: of what the tasks follow from, not of what they do.

An edit of a method made "Listed anew: the committed results are of another list of experiments" of
the simplex paper, in a fresh clone.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from reprolib.rerun.records import load_run
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.records.task import get_protocol
from reprolib.rerun.tasks.listing import listing_of, listing_of_paper
from reprolib.rerun.tasks.plan import plan

MODULES = {
    "__init__": "",
    "methods": """
        N_FOLDS = 5
        WIDTHS = {"wide": 2.0}
        WIDTHS.update(narrow=0.5)

        def fit(X):
            return helper(X)

        def helper(X):
            return 1

        def is_small(task, dataset):
            return limit() > 3

        def limit():
            return 10
        """,
    "grids": """
        import toy.sizes

        N = toy.sizes.LARGE
        """,
    "sizes": "LARGE = 10",
    "experiment": """
        from toy import grids, methods
        from toy.methods import N_FOLDS as FOLDS
        from reprolib.rerun.tasks.experiment import Count, Experiment, Grid

        UNUSED = 3
        SETS = ("a", "b")
        NAMES = []
        for width in methods.WIDTHS:
            NAMES.append(width)
        GRIDS = (
            Grid("t", NAMES, Count(FOLDS), where=methods.is_small),
            Grid("u", ["m"], Count(lambda data: grids.N)),
        )

        def run(task, dataset):
            return methods.fit(dataset.X)

        def derive(records):
            return []

        PROTOCOL = Experiment("kpm", SETS, GRIDS, run, derive=derive).protocol()
        """,
}


OF_TASKS = [
    ("methods", "return helper(X)", "return helper(X) + 1"),
    ("methods", "return 1", "return 2"),
    ("experiment", "methods.fit(dataset.X)", "methods.fit(dataset.y)"),
    ("experiment", "return []", "return [1]"),
    ("experiment", "UNUSED = 3", "UNUSED = 4"),
    ("experiment", "def run(task", "# the measurement\ndef run(task"),
]
OF_THE_LIST = [
    ("experiment", '("a", "b")', '("a", "c")'),
    ("experiment", 'Grid("u"', 'Grid("v"'),
    ("experiment", "NAMES.append(width)", "NAMES.append(width.upper())"),
    ("methods", "N_FOLDS = 5", "N_FOLDS = 6"),
    ("methods", '"wide": 2.0', '"wider": 2.0'),
    ("methods", "narrow=0.5", "thin=0.5"),
    ("methods", "limit() > 3", "limit() > 4"),
    ("methods", "return 10", "return 11"),
    ("sizes", "LARGE = 10", "LARGE = 11"),
]
UNCHANGED = ("experiment", "UNUSED = 3", "UNUSED = 3")
#: A process forks for every folder, so that each paper is imported anew and the package once.
CODE = """
import os, sys
from reprolib.rerun.tasks import experiment
from reprolib.rerun.tasks.listing import listing_of

for folder in sys.argv[1:]:
    if os.fork():
        assert os.wait()[1] == 0
        continue
    sys.path.insert(0, folder)
    from toy.experiment import PROTOCOL

    print(listing_of(PROTOCOL), flush=True)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def listings(tmp_path_factory):
    """Fingerprint of the small paper after each edit."""
    folders = {}
    for edit in (UNCHANGED, *OF_TASKS, *OF_THE_LIST):
        edited, old, new = edit
        folders[edit] = tmp_path_factory.mktemp("paper")
        (folders[edit] / "toy").mkdir()
        for name, text in MODULES.items():
            text = textwrap.dedent(text)
            assert name != edited or old in text
            text = text.replace(old, new, 1) if name == edited else text
            (folders[edit] / f"toy/{name}.py").write_text(text)
    command = [sys.executable, "-c", CODE, *map(str, folders.values())]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(zip(folders, done.stdout.split(), strict=True))


@pytest.mark.parametrize("edit", OF_TASKS)
def test_what_a_task_does_is_no_part_of_the_list(listings, edit):
    assert listings[edit] == listings[UNCHANGED]


@pytest.mark.parametrize("edit", OF_THE_LIST)
def test_what_the_tasks_follow_from_is(listings, edit):
    assert listings[edit] != listings[UNCHANGED]


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_results_are_of_the_present_list_of_experiments(paper):
    """Where code alone was edited, `python -m tests.full_profile KEY` says so in run.json."""
    protocol = get_protocol(paper)
    assert load_run(paper)["listing"] == listing_of(protocol) == listing_of_paper(paper)
    assert not plan(paper, "full").note
