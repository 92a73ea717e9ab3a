"""The designs of experiments: a file each, an object each.

A number may have two designs where print contradicts the text: the wider error counts. To its error
those of two circumstances are added: a choice made once (`drawn_once`), and runs that the paper has
and we have not (`partial_pool`). Where no chance is left (`exact`) there is no error.

A new design is a file here, a line in `DESIGNS`, and its name in
`reprolib.rerun.printed.schema.Design`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reprolib.rerun.printed import schema
from reprolib.rerun.verdicts.designs import drawn_once, exact, partial_pool
from reprolib.rerun.verdicts.designs.base import Comparison, Design, compared
from reprolib.rerun.verdicts.designs.cross_validation import CrossValidation
from reprolib.rerun.verdicts.designs.runs import SharedRuns
from reprolib.rerun.verdicts.designs.seeds import Seeds
from reprolib.rerun.verdicts.designs.selection import OneSelection
from reprolib.rerun.verdicts.designs.splits import Splits
from reprolib.rerun.verdicts.designs.test_set import OneTestSet
from reprolib.rerun.verdicts.errors import Error, summed, wider

if TYPE_CHECKING:
    from reprolib.rerun.verdicts.evidence import Evidence
    from reprolib.rerun.verdicts.pair import Pair
    from reprolib.rerun.verdicts.printed import Number

#: By name. Of two designs of a number, the first here says what would decide.
DESIGNS: Mapping[schema.Design, Design] = {
    design.name: design
    for design in (
        *(Splits(), SharedRuns(), Seeds(), CrossValidation(), OneTestSet(), OneSelection()),
    )
}


def compare(number: Number, evidence: Evidence) -> Comparison:
    """Compare our records with a printed number."""
    if exact.applies(number, evidence):
        return exact.compare(evidence.mean - number.value)
    first = DESIGNS[number.designs[0]]
    if len(number.designs) == 1 and not first.has_error:
        return first.compare(number, evidence)
    return compared(evidence.mean - number.value, error(number, evidence))


def error(number: Number, evidence: Evidence) -> Error:
    """Error of ours minus printed: of two designs the wider one, and what is added to it."""
    design = wider(DESIGNS[name].error(number, evidence) for name in number.designs)
    added = (drawn_once.error(number, evidence), partial_pool.error(number, evidence))
    return _with(design, *added)


def limit(number: Number, evidence: Evidence) -> Error:
    """What stays of the error with any number of runs of ours; zero where no chance is left."""
    if exact.applies(number, evidence):
        return exact.NO_ERROR
    design = wider(DESIGNS[name].of_print(number, evidence) for name in number.designs)
    added = (drawn_once.error(number, evidence), partial_pool.error(number, evidence))
    return _with(design, *added)


def error_of_claim(pair: Pair) -> Error:
    """Error of side a minus side b, as a statement on other data of this kind.

    Of a partial pool the recording is the unit, and its spread holds the noise of its draws.
    """
    if pair.units is not None:
        return partial_pool.error_of_claim(pair.units)
    return _of_pair(pair, 1, lambda design: design.error_of_claim(pair))


def error_to_print(pair: Pair) -> Error:
    """Error of side a minus side b against the printed one; zero where no chance is left."""
    if exact.applies_to_claim(pair):
        return exact.NO_ERROR
    return _of_pair(pair, 2, lambda design: design.error_to_print(pair))


def _of_pair(pair: Pair, draws: int, model: Callable[[Design], Error]) -> Error:
    design = wider(model(DESIGNS[name]) for name in pair.cell.designs)
    pool = None if pair.units is None else partial_pool.error_of_claim(pair.units)
    return _with(design, drawn_once.error_of_claim(pair, draws), pool)


def _with(design: Error, *added: Error | None) -> Error:
    terms = [design, *(term for term in added if term is not None)]
    return summed(terms) if len(terms) > 1 else design


def what_would_decide(number: Number, evidence: Evidence) -> str:
    """One sentence on an undecided number: never, or not yet, and what it takes."""
    first = next(design for name, design in DESIGNS.items() if name in number.designs)
    if not first.has_error:
        return first.what_would_decide(number, evidence)
    for circumstance in (partial_pool, drawn_once):
        if told := circumstance.what_would_decide(number, evidence):
            return told
    return first.what_would_decide(number, evidence)


def text_of(number: Number) -> str:
    """How a number was made, in words."""
    return " or ".join(DESIGNS[name].text for name in number.designs)


def pairs_trials(designs: tuple[schema.Design, ...]) -> bool:
    """Whether equal trials of two methods are pairs."""
    return all(DESIGNS[name].pairs_trials for name in designs)
