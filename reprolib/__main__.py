"""Run the command line with ``python -m reprolib``."""

import sys

from reprolib.cli import main

sys.exit(main())
