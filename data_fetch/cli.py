"""`reprolib data`: list, fetch and verify data sets, print their digests.

What needs numpy is imported when a command runs: the help of the command line does not need it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from data_fetch.environment import without_credentials
from data_fetch.errors import AlteredDataError, DataUnavailableError

if TYPE_CHECKING:
    from data_fetch.fetcher import Fetcher

HELP = "list, fetch and verify data sets"
SUBCOMMANDS = {
    "list": "all data sets: size, sources in order, licence, state",
    "fetch": "bring the files of data sets into the cache",
    "verify": "check files and parsed values, without a download",
    "digest": "print the digest of parsed values for the catalog",
}
STYLES = {
    "cached": "green",
    "embedded": "green",
    "bundled": "green",
    "mirror": "cyan",
    "needs download": "yellow",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands with their arguments."""
    commands = parser.add_subparsers(dest="data_command", metavar="COMMAND")
    parsers = {name: commands.add_parser(name, help=text) for name, text in SUBCOMMANDS.items()}
    for name, which in (("fetch", "all"), ("verify", "all at hand")):
        text = f"data set, family (raetsch) or paper (kpm) (default: {which})"
        parsers[name].add_argument("names", nargs="*", metavar="NAME", help=text)
    parsers["fetch"].add_argument(
        "--upstream",
        action="store_true",
        help="whole files from the publishers' sites, even where there is a partial copy",
    )
    parsers["digest"].add_argument("names", nargs="+", metavar="NAME")
    parser.set_defaults(help=parser.print_help)


def run(arguments: argparse.Namespace) -> int:
    """Run one of the commands; without one, print the help."""
    if arguments.data_command is None:
        arguments.help()
        return 0
    from data_fetch.fetcher import Fetcher

    if arguments.data_command == "list":
        return _list(Fetcher())
    if arguments.data_command == "fetch":
        return _fetch(arguments.names, Fetcher(upstream_only=arguments.upstream))
    return (_verify if arguments.data_command == "verify" else _digest)(arguments.names, Fetcher())


def _console(stderr: bool = False) -> Console:
    """Console that prints text as it is: no line broken, nothing taken for markup."""
    return Console(stderr=stderr, soft_wrap=True, markup=False, highlight=False, emoji=False)


def _marked(word: str, style: str, text: str) -> Text:
    return Text.assemble((word, style), f" {text}")


def _list(fetcher: Fetcher) -> int:
    """Print the table of all data sets."""
    from data_fetch import access

    console = _console()
    if not console.is_terminal:
        console.width = 160
    mirror = without_credentials(fetcher.mirror or "none")
    console.print(f"cache: {fetcher.cache}\nmirror: {mirror}")
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("name", "n x p", "source", "size", "state"):
        right = column in ("n x p", "size")
        table.add_column(column, no_wrap=True, justify="right" if right else "left")
    for column in ("sources, in order", "licence, terms"):
        table.add_column(column, overflow="fold")
    for name in fetcher.catalog.entries:
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


def _real(words: list[str], fetcher: Fetcher) -> list[str]:
    """Names of the real data sets that the words stand for; all by default."""
    catalog = fetcher.catalog
    names = [name for word in words for name in catalog.named(word)] or list(catalog.entries)
    return [name for name in dict.fromkeys(names) if catalog.entry(name).is_real]


def _fetch(words: list[str], fetcher: Fetcher) -> int:
    """Fetch, go on after a failure, and say at the end what is missing."""
    from data_fetch import access

    console, failed = _console(stderr=True), []
    for name in _real(words, fetcher):
        if not fetcher.entry(name).files:
            continue
        try:
            files = access.fetch(name, fetcher)
        except DataUnavailableError as error:
            failed.append(str(error))
            console.print(_marked("failed", "red", name))
        else:
            line = f"{name}: {len(files)} files in {fetcher.cache}"
            console.print(_marked("ok", "green", line))
    for message in dict.fromkeys(failed):
        console.print(message, style="yellow")
    return 1 if failed else 0


def _verify(words: list[str], fetcher: Fetcher) -> int:
    """Load every data set at hand, which checks hashes and digests; print what is wrong."""
    from data_fetch import access

    console, found, n_bad = _console(), False, 0
    for name in _real(words, fetcher):
        if not access.available(name, fetcher):
            console.print(_marked("not at hand", "yellow", name))
            n_bad += bool(words)  # it was asked for by name
            continue
        found = True
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
    if not found:
        console.print("nothing to verify: no data set is at hand (`reprolib data fetch` gets them)")
    return 1 if n_bad else 0


def _digest(names: list[str], fetcher: Fetcher) -> int:
    """Print the lines for the catalog."""
    from data_fetch import access

    catalog = fetcher.catalog
    entries = {name: replace(entry, digest=None) for name, entry in catalog.entries.items()}
    fetcher = replace(fetcher, catalog=replace(catalog, entries=entries))
    for name in names:
        digest = access.load(name, fetcher).digest()
        sys.stdout.write(f'[dataset."{name}"]\ndigest = "{digest}"\n')
    return 0
