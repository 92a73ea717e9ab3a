"""``reprolib data``: its commands and their arguments."""

from __future__ import annotations

import argparse

HELP = "list, fetch and verify data sets"
SUBCOMMANDS = {
    "list": "all data sets: size, source, licence, state",
    "fetch": "bring the files of data sets into the cache",
    "verify": "check files and parsed values, without a download",
    "digest": "print the digest of parsed values for the catalog",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands with their arguments."""
    commands = parser.add_subparsers(dest="data_command", metavar="COMMAND")
    parsers = {name: commands.add_parser(name, help=text) for name, text in SUBCOMMANDS.items()}
    parsers["fetch"].add_argument("names", nargs="*", metavar="NAME", help="(default: all)")
    parsers["fetch"].add_argument(
        "--upstream",
        action="store_true",
        help="from the publishers' sites, even where the mirror or the cache has a partial copy",
    )
    parsers["verify"].add_argument(
        "names", nargs="*", metavar="NAME", help="(default: all that need no download)"
    )
    parsers["digest"].add_argument("names", nargs="+", metavar="NAME")
    parser.set_defaults(help=parser.print_help)


def run(arguments: argparse.Namespace) -> int:
    """Run one of the commands; without one, print the help."""
    if arguments.data_command is None:
        arguments.help()
        return 0
    from data_fetch import cli

    run_command = getattr(cli, f"run_{arguments.data_command}")
    return run_command(arguments)
