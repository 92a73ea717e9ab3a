"""``reprolib completion``: what a shell needs to complete command lines."""

from __future__ import annotations

import argparse

from reprolib.rerun.registry import PAPERS, STUDIES

HELP = "print what makes a shell complete commands, options and papers"

#: How the words are offered, by shell. Zsh reads the script of bash.
BASH = """\
_reprolib() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words="{commands}"
    if [ "$COMP_CWORD" -gt 1 ]; then
        case ${{COMP_WORDS[1]}} in
{cases}
            *) words="" ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -F _reprolib reprolib
"""
SHELLS = {
    "bash": BASH,
    "zsh": "autoload -Uz bashcompinit && bashcompinit\n" + BASH,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=SHELLS,
        help='bash or zsh; put eval "$(reprolib completion bash)" into ~/.bashrc',
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    words = {name: sorted(_words(name)) for name in _commands()}
    cases = "\n".join(f'            {name}) words="{" ".join(w)}" ;;' for name, w in words.items())
    print(SHELLS[arguments.shell].format(commands=" ".join(words), cases=cases), end="")
    return 0


def _commands() -> dict:
    from reprolib.cli.commands import COMMANDS

    return COMMANDS


def _words(name: str) -> set[str]:
    """Options of a command, its own commands, and the papers where it takes them."""
    command, parser = _commands()[name], argparse.ArgumentParser()
    command.add_arguments(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    words = {option for option in options if option.startswith("--")}
    words |= set(getattr(command, "SUBCOMMANDS", {}))
    if any(action.dest == "papers" for action in parser._actions):
        words |= {*PAPERS, *STUDIES}
    return words
