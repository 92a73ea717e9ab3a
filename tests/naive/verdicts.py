"""A second pair of eyes: the words of one paper, recounted from its CSV and TOML files alone.

Written from the contract, number by number with loops and scipy's textbook tests, without the
rules, the records and the tables of the package. ``python -m tests.naive.verdicts [seed]`` draws a
paper and prints every number on which the two disagree.
"""

from __future__ import annotations

import csv
import math
import random
import statistics
import sys
import tomllib
from pathlib import Path

from scipy import stats

ROOT = Path(__file__).parents[2]
PAPERS = ("kpm", "mkmmc", "mkpm", "simplex", "keops")
SETTINGS = ("kind", "trials", "scale", "role", "quantity", "results", "searched", "digits")


def recounted(paper: str) -> dict[tuple[str, str, str], str]:
    """Word for every printed number of a paper, by table, row and column."""
    text = (ROOT / f"reprolib/papers/{paper}/printed.toml").read_text(encoding="utf-8")
    words: dict[tuple[str, str, str], str] = {}
    entry = tomllib.loads(text)
    skipped = {r["name"] for r in entry.get("readings", []) if r.get("control")} | {"headline"}
    for name, table in entry["tables"].items():
        for row, printed in table["values"].items():
            cells = {
                column: value
                for column, value in zip(table["columns"], printed, strict=True)
                if value != ""
            }
            by_column = {c: _by_reading(paper, name, table, row, c, v) for c, v in cells.items()}
            for column, word in _row(table, row, by_column, skipped).items():
                words[name, row, column] = word
    return words


def _row(table, row, by_column, skipped) -> dict[str, str]:
    """Words of a row, with credit for the reading that brings it out."""
    words = {}
    for column, found in by_column.items():
        if _mentions(table.get("quoted", []), row, column):
            words[column] = "quoted"
        elif row in table.get("not_run", {}) or column in table.get("not_run", {}):
            words[column] = "not run"
        else:
            words[column] = found["headline"][0] if "headline" in found else "not run"
    run = [c for c, word in words.items() if word not in ("quoted", "not run")]
    best: list[str] = []
    for reading in sorted({r for c in run for r in by_column[c]} - skipped):
        ahead = []
        for column in run:
            word, n = by_column[column].get(reading, ("missing", 0))
            before, n_before = by_column[column]["headline"]
            is_out = word in ("reproduced", "compatible") and n >= n_before
            if not is_out or (before == "reproduced" and word == "compatible"):
                break
            if word == "reproduced" and before != "reproduced":
                ahead.append(column)
        else:
            best = ahead if len(ahead) > len(best) else best
    return {**words, **dict.fromkeys(best, "reproduced under a reading")}


def _mentions(entries, row, column) -> bool:
    return any(e["row"] in ("*", row) and e["column"] in ("*", column) for e in entries)


def _by_reading(paper, name, table, row, column, value) -> dict[str, tuple[str, int]]:
    """Word and number of trials under every reading that the records have."""
    line = {**table["rows"][row], **table["columns"][column]}
    setting = {key: line.get(key, table.get(key)) for key in SETTINGS}
    wanted = {k: v for k, v in line.items() if k not in SETTINGS}
    if setting["kind"] == "selected":
        setting["quantity"] = "selection"
    rows = _records(paper, setting["results"] or name, wanted)
    scores = table.get("scores", {}).get(column)
    paths = _records(paper, name, {**wanted, **scores}) if scores else []
    found = {}
    for reading in {r["reading"] for r in rows if r["value"]}:
        mine = [r for r in rows if r["reading"] == reading and r["value"]]
        own_paths = [r["path"] for r in paths if r["reading"] == reading and r["path"]]
        found[reading] = (_word(setting, value, mine, own_paths), len(mine))
    return found


def _records(paper, table, wanted) -> list[dict[str, str]]:
    path = ROOT / "results" / paper / f"{table}.csv"
    if not path.exists():
        return []
    wanted = {"setting": "", **wanted}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            r
            for r in csv.DictReader(file)
            if all(r.get(k, "") == v for k, v in wanted.items())
            and r["status"] == "ok"
            and r["source"] != "embedded"
        ]


def _word(setting, value, rows, paths) -> str:
    published, spread = value if isinstance(value, list) else (value, None)
    scale = setting["scale"] or 1
    ours = [float(r["value"]) * scale for r in rows]
    mean = statistics.fmean(ours)
    low, high, searched = _range(ours), _range(ours, upper=True), setting["searched"]
    if setting["kind"] == "selected":
        means = _mean_path(paths)
        k = int(published)
        if means and 1 <= k <= len(means) and max(means) - means[k - 1] < 1.5e-6:
            return "reproduced"
        if not low <= published <= high:
            return "not reproduced"
        return "reproduced" if 2 * (high - low + 1) < (searched or len(means)) else "compatible"
    half = _half_width(setting, published, spread, ours, max(int(r["n_test"]) for r in rows))
    inside = abs(mean - published) <= half
    sharp = half <= max(1.5 * scale / 100, spread or 0)
    if setting["quantity"] == "selection":
        inside = inside and low <= published <= high
        sharp = sharp and 2 * (high - low + 1) < searched
    if inside:
        return "reproduced" if sharp else "compatible"
    is_near = abs(mean - published) <= max(scale / 100, spread or 0)
    return "close" if is_near else "not reproduced"


def _half_width(setting, published, spread, ours, n_test) -> float:
    mean, k, scale = statistics.fmean(ours), len(ours), setting["scale"] or 1
    p, q = mean / scale, published / scale
    noise = scale**2 * (p * (1 - p) + q * (1 - q)) / max(n_test, 1)
    if setting["kind"] == "test_set":
        return stats.norm.ppf(0.975) * math.sqrt(noise)
    if k == 1:
        return math.inf
    own = statistics.variance(ours)
    if setting["kind"] == "seeded":
        seeds = own * (1 + 1 / k)
        if seeds + noise == 0:
            return 0.0
        degrees = (seeds + noise) ** 2 * (k - 1) / seeds**2 if seeds else math.inf
        return stats.t.ppf(0.975, degrees) * math.sqrt(seeds + noise)
    other, trials = own if spread is None else spread**2, setting["trials"]
    if own + other == 0:
        return 0.0
    interval = _welch_interval(math.sqrt(own), k, math.sqrt(other), trials)
    return (interval.high - interval.low) / 2


def _welch_interval(own, k, other, trials):
    """Interval of a zero difference, from samples that have exactly these moments."""
    first = [own * z for z in _standard_sample(k)]
    second = [other * z for z in _standard_sample(trials)]
    return stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)


def _standard_sample(n) -> list[float]:
    """Sample of mean zero and variance one."""
    raw = [i - (n - 1) / 2 for i in range(n)]
    deviation = statistics.stdev(raw)
    return [x / deviation for x in raw]


def _range(ours, *, upper=False) -> float:
    """End of the central 95 %, interpolated between the ordered values."""
    ordered = sorted(ours)
    place = (0.975 if upper else 0.025) * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _mean_path(paths) -> list[float]:
    numbers = [[float(x) for x in path.split()] for path in paths]
    return [statistics.fmean(column) for column in zip(*numbers, strict=False)]


def main() -> int:
    """Recount one paper, drawn by the seed, and print the differences."""
    from reprolib.rerun.verdicts.judge import judge_paper

    paper = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None).choice(PAPERS)
    words = recounted(paper)
    judged = {(v.number.table, v.number.row, v.number.column): v.word for v in judge_paper(paper)}
    different = {key for key in words.keys() | judged.keys() if words.get(key) != judged.get(key)}
    for key in sorted(different):
        print(paper, *key, "| recounted:", words.get(key), "| package:", judged.get(key))
    print(f"{paper}: {len(words)} numbers recounted, {len(different)} differ")
    return len(different) > 0


if __name__ == "__main__":
    sys.exit(main())
