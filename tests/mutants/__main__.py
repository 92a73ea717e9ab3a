"""A seeded sample of cosmic-ray's mutants of the package, each run against the tests of its line.

``python -m tests.mutants --seed 1 --size 100 [--part reprolib/papers] [--baseline FOLDER]`` prints
every survivor. It works in a copy of the checkout. The tests must pass there before anything is
changed; this first run says which tests run a line, and is read from the folder if it is there.
Mutants that do not compile or change no value are not drawn; survivors that no test can notice
are listed, with the reason, in survivors.toml.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutants import choice, processes
from tests.mutants.changes import (
    ROOT,
    Mutant,
    accepted,
    changed_lines,
    is_accepted,
    is_valid,
    mutants_of,
    mutated,
)

PARTS = ("reprolib/methods", "reprolib/rerun", "reprolib/papers")
#: Drawing code: what it shows is tested, not every size. It is drawn from if a part names it.
DRAWING = "figures.py"
#: Tests of the houses that are mutated, and what else runs them.
TESTED = ("tests/methods", "tests/papers", "tests/rerun", "tests/fuzz", "tests/report", "tests/cli")
#: Processor seconds that a mutant's tests may take, as a multiple of what they took before.
PATIENCE = 5.0


def run_baseline(folder: Path, copy: Path) -> None:
    """Run the unmutated tests in the copy, with a coverage context for every test."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "COVERAGE_FILE": str(folder / ".coverage"),
    }
    report = f"--junitxml={folder / 'junit.xml'}"
    words = ["-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-p", "no:cacheprovider"]
    words += ["--cov", "--cov-context=test", "--cov-report=", report, *TESTED]
    subprocess.run([sys.executable, *words], cwd=copy, env=environment, check=False)


def draw(files: Sequence[Path], seed: int, size: int) -> Iterator[tuple[Mutant, str, str]]:
    """Valid mutants in random order, with the source of the file before and after."""
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    known, drawn = accepted(), 0
    for mutant in random.Random(seed).sample(mutants, len(mutants)):
        source = (ROOT / mutant.path).read_text(encoding="utf-8")
        changed = mutated(mutant, source)
        if not is_valid(source, changed) or is_accepted(mutant, source, changed, known):
            continue
        yield mutant, source, changed
        drawn += 1
        if drawn == size:
            return


def within(nodes: Sequence[str], seconds: dict[str, float], most: float) -> list[str]:
    """The first tests, at least one, that take at most so many seconds together."""
    kept, spent = [], 0.0
    for node in nodes:
        spent += seconds[node]
        if kept and spent > most:
            break
        kept.append(node)
    return kept


def main() -> None:
    """Draw the sample, run it, print what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--part", nargs="+", default=PARTS)
    parser.add_argument("--baseline", type=Path, help="folder of the first run")
    parser.add_argument("--seconds", type=float, default=300.0, help="of tests a mutant")
    options = parser.parse_args()
    files = sorted(file for part in options.part for file in ROOT.glob(f"{part}/**/*.py"))
    files = [file for file in files if file.name != DRAWING]
    files += [ROOT / part for part in options.part if part.endswith(".py")]
    with tempfile.TemporaryDirectory() as folder:
        copy = processes.copy_of(ROOT, Path(folder) / "checkout")
        run_sample(files, options, copy)


def run_sample(files: Sequence[Path], options: argparse.Namespace, copy: Path) -> None:
    """Check the baseline, then run the mutants one after the other."""
    kept = options.baseline or copy.parent / "baseline"
    if not (kept / "junit.xml").is_file():
        run_baseline(kept, copy)
    baseline = choice.read(kept)
    if baseline.failed:
        sys.exit("tests fail without any change:\n" + "\n".join(baseline.failed))
    processes.warm_up(copy)
    outcomes = []
    for mutant, source, changed in draw(files, options.seed, options.size):
        nodes = choice.tests_of(mutant.path, source, mutant.line, baseline)
        nodes = within(nodes, baseline.seconds, options.seconds)
        if not nodes:
            killed, said = False, "SURVIVED (no test)"
        else:
            (copy / mutant.path).write_text(changed, encoding="utf-8")
            allowed = 60.0 + PATIENCE * sum(baseline.seconds[node] for node in nodes)
            killed = not processes.passes(nodes, copy, allowed)
            (copy / mutant.path).write_text(source, encoding="utf-8")
            said = "killed" if killed else f"SURVIVED {len(nodes)} tests"
        outcomes.append(killed)
        print(f"{len(outcomes)} {said} {mutant}", flush=True)
        if not killed:
            print("\n".join(f"    {line}" for line in changed_lines(source, changed)), flush=True)
    print(f"{sum(outcomes)} of {len(outcomes)} killed")


if __name__ == "__main__":
    main()
