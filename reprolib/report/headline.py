"""The headline: how far each paper can be trusted, one bar and one sentence a paper.

A bar counts the accuracies of the paper's own method by word. README, report and site show it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reprolib.report.theme import LOOKS, POINTS, palette, render, signed, slug
from reprolib.rerun.verdicts.printed import paper_entry, short_name
from reprolib.rerun.verdicts.words import WORDS, Word

#: Pixels from one paper to the next, and of a bar.
_LINE, _WIDTH, _LEFT = 50, 404.0, 8.0
#: What a word means, behind it: the words are those of the tables and of the page on the words.
_LEGEND: Mapping[Word, str] = {
    "reproduced": f"within {POINTS}",
    "reproduced in a variant": f"within {POINTS} in another one",
    "undecided": "too few runs or data to tell",
    "undecided, differs": f"perhaps by more than {POINTS}",
    "not reproduced": f"more than {POINTS} off",
}


def headline_picture(own: Mapping[str, Mapping[Word, int]]) -> str:
    """SVG for light and dark grounds, readable on a phone; the same wherever it is drawn.

    Parameters
    ----------
    own : dict of str to dict
        By the key of the paper: how many of its own performances have each word.
    """
    used = [word for word in WORDS if any(counts.get(word, 0) for counts in own.values())]
    top = 22 * len(used) + 36
    lines = []
    for place, (paper, counts) in enumerate(own.items()):
        total, x, parts = sum(counts.values()), _LEFT, []
        for word in WORDS:
            if count := counts.get(word, 0):
                width = _WIDTH * count / total
                text = f"{LOOKS[word].sign} {count}" if width > 26 else str(count)
                shown = {"x": round(x, 1), "width": round(width, 1), "slug": slug(word)}
                parts.append({**shown, "text": text, "middle": round(x + width / 2, 1)})
                x += width
        numbers = "1 number" if total == 1 else f"{total} numbers"
        name = f"{short_name(paper)}, {paper_entry(paper)['paper']['year']}"
        line = {"name": name, "numbers": numbers, "y": top + _LINE * place, "parts": parts}
        lines.append(line)
    legend = [
        {
            "slug": slug(word),
            "text": signed(word) + (f": {_LEGEND[word]}" if word in _LEGEND else ""),
            "y": 20 + 22 * place,
        }
        for place, word in enumerate(used)
    ]
    told = "; ".join(
        f"{line['name']}: " + ", ".join(f"{n} {w}" for w, n in counts.items() if n)
        for line, counts in zip(lines, own.values(), strict=True)
    )
    grounds = [palette(ground) for ground in ("light", "dark")]
    height = top + _LINE * len(lines) - 18
    return render(
        "headline.svg.jinja", lines=lines, legend=legend, told=told, grounds=grounds, height=height
    )


def sentences(papers: Sequence[str]) -> dict[str, str]:
    """How far each paper can be trusted, in plain sentences, from its file."""
    return {paper: paper_entry(paper)["paper"].get("in_short", "") for paper in papers}
