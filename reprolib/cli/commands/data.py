"""``reprolib data``: the commands of `data_fetch`."""

from data_fetch.commands import HELP, SUBCOMMANDS, add_arguments, run

__all__ = ["HELP", "SUBCOMMANDS", "add_arguments", "run"]
