"""Run the command line with ``python -m reprolib``."""

import sys

from reprolib.cli.main import main

sys.exit(main())
