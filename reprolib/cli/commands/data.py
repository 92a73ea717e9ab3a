"""``reprolib data``: the commands of `data_fetch`."""

from data_fetch.cli import HELP, SUBCOMMANDS, add_arguments, run

__all__ = ["HELP", "SUBCOMMANDS", "add_arguments", "run"]
