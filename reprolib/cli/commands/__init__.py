"""One file a command: its help, its arguments, and a call of what does the work.

These files import neither numpy nor pandas, so that help and wrong arguments are answered at once;
``run`` imports the implementation.
"""

from reprolib.cli.commands import (
    bench,
    check,
    compare,
    data,
    figures,
    info,
    init,
    judge,
    merge,
    notebooks,
    publish,
    readme,
    renew_notebooks,
    report,
    reproduce,
    run,
    tables,
    verify,
)

#: Modules by the name of the command, in the order of the help.
COMMANDS = {
    "check": check,
    "reproduce": reproduce,
    "run": run,
    "tables": tables,
    "figures": figures,
    "verify": verify,
    "compare": compare,
    "report": report,
    "judge": judge,
    "publish": publish,
    "merge": merge,
    "data": data,
    "bench": bench,
    "notebooks": notebooks,
    "info": info,
    "init": init,
    "readme": readme,
    "renew-notebooks": renew_notebooks,
}
