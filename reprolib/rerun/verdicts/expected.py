"""Which words are worse than those that a file expects, and how words are ordered."""

from __future__ import annotations

from reprolib.rerun.verdicts.anyone import Judged

#: From the worst word to the best; "quoted" and "not run" are no verdicts and count as worse.
ORDER = (
    "not reproduced",
    "fails",
    "undecided",
    "reproduced under a reading",
    "reproduced",
    "holds",
)


def worse_than_expected(judged: Judged) -> dict[str, str]:
    """Numbers and claims whose word is worse than the expected one.

    Returns
    -------
    dict of str to str
        By name: both words, the difference and its interval.
    """
    found = judged.words()
    return {
        name: f"{name} is {found[name]}, expected {word}: {difference_text(judged, name)}"
        for name, word in judged.expected.items()
        if place(found[name]) < place(word)
    }


def place(word: str) -> int:
    """Place of a word in the order, the worst first."""
    return ORDER.index(word) if word in ORDER else -1


def difference_text(judged: Judged, name: str) -> str:
    """Difference of a number or a claim, its 95 % interval, and what would have been seen."""
    numbers = {v.number.id: v for v in judged.verdicts}
    if name in numbers:
        verdict = numbers[name]
        if verdict.n_trials == 0:
            return verdict.reason
        about = f"ours {verdict.ours:.4g}, printed {verdict.number.value:.4g}"
        difference, (low, high), least = verdict.difference, verdict.interval, verdict.detectable
    else:
        claim = next(c for c in judged.claims if c.claim.name == name)
        about = f"“{claim.text}”"
        difference, (low, high), least = claim.difference, claim.interval, claim.detectable
    return (
        f"{about}; difference {difference:+.3g}, 95 % interval {low:+.3g} to {high:+.3g}, "
        f"detectable {least:.3g}"
    )
