"""What stands of a paper: its verdicts counted in the order in which they matter.

README, report and site take the counts of their first lines from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reprolib.rerun.verdicts.claims import CLAIM_WORDS, ClaimVerdict, ClaimWord, judge_claims
from reprolib.rerun.verdicts.judge import Verdict, count_words, judge_paper
from reprolib.rerun.verdicts.words import Word


@dataclass(frozen=True)
class Standing:
    """Counts of a paper's verdicts and claims by word.

    Parameters
    ----------
    own : dict of str to int
        How good the paper's own method is: accuracies, errors and areas under curves.
    baselines : dict of str to int
        The same of methods that the paper compares with and ran itself. Numbers that it quotes from
        elsewhere are no results of the paper and stand nowhere here.
    claims : dict of str to int
        Sentences that compare, by word.
    """

    own: Mapping[Word, int]
    baselines: Mapping[Word, int]
    claims: Mapping[ClaimWord, int]


def standing_of(paper: str, directory: Path | None = None) -> Standing:
    """What stands of a paper, by the committed results or those in ``directory``.

    Examples
    --------
    >>> from reprolib.rerun.verdicts.standing import standing_of
    >>> own = standing_of("mkmmc").own
    >>> f"{own['reproduced']} of {sum(own.values())} accuracies of the own method are reproduced"
    '0 of 9 accuracies of the own method are reproduced'
    """
    return counted(judge_paper(paper, directory), judge_claims(paper, directory))


def counted(verdicts: Sequence[Verdict], claims: Sequence[ClaimVerdict]) -> Standing:
    """Counts of given verdicts and claims, of one paper or of several together."""
    performances = [v for v in verdicts if v.quantity == "performance"]
    of_claims = Counter(claim.word for claim in claims)
    return Standing(
        own=count_words(v for v in performances if v.role == "own"),
        baselines=count_words(v for v in performances if v.role == "baseline"),
        claims={word: of_claims[word] for word in CLAIM_WORDS},
    )
