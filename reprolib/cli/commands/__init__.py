"""One file a command: its help, its arguments, and what it does.

These files import neither numpy nor pandas at their top, so that help and wrong arguments are
answered at once.
"""

from reprolib.cli.commands import (
    check,
    data,
    figures,
    judge,
    notebooks,
    report,
    reproduce,
    run,
    tables,
    verify,
)

#: Names of commands as the help groups them.
GROUPS = {
    "rerun the papers": ("reproduce", "verify", "tables", "figures", "report"),
    "your own": ("run", "judge"),
    "around": ("check", "data", "notebooks"),
}
#: Modules by the name of the command.
COMMANDS = {
    "reproduce": reproduce,
    "verify": verify,
    "tables": tables,
    "figures": figures,
    "report": report,
    "run": run,
    "judge": judge,
    "check": check,
    "data": data,
    "notebooks": notebooks,
}
