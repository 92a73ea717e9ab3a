"""The command line: it finds the command, and turns errors into messages."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from reprolib import __version__
from reprolib.cli.commands import COMMANDS, GROUPS
from reprolib.rerun.printed.names import resolved

#: The extra of a library, by the name that it is imported by.
OPTIONAL = {
    **dict.fromkeys(("matplotlib", "PIL", "jinja2", "mne", "nibabel"), "papers"),
    "distributed": "cluster",
}


def build_parser() -> argparse.ArgumentParser:
    """Parser of the whole command line."""
    lines, width = [], max(map(len, COMMANDS)) + 2
    for group, names in GROUPS.items():
        lines += [f"{group}:", *(f"  {name:<{width}}{COMMANDS[name].HELP}" for name in names), ""]
    lines.append("`reprolib COMMAND --help` has the arguments of a command.")
    parser = argparse.ArgumentParser(
        prog="reprolib",
        usage="reprolib COMMAND ...",
        description="Rerun papers on kernel methods, number by number.",
        epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action=_Version, help="versions, BLAS kernel, folders: for a report of a bug"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
    for name, command in COMMANDS.items():
        usage = f"reprolib {name}"
        sub = commands.add_parser(name, prog=usage, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, advice=getattr(command, "ADVICE", ""), parser=sub)
    return parser


class _Version(argparse.Action):
    """``--version``: our version, and everything else that a report of a bug should say."""

    def __init__(self, option_strings, dest, **options):
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **options)

    def __call__(self, parser, namespace, values, option_string=None):
        from reprolib.cli.console import out
        from reprolib.cli.info import facts

        out().print(f"reprolib {__version__}")
        for name, value in facts():
            out().print(f"{name}: {value}")
        parser.exit()


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
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell (`>&-`): output goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    parser = build_parser()
    arguments = argparse.Namespace(advice="")
    try:
        words = with_commands(sys.argv[1:] if argv is None else argv)
        _, unknown = parser.parse_known_args(words, arguments)
        if unknown:
            getattr(arguments, "parser", parser).error(f"unknown arguments: {' '.join(unknown)}")
        if arguments.command is None:
            parser.print_help()
            return 0
        with _raising_terminated():
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
        extra = OPTIONAL.get(str(error.name).partition(".")[0])
        if extra is None:
            raise
        text = f'`reprolib {arguments.command}` needs {error.name}: pip install "reprolib[{extra}]"'
        _say("error:", text, "bold red")
        return 2
    except (ValueError, OSError) as error:
        _say("error:", str(error), "bold red")
        return 2


class Terminated(KeyboardInterrupt):
    """A command that was told to end: by ``kill``, a time limit of a cluster, a shutdown."""


@contextmanager
def _raising_terminated() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM arrives, while the context lasts.

    Python's own answer is to end at once: worker processes go on, and their files stay. Signals
    reach the main thread alone; in another one nothing is changed.
    """

    def stop(number: int, frame: object) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(head: str, text: str, style: str) -> None:
    from reprolib.cli.console import err, headed

    err().print(headed(head, text, style))


if __name__ == "__main__":
    sys.exit(main())
