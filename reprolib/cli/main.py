"""The command line: it finds the command, and turns errors into messages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import argcomplete

from reprolib import __version__
from reprolib.cli.commands import COMMANDS
from reprolib.cli.termination import Terminated, raising_terminated
from reprolib.rerun.records.registry import resolved

#: Libraries of the extra `rerun`, by the names that they are imported by.
OPTIONAL = {"matplotlib", "PIL", "jinja2", "mne", "nibabel"}


def build_parser() -> argparse.ArgumentParser:
    """Parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="reprolib", description="Rerun papers on kernel methods, number by number."
    )
    parser.add_argument("--version", action="version", version=f"reprolib {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, advice=getattr(command, "ADVICE", ""), parser=sub)
    return parser


def with_commands(words: Sequence[str]) -> list[str]:
    """Words of a command line with the names of commands as they are spelled.

    Raises
    ------
    ValueError
        If there is no such command.
    """
    if not words or words[0].startswith("-"):
        return list(words)
    name = resolved("command", words[0], COMMANDS)
    rest = list(words[1:])
    subcommands = getattr(COMMANDS[name], "SUBCOMMANDS", {})
    if subcommands and rest and not rest[0].startswith("-"):
        rest[0] = resolved(f"command of `reprolib {name}`", rest[0], subcommands)
    return [name, *rest]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    _open_streams()
    parser = build_parser()
    if "_ARGCOMPLETE" in os.environ:
        argcomplete.autocomplete(parser)
    arguments = argparse.Namespace(advice="")
    try:
        words = with_commands(sys.argv[1:] if argv is None else argv)
        _, unknown = parser.parse_known_args(words, arguments)
        if unknown:
            getattr(arguments, "parser", parser).error(f"unknown arguments: {' '.join(unknown)}")
        if arguments.command is None:
            parser.print_help()
            return 0
        with raising_terminated():
            return arguments.run(arguments) or 0
    except BrokenPipeError:
        # Whoever read the output has gone, as after `| head`: nothing is left to say to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Terminated:
        _say("Terminated.", arguments.advice, "bold")
        return 143
    except KeyboardInterrupt:
        _say("Interrupted.", arguments.advice, "bold")
        return 130
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in OPTIONAL:
            raise
        text = f'`reprolib {arguments.command}` needs {error.name}: pip install "reprolib[rerun]"'
        _say("error:", text, "bold red")
        return 2
    except (ValueError, OSError) as error:
        _say("error:", str(error), "bold red")
        return 2


def _open_streams() -> None:
    """Let output go nowhere where the shell has closed it (``>&-``)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _say(head: str, text: str, style: str) -> None:
    from reprolib.cli.console import err, headed

    err().print(headed(head, text, style))


if __name__ == "__main__":
    sys.exit(main())
