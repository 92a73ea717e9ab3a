"""`reprolib data`: list, fetch, verify and audit data sets, print their digests."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from data_fetch import access
from data_fetch.catalog import default_catalog
from data_fetch.download import without_credentials
from data_fetch.errors import AlteredDataError, DataUnavailableError
from data_fetch.fetcher import Fetcher

STYLES = {
    "cached": "green",
    "embedded": "green",
    "bundled": "green",
    "mirror": "cyan",
    "needs download": "yellow",
}


def _console(stderr: bool = False) -> Console:
    """Console that prints text as it is: no line broken, nothing taken for markup."""
    return Console(stderr=stderr, soft_wrap=True, markup=False, highlight=False, emoji=False)


def _marked(word: str, style: str, text: str) -> Text:
    return Text.assemble((word, style), f" {text}")


def run_list(arguments: argparse.Namespace) -> int:
    """Print the table of all data sets."""
    fetcher = Fetcher()
    console = _console()
    if not console.is_terminal:
        console.width = 160
    mirror = without_credentials(fetcher.mirror or "none")
    console.print(f"cache: {fetcher.cache}\nmirror: {mirror}")
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("name", "n x p", "source", "size", "state"):
        justify: Literal["right", "left"] = "right" if column in ("n x p", "size") else "left"
        table.add_column(column, no_wrap=True, justify=justify)
    for column in ("sources, in order", "licence, terms"):
        table.add_column(column, overflow="fold")
    for name in access.names():
        info = access.info(name, fetcher)
        shape = " x ".join(str(n) if n else "?" for n in (info.n_samples, info.n_features))
        size = f"{max(info.bytes / 1e6, 0.1):.1f} MB" if info.bytes else ""
        state = Text(info.state, style=STYLES[info.state])
        table.add_row(name, shape, info.source, size, state, ", ".join(info.sources), info.terms)
    console.print(table, soft_wrap=False)
    console.print(
        "Sources are tried in their order, after the cache; one package or archive may serve many "
        "data sets and is downloaded once."
    )
    return 0


def _real(words: list[str]) -> list[str]:
    """Names of the real data sets that the words stand for; all by default."""
    catalog = default_catalog()
    names = [name for word in words for name in catalog.named(word)] or access.names()
    return [name for name in dict.fromkeys(names) if catalog.entry(name).is_real]


def run_fetch(arguments: argparse.Namespace) -> int:
    """Fetch, go on after a failure, and say at the end what is missing."""
    console = _console(stderr=True)
    fetcher = Fetcher(upstream_only=arguments.upstream)

    def say(name: str, outcome) -> None:
        if isinstance(outcome, DataUnavailableError):
            console.print(_marked("failed", "red", name))
        else:
            line = f"{name}: {len(outcome)} files in {fetcher.cache}"
            console.print(_marked("ok", "green", line))

    names = [name for name in _real(arguments.names) if fetcher.entry(name).files]
    failed = access.fetch_all(names, fetcher, say)
    for message in dict.fromkeys(str(error) for error in failed.values()):
        console.print(message, style="yellow")
    return 1 if failed else 0


def _at_hand(
    arguments: argparse.Namespace, fetcher: Fetcher, console: Console
) -> tuple[list[str], int]:
    """Names of the data sets at hand, and how many are missing that were asked for by name."""
    names = _real(arguments.names)
    found = [name for name in names if access.available(name, fetcher)]
    for name in (name for name in names if name not in found):
        console.print(_marked("not at hand", "yellow", name))
    return found, len(names) - len(found) if arguments.names else 0


def run_verify(arguments: argparse.Namespace) -> int:
    """Load every data set at hand, which checks hashes and digests; print what is wrong."""
    console, fetcher = _console(), Fetcher()
    names, n_bad = _at_hand(arguments, fetcher, console)
    for name in names:
        try:
            dataset = access.load(name, fetcher)
        except (AlteredDataError, DataUnavailableError) as error:
            n_bad += 1
            console.print(_marked("bad", "red", f"{name}: {error}"))
        else:
            entry = fetcher.entry(name)
            digest = access.known_digest(entry, fetcher.expected(entry))
            known = "no digest to compare with" if digest is None else "values as known"
            console.print(_marked("ok", "green", f"{name}: {dataset.source}, {known}"))
    if not names:
        console.print("nothing to verify: no data set is at hand (`reprolib data fetch` gets them)")
    return 1 if n_bad else 0


def run_audit(arguments: argparse.Namespace) -> int:
    """Audit every data set at hand, print what was found, and write it as a table."""
    from data_fetch.auditing.audits import audit, write_audits  # scikit-learn: slow to import

    console, fetcher = _console(), Fetcher()
    if arguments.csv is not None and not arguments.csv.parent.is_dir():
        raise ValueError(f"--csv {arguments.csv}: its folder does not exist; make it first")
    names, n_missing = _at_hand(arguments, fetcher, console)
    found = []
    for name in names:
        found.append(audit(name, fetcher))
        console.print(f"{name} ({found[-1].source}): {found[-1].in_short()}")
        for finding in found[-1].findings:
            console.print(_marked(f"  {finding.check}:", "yellow", finding.told()))
    if arguments.csv is not None and found:
        write_audits(arguments.csv, found)
    return 1 if n_missing else 0


def run_digest(arguments: argparse.Namespace) -> int:
    """Print the lines for the catalog."""
    catalog = default_catalog()
    entries = {name: replace(entry, digest=None) for name, entry in catalog.entries.items()}
    fetcher = Fetcher(replace(catalog, entries=entries))
    for name in arguments.names:
        digest = access.load(name, fetcher).digest()
        sys.stdout.write(f'[dataset."{name}"]\ndigest = "{digest}"\n')
    return 0
