"""``which-method``, or ``python -m which_method``: a table of one's own, and parts of the study.

The study itself is run by ``reprolib reproduce which_method``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from which_method import boosters, compare, overlap, wider_grids

COMMANDS = {
    "compare": (compare, "compare classifiers on your own table (CSV): what is decided, what not"),
    "boosters": (boosters, "CatBoost, LightGBM and XGBoost on the splits of the study"),
    "wider-grids": (wider_grids, "kernel methods of the study with 25 configurations, not nine"),
    "overlap": (overlap, "how much random splits of one pool correlate, by simulation"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    parser = argparse.ArgumentParser(prog="which-method", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        own = commands.add_parser(name, help=text, description=module.__doc__)
        module.add_arguments(own)
        own.set_defaults(run=module.run)
    options = parser.parse_args(argv)
    try:
        options.run(options)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from what is stored.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
