r"""What may stand in a paper's ``printed.toml``, as types. The file has three parts.

- ``[printed]``: what the paper prints. It never changes.
- ``[[readings]]``: what the text leaves open, and what each answer changes. They drive tasks.
- ``[story]``: our own words: what stands, and why a number is not reproduced.

Every key says what it stands for. The messages on faults (`reprolib.rerun.printed.file`), the JSON
Schema (`printed_schema`) and the list of keys in docs/add_paper.md come from here.

A table of somebody's own (``reprolib judge``) is the first part alone (`OwnFile`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

#: Name of the reading nearest to the text of the paper; other readings have their own names.
HEADLINE = "headline"
#: Percentage points that count as no difference, unless a file or a table says another margin.
MARGIN = 1.5

#: How a printed number was made; `reprolib.rerun.verdicts.designs` has an object for each.
Design = Literal["splits", "cross-validation", "test set", "seeds", "runs", "selection"]
#: Roles that a file states for a row, a column or a table; a quotation has an entry of its own.
StatedRole = Literal["own", "baseline"]
Quantity = Literal["performance", "selection"]
#: What is printed beside a number.
Spread = Literal["standard deviation", "standard error", "95 % interval", "interquartile range"]
#: What is claimed of side a against side b.
Kind = Literal["better", "at least as good", "same"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: The words that a number or a claim may be expected to have.
Expected = Literal[
    "to the digit",
    "reproduced",
    "reproduced in a variant",
    "undecided",
    "undecided, differs",
    "not reproduced",
    "holds",
    "holds, but",
    "fails",
]

Text = Annotated[str, Meta(min_length=1)]
Texts = Annotated[list[Text], Meta(min_length=1)]
#: Neither infinite nor "nan".
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Above0 = Annotated[float, Meta(gt=0, le=1e300)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Positive = Annotated[int, Meta(ge=1, le=2**53)]
#: A number, [mean, spread], or an empty text where none is printed. No ``tuple[Number, Number]``:
#: msgspec 0.22 reads its length from the wrong place beside a number with bounds.
Value = Number | Annotated[list[Number], Meta(min_length=2, max_length=2)] | Literal[""]


def About(text: str) -> Meta:  # noqa: N802 -- reads as a part of the type
    """What a key stands for."""
    return Meta(description=text)


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file: its keys are the fields, and no others."""


class Pool(Part, frozen=True, kw_only=True):
    """Ours are some of the paper's runs or subjects."""

    without: Annotated[Text, About("how the readings are called that leave one of ours out")]
    of: Annotated[Positive, About("how many the paper has")]


class Settings(Part, frozen=True, kw_only=True):
    """What holds for a printed number: said by its cell, column, row or table, in this order."""

    design: Annotated[
        Design | Annotated[list[Design], Meta(min_length=1)] | None,
        About("how the printed number was made; of a list, the wider interval counts"),
    ] = None
    role: Annotated[
        StatedRole | None, About("the method of the paper, or one that it compares")
    ] = None
    quantity: Annotated[Quantity | None, About("a performance, or a chosen hyperparameter")] = None
    trials: Annotated[Positive | None, About("behind a printed mean")] = None
    spread: Annotated[
        Spread | None,
        About(
            "what is printed beside a number, if not its standard deviation over trials: of an "
            "interval half its width; beside a median the upper quartile minus the lower"
        ),
    ] = None
    fixed: Annotated[
        Text | None, About("what fixes a selection before anything is learned, in words")
    ] = None
    pool: Annotated[
        Pool | None, About("where ours are some of the paper's runs or subjects: without, of")
    ] = None
    exact: Annotated[
        bool | Texts | None,
        About(
            "nothing is left to chance, or not under these readings: on the paper's own data and "
            "splits, all of them, the difference is known and has no interval"
        ),
    ] = None
    folds: Annotated[Positive | None, About("of a cross-validation")] = None
    tested: Annotated[
        Share | None, About("share of the pool that a split tests: splits correlate")
    ] = None
    judged: Annotated[Text | None, About("the reading that is judged, if not the headline")] = None
    spread_of: Annotated[
        Text | None, About("the reading whose spread is that of the design seeds")
    ] = None
    drawn_once: Annotated[
        Text | None, About("metric of a mean at other draws of a choice that was made once")
    ] = None
    scale: Annotated[
        Above0 | None,
        About("printed value over ours: 100 if percent are printed and fractions recorded"),
    ] = None
    margin: Annotated[
        Above0 | None,
        About("difference that counts as none, in the printed unit, instead of the file's"),
    ] = None
    digits: Annotated[
        Annotated[int, Meta(ge=0, le=15)] | None, About("printed after the point")
    ] = None
    results: Annotated[Text | None, About("our table, if it is named otherwise")] = None


class Line(Settings, frozen=True, kw_only=True):
    """A row or a column: together they say which of our records a number is compared with."""

    dataset: Annotated[Text | None, About("selects our records")] = None
    method: Annotated[Text | None, About("selects our records")] = None
    metric: Annotated[Text | None, About("selects our records")] = None
    setting: Annotated[
        Text | None, About("training size, kernel or rank, where there are several")
    ] = None


class Cell(Settings, frozen=True, kw_only=True):
    """What holds for one number alone."""

    row: Text
    column: Text


class Note(Part, frozen=True, kw_only=True):
    """A text on a row and a column; an asterisk stands for all."""

    row: Annotated[Text, About("name, or * for all")]
    column: Annotated[Text, About("name, or * for all")]
    text: Text


class Table(Settings, frozen=True, kw_only=True):
    """A printed table."""

    caption: Text
    page: Count = 0
    mean: Annotated[bool, About("a row with the means of the columns is shown, too")] = False
    rows: Annotated[
        Mapping[str, Line], About("printed name of every row, and what it says of its numbers")
    ]
    columns: Annotated[
        Mapping[str, Line], About("printed name of every column, and what it says of its numbers")
    ]
    values: Annotated[
        dict[str, list[Value]],
        About(
            "by row one entry a column: a number, [mean, spread], or an empty text where none is "
            "printed"
        ),
    ]
    not_run: Annotated[dict[str, Text], About("row or column, and why it is not run")] = {}
    quoted: Annotated[list[Note], About("where the paper has a number from")] = []
    cells: Annotated[list[Cell], About("what holds for one number alone")] = []


class OwnSide(Part, frozen=True, kw_only=True):
    """The side of a claim that the sentence speaks of."""

    method: Annotated[Text | None, About("selects our records")] = None
    metric: Annotated[Text | None, About("if it is not that of the claim")] = None
    setting: Annotated[Text | None, About("if it is not that of the table")] = None
    results: Annotated[Text | None, About("our table, if it is another")] = None
    reading: Annotated[Text | None, About("if it is not the one that is judged")] = None
    factor: Annotated[Number, About("times what is measured")] = 1.0
    within: Annotated[str, About("a reading that it keeps while others are tried")] = ""
    at: Annotated[Positive | None, About("place on a recorded path, from 1")] = None
    label: Annotated[str, About("what it is called in tables")] = ""


class Rival(OwnSide, frozen=True, kw_only=True):
    """The side of a claim that is compared with: records, or a fixed value."""

    value: Annotated[Number | None, About("a fixed value, in the printed unit")] = None


class Claim(Part, frozen=True, kw_only=True):
    """A sentence of the paper about its results, and the contrast that judges it."""

    name: Text
    text: Annotated[Text, About("the sentence of the paper")]
    page: Count
    also: Annotated[Texts | None, About("other sentences that say the same")] = None
    not_judged: Annotated[Text | None, About("why no contrast of ours can judge it")] = None
    tables: Annotated[Texts | None, About("printed tables that it is about")] = None
    claims: Annotated[Kind | None, About("of side a against every one of b")] = None
    metric: Annotated[Text | None, About("what is compared")] = None
    larger: Annotated[
        Literal["better", "worse"] | None, About("what a larger value of the metric is")
    ] = None
    a: Annotated[OwnSide | None, About("what the sentence speaks of")] = None
    b: Annotated[
        Annotated[list[Rival], Meta(min_length=1)] | None, About("what it is compared with")
    ] = None
    by: Annotated[
        Number | Literal["margin"],
        About("what the sentence means by far or large: in the printed unit, or the margin"),
    ] = 0.0
    each: Annotated[bool, About("the sentence is about every data set: each is judged")] = False
    margin: Annotated[
        Above0 | None, About("difference that counts as none, instead of the table's")
    ] = None
    results: Annotated[Text | None, About("our table, if it is not that of the numbers")] = None
    reading: Annotated[Text | None, About("under which it is judged, if not as the numbers")] = None
    family: Annotated[
        str, About("our table whose settings are ways to make the data: it is judged in each, too")
    ] = ""
    datasets: Annotated[Texts | None, About("of its tables; all by default")] = None
    design: Annotated[
        Design | Annotated[list[Design], Meta(min_length=1)] | None,
        About("if it is not that of the numbers"),
    ] = None
    folds: Annotated[Positive | None, About("if they are not those of the numbers")] = None
    scale: Annotated[Above0 | None, About("if it is not that of the numbers")] = None


class Paper(Part, frozen=True, kw_only=True):
    """What the paper is."""

    key: Text
    title: Text
    authors: Text
    venue: Text
    year: Count
    pages: str = ""


class Printed(Part, frozen=True, kw_only=True):
    """What the paper prints. It never changes."""

    paper: Annotated[Paper, About("what the paper is")]
    margin: Annotated[
        Above0, About("percentage points that count as no difference, in all its tables")
    ] = MARGIN
    tables: Annotated[dict[str, Table], About("its tables by name, table1 for Table 1")]
    claims: Annotated[list[Claim], About("its sentences about its results")] = []


class Reading(Part, frozen=True, kw_only=True):
    """One answer to what a paper's text leaves open, or an experiment of ours (a control)."""

    name: Annotated[Text, About("as in the records")]
    changes: Annotated[
        dict[str, Any], About("parameters of tasks that differ from those of the headline")
    ] = {}
    methods: Annotated[
        tuple[Text, ...],
        About("that are run under it; none where the paper's experiment says it itself"),
    ] = ()
    tables: Annotated[tuple[Text, ...], About("where they are; everywhere by default")] = ()
    datasets: Annotated[tuple[Text, ...], About("on which they are; on all by default")] = ()
    beside: Annotated[
        Text | dict[str, Text],
        About("the reading whose tasks measure this one, too, or one by method"),
    ] = {}
    trials: Annotated[
        Positive | dict[str, Positive] | None,
        About(
            "of the full profile, instead of the method's own; also by method or data set: the "
            "least counts"
        ),
    ] = None
    quick: Annotated[
        bool | tuple[Text, ...],
        About("the quick profile has it, too, of all or of some methods"),
    ] = False
    control: Annotated[bool, About("an experiment that is no reading of the text")] = False

    def base(self, method: str) -> str:
        """The reading whose tasks measure this one too, for a method; empty if there is none."""
        if isinstance(self.beside, str):
            return self.beside if method in self.methods else ""
        return self.beside.get(method, "")

    def is_quick(self, method: str) -> bool:
        """Whether the quick profile of a method has it."""
        return method in (self.methods if self.quick is True else self.quick or ())

    def has_tasks(self, table: str, dataset: str, method: str) -> bool:
        """Whether a method has tasks of its own under it, in a table and on a data set."""
        return (
            method in self.methods
            and not self.base(method)
            and table in (self.tables or (table,))
            and dataset in (self.datasets or (dataset,))
        )

    def changes_of_tasks(self, method: str) -> Mapping[str, Any]:
        """Changed parameters of a method's tasks; none where another reading's measure it."""
        return {} if self.base(method) else self.changes

    def n_trials(self, dataset: str, method: str, otherwise: int) -> int:
        """Trials of the full profile."""
        if not isinstance(self.trials, Mapping):
            return otherwise if self.trials is None else self.trials
        stated = [n for key, n in self.trials.items() if key in (dataset, method)]
        return min(stated, default=otherwise)


class Asked(Part, frozen=True, kw_only=True):
    """A reading in words."""

    question: Annotated[Text, About("what the paper leaves open")]
    text: Annotated[Text, About("what this reading takes")]


class Explanation(Note, frozen=True, kw_only=True):
    """Why a number is not reproduced, by experiment."""

    table: Text


class Story(Part, frozen=True, kw_only=True):
    """Our own words. A change here makes no record stale."""

    notebook: Annotated[str, About("file of its notebook")] = ""
    short: Annotated[str, About("its method's name in a headline")] = ""
    method: Annotated[str, About("the method in ten words")] = ""
    stands: Annotated[str, About("how far it can be trusted, in a few words")] = ""
    in_short: Annotated[
        str, About("the same in some plain sentences; {margin} stands for the paper's margin")
    ] = ""
    readings: Annotated[
        dict[str, Asked], About("by the name of a reading, what it asks and what it takes")
    ] = {}
    explanations: Annotated[
        list[Explanation], About("why a number is not reproduced, by experiment")
    ] = []


class File(Part, frozen=True, kw_only=True):
    """The ``printed.toml`` of a paper."""

    printed: Annotated[Printed, About("what the paper prints")]
    readings: Annotated[list[Reading], About("what its text leaves open")] = []
    story: Annotated[Story, About("our own words")] = Story()


class OwnLine(Line, frozen=True, kw_only=True):
    """A row or a column of somebody's own table."""

    unit: Annotated[
        str,
        About(
            "of print and results alike where it is not that of [units], as of a time beside "
            "an accuracy; the row or column has a margin of its own"
        ),
    ] = ""


class OwnTable(Table, frozen=True, kw_only=True):
    """A printed table of somebody's own file, which may say less."""

    caption: str = ""
    role: Annotated[StatedRole, About("the method of the paper, or one that it compares")] = "own"
    quantity: Annotated[Quantity, About("a performance, or a chosen hyperparameter")] = (
        "performance"
    )
    rows: Annotated[Mapping[str, OwnLine], About("printed name, and what is said")]
    columns: Annotated[Mapping[str, OwnLine], About("printed name, and what is said")]


class OwnPaper(Paper, frozen=True, kw_only=True):
    """What a table of somebody's own is from, where the file says it."""

    key: Text = "table"
    title: Text = "a printed table"
    authors: Text = "-"
    venue: Text = "-"
    year: Count = 0


class Columns(Part, frozen=True, kw_only=True):
    """What the results call their columns."""

    table: Text | None = None
    dataset: Text | None = None
    method: Text | None = None
    metric: Text | None = None
    setting: Text | None = None
    reading: Text | None = None
    n_test: Text | None = None
    trial: Annotated[Text | Texts | None, About("may be named by several columns")] = None
    value: Text | None = None


class Stated(Part, frozen=True, kw_only=True):
    """Units of print and results, and the margin of any other unit than a share."""

    printed: Annotated[str, About("percent, fraction, or a name")] = ""
    results: Annotated[str, About("percent, fraction, or a name")] = ""
    margin: Annotated[
        Above0 | None, About("difference that counts as none, in the printed unit")
    ] = None


class OwnFile(Part, frozen=True, kw_only=True):
    """A table of somebody's own: the part ``[printed]`` alone, and how the results are written."""

    tables: Annotated[dict[str, OwnTable], Meta(min_length=1), About("printed tables by name")]
    claims: Annotated[list[Claim], About("sentences about them")] = []
    paper: Annotated[OwnPaper, About("what they are from")] = OwnPaper()
    readings: Annotated[list[Reading], About("readings in the results; of use: control")] = []
    story: Annotated[Story, About("explanations of single numbers")] = Story()
    columns: Annotated[Columns, About("what the results call their columns")] = Columns()
    units: Annotated[Stated, About("units of print and results")] = Stated()
    expect: Annotated[
        dict[str, Expected], About("the word that a number or claim must have, at least")
    ] = {}


def printed_schema() -> dict[str, Any]:
    """JSON Schema (Draft 2020-12) of ``printed.toml``: of a paper's file, or of anyone's table.

    It knows keys and types. What names one another (a value of a row, a claim about a table) is
    checked where the file is read.

    Examples
    --------
    >>> from reprolib.rerun.printed.schema import printed_schema
    >>> [sorted(printed_schema()["$defs"][name]["required"]) for name in ("File", "OwnFile")]
    [['printed'], ['tables']]
    """
    (paper, own), defs = msgspec.json.schema_components([File, OwnFile])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "printed.toml"}
    return {**head, "anyOf": [own, paper], "$defs": _without_null(defs)}


def _without_null(schema: Any) -> Any:
    """The same schema without nulls: TOML has none, a key is there or it is left out."""
    if isinstance(schema, list):
        return [_without_null(part) for part in schema if part != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_null(v) for k, v in schema.items() if k != "default"}
