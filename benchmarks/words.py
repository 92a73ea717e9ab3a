"""How often words are wrong when the world is harder than they suppose: looks, noise, few runs.

Vectorised by hand and not by the package, so that the two check each other.

    python benchmarks/words.py
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.stats import t

MARGIN = 1.5


def sure(difference, standard, degrees) -> tuple[np.ndarray, np.ndarray]:
    """Which differences are reproduced, and which are not reproduced."""
    inside = np.abs(difference) + t.ppf(0.95, degrees) * standard < MARGIN
    outside = np.abs(difference) - t.ppf(0.975, degrees) * standard > MARGIN
    return inside, outside


def looks(rng, times: int, true: float, at: tuple[int, ...], spread: float) -> np.ndarray:
    """First sure word at any look: 1 reproduced, -1 not reproduced, 0 none."""
    theirs = 100
    print_ = rng.normal(0, spread, (times, theirs))
    ours = true + rng.normal(0, spread, (times, max(at)))
    word = np.zeros(times, dtype=int)
    for n in at:
        seen = ours[:, :n]
        standard = np.sqrt(seen.var(1, ddof=1) / n + print_.var(1, ddof=1) / theirs)
        difference = seen.mean(1) - print_.mean(1)
        inside, outside = sure(difference, standard, min(n, theirs) - 1)
        word = np.where(word == 0, inside.astype(int) - outside, word)
    return word


def one_run(rng, times: int, true: float, k: int, factor: float) -> None:
    """One printed run whose spread is a multiple of ours, against k runs of ours."""
    for spread in (0.3, 0.6, 1.0):
        ours = rng.normal(true, spread, (times, k))
        difference = ours.mean(1) - rng.normal(0, factor * spread, times)
        standard = ours.std(1, ddof=1) * math.sqrt(1 + 1 / k)
        inside, outside = sure(difference, standard, k - 1)
        print(
            f"  one printed run, spread {spread}, times {factor}, {k} of ours, true {true}: "
            f"reproduced {inside.mean():.1%}, not reproduced {outside.mean():.1%}"
        )


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20_000, help="repetitions of a line")
    times = parser.parse_args().times
    rng = np.random.default_rng(0)
    print("Optional stopping: the first sure word of several looks, 100 printed splits.")
    for at in ((100,), (20, 100), (10, 20, 40, 100), tuple(range(5, 101, 5))):
        for true in (1.5, 1.7, 2.0):
            worst = max(
                (np.mean(looks(rng, times, true, at, s) == 1), s) for s in (0.5, 1, 2, 3, 4, 6)
            )
            print(
                f"  {len(at)} looks up to {at[-1]}, true {true}: reproduced at most {worst[0]:.1%}"
            )
        worst = max((np.mean(looks(rng, times, 1.5, at, s) == -1), s) for s in (0.5, 1, 2, 3, 4, 6))
        print(f"  {len(at)} looks up to {at[-1]}, true 1.5: not reproduced at most {worst[0]:.1%}")
    print("Noise of print larger than ours by a factor.")
    for factor in (1, 1.5, 2):
        for true in (0.0, 1.5):
            one_run(rng, times, true, 10, factor)
    print("One printed run with spread 1 and no true difference: more runs of ours.")
    for k in (2, 5, 10, 20, 100):
        ours = rng.normal(0, 1, (times, k))
        standard = ours.std(1, ddof=1) * math.sqrt(1 + 1 / k)
        inside, outside = sure(ours.mean(1) - rng.normal(0, 1, times), standard, k - 1)
        print(f"  {k} runs: reproduced {inside.mean():.1%}, not reproduced {outside.mean():.1%}")


if __name__ == "__main__":
    main()
