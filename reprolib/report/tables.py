"""Tables for notebooks, the report and the README: numbers and claims, published beside ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from reprolib.report.all_readings import of_claim
from reprolib.report.theme import LOOKS, signed
from reprolib.rerun.printed.names import unknown
from reprolib.rerun.printed.schema import Quantity
from reprolib.rerun.records import HEADLINE, load_paper, sources
from reprolib.rerun.records.registry import printed_of, readings_of
from reprolib.rerun.verdicts import ClaimVerdict, Verdict, judge_claims, judge_paper
from reprolib.rerun.verdicts.claim import Cell
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import Role, numbers, short_name
from reprolib.rerun.verdicts.sure import Tipping
from reprolib.rerun.verdicts.words import WORDS

#: What a table of readings says of each.
READING_COLUMNS = [
    *("published", "ours", "difference", "half-width", "surely", "trials", "source", "verdict")
]
#: What a table of claims says of each, in full and in short.
CLAIM_COLUMNS = [
    *("verdict", "but", "difference", "half-width", "surely", "published"),
    *("published contrast", "contrast", "in favour", "text", "page", "source"),
]
#: Share of errors in print below which their ratio is said.
FEW_ERRORS = 0.05
#: Order of a table of claims for a reader.
ORDER = {"holds": 0, "holds, but": 0, "fails": 1, "undecided": 2}
SHORT_CLAIM_COLUMNS = [
    *("verdict", "contrast", "difference", "half-width", "surely", "published", "in favour")
]


def number_text(value: float, spread: float | None, digits: int) -> str:
    """``10.73 ± 0.42``, rounded; a dash for a value that is missing."""
    if value is None or np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text if spread is None or np.isnan(spread) else f"{text} ± {spread:.{digits}f}"


def ours_text(v: Verdict, spread: float | None = None) -> str:
    """Our value, rounded as printed; an exact half to the side of the printed number.

    61.125 is 61.13 in print, and a binary fraction just below it would be shown as 61.12.
    """
    ours = v.number.value if v.word == "to the digit" else v.ours
    return number_text(ours, spread, v.number.digits)


def difference_text(value: float, digits: int) -> str:
    """``+0.32``, with one digit at least; a dash for a value that is missing."""
    digits = max(digits, 1)
    return "–" if np.isnan(value) else f"{round(value, digits) + 0.0:+.{digits}f}"


def half_width_text(value: float, digits: int) -> str:
    """``0.46``, with one digit at least; ∞ where one trial gives no interval."""
    if np.isinf(value):
        return "∞"
    return number_text(value, None, max(digits, 1))


def surely(point: Tipping | None, digits: int) -> str:
    """How far a sure word on a number goes: ``within 0.90``, ``beyond 3.20``; else a dash."""
    if point is None:
        return "–"
    return f"{'within' if point.holds else 'beyond'} {abs(point.bound):.{max(digits, 1)}f}"


def errors_text(v: Verdict) -> str:
    """``1.67 times the errors``, where print has less than 5 % of them; else empty.

    A small difference of accuracies is then a large one of errors.
    """
    is_error, scale = "error" in v.number.select["metric"], v.number.scale
    if v.quantity != "performance" or not (is_error or "accuracy" in v.number.select["metric"]):
        return ""
    ours, printed = (x if is_error else scale - x for x in (v.ours, v.number.value))
    return f"{ours / printed:.2f} times the errors" if 0 < printed < FEW_ERRORS * scale else ""


def number_surely(point: Tipping | None, digits: int) -> str:
    """`surely` with what would change it: ``within 0.90; noise × 1.41``."""
    told = surely(point, digits)
    if point is None or not np.isfinite(point.noise):  # one selection, or nothing left to chance
        return told
    return f"{told}; noise × {point.noise:.2f}"


def claim_surely(c: ClaimVerdict) -> str:
    """How far a sure word on a claim goes, and what would change it.

    ``within 1.20; noise × 1.67``: with a margin of 1.20 the word would change, or with noise 1.67
    times as large; ``but worse by 0.19`` has a noise of its own.
    """
    point = c.tipping
    if point is None:
        return "–"
    if c.claim.kind == "same":
        told = "within" if point.holds else "beyond"
    else:
        ahead = "ahead by at" if point.bound > 0 else "behind by at"
        told = f"{ahead} {'least' if point.holds == (point.bound > 0) else 'most'}"
    digits = max(digits_of(c), 1)
    told += f" {abs(point.bound):.{digits}f}"
    if c.claim.kind != "better" and c.outcome == "equal but worse":
        half = c.weakest.error.half_width()
        told += f"; noise × {point.noise:.2f}; but worse by {-c.favour - half:.{digits}f}"
        return f"{told}; noise × {-c.favour / half:.2f}"
    return f"{told}; noise × {point.noise:.2f}"


def verdict_frame(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One row a published number: both values, difference and interval, trials, verdict, design."""
    return pd.DataFrame(
        [
            {
                "table": v.number.table,
                "row": v.number.row,
                "column": v.number.column,
                "role": v.role,
                "quantity": v.quantity,
                **_beside(v),
                "reason": v.reason,
            }
            for v in (verdict.shown for verdict in verdicts)
        ]
    )


def _beside(v: Verdict) -> dict[str, Any]:
    digits, credit = v.number.digits, ""
    if v.is_credited:
        outcome = v.readings[v.reading]
        value = number_text(outcome.ours, outcome.spread, digits)
        credit = f"{v.reading}: {value} (one of {v.n_readings} tried)"
    return {
        "published": number_text(v.number.value, v.number.spread, digits),
        "ours": ours_text(v, v.spread),
        "difference": difference_text(0.0 if v.word == "to the digit" else v.difference, digits),
        "half-width": half_width_text(v.half_width, digits),
        "surely": surely(v.tipping, digits),
        "trials": v.n_trials,
        "source": v.source or "–",
        "verdict": v.word,
        "design": v.design if v.n_trials else "–",
        "reading": credit,
    }


def readings(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Every number of a table under every reading that it was measured under, one line each.

    Returns
    -------
    DataFrame
        Indexed by row, column and reading, the judged one first: published, ours, difference and
        half-width, trials, source and the verdict under this reading alone.
    """
    index = ["row", "column", "reading"]
    lines = []
    for v in judge_paper(paper, directory):
        if v.number.table == table and v.n_trials:
            place = {"row": v.number.row, "column": v.number.column}
            lines += [
                {**_beside(v), **place, "reading": name} for name, v in _by_reading(v).items()
            ]
    return pd.DataFrame(lines, columns=[*index, *READING_COLUMNS]).set_index(index)


def _by_reading(v: Verdict) -> dict[str, Verdict]:
    """What every run of a number says alone, without credit, the judged one first."""
    judged = replace(v, word=v.judged_word, reading=v.number.judged)
    others = {name: replace(judged, **vars(found)) for name, found in v.readings.items()}
    return {v.number.judged: judged, **others}


def variants(
    paper: str,
    rows: Mapping[str, Mapping[str, str]],
    columns: Mapping[str, Mapping[str, str]],
    directory: Path | None = None,
) -> pd.DataFrame:
    """Chosen numbers under chosen readings: ours, or what is printed.

    Parameters
    ----------
    paper : str
        Key of the paper.
    rows, columns : mapping of str to mapping
        By the name that a reader sees, what selects: table, row, column and reading; what a row
        does not say, its column says. The reading "printed" is the paper's own number.
    directory : Path, optional
        Results folder; the committed results if not given.

    Raises
    ------
    ValueError
        If no number is selected by a row and a column, or there is no such reading.
    """
    readings = {"printed", HEADLINE, *readings_of(paper)}
    cells: dict[tuple[str, ...], str] = {}
    for v in judge_paper(paper, directory):
        place, digits = (v.number.table, v.number.row, v.number.column), v.number.digits
        for name, run in _by_reading(v).items():
            cells[*place, name] = ours_text(run)
        cells[*place, "printed"] = number_text(v.number.value, None, digits)

    def cell(by_row: Mapping[str, str], by_column: Mapping[str, str]) -> str:
        chosen = {**by_column, **by_row}
        parts = ("table", "row", "column", "reading")
        if other := sorted(chosen.keys() - set(parts)):
            raise unknown("what selects a number", other[0], parts)
        *place, reading = (chosen.get(part, "") for part in parts)
        begun = list(cells)
        for at, (part, name) in enumerate(zip(parts, place, strict=False)):
            known = dict.fromkeys(cell[at] for cell in begun)
            if name not in known:
                raise unknown(part, name, known)
            begun = [cell for cell in begun if cell[at] == name]
        if reading not in readings:
            raise unknown("reading", reading, sorted(readings))
        return cells.get((*place, reading), "")

    chosen = {name: [cell(row, by) for row in rows.values()] for name, by in columns.items()}
    return pd.DataFrame(chosen, index=list(rows))


def readings_tried(paper: str, verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Every reading of a paper: question, answer, and the words on the numbers measured under it.

    Under the judged reading stand the words before any credit. A reading without printed numbers
    behind it was tried on something else.
    """
    asked = printed_of(paper).story.readings
    entries = [(name, asked[name].question, asked[name].text) for name in readings_of(paper)]
    frame = pd.DataFrame(entries, columns=["reading", "question", "what is taken"])
    told = []
    for name in frame["reading"]:
        words = Counter(v.judged_word for v in verdicts if v.n_trials and v.number.judged == name)
        words.update(v.readings[name].word for v in verdicts if name in v.readings)
        told.append(", ".join(f"{LOOKS[w].sign} {words[w]} {w}" for w in WORDS if words[w]))
    frame["verdicts under it"] = [text or "none" for text in told]
    return frame


def scoreboard(papers: Sequence[str], directory: Path | None = None) -> pd.DataFrame:
    """Count the verdicts of every paper by role and quantity, its own method's performance first.

    Returns
    -------
    DataFrame
        Indexed by paper and kind of number (``own, performance``); how many there are, how many
        have each word, and the sources of our data.
    """
    rows = []
    for paper in papers:
        kinds: dict[str, list[Verdict]] = {}
        for v in in_report_order(judge_paper(paper, directory)):
            kinds.setdefault(kind_of_number(v), []).append(v)
        for kind, of_kind in kinds.items():
            sources = sorted({s for v in of_kind for s in v.source.split(", ") if s})
            rows.append(
                {
                    "paper": paper,
                    "numbers": kind,
                    "published": len(of_kind),
                    **{str(word): count for word, count in count_words(of_kind).items()},
                    "sources": ", ".join(sources) or "–",
                }
            )
    index = ["paper", "numbers"]
    return pd.DataFrame(rows, columns=[*index, "published", *WORDS, "sources"]).set_index(index)


def kind_of_number(verdict: Verdict) -> str:
    """Role and quantity of a number; quotations are one kind."""
    return "quoted" if verdict.role == "quoted" else f"{verdict.role}, {verdict.quantity}"


def heading(paper: str) -> str:
    """Title of a paper, after its short name where the title does not have it."""
    title, short = printed_of(paper).printed.paper.title, short_name(paper)
    return title if short.lower() in title.lower() else f"{short}: {title}"


def citation(paper: str) -> str:
    """Authors, venue and year of a paper."""
    about = printed_of(paper).printed.paper
    year = "" if str(about.year) in about.venue else f", {about.year}"
    return f"{about.authors}. {about.venue}{year}."


def in_report_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts with the paper's own method first, performance before selection, as printed else."""
    roles, quantities = get_args(Role), get_args(Quantity)
    return sorted(verdicts, key=lambda v: (roles.index(v.role), quantities.index(v.quantity)))


def provenance(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Data sets behind a paper's records: source, and trials at hand."""
    records = load_paper(paper, directory)
    first = sources(records).groupby(records["dataset"]).first()
    return pd.DataFrame({"source": first, "trials": records.groupby("dataset")["trial"].nunique()})


def claims_frame(papers: Sequence[str], directory: Path | None = None) -> pd.DataFrame:
    """One row a claim: what it says, the word, the difference that decides, and the printed one.

    Parameters
    ----------
    papers : sequence of str
        Keys of the papers.
    directory : Path, optional
        Results folder; the committed results if not given.

    Returns
    -------
    DataFrame
        Indexed by paper and claim. ``verdict``: the word; ``but``: controls under which it is
        another one; ``difference`` and ``half-width`` (95 %): of the contrast that decides, the
        left side minus the right one; ``in favour``: in how many cells it has the claimed sign.
    """
    rows = [
        {"paper": paper, "claim": c.claim.name, **_claim_line(c)}
        for paper in papers
        for c in judge_claims(paper, directory)
    ]
    index = ["paper", "claim"]
    return pd.DataFrame(rows, columns=[*index, *CLAIM_COLUMNS]).set_index(index)


def claims_table(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Claims of one paper for a reader: the word first, and the contrast that decides.

    Returns
    -------
    DataFrame
        Indexed by verdict. ``ours`` and ``printed``: the difference that decides, here and in the
        paper's table. ``interval``: the one that decides, 90 % where equality is claimed.
        ``surely``: how far the word goes, and what would change it (`claim_surely`). ``all
        variants``: the picture of all variants of the protocol, whose text says in how many it
        holds, fails or is undecided. ``sentence``: that of several comparisons, once, above the
        first of them. What holds is first; sentences that no contrast can judge are last, with the
        reason.
    """
    rows = []
    for c, sentence in by_sentence(judge_claims(paper, directory)):
        digits = digits_of(c)
        rows.append(
            {
                "verdict": signed(c.word),
                "sentence": sentence,
                "claim": c.claim.name,
                "compared": compared(c),
                "ours": difference_text(c.difference, digits),
                "printed": difference_text(c.weakest.printed, digits),
                "interval": deciding_interval(c),
                "surely": claim_surely(c),
                "all variants": of_claim(c, digits),
            }
        )
    for stated in printed_of(paper).printed.claims:
        if stated.not_judged is not None:
            claim = {"claim": stated.name, "compared": stated.not_judged}
            rows.append({"verdict": "– not judged", **claim})
    columns = ["verdict", "sentence", "claim", "compared", "ours", "printed", "interval", "surely"]
    columns.append("all variants")
    frame = pd.DataFrame(rows, columns=columns).fillna("").set_index("verdict")
    return frame.rename_axis(index=None, columns="verdict")


def by_sentence(claims: Iterable[ClaimVerdict]) -> list[tuple[ClaimVerdict, str]]:
    """Claims with the best word first, those of one sentence together.

    Beside the first of several stands what they have in common: the sentence; beside others
    nothing.
    """
    sentences: dict[str, list[ClaimVerdict]] = {}
    for c in sorted(claims, key=lambda c: ORDER[c.word]):
        sentences.setdefault(c.text, []).append(c)
    return [
        (c, text if len(of_sentence) > 1 and c is of_sentence[0] else "")
        for text, of_sentence in sentences.items()
        for c in of_sentence
    ]


def one_cause(claims: Iterable[ClaimVerdict]) -> str:
    """What leaves several claims undecided at once, said once; empty if there is no such thing."""
    listed = list(claims)
    own = [c for c in listed if c.word == "undecided"]
    pools = [pool for c in own if (pool := c.claim.cells[0].number.pool)]
    if len(pools) < 2:
        return ""
    have, of = round(own[0].weakest.error.degrees) + 1, pools[0].of
    return (
        f"{len(pools)} of {len(listed)} claims are undecided for one cause: {of - have} of the "
        f"paper's {of} recordings are not public, and the {have} that we have differ."
    )


def claims_lines(claims: Sequence[ClaimVerdict]) -> pd.DataFrame:
    """As `claims_table`, of claims that are judged."""
    rows = []
    for c in claims:
        line = _claim_line(c)
        but = f" ({c.but})" if c.but else ""
        rows.append({"claim": c.claim.name, **line, "verdict": signed(c.word) + but})
    return pd.DataFrame(rows, columns=["claim", *SHORT_CLAIM_COLUMNS]).set_index("claim")


def _claim_line(c: ClaimVerdict) -> dict[str, object]:
    weakest, digits = c.weakest, digits_of(c)
    return {
        "verdict": c.word,
        "but": c.but,
        "contrast": f"{c.claim.a.name} − {weakest.against}",
        "difference": difference_text(weakest.difference, digits),
        "half-width": half_width_text(weakest.error.half_width(), digits),
        "surely": claim_surely(c),
        "published": difference_text(weakest.printed, digits),
        "published contrast": "–" if weakest.printed_word == "not run" else weakest.printed_word,
        "in favour": in_favour(c),
        "source": weakest.sources,
        "text": c.text,
        "page": c.claim.page or "–",
    }


def digits_of(c: ClaimVerdict) -> int:
    """Digits after the point of a claim's differences: as printed, else three for fractions."""
    number = c.claim.cells[0].number
    if number.select["metric"] == c.claim.metric:
        return number.digits
    return 3 if c.claim.scale == 1.0 and abs(c.difference) < 1 else 2


def deciding_interval(c: ClaimVerdict) -> str:
    """``+0.01 to +1.50 (90 %)``: the interval that decides, 90 % where equality is claimed."""
    is_equality = c.claim.kind != "better" and c.word != "fails"
    level = 0.9 if is_equality else 0.95
    half, digits = c.weakest.error.half_width(level), digits_of(c)
    low, high = (difference_text(c.difference + end, digits) for end in (-half, half))
    return "unknown" if np.isinf(half) else f"{low} to {high} ({100 * level:g} %)"


def sides(c: ClaimVerdict) -> str:
    """Both sides of the contrast that decides, under the names that the paper's tables have."""
    text = re.sub(r" on \w+/", " on ", f"{c.claim.a.name} − {c.weakest.against}")
    claims = printed_of(c.claim.paper).printed.claims
    if len({other.metric or c.claim.metric for other in claims}) > 1:
        metric = re.sub(" (path|map)$", "", c.claim.metric)
        text = f"{metric.upper() if metric == 'auc' else metric}: {text}"
    rows: dict[str, set[str]] = {}
    columns: dict[str, set[str]] = {}
    for n in numbers(c.claim.paper):
        if n.quantity == "performance":
            rows.setdefault(n.select["method"], set()).add(n.row)
            columns.setdefault(n.select["method"], set()).add(n.column)
    for method in sorted(rows, key=len, reverse=True):
        for names in (rows[method], columns[method]):
            if len(names) == 1:
                text = re.sub(rf"(?<!\w){re.escape(method)}(?!\w)", min(names), text)
                break
    return text


def compared(c: ClaimVerdict) -> str:
    """Both sides of the contrast that decides, their means, data sets and trials."""
    of_a, of_b = (f"{side:.{digits_of(c)}f}" for side in c.weakest.sides)
    trials = sorted({found.n_trials for found in c.weakest.by_cell.values()})
    told = f"{trials[0]} to {trials[-1]} trials" if len(trials) > 1 else f"{trials[0]} trials"
    sets = len({cell.dataset for cell in c.weakest.by_cell})
    of_sets = f"{sets} sets, " if sets > 1 else ""
    return f"{sides(c)} ({of_a} − {of_b}; {of_sets}{told if trials[-1] > 1 else 'one trial'})"


def dataset_name(cell: Cell) -> str:
    """Name of a cell's data set as the paper's table has it: its row, its column, or ours."""
    printed = [n for n in numbers(cell.number.paper) if n.table == cell.number.table]
    for part in ("row", "column"):
        names = {getattr(n, part) for n in printed if n.select["dataset"] == cell.dataset}
        others = {getattr(n, part) for n in printed if n.select["dataset"] != cell.dataset}
        if len(names) == 1 and not names & others:
            return names.pop()
    name = cell.dataset.split("/")[-1]
    return name.upper() if len(name) < 4 else name.capitalize()


def in_favour(c: ClaimVerdict) -> str:
    """In how many cells the contrast that decides is as claimed: ``0 of 9``.

    The sign of the difference, or for "same" a difference within the margin.
    """
    differences = np.array([found.difference for found in c.weakest.by_cell.values()])
    favour = differences if c.claim.larger_is_better else -differences
    as_claimed = np.abs(differences) < c.claim.margin if c.claim.kind == "same" else favour > 0
    return f"{int(as_claimed.sum())} of {len(differences)}"
