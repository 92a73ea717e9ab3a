"""The recipe pages run as they are printed, and find what was put into their data."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import nibabel
import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def run_page(tmp_path, monkeypatch, capsys):
    """Run the code blocks of a page, which must show what they print, in an empty folder."""

    def run(name: str) -> dict:
        names = names_after(name, tmp_path, monkeypatch)
        shown = (DOCS / name).read_text(encoding="utf-8")
        printed = capsys.readouterr().out.splitlines()
        assert [line for line in printed if f"\n{line}\n" not in shown] == []
        return names

    return run


def names_after(name: str, folder, monkeypatch) -> dict:
    """Names after all code blocks of a page, run in order in an empty folder."""
    monkeypatch.chdir(folder)
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    names: dict = {}
    with mpl.rc_context({"backend": "agg"}):
        for block in blocks:
            exec(compile(block, name, "exec"), names)
    return names


@pytest.mark.slow
def test_epochs_become_a_topographic_map(run_page, tmp_path):
    names = run_page("recipe_eeg.md")
    assert names["auc"] > 0.8
    channel, sample = np.unravel_index(np.abs(names["patterns"]).argmax(), (8, 16))
    assert names["names"][channel] in ("P3", "Pz", "P4")
    assert abs(names["times"][sample] - 0.3) < 0.1
    assert (tmp_path / "recipe_eeg.png").stat().st_size > 1000


@pytest.mark.slow
def test_masked_volumes_become_a_nifti_map(run_page, tmp_path):
    names = run_page("recipe_fmri.md")
    image = nibabel.load(tmp_path / "weights.nii.gz")
    np.testing.assert_array_equal(image.affine, names["affine"])
    weights = image.get_fdata()
    for k in range(3):
        patch = weights[3 * k : 3 * k + 2, 4:7, 2:4, k]
        assert patch.mean() > 5 * np.abs(weights[..., k].mean())
    assert (tmp_path / "recipe_fmri.png").stat().st_size > 1000


def test_lists_of_kernels_blocks_and_gram_matrices_become_weights(run_page):
    names = run_page("multiple_kernel_learning.md")
    assert names["accuracy"] > 0.95
    assert names["mkl"].score(names["new"], names["y"][300:]) > 0.95
    assert names["mkl"].status_ == "optimal"


@pytest.mark.parametrize("page", ["recipe_eeg", "recipe_fmri"])
def test_a_page_shows_its_picture(page):
    assert f"]({page}.png)" in (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert (DOCS / f"{page}.png").is_file()
