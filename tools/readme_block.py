"""Rewrite what README.md shows of the committed results, between its markers: `make readme`."""

from pathlib import Path

from reprolib.report.readme import update_file
from reprolib.rerun.records.registry import PAPERS, packaged

update_file(Path(__file__).parents[1] / "README.md", packaged(PAPERS))
