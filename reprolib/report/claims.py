"""The papers' claims with the word on each, as tables and in short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reprolib.report.tables import difference_text, half_width_text
from reprolib.report.theme import LOOKS, signed
from reprolib.rerun.verdicts.claims import CLAIM_WORDS, ClaimVerdict, judge_claims

#: Significant places of a difference: fractions have three, percentages and counts two and one.
_DIGITS = {1.0: 3, 100.0: 2}


def claims_frame(papers: Sequence[str], directory: Path | None = None) -> pd.DataFrame:
    """One row a claim: what it says, the word, the difference that decides, and the printed one.

    Parameters
    ----------
    papers : sequence of str
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
        {"paper": paper, "claim": c.claim.name, **_line(c)}
        for paper in papers
        for c in judge_claims(paper, directory)
    ]
    columns = ["paper", "claim", *_COLUMNS]
    return pd.DataFrame(rows, columns=columns).set_index(["paper", "claim"])


_COLUMNS = ["verdict", "but", "difference", "half-width", "detectable", "published"]
_COLUMNS += ["published contrast", "contrast", "in favour", "text", "page", "source"]


#: What a notebook shows of a claim.
_SHORT = ["verdict", "contrast", "difference", "half-width", "detectable", "published", "in favour"]


def claims_table(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Claims of one paper, in short: the word with its exceptions, and the contrast that decides.

    Returns
    -------
    DataFrame
        As `claims_frame`, indexed by claim, with the sign of the word and the controls under which
        it is another one in ``verdict``.
    """
    return claims_lines(judge_claims(paper, directory))


def claims_lines(claims: Sequence[ClaimVerdict]) -> pd.DataFrame:
    """As `claims_table`, of claims that are judged."""
    rows = [{"claim": c.claim.name, **_line(c)} for c in claims]
    frame = pd.DataFrame(rows, columns=["claim", *_COLUMNS]).set_index("claim")
    signs = [signed(word) for word in frame["verdict"]]
    but = [f" ({text})" if text else "" for text in frame["but"]]
    words = [word + exception for word, exception in zip(signs, but, strict=True)]
    return frame.assign(verdict=words)[_SHORT]


def _line(c: ClaimVerdict) -> dict[str, object]:
    weakest, digits = c.weakest, digits_of(c)
    return {
        "verdict": c.word,
        "but": c.but,
        "contrast": f"{c.claim.a.name} − {weakest.against}",
        "difference": difference_text(weakest.difference, digits),
        "half-width": half_width_text(weakest.error.half_width(), digits),
        "detectable": half_width_text(c.detectable, digits),
        "published": difference_text(weakest.printed, digits),
        "published contrast": "–" if weakest.printed_word == "not run" else weakest.printed_word,
        "in favour": in_favour(c),
        "source": weakest.sources,
        "text": c.text,
        "page": c.claim.page or "–",
    }


def digits_of(c: ClaimVerdict) -> int:
    """Digits after the point of a claim's differences; counts have one."""
    return _DIGITS.get(c.claim.scale, 2) if c.claim.margin else 1


def in_favour(c: ClaimVerdict) -> str:
    """In how many cells the contrast that decides is as claimed: ``0 of 9``.

    The sign of the difference, or for "same" a difference within the margin.
    """
    differences = np.array(list(c.weakest.by_cell.values()))
    favour = differences if c.claim.larger_is_better else -differences
    as_claimed = np.abs(differences) < c.claim.margin if c.claim.kind == "same" else favour > 0
    return f"{int(as_claimed.sum())} of {len(differences)}"


def count_claims(claims: Sequence[ClaimVerdict]) -> Mapping[str, int]:
    """How many claims of each word."""
    counts = Counter(c.word for c in claims)
    return {word: counts[word] for word in CLAIM_WORDS}


def claims_in_short(papers: Sequence[str], directory: Path | None = None) -> list[str]:
    """One Markdown line a paper: its claims, each with the sign of its word."""
    lines = []
    for paper in papers:
        names = [
            f"{LOOKS[c.word].sign} {c.claim.name}" + (r"\*" if c.exceptions else "")
            for c in judge_claims(paper, directory)
        ]
        lines += [f"- **{paper.upper()}**: {'; '.join(names)}"] if names else []
    return lines


def described_claim(c: ClaimVerdict) -> str:
    """Describe a claim in one sentence: what it says, the difference and the word."""
    digits, weakest = digits_of(c), c.weakest
    return (
        f"{c.claim.paper.upper()}, claim: {c.claim.name} (“{c.text}”); {c.claim.a.name} − "
        f"{weakest.against} {difference_text(weakest.difference, digits)}, 95 % half-width "
        f"{half_width_text(weakest.error.half_width(), digits)}, detectable "
        f"{half_width_text(c.detectable, digits)}: {c.word_with_exceptions}"
    )
