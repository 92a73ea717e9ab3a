"""The headline: how far each paper can be trusted, one bar and one sentence a paper.

A bar counts the accuracies of the paper's own method by word, a thinner one those of the methods
that it compares with. README, report and site show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reprolib.report.theme import LOOKS, palette, render, signed, slug
from reprolib.rerun.records.registry import printed_of
from reprolib.rerun.verdicts.judge import Verdict, performances
from reprolib.rerun.verdicts.printed import Role, points_of, short_name
from reprolib.rerun.verdicts.row_line import line_of, told
from reprolib.rerun.verdicts.words import WORDS, Word

#: Pixels from one paper to the next, of a bar, and from the first bar of a paper to the second.
_LINE, _WIDTH, _LEFT, _SECOND = 98, 404.0, 8.0, 45
#: By role: height of a bar, and how its numbers are told.
_BARS: Mapping[Role, tuple[int, str]] = {
    "own": (20, "{name}: {numbers}"),
    "baseline": (14, "methods that it compares with: {numbers}"),
}
#: What a word means, behind it: the words are those of the tables and of the page on the words.
_LEGEND: Mapping[Word, str] = {
    "to the digit": "the printed digits",
    "reproduced": "within {margin}",
    "reproduced in a variant": "within {margin}",
    "undecided": "too few runs or data to tell",
    "undecided, differs": "perhaps by more than {margin}",
    "not reproduced": "more than {margin} off",
}


def headline_picture(verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """SVG for light and dark grounds, readable on a phone; the same wherever it is drawn.

    Parameters
    ----------
    verdicts : dict of str to list of Verdict
        By the key of the paper: on all its numbers. The performances of its own method are counted,
        and below them those of the methods that it compares with.
    """
    counted = {
        (paper, role): performances(of_paper, role)
        for paper, of_paper in verdicts.items()
        for role in _BARS
    }
    used = [word for word in WORDS if any(counts[word] for counts in counted.values())]
    top = 22 * len(used) + 36
    lines, alternative = [], []
    for (paper, role), counts in counted.items():
        height, text = _BARS[role]
        y = top + _LINE * list(verdicts).index(paper) + (_SECOND if role == "baseline" else 0)
        total, name = (
            sum(counts.values()),
            f"{short_name(paper)}, {printed_of(paper).printed.paper.year}",
        )
        numbers = "1 number" if total == 1 else f"{total} numbers"
        if total:
            shown = text.format(name=name, numbers=numbers)
            lines.append({"text": shown, "y": y, "height": height, "parts": _parts(counts)})
        if role == "own":
            alternative.append(f"{name}: " + ", ".join(f"{n} {w}" for w, n in counts.items() if n))
    means = {w: text.format(margin=points_of(verdicts)) for w, text in _LEGEND.items()}
    legend = [
        {
            "slug": slug(word),
            "text": f"{signed(word)}: {means[word]}" if word in means else signed(word),
            "y": 20 + 22 * place,
        }
        for place, word in enumerate(used)
    ]
    grounds = [palette(ground) for ground in ("light", "dark")]
    height = top + _LINE * len(verdicts) - 18
    return render(
        "headline.svg.jinja",
        lines=lines,
        legend=legend,
        told="; ".join(alternative),
        grounds=grounds,
        height=height,
    )


def _parts(counts: Mapping[Word, int]) -> list[dict[str, object]]:
    """Parts of a bar, one a word, from left to right."""
    total, x, parts = sum(counts.values()), _LEFT, []
    for word in WORDS:
        if count := counts[word]:
            width = _WIDTH * count / total
            text = f"{LOOKS[word].sign} {count}" if width > 26 else str(count)
            shown = {"x": round(x, 1), "width": round(width, 1), "slug": slug(word)}
            parts.append({**shown, "text": text, "middle": round(x + width / 2, 1)})
            x += width
    return parts


def own_line(verdicts: Sequence[Verdict]) -> str:
    """What all accuracies of a paper's own method say together; empty if none has an interval."""
    own = [v for v in verdicts if v.role == "own"]
    line = line_of(own)
    if line is None:
        return ""
    known = sum(v.quantity == "performance" and v.error.is_zero for v in own)
    beside = f", beside {known} that are compared exactly" if known else ""
    numbers = f"{line.n} number{'s' if line.n > 1 else ''}"
    return f"Its own method, {numbers}{beside}: {told(line, max(v.number.digits for v in own))}."


def sentences(papers: Sequence[str]) -> dict[str, str]:
    """How far each paper can be trusted, in plain sentences, from its file."""
    files = {paper: printed_of(paper) for paper in papers}
    return {
        p: f.story.in_short.replace("{margin}", f"{f.printed.margin:g}") for p, f in files.items()
    }
