"""``reprolib data``: the commands of `data_fetch`."""

from data_fetch.commands import HELP, add_arguments, run

__all__ = ["HELP", "add_arguments", "run"]
