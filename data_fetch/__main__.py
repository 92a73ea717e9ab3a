"""`python -m data_fetch`: the commands of `reprolib data`, without reprolib."""

from __future__ import annotations

import argparse
import sys

from data_fetch.commands import add_arguments, run


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m data_fetch", description=__doc__)
    add_arguments(parser)
    try:
        return run(parser.parse_args(argv))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
