"""A second pair of eyes: the words of one paper, recounted from its CSV, JSON and TOML files alone.

Written from docs/words.md, number by number with loops and scipy's distributions, without the
rules, the records and the tables of the package. ``python -m tests.naive.verdicts [seed]`` draws a
paper and prints every number and claim on which the two disagree.
"""

from __future__ import annotations

import csv
import functools
import gzip
import json
import math
import random
import statistics
import sys
import tomllib
from pathlib import Path

from scipy import stats

ROOT = Path(__file__).parents[2]
PAPERS = ("kpm", "mkmmc", "mkpm", "simplex", "keops")
#: What a line of a table says that selects no record.
SETTINGS = ("design", "trials", "scale", "role", "quantity", "results", "searched", "digits")
SETTINGS += ("judged", "folds", "spread_of", "drawn_once", "row", "column")
NO_WORD = ("quoted", "not run")


def entry_of(paper: str) -> dict:
    """Parsed TOML of a paper."""
    path = ROOT / f"reprolib/papers/{paper}/printed.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def recounted(paper: str) -> dict[tuple[str, str, str], str]:
    """Word for every printed number of a paper, by table, row and column."""
    words: dict[tuple[str, str, str], str] = {}
    entry = entry_of(paper)
    controls = {r["name"] for r in entry.get("readings", []) if r.get("control")}
    for name, table in entry["tables"].items():
        for row, printed in table["values"].items():
            cells = {
                column: value
                for column, value in zip(table["columns"], printed, strict=True)
                if value != ""
            }
            found = {
                c: _by_reading(paper, name, table, row, c, v, controls) for c, v in cells.items()
            }
            for column, word in _row(table, row, found, controls).items():
                words[name, row, column] = word
    return words


def _row(table, row, found, controls) -> dict[str, str]:
    """Words of a row, with credit for the reading that brings it out."""
    words = {}
    judged = {c: _line(table, row, c).get("judged") or "headline" for c in found}
    for column, outcomes in found.items():
        if _mentions(table.get("quoted", []), row, column):
            words[column] = "quoted"
        elif row in table.get("not_run", {}) or column in table.get("not_run", {}):
            words[column] = "not run"
        else:
            words[column] = outcomes.get(judged[column], ("not run", 0))[0]
    run = [c for c, word in words.items() if word not in NO_WORD]
    tried = {r for c in run for r in found[c] if r != judged[c]} - controls
    best: list[str] = []
    for reading in sorted(tried):
        ahead = []
        for column in run:
            word, n = found[column].get(reading, ("missing", 0))
            before, n_before = found[column][judged[column]]
            is_out = word in ("reproduced", "undecided") and n >= n_before
            if not is_out or (before == "reproduced" and word == "undecided"):
                break
            if word == "reproduced" and before != "reproduced":
                ahead.append(column)
        else:
            best = ahead if len(ahead) > len(best) else best
    return {**words, **dict.fromkeys(best, "reproduced under a reading")}


def _mentions(entries, row, column) -> bool:
    return any(e["row"] in ("*", row) and e["column"] in ("*", column) for e in entries)


def _line(table, row, column) -> dict:
    """What row, column and cell say, and of the settings what the table says."""
    own = {**table["rows"][row], **table["columns"][column]}
    for cell in table.get("cells", []):
        if (cell["row"], cell["column"]) == (row, column):
            own |= cell
    return {**{key: table.get(key) for key in SETTINGS}, **own}


def _by_reading(paper, name, table, row, column, value, controls) -> dict[str, tuple[str, int]]:
    """Word and number of trials under every reading that the records have."""
    line = _line(table, row, column)
    wanted = {k: v for k, v in line.items() if k not in SETTINGS}
    line["design"] = [line["design"]] if isinstance(line["design"], str) else line["design"]
    if line["design"] == ["selection"]:
        line["quantity"] = "selection"
    line["searched"] = _searched(paper, line["searched"], wanted)
    rows = _records(paper, line["results"] or name, wanted)
    scores = table.get("scores", {}).get(column)
    paths = _records(paper, name, {**wanted, **scores}) if scores else []
    own = {k: wanted[k] for k in ("dataset", "method") if k in wanted}
    disagreements = [
        float(r["value"])
        for r in _records(paper, "disagreement", {**own, "metric": "disagreement"})
        if r["reading"] not in controls
    ]
    by_reading: dict[str, dict[int, dict]] = {}
    for r in rows:
        if r["value"]:
            by_reading.setdefault(r["reading"], {})[int(r["trial"])] = r
    found = {}
    for reading, mine in by_reading.items():
        own_paths = [r["path"] for r in paths if r["reading"] == reading and r["path"]]
        others = {r: o for r, o in by_reading.items() if r != reading and r not in controls}
        choices = _choices(paper, line, line["results"] or name, wanted, reading)
        evidence = (mine, others, by_reading.get(line["spread_of"], {}), disagreements, choices)
        found[reading] = (_word(line, value, evidence, own_paths), len(mine))
    return found


def _searched(paper, stated, wanted) -> int:
    """Number of candidates, as stated or as the shortest of the first paths of the headline has."""
    if not isinstance(stated, dict):
        return stated
    rows = _records(
        paper,
        stated["results"],
        {**wanted, "metric": stated["metric"], "reading": "headline"},
    )
    return min(len(r["path"].split()) for r in rows if int(r["trial"]) < stated["trials"])


def _choices(paper, line, table, wanted, reading) -> list[float]:
    """Means in the printed unit at other draws of a choice that is made once for all trials."""
    if not line["drawn_once"]:
        return []
    rows = _records(paper, table, {**wanted, "metric": line["drawn_once"], "reading": reading})
    return [float(r["value"]) * (line["scale"] or 1) for r in rows]


@functools.cache
def _table(paper, table) -> list[dict[str, str]]:
    tasks, data = _tasks(paper)
    rows = []
    for own in _csv(paper, table):
        task = tasks[own["task"]]
        row = {**task, **{key: cell for key, cell in own.items() if cell}}
        row = {key: "" if cell == "(none)" else cell for key, cell in row.items()}
        rows.append({"path": "", "value": "", "source": data[row["dataset"]]["source"], **row})
    return [r for r in rows if r.get("status", "ok") == "ok" and r["source"] != "embedded"]


@functools.cache
def _tasks(paper) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Lines of the tasks by name, and what is said of the data."""
    about = json.loads((ROOT / "results" / paper / "run.json").read_text(encoding="utf-8"))
    return {line["task"]: line for line in _csv(paper, "tasks")}, about["data"]


def _csv(paper, name) -> list[dict[str, str]]:
    path = ROOT / "results" / paper / f"{name}.csv.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _records(paper, table, wanted) -> list[dict[str, str]]:
    wanted = {"setting": "", **wanted}
    return [r for r in _table(paper, table) if all(r.get(k, "") == v for k, v in wanted.items())]


def _word(line, value, evidence, paths) -> str:
    published, spread = value if isinstance(value, list) else (value, None)
    scale = line["scale"] or 1
    ours = [float(r["value"]) * scale for r in evidence[0].values()]
    mean = statistics.fmean(ours)
    if line["design"] == ["selection"]:
        return _selection(published, ours, line["searched"], _mean_path(paths))
    half, half_90 = max(_half_widths(line, d, published, spread, evidence) for d in line["design"])
    if line["quantity"] == "selection":
        if math.isinf(half):
            return "undecided"
        if abs(mean - published) > half:
            return "not reproduced"
        return "reproduced" if 5 * (2 * half + 1) <= line["searched"] else "undecided"
    margin = 1.5 * scale / 100
    if mean - published - half_90 > -margin and mean - published + half_90 < margin:
        return "reproduced"
    return "not reproduced" if abs(mean - published) > half else "undecided"


def _selection(published, ours, searched, scores) -> str:
    k = int(published)
    if scores and 1 <= k <= len(scores):
        best = [score for score in scores if max(scores) - score < 1.0e-6]
        if max(scores) - scores[k - 1] < 1.0e-6 and 5 * len(best) <= len(scores):
            return "reproduced"
    n = len(ours)
    if n < 40:
        return "undecided"
    j = math.floor(0.025 * (n + 1))
    low, high = sorted(ours)[j - 1], sorted(ours)[n - j]
    if not low <= published <= high:
        return "not reproduced"
    return "reproduced" if 5 * (high - low + 1) <= (searched or len(scores)) else "undecided"


def _half_widths(line, design, published, spread, evidence) -> tuple[float, float]:
    """Half-widths of the 95 % and the 90 % interval."""
    se, degrees = _error(line, design, published, spread, evidence)
    if choices := evidence[4]:
        se, degrees = _with_choice(se, degrees, choices, 2)
    if math.isinf(se) or se == 0:
        return se, se
    normal = math.isinf(degrees)
    quantiles = [stats.norm.ppf(p) if normal else stats.t.ppf(p, degrees) for p in (0.975, 0.95)]
    return quantiles[0] * se, quantiles[1] * se


def _error(line, design, published, spread, evidence) -> tuple[float, float]:
    mine, others, spreads, disagreements, _ = evidence
    scale = line["scale"] or 1
    ours = [float(r["value"]) * scale for r in mine.values()]
    n = len(ours)
    if design == "test set":
        n_test = max(int(r["n_test"]) for r in mine.values())
        wrong = [min(p, 1 - p) for p in (statistics.fmean(ours) / scale, published / scale)]
        q = statistics.fmean(disagreements) if disagreements else sum(wrong)
        return scale * math.sqrt(max(q, 1 / n_test) / n_test), math.inf
    if design == "seeds":
        point = scale / max(int(r["n_test"]) for r in mine.values())
        return _one_more([float(r["value"]) * scale for r in (spreads or mine).values()], point)
    if design == "cross-validation":
        folds = line["folds"]
        partitions: dict[int, list[float]] = {}
        for trial, r in mine.items():
            partitions.setdefault(trial // folds, []).append(float(r["value"]) * scale)
        whole = [values for values in partitions.values() if len(values) == folds]
        return _one_more([statistics.fmean(values) for values in whole])
    if n < 2:
        return math.inf, 0
    if design == "runs":
        variances = [
            statistics.variance(
                scale * (float(mine[t]["value"]) - float(other[t]["value"])) for t in mine
            )
            for other in others.values()
            if all(t in other for t in mine)
        ]
        v = statistics.fmean(variances) if variances else 2 * statistics.variance(ours)
        return math.sqrt(v / n), n - 1
    own, trials = statistics.variance(ours), line["trials"] or 1
    if spread is None:
        return math.sqrt(own * (1 / n + 1 / trials)), n - 1
    a, b = own / n, spread**2 / trials
    return math.sqrt(a + b), (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (trials - 1))


def _with_choice(se, degrees, choices, times) -> tuple[float, float]:
    a, b = se**2, times * statistics.variance(choices)
    lost = (0 if math.isinf(degrees) else a**2 / degrees) + b**2 / (len(choices) - 1)
    return math.sqrt(a + b), (a + b) ** 2 / lost


def _one_more(values, least=0.0) -> tuple[float, float]:
    k = len(values)
    if k < 2:
        return math.inf, 0
    return max(statistics.stdev(values), least) * math.sqrt(1 + 1 / k), k - 1


def _mean_path(paths) -> list[float]:
    numbers = [[float(x) for x in path.split()] for path in paths]
    return [statistics.fmean(column) for column in zip(*numbers, strict=False)]


def recounted_claims(paper: str) -> dict[str, str]:
    """Word on every claim whose data sets were all measured on splits of a pool, by its name."""
    entry, words = entry_of(paper), {}
    for claim in entry.get("claims", []):
        cells = _cells(entry, claim)
        if not cells or any(cell["design"] != ["splits"] for cell in cells):
            continue
        listed = [_contrast(paper, claim, cells, b) for b in claim["b"]]
        if "fails" in listed:
            words[claim["name"]] = "fails"
        else:
            words[claim["name"]] = "undecided" if "undecided" in listed else "holds"
    return words


def _cells(entry, claim) -> list[dict]:
    """Where the claim's metric is printed; where it is not, the performances of its method."""
    return _cells_of(entry, claim, False) or _cells_of(entry, claim, True)


def _cells_of(entry, claim, other_metric) -> list[dict]:
    cells: list[dict] = []
    for name in claim["tables"]:
        table = entry["tables"][name]
        for row, printed in table["values"].items():
            for column, value in zip(table["columns"], printed, strict=True):
                line = _line(table, row, column)
                is_performance = line["design"] != "selection" and line["quantity"] == "performance"
                same = is_performance if other_metric else line["metric"] == claim["metric"]
                if value == "" or line["method"] != claim["a"]["method"] or not same:
                    continue
                if row in table.get("not_run", {}) or column in table.get("not_run", {}):
                    continue
                if line["dataset"] not in claim.get("datasets", [line["dataset"]]):
                    continue
                designs = [line["design"]] if isinstance(line["design"], str) else line["design"]
                cell = {
                    "table": claim.get("results") or line["results"] or name,
                    "dataset": line["dataset"],
                    "setting": line.get("setting", ""),
                    "reading": claim.get("reading") or line["judged"] or "headline",
                    "design": designs,
                    "scale": line["scale"] or 1,
                    "choices": _choices_of_claim(entry, claim, line, name),
                }
                if cell not in cells:
                    cells.append(cell)
    return cells


def _choices_of_claim(entry, claim, line, table) -> list[float]:
    """Of side a, if it is the one of the printed number."""
    if claim["metric"] != line["metric"] or claim["a"].get("results", table) != table:
        return []
    wanted = {k: v for k, v in line.items() if k not in SETTINGS}
    reading = line["judged"] or "headline"
    return _choices(entry["paper"]["key"], line, line["results"] or table, wanted, reading)


def _contrast(paper, claim, cells, b) -> str:
    means, variances, degrees = [], [], []
    for cell in cells:
        ours, theirs = (_side(paper, claim, cell, side) for side in (claim["a"], b))
        trials = sorted(ours if theirs is None else set(ours) & set(theirs))
        d = [ours[t] - (b["value"] if theirs is None else theirs[t]) for t in trials]
        n = len(d)
        means.append(statistics.fmean(d))
        error = (math.sqrt(statistics.variance(d) * (1 / n + 0.2 / 0.8)), n - 1)
        if cell["choices"]:
            error = _with_choice(*error, cell["choices"], 1)
        variances.append(error[0] ** 2)
        degrees.append(error[1])
    total = sum(variances)
    freedom = total**2 / sum(v**2 / f for v, f in zip(variances, degrees, strict=True))
    se = math.sqrt(total) / len(cells)
    d = statistics.fmean(means) * (1 if claim["larger"] == "better" else -1)
    wide, narrow = (stats.t.ppf(p, freedom) * se for p in (0.975, 0.95))
    margin = 1.5 * cells[0]["scale"] / 100
    holds = {
        "better": d - wide > 0,
        "at least as good": d - narrow > -margin,
        "same": -margin < d - narrow and d + narrow < margin,
    }[claim["claims"]]
    if holds:
        return "holds"
    misses = abs(d) > wide if claim["claims"] == "same" else d + wide < 0
    return "fails" if misses else "undecided"


def _side(paper, claim, cell, side) -> dict[int, float] | None:
    if "value" in side:
        return None
    wanted = {k: cell[k] for k in ("dataset", "setting", "reading")}
    wanted |= {"metric": claim["metric"]}
    wanted |= {k: side[k] for k in ("method", "metric", "setting", "reading") if k in side}
    rows = _records(paper, side.get("results", cell["table"]), wanted)
    factor = cell["scale"] * side.get("factor", 1)
    if "at" in side:
        return {int(r["trial"]): factor * float(r["path"].split()[side["at"] - 1]) for r in rows}
    return {int(r["trial"]): factor * float(r["value"]) for r in rows if r["value"]}


def main() -> int:
    """Recount one paper, drawn by the seed, and print the differences."""
    from reprolib.rerun.verdicts import judge_claims, judge_paper

    paper = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None).choice(PAPERS)
    words: dict[object, str] = {**recounted(paper), **recounted_claims(paper)}
    judged: dict[object, str] = {
        (v.number.table, v.number.row, v.number.column): v.word for v in judge_paper(paper)
    }
    judged |= {c.claim.name: c.word for c in judge_claims(paper) if c.claim.name in words}
    different = {key for key in words.keys() | judged.keys() if words.get(key) != judged.get(key)}
    for key in sorted(different, key=str):
        print(paper, key, "| recounted:", words.get(key), "| package:", judged.get(key))
    print(f"{paper}: {len(words)} numbers and claims recounted, {len(different)} differ")
    return len(different) > 0


if __name__ == "__main__":
    sys.exit(main())
