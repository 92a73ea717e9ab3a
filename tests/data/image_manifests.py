"""Make ``data_fetch/manifests.npz`` of the full lists, which a mirror has: sha256, bytes, path.

``python -m tests.data.image_manifests FOLDER`` takes ``FOLDER/caltech101/manifest.tsv.gz`` and
``FOLDER/pubfig83/manifest.tsv.gz``.
"""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from data_fetch.images import KEPT, MANIFESTS

PATTERNS = {"caltech101": "image_{:04d}.jpg", "pubfig83": "{}.jpg"}


def arrays(name: str, listed: pd.DataFrame) -> dict[str, np.ndarray]:
    """Arrays of one manifest, in the order of the list; paths end in class and number."""
    parts = listed["path"].str.extract(r"([^/]+)/(?:image_)?(\d+)\.jpg$")
    starts = np.flatnonzero(parts[0] != parts[0].shift())
    found = {
        "classes": parts[0].to_numpy()[starts].astype(str),
        "counts": np.diff([*starts, len(parts)]).astype(np.uint16),
        "numbers": parts[1].astype(int).to_numpy(np.uint16),
        "pattern": np.array(PATTERNS[name]),
        "prefixes": np.array([list(bytes.fromhex(h)[:KEPT]) for h in listed["sha256"]], np.uint8),
        "sizes": listed["bytes"].to_numpy(np.uint32),
    }
    if "mode" in listed:
        forms = listed[["width", "height"]].assign(colour=listed["mode"] == "RGB")
        found["forms"] = forms.to_numpy().astype(np.uint16)
    return {f"{name}.{key}": value for key, value in found.items()}


def write(path: Path, content: dict[str, np.ndarray]) -> None:
    """Write the arrays so that equal ones give equal bytes, packed as small as numpy reads."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for key, value in content.items():
            buffer = io.BytesIO()
            np.save(buffer, value)
            archive.writestr(zipfile.ZipInfo(f"{key}.npy"), buffer.getvalue(), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    content: dict[str, np.ndarray] = {}
    for name in PATTERNS:
        table = pd.read_csv(Path(sys.argv[1]) / name / "manifest.tsv.gz", sep="\t")
        content |= arrays(name, table)
    write(MANIFESTS, content)
    sys.stdout.write(f"{MANIFESTS.name}: {MANIFESTS.stat().st_size} bytes\n")
