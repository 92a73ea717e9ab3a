"""Commands about data and their arguments; what they do is in `data_fetch.cli`."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "list, fetch and verify data sets"
SUBCOMMANDS = {
    "list": "all data sets: size, sources in order, licence, state",
    "fetch": "bring the files of data sets into the cache",
    "verify": "check files and parsed values, without a download",
    "audit": "labels, repeated rows, drift, dead channels: what is odd in data sets at hand",
    "digest": "print the digest of parsed values for the catalog",
}
_NAMES = {
    "fetch": "data set, family (raetsch) or paper (kpm) (default: all)",
    "verify": "data set, family (raetsch) or paper (kpm) (default: all at hand)",
    "audit": "data set, family (raetsch) or paper (kpm) (default: all at hand)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands with their arguments."""
    commands = parser.add_subparsers(dest="data_command", metavar="COMMAND")
    parsers = {name: commands.add_parser(name, help=text) for name, text in SUBCOMMANDS.items()}
    for name, text in _NAMES.items():
        parsers[name].add_argument("names", nargs="*", metavar="NAME", help=text)
    parsers["fetch"].add_argument(
        "--upstream",
        action="store_true",
        help="whole files from the publishers' sites, even where there is a partial copy",
    )
    parsers["audit"].add_argument(
        "--csv", metavar="FILE", type=Path, help="write the findings as a table, too"
    )
    parsers["digest"].add_argument("names", nargs="+", metavar="NAME")
    parser.set_defaults(help=parser.print_help)


def run(arguments: argparse.Namespace) -> int:
    """Run one of the commands; without one, print the help."""
    if arguments.data_command is None:
        arguments.help()
        return 0
    from data_fetch import cli

    return getattr(cli, f"run_{arguments.data_command}")(arguments)
