"""The face of a paper: its tables, figures, claims, numbers, data and records, by their names.

``paper = reprolib.paper("kpm")`` is the only import of ours, beside the estimators, that a
notebook, an example or a page needs.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

import data_fetch
from data_fetch import Dataset, DataUnavailableError
from reprolib.report.agree import agree
from reprolib.report.notebook import (
    Claims,
    Frame,
    Picture,
    drawn,
    in_notebook,
    setup,
    show,
    sliders,
)
from reprolib.report.turning import Turning
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records import load_paper, ok, write_results
from reprolib.rerun.records.folder import require_whole
from reprolib.rerun.records.registry import paper_key, paper_module, printed_of, readings_of
from reprolib.rerun.records.task import get_protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reprolib.report.printed_tables import PrintedTable
    from reprolib.rerun.verdicts import Verdict

#: Where the numbers of a paper come from.
Run = Literal["records", "quick", "full"]
#: How `Paper.recompute` begins where no data are at hand.
NOTHING_COMPUTED = "Nothing was computed here"


def paper(key: str, run: Run = "records") -> Paper:
    """Everything about a paper, by names: what it prints, what we measured, and how they compare.

    Parameters
    ----------
    key : str
        Name of the paper, such as "kpm": one of this package, or one in a repository of its own.
    run : {"records", "quick", "full"}, default="records"
        Where the numbers come from: the committed results, or experiments that are run here first.
        "quick" has few trials of every table and takes one to three minutes; "full" has all. What
        is stored of an earlier run is not run again. Without any data of the paper the numbers are
        those of the records, and a line says so.

    Returns
    -------
    Paper
        Its methods give tables, figures, claims and numbers.

    Raises
    ------
    ValueError
        If there is no such paper, ``run`` is none of the three, or the committed results are not
        whole; the message has the command that mends them.

    Notes
    -----
    In a notebook it also pins the numerical libraries to one thread and sets the style of figures
    and tables, so that the outputs are the same on every machine.

    Examples
    --------
    >>> import reprolib
    >>> kpm = reprolib.paper("kpm")
    >>> kpm
    KPM (2004): Kernel Projection Machine: a New Tool for Pattern Recognition
    numbers: the committed results
    >>> kpm.numbers().loc[0, ["row", "column", "published", "verdict"]].tolist()
    ['Banana', 'KPM', '10.73 ± 0.42', 'reproduced']
    """
    if run not in ("records", "quick", "full"):
        raise ValueError(f"run is {run!r}; it must be 'records', 'quick' or 'full'")
    if in_notebook():
        setup()
    committed = Paper(paper_key(key))
    require_whole(committed.key)
    if run == "records":
        return committed
    try:
        return committed.rerun(run, n_jobs=-1)
    except DataUnavailableError as error:
        print(f"Nothing was computed here, and the numbers are the committed ones: {error}")
        return committed


class Paper:
    """A paper with its results; made by `reprolib.paper`.

    Parameters
    ----------
    key : str
        Key of the paper.
    run : {"records", "quick", "full"}, default="records"
        Where its numbers come from.
    folder : TemporaryDirectory, optional
        Has the results of a run; the committed results if not given.
    """

    def __init__(self, key: str, run: Run = "records", folder: TemporaryDirectory | None = None):
        self.key = key
        self.run = run
        self._folder = folder

    def __repr__(self) -> str:
        about = printed_of(self.key).printed.paper
        numbers = "the committed results"
        if self.run != "records":
            numbers = f"computed here, {self.run} profile"
        title = f"{self.key.upper()} ({about.year}): {about.title}"
        return f"{title}\nnumbers: {numbers}"

    @property
    def directory(self) -> Path | None:
        """Folder of its results; None for the committed ones."""
        return None if self._folder is None else Path(self._folder.name)

    @property
    def records(self) -> pd.DataFrame:
        """Everything measured, one row a value."""
        return load_paper(self.key, self.directory)

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """The verdict on each printed number, in printed order; empty if the paper prints none."""
        from reprolib.rerun.verdicts import judge_paper

        return judge_paper(self.key, self.directory)

    @property
    def data(self) -> Data:
        """Its data sets by name, each loaded when it is asked for."""
        return Data(get_protocol(self.key).datasets("full"))

    def table(self, name: str) -> PrintedTable:
        """One table as the paper prints it: ours and the printed number side by side.

        Parameters
        ----------
        name : str
            Its name in ``printed.toml``, such as "table2".

        Returns
        -------
        PrintedTable
            A notebook shows it, ``print`` prints it; ``ours``, ``printed`` and ``words`` are tables
            to compute with, ``text("tex")`` is its file in LaTeX ("csv", "md" and "html" are the
            others).

        Raises
        ------
        ValueError
            If the paper has no such table.

        Examples
        --------
        >>> import reprolib
        >>> table = reprolib.paper("kpm").table("table2")
        >>> float(table.printed.loc["Banana", "KPM"]), table.words.loc["Banana", "KPM"]
        (11.14, 'reproduced')
        """
        from reprolib.report.printed_tables import printed_tables

        made = printed_tables(
            self.key, self.directory, command=f"reprolib.paper({self.key!r})", run=self.run
        )
        return self._named("table", name, {table.key: table for table in made})

    def figure(self, name: str) -> Picture:
        """One figure of the paper, drawn from the records.

        Parameters
        ----------
        name : str
            Name of its function in the paper's ``figures.py``, such as "figure1".

        Returns
        -------
        Picture
            A notebook shows it; ``figure`` is that of matplotlib.

        Raises
        ------
        ValueError
            If there is no such figure, or the records lack what it draws.

        Examples
        --------
        >>> import reprolib
        >>> reprolib.paper("kpm").figure("figure1").caption
        'Figure 1 of the paper redrawn: risk against D (KPM) and against C (SVM)'
        """
        from matplotlib.figure import Figure

        module = paper_module(self.key, "figures")
        listed = {f.draw.__name__: f for f in (module.FIGURES if module else ())}
        if name not in listed and name in {
            **self._functions("example", Figure),
            **self._functions("figures", Figure),
        }:
            raise ValueError(f"{name!r} is a picture of {self.key}: paper.picture({name!r}, ...)")
        found = self._named("figure", name, listed)
        records = ok(self.records)
        if self.run == "quick" and not found.fits(records):
            print(f"Drawn from the committed records: the quick run does not measure {name}.")
            records = ok(load_paper(self.key))
        if not found.fits(records):
            raise ValueError(f"these records of {self.key} lack what the figure {name!r} draws")
        return drawn(lambda: found.draw(records), found.alternative, found.caption)

    def picture(self, name: str, *args: Any, alt: str = "", **kwargs: Any) -> Picture:
        """One picture of the method on a small example, or of what was measured.

        Parameters
        ----------
        name : str
            Name of its function in the paper's ``example.py`` or ``figures.py``; its parameter
            ``records`` is given by us.
        *args : object
            What the function is called with.
        alt : str, default=""
            What the picture shows, for those who cannot see it; the first line of the function's
            docstring if empty.
        **kwargs : object
            What the function is called with, by name.

        Returns
        -------
        Picture
            A notebook shows it; ``figure`` is that of matplotlib.

        Raises
        ------
        ValueError
            If the paper has no such picture, or nothing to draw for the values that it is called
            with; the message says which there are.

        Examples
        --------
        >>> import reprolib
        >>> len(reprolib.paper("simplex").picture("codes").figure.axes)
        2
        """
        function, given = self._drawing(name)
        text = alt or (inspect.getdoc(function) or name).splitlines()[0]
        return drawn(lambda: self._draw(function, args, given, kwargs), text)

    def sliders(
        self, draw: str | Callable[..., Figure], alt: str = "", **choices: Sequence[Any]
    ) -> None:
        """Show a picture that is computed anew when a slider is moved; without widgets, at rest.

        Parameters
        ----------
        draw : callable or str
            Function that gives a figure, with one parameter for each slider; their defaults are
            the start, else the first values. Or the name of such a function in the paper's
            ``example.py`` or ``figures.py``.
        alt : str, default=""
            What the picture shows, for those who cannot see it. The places of the sliders are
            added.
        **choices : sequence
            Values of each slider, in order.

        Raises
        ------
        ValueError
            If the paper has no such picture, or a start is none of the values.

        Examples
        --------
        >>> import reprolib
        >>> kpm = reprolib.paper("kpm")
        >>> import matplotlib.pyplot as plt
        >>> def line(slope=2.0):
        ...     figure, axis = plt.subplots()
        ...     axis.plot([0, 1], [0, slope])
        ...     return figure
        >>> kpm.sliders(line, "a line", slope=[1.0, 2.0, 3.0])
        """
        if isinstance(draw, str):
            function, given = self._drawing(draw)
            text = alt or (inspect.getdoc(function) or draw).splitlines()[0]
            sliders(partial(function, **given), text, **choices)
        else:
            sliders(draw, alt or draw.__name__, **choices)

    def turn(self, name: str, **start: Any) -> Turning:
        """Show what was measured as a picture whose sliders work on any page, without a kernel.

        Parameters
        ----------
        name : str
            Name of a function in the paper's ``figures.py`` or ``example.py`` that returns a
            `Turning`; its parameter ``records`` is given by us.
        **start : object
            Where sliders stand first.

        Returns
        -------
        Turning
            A notebook shows it.

        Raises
        ------
        ValueError
            If the paper has no such picture, or a start was not measured.

        Examples
        --------
        >>> import reprolib
        >>> reprolib.paper("kpm").turn("dimension_and_cost", dataset="Image", D=30)
        Image, D = 30, C = 1: 9.4 %, +6.5 ± 0.9 against the SVM.
        """
        function, given = self._drawing(name, Turning)
        return function(**given).at(**start)

    agree = staticmethod(agree)

    def show(self, figure: Figure, alt: str, caption: str = "") -> None:
        """Show a figure of your own in a notebook, with a text for those who cannot see it.

        Parameters
        ----------
        figure : Figure
            Closed afterwards, so that the notebook shows it once.
        alt : str
            What it shows.
        caption : str, default=""
            Markdown below it.
        """
        show(figure, alt, caption)

    def recompute(self, seconds: float = 30.0) -> None:
        """Compute some of the results behind the tables here and now, and say what became of them.

        Parameters
        ----------
        seconds : float, default=30.0
            Its budget: the first trial behind each printed number is run, the cheapest first,
            while they together took no longer when the records were made. The number of those that
            are done is shown while they run.

        Examples
        --------
        >>> import reprolib
        >>> reprolib.paper("kpm").recompute(seconds=1.0)  # doctest: +SKIP
        12 of 7,200 results were computed here, a budget of 1 s. All equal the records.
        kpm, svm on heart, banana (table1, table2)
        """
        from reprolib.rerun.checks.verify import recompute_some
        from reprolib.rerun.records.tables import load_tasks

        def progress(done: int, total: int) -> None:
            told = f"{done} of {total} results computed, a budget of {seconds:g} s"
            if not in_notebook():
                print(f"\r{told}", end="\n" if done == total else "", file=sys.stderr)
                return
            from IPython.display import clear_output

            clear_output(wait=True)  # when the next line comes
            if done < total:
                print(told)

        tasks, differences = recompute_some(self.key, seconds, progress)
        if self.records.empty:
            print(
                f"{NOTHING_COMPUTED}, as there are no results to compare with; "
                f"`reprolib reproduce {self.key} --full` makes them."
            )
            return
        if not tasks:
            names = [name for name in self.data if not name.startswith("embedded/")]
            print(
                f"{NOTHING_COMPUTED}, as no data are at hand "
                f"(`reprolib data fetch {' '.join(names)}` may bring them): all numbers are the "
                "committed ones."
            )
            return
        parts = [(task.method, task.dataset.split("/")[-1], task.table) for task in tasks]
        methods, data, tables = (", ".join(dict.fromkeys(p)) for p in zip(*parts, strict=True))
        differing = "\n".join(["Not equal to the records:", *differences])
        print(
            f"{len(tasks)} of {len(load_tasks(self.key)):,} results were computed here, "
            f"a budget of {seconds:g} s.",
            differing if differences else "All equal the records.",
        )
        print(f"{methods} on {data} ({tables})")

    def claims(self) -> Claims:
        """What the paper claims, one line a claim: the word, and the contrast that decides.

        Returns
        -------
        Claims
            Indexed by verdict; a DataFrame of which a notebook unfolds the first lines only.
        """
        from reprolib.report.tables import claims_table, one_cause
        from reprolib.rerun.verdicts import judge_claims

        found = Claims(claims_table(self.key, self.directory))
        found.attrs["one cause"] = one_cause(judge_claims(self.key, self.directory))
        return found

    def contrasts(self, *names: str, reading: str = "") -> Picture:
        """The difference that decides a claim, data set by data set, ours beside the printed one.

        Parameters
        ----------
        *names : str
            Names of claims in one unit, as `claims` has them.
        reading : str, optional
            Judge them under this variant of the protocol (`readings` has the names).

        Returns
        -------
        Picture
            One row a data set: our difference with its intervals, and the printed one. A notebook
            shows it; ``figure`` is that of matplotlib.

        Raises
        ------
        ValueError
            If the paper has no such claim, or it is not judged, or has no such reading.

        Examples
        --------
        >>> import reprolib
        >>> picture = reprolib.paper("kpm").contrasts("Table 2: as good as the SVM")
        >>> [text.get_text() for text in picture.figure.axes[0].get_yticklabels()][:2]
        ['Banana', 'Breast Cancer']
        """
        from reprolib.report.contrasts import contrasts_figure
        from reprolib.rerun.verdicts import judge_claims, numbers
        from reprolib.rerun.verdicts.claims import judge_claim

        judged = {c.claim.name: c for c in judge_claims(self.key, self.directory)}
        if self.run == "quick" and not judged.keys() >= {*names}:
            print("Drawn from the committed records: the quick run does not measure these claims.")
            judged = {c.claim.name: c for c in judge_claims(self.key)}
        claims = [self._named("judged claim", name, judged) for name in names]
        if reading:
            self._named("reading", reading, readings_of(self.key))
            claims = [
                judge_claim(replace(c.claim, reading=reading), self.records, numbers(self.key))
                for c in claims
            ]
        text = f"Our differences with their intervals beside the printed ones: {'; '.join(names)}"
        return drawn(lambda: contrasts_figure(claims), text, text)

    def numbers(self) -> Frame:
        """All printed numbers beside ours, one line each, with difference, interval and verdict.

        Returns
        -------
        Frame
            A DataFrame of texts; ``reason`` says why a number is not reproduced.
        """
        from reprolib.report.tables import verdict_frame

        return Frame(verdict_frame(self.verdicts))

    def readings(self, table: str | None = None) -> Frame:
        """Questions that the paper's text leaves open, with the readings tried.

        Parameters
        ----------
        table : str, optional
            Name of a printed table: then every number of it under each reading.

        Returns
        -------
        Frame
            One line a reading: the question, what is taken, and the verdicts with it; or, with
            ``table``, one line a number and reading.
        """
        from reprolib.report import tables

        if table is None:
            return Frame(tables.readings_tried(self.key, self.verdicts).set_index("reading"))
        self.table(table)
        return Frame(tables.readings(self.key, table, self.directory))

    def variants(
        self, rows: Mapping[str, Mapping[str, str]], columns: Mapping[str, Mapping[str, str]]
    ) -> Frame:
        """Chosen numbers under chosen readings, one line a reading, beside what is printed.

        Parameters
        ----------
        rows, columns : mapping of str to mapping
            By the name that a reader sees, what selects: ``table``, ``row``, ``column`` and
            ``reading``, as in `readings`; what a row does not say, its column says. The reading
            "printed" is the paper's own number.

        Returns
        -------
        Frame
            Texts; empty where the reading was not run.

        Raises
        ------
        ValueError
            If the paper has no such table, row, column or reading.

        Examples
        --------
        >>> import reprolib
        >>> kpm = reprolib.paper("kpm")
        >>> heart = {"table": "table2", "row": "Heart", "column": "KPM"}
        >>> rows = {"ties: largest D": {"reading": "random partitions, ties: largest D"}}
        >>> kpm.variants({**rows, "printed": {"reading": "printed"}}, {"Heart": heart})
                         Heart
        ties: largest D  17.89
        printed          17.59
        """
        from reprolib.report.tables import variants

        return Frame(variants(self.key, rows, columns, self.directory))

    def rerun(
        self,
        profile: Literal["quick", "full"] = "quick",
        only: str | Sequence[str] = (),
        n_jobs: int = 1,
    ) -> Paper:
        """Run experiments of the paper here; progress is written while they run.

        What is stored of an earlier run is not run again. The committed results stay as they are.

        Parameters
        ----------
        profile : {"quick", "full"}, default="quick"
            Few trials of every table, or all.
        only : str or sequence of str, default=()
            Run these tasks only: ``table/dataset/method/trial`` or its first parts, ``*`` for any
            letters.
        n_jobs : int, default=1
            Worker processes; -1 for all cores.

        Returns
        -------
        Paper
            Its numbers are those of this run alone.

        Raises
        ------
        DataUnavailableError
            If none of its data sets is at hand.
        ValueError
            If ``only`` selects no task.

        Examples
        --------
        >>> import reprolib
        >>> kpm = reprolib.paper("kpm")
        >>> kpm.rerun(only="table2/raetsch/heart/kpm").numbers()  # doctest: +SKIP
        """
        from reprolib.rerun.tasks.runner import LocalWorkers, run_protocol
        from reprolib.rerun.tasks.selection import Only

        protocol = get_protocol(self.key)
        names = [n for n in protocol.datasets(profile) if not n.startswith("embedded/")]
        missing = [name for name in names if not data_fetch.available(name)]
        if names and missing == names:
            raise DataUnavailableError(
                f"none of {', '.join(names)} is at hand; `reprolib data fetch {' '.join(names)}` "
                "may bring them"
            )
        if missing:
            print(f"Not at hand, so that their numbers are not run: {', '.join(missing)}")
        patterns = [only] if isinstance(only, str) else list(only)

        def progress(done: int, total: int, stage: int, stages: int) -> None:
            of_stage = f", stage {stage} of {stages}" if stages > 1 else ""
            end = "\n" if done == total else ""
            print(f"\r{self.key}: {done} of {total} tasks{of_stage}", end=end, file=sys.stderr)

        outcome = run_protocol(
            protocol,
            profile,
            workers=LocalWorkers(n_jobs),
            only=Only(patterns) if patterns else None,
            progress=progress,
            failed=lambda failure: print(f"failed: {failure.record}: {failure.status}"),
        )
        folder = TemporaryDirectory(prefix="reprolib-")
        path = Path(folder.name, self.key)
        write_results(outcome.records, path, outcome.tasks, outcome.about)
        return Paper(self.key, profile, folder)

    def _functions(self, module_name: str, gives: type) -> dict[str, Callable[..., Any]]:
        """Public functions of a module of the paper that return a figure or the like, by name."""
        module = paper_module(self.key, module_name)
        return {
            name: function
            for name, function in inspect.getmembers(module, inspect.isfunction)
            if not name.startswith("_")
            and function.__annotations__.get("return") in (gives.__name__, gives)
        }

    def _drawing(
        self, name: str, gives: type | None = None
    ) -> tuple[Callable[..., Any], dict[str, Any]]:
        """Function that draws a picture, and the records if it wants them."""
        from matplotlib.figure import Figure

        gives = gives or Figure
        found = {**self._functions("example", gives), **self._functions("figures", gives)}
        function = self._named("picture", name, found)
        if "records" not in inspect.signature(function).parameters:
            return function, {}
        if self.run == "quick":
            print(f"Drawn from the committed records, as a quick run has few of them: {name}.")
            return function, {"records": load_paper(self.key)}
        return function, {"records": self.records}

    def _draw(
        self, function: Callable[..., Figure], args: Sequence, given: Mapping, kwargs: Mapping
    ) -> Figure:
        """Figure of a picture; a ValueError that names the values where there is nothing to draw.

        A text for a column of the records has to stand there. For other values the docstring of
        the function names the constant of its module that lists them. Where a picture takes none,
        its errors are its own.
        """
        name = function.__name__
        try:
            bound = inspect.signature(function).bind(*args, **given, **kwargs).arguments
        except TypeError as error:
            takes = ", ".join(p for p in inspect.signature(function).parameters if p not in given)
            raise ValueError(
                f"the picture {name!r} of {self.key} takes {takes or 'no values'}: {error}"
            ) from None
        asked = {key: value for key, value in bound.items() if key not in given}
        if "records" in given:
            for key, value in asked.items():
                known = given["records"].get(key, [])
                if isinstance(value, str) and len(known) and not (known == value).any():
                    raise ValueError(f"{key} is {value!r}{nearest(value, known.unique())}")
        try:
            return function(*args, **given, **kwargs)
        except (LookupError, StopIteration, TypeError, ValueError) as error:
            if not asked:
                raise
            module = sys.modules[function.__module__]
            doc = inspect.getdoc(function) or ""
            listed = "".join(
                f" {constant}: {', '.join(map(str, getattr(module, constant)))}."
                for constant in re.findall("`([A-Z_]+)`", doc)
                if hasattr(module, constant)
            )
            told = ", ".join(f"{key}={value!r}" for key, value in asked.items())
            raise ValueError(
                f"the picture {name!r} of {self.key} cannot be drawn with {told} "
                f"({type(error).__name__}: {error}).{listed}"
            ) from None

    def _named(self, what: str, name: str, known: Mapping[str, Any]) -> Any:
        """Value of a name, or an error that lists the names there are."""
        if name in known:
            return known[name]
        there_are = ", ".join(known) or "none"
        near = nearest(name, list(known))
        advice = near if "did you mean" in near else ";"
        raise ValueError(f"{self.key} has no {what} {name!r}{advice} there are: {there_are}")


class Data(Mapping[str, Dataset]):
    """Data sets of a paper by name, each loaded when it is asked for.

    Parameters
    ----------
    datasets : sequence of str
        Their names.

    Examples
    --------
    >>> import reprolib
    >>> list(reprolib.paper("keops").data)
    ['p300/iib']
    """

    def __init__(self, datasets: Sequence[str]):
        self._names = tuple(datasets)

    def __getitem__(self, name: str) -> Dataset:
        if name not in self._names:
            raise KeyError(f"{name!r}; there are: {', '.join(self._names)}")
        return data_fetch.load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __repr__(self) -> str:
        missing = {name: f"not at hand (reprolib data fetch {name})" for name in self._names}
        missing |= {name: "at hand" for name in self._names if data_fetch.available(name)}
        return "\n".join(f"{name}: {told}" for name, told in missing.items())


class _Face(types.ModuleType):
    """The module when it is called, as ``import reprolib.paper`` puts it where `paper` was."""

    def __call__(self, key: str, run: Run = "records") -> Paper:
        return paper(key, run)


sys.modules[__name__].__class__ = _Face
