"""A second pair of eyes: the words of one paper, recounted from its CSV, JSON and TOML files alone.

Written from docs/words.md, number by number with loops and scipy's distributions, without the
rules, the records and the tables of the package. ``python -m tests.naive.verdicts [seed]`` draws a
paper and prints every number and claim on which the two disagree.
"""

from __future__ import annotations

import csv
import functools
import lzma
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
SETTINGS = ("design", "trials", "scale", "role", "quantity", "results", "digits")
SETTINGS += ("judged", "folds", "tested", "spread_of", "drawn_once", "fixed", "pool", "exact")
SETTINGS += ("row", "column")
#: What every search of records says.
PLACE = ("dataset", "method", "metric", "setting")
NO_WORD = ("quoted", "not run")


@functools.cache
def entry_of(paper: str) -> dict:
    """Parsed TOML of a paper."""
    path = ROOT / f"reprolib/papers/{paper}/printed.toml"
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    return {**file["printed"], "readings": file["readings"]}


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
    worth = {"undecided": 1, "reproduced": 2, "to the digit": 3}
    most, best = 0, {}
    for reading in sorted(tried):
        theirs = {c: found[c].get(reading, ("missing", 0)) for c in run}
        performances = [c for c in run if _quantity(table, row, c) == "performance"]
        if any(theirs[c][0] != "to the digit" for c in performances):
            theirs = {
                c: ("reproduced" if word == "to the digit" else word, n)
                for c, (word, n) in theirs.items()
            }
        ahead = 0
        for column in run:
            word, n = theirs[column]
            before, n_before = found[column][judged[column]]
            if n < n_before or worth.get(word, 0) < worth.get(before, 1):
                break
            ahead += worth[word] > worth.get(before, 1)
        else:
            if ahead > most:
                most, best = ahead, {c: word for c, (word, _) in theirs.items()}
    digits = "to the digit" in best.values()
    for column, word in best.items():
        if word == "to the digit":
            words[column] = word
        elif word == "reproduced" and (digits or worth.get(words[column], 0) < 2):
            words[column] = "reproduced in a variant"
    return words


def _quantity(table, row, column) -> str:
    line = _line(table, row, column)
    return "selection" if line["design"] == "selection" else line["quantity"] or "performance"


def _mentions(entries, row, column) -> bool:
    return any(e["row"] in ("*", row) and e["column"] in ("*", column) for e in entries)


def _line(table, row, column) -> dict:
    """What row, column and cell say, and of the settings what the table says."""
    own = {**table["rows"][row], **table["columns"][column]}
    for cell in table.get("cells", []):
        if (cell["row"], cell["column"]) == (row, column):
            own |= cell
    return {**{key: table.get(key) for key in SETTINGS}, **own}


def recounted_lines(paper: str) -> dict[tuple[str, str], tuple[int, float, float]]:
    """Cells, mean difference and z of every method with an interval, by table and method."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    entry = entry_of(paper)
    controls = {r["name"] for r in entry.get("readings", []) if r.get("control")}
    for name, table in entry["tables"].items():
        for row, printed in table["values"].items():
            for column, value in zip(table["columns"], printed, strict=True):
                line = _line(table, row, column)
                if value == "" or _mentions(table.get("quoted", []), row, column):
                    continue
                if {row, column} & {*table.get("not_run", {})}:
                    continue
                if _quantity(table, row, column) != "performance":
                    continue
                difference, se, degrees = _judged(paper, name, table, row, column, value, controls)
                if 0 < se < math.inf:
                    rare = stats.t.sf(abs(difference) / se, degrees)
                    z = min(stats.norm.isf(rare), abs(difference) / se)
                    found.setdefault((name, line["method"]), []).append((difference, z))
    return {
        key: (
            len(cells),
            statistics.fmean(d for d, _ in cells),
            math.sqrt(statistics.fmean(z**2 for _, z in cells)),
        )
        for key, cells in found.items()
        if len(cells) > 1
    }


def _judged(paper, name, table, row, column, value, controls) -> tuple[float, float, float]:
    """Difference, standard error and degrees of the judged run; no error where nothing is left."""
    line, found = _evidence(paper, name, table, row, column, controls)
    evidence = found.get(line["judged"] or "headline")
    if evidence is None:
        return 0.0, math.inf, 0.0
    published, spread = value if isinstance(value, list) else (value, None)
    ours = [float(r["value"]) * (line["scale"] or 1) for r in evidence[0].values()]
    own = {r["source"] for r in evidence[0].values()} == {"original"}
    if line["exact"] and own and len(ours) == (line["trials"] or 1):
        return 0.0, 0.0, 0.0
    errors = [_whole_error(line, d, published, spread, evidence) for d in line["design"]]
    widest = max(errors, key=lambda e: _quantile(0.975, e[1]) * e[0] if e[0] < math.inf else e[0])
    return statistics.fmean(ours) - published, *widest


def _by_reading(paper, name, table, row, column, value, controls) -> dict[str, tuple[str, int]]:
    """Word and number of trials under every reading that the records have."""
    line, found = _evidence(paper, name, table, row, column, controls)
    return {r: (_word(line, value, evidence), len(evidence[0])) for r, evidence in found.items()}


def _evidence(paper, name, table, row, column, controls) -> tuple[dict, dict[str, tuple]]:
    """What a cell says, and our records for it under every reading."""
    line = _line(table, row, column)
    wanted = {k: v for k, v in line.items() if k not in SETTINGS}
    line["design"] = [line["design"]] if isinstance(line["design"], str) else line["design"]
    if line["design"] == ["selection"]:
        line["quantity"] = "selection"
    rows = _records(paper, line["results"] or name, wanted)
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
        others = {r: o for r, o in by_reading.items() if r != reading and r not in controls}
        choices = [*_choices(paper, line, line["results"] or name, wanted, reading).values()]
        units = _units(line, by_reading)
        spreads = by_reading.get(line["spread_of"], {})
        found[reading] = (mine, others, spreads, disagreements, choices, units)
    return line, found


def _units(line, by_reading) -> list[float]:
    """What each run is worth, in the printed unit, where the paper has more runs than we."""
    if not line["pool"] or "headline" not in by_reading:
        return []
    scale = line["scale"] or 1
    means = {
        reading: statistics.fmean(float(r["value"]) * scale for r in rows.values())
        for reading, rows in by_reading.items()
    }
    without = [m for r, m in means.items() if r.startswith(line["pool"]["without"])]
    return [len(without) * means["headline"] - (len(without) - 1) * m for m in without]


def _choices(paper, line, table, wanted, reading) -> dict[int, float]:
    """Means by draw, in the printed unit, of a choice that is made once for all trials."""
    if not line["drawn_once"]:
        return {}
    rows = _records(paper, table, {**wanted, "metric": line["drawn_once"], "reading": reading})
    return {int(r["trial"]): float(r["value"]) * (line["scale"] or 1) for r in rows}


@functools.cache
def _all(paper) -> list[dict[str, str]]:
    path = ROOT / "results" / paper / "records.csv.xz"
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@functools.cache
def _table(paper, table) -> list[dict[str, str]]:
    rows = [r for r in _all(paper) if r["table"] == table]
    return [r for r in rows if r["status"] == "ok" and r["source"] != "embedded"]


def _records(paper, table, wanted) -> list[dict[str, str]]:
    wanted = {"setting": "", **wanted}
    rows = _by_place(paper, table).get(tuple(wanted.get(k) for k in PLACE), [])
    others = [(k, v) for k, v in wanted.items() if k not in PLACE]
    return [r for r in rows if all(r.get(k, "") == v for k, v in others)]


@functools.cache
def _by_place(paper, table) -> dict[tuple, list[dict[str, str]]]:
    rows: dict[tuple, list[dict[str, str]]] = {}
    for r in _table(paper, table):
        rows.setdefault(tuple(r[k] for k in PLACE), []).append(r)
    return rows


def _word(line, value, evidence) -> str:
    published, spread = value if isinstance(value, list) else (value, None)
    scale = line["scale"] or 1
    ours = [float(r["value"]) * scale for r in evidence[0].values()]
    margin = 1.5 * scale / 100
    digits = 2 if line["digits"] is None else line["digits"]
    if line["quantity"] == "selection":
        margin = max(0.2 * abs(published), 1)
    own = {r["source"] for r in evidence[0].values()} == {"original"}
    if line["exact"] and own and len(ours) == (line["trials"] or 1):
        off = abs(statistics.fmean(ours) - published)
        if off <= 0.5 / 10**digits + 1e-9:
            return "to the digit"
        return "reproduced" if off <= margin else "not reproduced"
    if line["design"] == ["selection"]:
        n = len(ours)
        if n < 40:
            return "undecided"
        one_more = math.floor((n + 1) / 40)
        sure = max(j for j in range(1, n) if stats.binom.sf(j - 1, n, 0.1) >= 0.95)
        places = (one_more - 1, n - one_more, sure - 1, n - sure)
        ends = [sorted(ours)[place] - published for place in places]
    else:
        widths = [_half_widths(line, d, published, spread, evidence) for d in line["design"]]
        half, half_90 = max(widths)
        d = statistics.fmean(ours) - published
        ends = [d - half, d + half, d - half_90, d + half_90]
    low, high, low_90, high_90 = ends
    if low_90 > -margin and high_90 < margin:
        return "reproduced"
    if low > margin or high < -margin:
        return "not reproduced"
    return "undecided, differs" if low > 0 or high < 0 else "undecided"


def _whole_error(line, design, published, spread, evidence) -> tuple[float, float]:
    """Standard error and degrees of freedom, with what is added to the error of the design."""
    se, degrees = _error(line, design, published, spread, evidence)
    if choices := evidence[4]:
        se, degrees = _with_choice(se, degrees, choices, 2)
    if units := evidence[5]:
        k, of = len(units), line["pool"]["of"]
        a, b = se**2, statistics.variance(units) * (1 / k - 1 / of)
        se, degrees = math.sqrt(a + b), (a + b) ** 2 / (a**2 / degrees + b**2 / (k - 1))
    return se, degrees


def _half_widths(line, design, published, spread, evidence) -> tuple[float, float]:
    """Half-widths of the 95 % and the 90 % interval."""
    se, degrees = _whole_error(line, design, published, spread, evidence)
    if math.isinf(se) or se == 0:
        return se, se
    normal = math.isinf(degrees)
    quantiles = [stats.norm.ppf(p) if normal else stats.t.ppf(p, degrees) for p in (0.975, 0.95)]
    return quantiles[0] * se, quantiles[1] * se


def _error(line, design, published, spread, evidence) -> tuple[float, float]:
    mine, others, spreads, disagreements, *_ = evidence
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
    return math.sqrt(own / n + spread**2 / trials), min(n, trials) - 1


def _with_choice(se, degrees, choices, times) -> tuple[float, float]:
    a, b = se**2, times * statistics.variance(choices)
    lost = (0 if math.isinf(degrees) else a**2 / degrees) + b**2 / (len(choices) - 1)
    return math.sqrt(a + b), (a + b) ** 2 / lost


def _one_more(values, least=0.0) -> tuple[float, float]:
    k = len(values)
    if k < 2:
        return math.inf, 0
    return max(statistics.stdev(values), least) * math.sqrt(1 + 1 / k), k - 1


def recounted_claims(paper: str) -> dict[str, str]:
    """Word on every claim, by its name."""
    entry, words = entry_of(paper), {}
    for claim in entry.get("claims", []):
        cells = [] if "not_judged" in claim else _cells(entry, claim)
        if not cells:
            continue
        judged = [_pairs_in(paper, claim, cell) for cell in cells]
        whole = _weakest(_contrasts(claim, cells, judged))
        farther = False
        for reading in _readings_of(paper, claim, cells) - {cells[0]["reading"]}:
            places, pairs, beside = [], [], []
            for cell, as_judged in zip(cells, judged, strict=True):
                own = _pairs_in(paper, claim, {**cell, "reading": reading})
                if own is None or not any(reading in pair["readings"] for pair in own):
                    continue
                if any(n == 1 < m for n, m in _trials(own, as_judged)):
                    continue
                places.append(cell)
                pairs.append(own)
                beside.append(as_judged)
            if not places:
                continue
            listed, as_judged = _contrasts(claim, places, pairs), _contrasts(claim, places, beside)
            word = _weakest(listed)
            if word == "undecided":
                fewer = any(
                    n < m
                    for own, others in zip(pairs, beside, strict=True)
                    for n, m in _trials(own, others)
                )
                wider = all(
                    mine[1] > other[1]
                    for mine, other in zip(listed, as_judged, strict=True)
                    if mine[0] == "undecided"
                )
                one_set = claim.get("each") or len({cell["dataset"] for cell in places}) == 1
                if one_set and fewer and wider:
                    continue
            rank = ["fails", "undecided", "holds"].index
            before = abs(rank(_weakest(as_judged)) - rank(whole))
            farther |= abs(rank(word) - rank(whole)) > before
        words[claim["name"]] = "holds, but" if whole == "holds" and farther else whole
    return words


def _readings_of(paper, claim, cells) -> set[str]:
    """Readings of all records that may belong to a side whose reading is not said."""
    sides = (claim["a"], *claim["b"])
    if all("value" in side or "reading" in side for side in sides):
        return set()
    tables = {s.get("results", c["table"]) for s in sides for c in cells}
    return {
        r["reading"]
        for table in tables
        for r in _table(paper, table)
        if r["dataset"] in {cell["dataset"] for cell in cells}
        and r["method"] in {s.get("method") for s in sides}
        and r["metric"] in {claim["metric"], *(s.get("metric") for s in sides)}
    }


def _trials(pairs, judged) -> list[tuple[int, int]]:
    counts = []
    for pair, as_judged in zip(pairs, judged, strict=True):
        counts += zip(pair["trials"], as_judged["trials"], strict=True)
    return counts


def _weakest(contrasts) -> str:
    words = [word for word, _ in contrasts]
    return "fails" if "fails" in words else "undecided" if "undecided" in words else "holds"


def _contrasts(claim, cells, pairs) -> list[tuple[str, float]]:
    """Word and half-width against every side b, of a sentence on every data set in each."""
    groups: dict[str, list[int]] = {}
    for place, cell in enumerate(cells):
        groups.setdefault(cell["dataset"] if claim.get("each") else "", []).append(place)
    n = len(groups) * len(claim["b"])
    return [
        _contrast(
            claim,
            cells[0],
            [pairs[place][b] for place in places],
            [cells[place]["dataset"] for place in places],
            n,
        )
        for b in range(len(claim["b"]))
        for places in groups.values()
    ]


def _cells(entry, claim) -> list[dict]:
    """Where the claim's metric is printed of its method, or else of any.

    Where it is not, the performances of the method, or of any.
    """
    for any_method in (False, True):
        for other_metric in (False, True):
            if cells := _cells_of(entry, claim, other_metric, any_method):
                return cells
    return []


def _cells_of(entry, claim, other_metric, any_method) -> list[dict]:
    cells: list[dict] = []
    for name in claim["tables"]:
        table = entry["tables"][name]
        for row, printed in table["values"].items():
            for column, value in zip(table["columns"], printed, strict=True):
                line = _line(table, row, column)
                is_performance = line["design"] != "selection" and line["quantity"] == "performance"
                same = is_performance if other_metric else line["metric"] == claim["metric"]
                own = any_method or line["method"] == claim["a"]["method"]
                if value == "" or not own or not same:
                    continue
                if row in table.get("not_run", {}) or column in table.get("not_run", {}):
                    continue
                if line["dataset"] not in claim.get("datasets", [line["dataset"]]):
                    continue
                design = claim.get("design", line["design"])
                cell = {
                    "table": claim.get("results") or line["results"] or name,
                    "dataset": line["dataset"],
                    "setting": line.get("setting", ""),
                    "reading": claim.get("reading") or line["judged"] or "headline",
                    "design": [design] if isinstance(design, str) else design,
                    "folds": claim.get("folds", line["folds"]),
                    "scale": claim.get("scale", line["scale"] or 1),
                    "choices": _choices_of_claim(entry, claim, line, name),
                    "line": line,
                    "published": value[0] if isinstance(value, list) else value,
                }
                keys = ("table", "dataset", "setting")
                if not any(all(cell[k] == other[k] for k in keys) for other in cells):
                    cells.append(cell)
    return cells


def _choices_of_claim(entry, claim, line, table):
    """What selects them for side a, if it is the one of the printed number; else None."""
    if claim["metric"] != line["metric"] or claim["a"].get("results", table) != table:
        return None
    wanted = {k: v for k, v in line.items() if k not in SETTINGS}
    return line, line["results"] or table, wanted


def _pairs_in(paper, claim, cell) -> list[dict] | None:
    """Difference, variance, degrees and trials against every side b; None where a side has none."""
    pairs = []
    for b in claim["b"]:
        ours = _side(paper, claim, cell, claim["a"])
        theirs = ours if "value" in b else _side(paper, claim, cell, b)
        apart = bool({"test set", "seeds"} & set(cell["design"]))
        trials = sorted(set(ours) & set(theirs))
        if not ours or not theirs or not (apart or trials):
            return None
        x = {t: value for t, (value, _, _) in ours.items()}
        y = {t: b.get("value", value) for t, (value, _, _) in theirs.items()}
        differences = [x[t] - y[t] for t in trials]
        mean = statistics.fmean(x.values()) - statistics.fmean(y.values())
        errors = [_error_of_pair(d, cell, ours, x, y, differences) for d in cell["design"]]
        error = max(errors, key=lambda e: _quantile(0.975, e[1]) * e[0])
        if choices := _choices_at(paper, cell, b):
            error = _with_choice(*error, choices, 1)
        line = cell["line"]
        if line["pool"]:
            units = _paired_units(paper, claim, cell, b)
            error = math.sqrt(statistics.variance(units) / len(units)), len(units) - 1
        pairs.append(
            {
                "mean": mean if apart else statistics.fmean(differences),
                "error": error,
                "trials": (len(x), len(y)) if apart else (len(trials), len(trials)),
                "readings": {reading for *_, reading in (*ours.values(), *theirs.values())},
            }
        )
    return pairs


def _error_of_pair(design, cell, ours, x, y, differences) -> tuple[float, float]:
    n, scale = len(differences), cell["scale"]
    if design in ("splits", "runs"):
        if n < 2:
            return math.inf, 1
        tested = cell["line"].get("tested")
        rho = max(min(0.5 * (1 - tested), 0.25), 0.1) if tested else 0.2
        correlated = rho / (1 - rho) if design == "splits" else 1 / (n - 1)
        return math.sqrt(statistics.variance(differences) * (1 / n + correlated)), n - 1
    folds = (cell["folds"] or 1) if design == "cross-validation" else 1
    points = sum(int(ours[t][1]) for t in sorted(ours)[:folds])
    rates = [statistics.fmean(side.values()) / scale for side in (x, y)]
    q = sum(min(rate, 1 - rate) for rate in rates)
    terms = [(scale**2 * max(q, 1 / points) / points, math.inf)]
    if design != "cross-validation":
        several = [list(side.values()) for side in (x, y) if len(side) > 1]
        terms += [(statistics.variance(v) / len(v), len(v) - 1) for v in several]
    return _sum_of(terms)


def _sum_of(terms) -> tuple[float, float]:
    """Standard error and degrees of freedom (Welch, Satterthwaite) of terms (variance, degrees)."""
    total, lost = sum(v for v, _ in terms), sum(v**2 / f for v, f in terms)
    return math.sqrt(total), total**2 / lost if lost else math.inf


def _quantile(p, degrees) -> float:
    return float(stats.norm.ppf(p) if math.isinf(degrees) else stats.t.ppf(p, degrees))


def _error_of_mean(pairs, sets) -> tuple[float, float]:
    """Of several data sets each is one draw, by Student's t; of one, its cells share all noise."""
    names = sorted(set(sets))
    if len(names) == 1:
        return statistics.fmean(p["error"][0] for p in pairs), min(p["error"][1] for p in pairs)
    means = [
        statistics.fmean(p["mean"] for p, own in zip(pairs, sets, strict=True) if own == name)
        for name in names
    ]
    if all(math.isclose(mean, means[0], rel_tol=1e-5, abs_tol=1e-8) for mean in means):
        return math.inf, 1
    shares = [sets.count(name) / len(sets) for name in names]
    return statistics.stdev(means) * math.hypot(*shares), len(means) - 1


def _contrast(claim, cell, pairs, sets, n_contrasts) -> tuple[str, float]:
    se, freedom = _error_of_mean(pairs, sets)
    if math.isinf(se):
        return "undecided", math.inf
    d = statistics.fmean(p["mean"] for p in pairs) * (1 if claim["larger"] == "better" else -1)
    level = 1 - 0.025 / n_contrasts
    wide, narrow, widest = (_quantile(p, freedom) * se for p in (0.975, 0.95, level))
    line = cell["line"]
    margin = 1.5 * (line["scale"] or 1) / 100
    if line["quantity"] == "selection":
        published = cell["published"]
        margin = max(0.2 * abs(published), 1)
    margin, by = claim.get("margin", margin), claim.get("by", 0)
    by = margin if by == "margin" else by
    holds = {
        "better": d - wide > by,
        "at least as good": d - narrow > -margin,
        "same": -margin < d - narrow and d + narrow < margin,
    }[claim["claims"]]
    if holds:
        return "holds", wide
    fails = {
        "better": d + widest < by,
        "at least as good": d + widest < -margin,
        "same": d + widest < -margin or d - widest > margin,
    }[claim["claims"]]
    return "fails" if fails else "undecided", wide


def _choices_at(paper, cell, b) -> list[float]:
    """Means at other draws of a choice that is made once, of a - b if both sides hang on it."""
    if cell["choices"] is None:
        return []
    line, table, wanted = cell["choices"]
    ours = _choices(paper, line, table, wanted, cell["reading"])
    wanted = {**wanted, "method": b.get("method", "")}
    theirs = _choices(paper, line, table, wanted, cell["reading"])
    both = [mean - theirs[draw] for draw, mean in ours.items() if draw in theirs]
    return both if theirs else list(ours.values())


def _paired_units(paper, claim, cell, b) -> list[float]:
    """What each run is worth of the difference of two sides, under the headline."""

    def difference(reading):
        there = {**cell, "reading": reading}
        ours = [value for value, *_ in _side(paper, claim, there, claim["a"]).values()]
        if "value" in b:
            return statistics.fmean(ours) - b["value"]
        theirs = [value for value, *_ in _side(paper, claim, there, b).values()]
        return statistics.fmean(ours) - statistics.fmean(theirs)

    names = [entry["name"] for entry in entry_of(paper)["readings"]]
    without = [r for r in names if r.startswith(cell["line"]["pool"]["without"])]
    k, whole = len(without), difference("headline")
    return [k * whole - (k - 1) * difference(reading) for reading in without]


def _side(paper, claim, cell, side) -> dict[int, tuple[float, str, str]]:
    """Value, test points and reading by trial."""
    wanted = {k: cell[k] for k in ("dataset", "setting", "reading")}
    wanted |= {"metric": claim["metric"]}
    wanted |= {k: side[k] for k in ("method", "metric", "setting", "reading") if k in side}
    if "within" in side:
        judged = claim.get("reading") or cell["line"]["judged"] or "headline"
        other = "" if cell["reading"] == judged else f", {cell['reading']}"
        wanted["reading"] = side["within"] + other
    table = side.get("results", cell["table"])
    rows = _records(paper, table, wanted)
    if not rows and "reading" not in side and "within" not in side:
        rows = _records(paper, table, {**wanted, "reading": _base(paper, cell["reading"], side)})
    factor = cell["scale"] * side.get("factor", 1)
    found = {}
    for r in rows:
        values = r["path"].split() if "at" in side else [r["value"]]
        value = values[side.get("at", 1) - 1 :][:1]
        if value and value[0]:
            found[int(r["trial"])] = (factor * float(value[0]), r["n_test"], r["reading"])
    return found


def _base(paper, reading, side) -> str:
    """The reading that another one is a change of."""
    for entry in entry_of(paper).get("readings", []):
        if entry["name"] == reading:
            beside = entry.get("beside", "headline")
            return beside if isinstance(beside, str) else beside.get(side["method"], "headline")
    return "headline"


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
