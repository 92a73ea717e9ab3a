"""Puts committed results and notebooks into a wheel; the rest is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: Files of the checkout, by folder, that an installed package has in ``reprolib/shipped``.
SHIPPED = {
    "results": ("*.csv", "*.json", "SHA256SUMS"),
    "notebooks": ("*.ipynb",),
}


class BuildWithShippedFolders(build_py):
    """`build_py`, and copies of the folders; an editable install uses the checkout's own."""

    def run(self):
        """Build, then copy."""
        super().run()
        if self.editable_mode:
            return
        for folder, patterns in SHIPPED.items():
            for path in (path for pattern in patterns for path in Path(folder).rglob(pattern)):
                self._ship(path)

    def _ship(self, path: Path):
        copy = Path(self.build_lib) / "reprolib" / "shipped" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


setup(cmdclass={"build_py": BuildWithShippedFolders})
