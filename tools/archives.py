"""Commands of setuptools that pyproject.toml names: what wheel and source archive hold.

A wheel has copies of the committed results and notebooks, which lie outside of the package, and
notebooks without outputs. pyproject.toml alone can ship neither.
"""

import json
import shutil
import subprocess
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

#: Files of the checkout, by folder, that an installed package has in ``reprolib/shipped``.
SHIPPED = {
    "results": ("*.csv.xz", "*.json", "SHA256SUMS"),
    "notebooks": ("*.ipynb",),
}


def without_outputs(notebook: str) -> str:
    """Text of a notebook as it is before it is run: its pictures are most of its size."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


class BuildWithShippedFolders(build_py):
    """`build_py`, and copies of the folders; an editable install uses the checkout's own."""

    def run(self):
        """Build, then copy."""
        super().run()
        if self.editable_mode:
            return
        for folder, patterns in SHIPPED.items():
            for path in (path for pattern in patterns for path in Path(folder).rglob(pattern)):
                if ".ipynb_checkpoints" not in path.parts:
                    self._ship(path)

    def _ship(self, path: Path):
        copy = Path(self.build_lib) / "reprolib" / "shipped" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            copy.write_text(without_outputs(path.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(path, copy)


class SourceArchiveOfGit(sdist):
    """`sdist` of every file that git knows."""

    def make_distribution(self):
        """Add the files, then pack."""
        listed = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE)
        known = [name for name in listed.stdout.decode().split("\0") if Path(name).is_file()]
        self.filelist.extend(known)
        self.filelist.remove_duplicates()
        super().make_distribution()
