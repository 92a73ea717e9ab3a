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

    def run(name: str, **changes: str) -> dict:
        names = names_after(name, tmp_path, monkeypatch, changes)
        if changes:
            return names
        shown = (DOCS / name).read_text(encoding="utf-8")
        printed = capsys.readouterr().out.splitlines()
        assert [line for line in printed if f"\n{line}\n" not in shown] == []
        return names

    return run


def names_after(name: str, folder, monkeypatch, changes=()) -> dict:
    """Names after all code blocks of a page, run in order in an empty folder.

    Changes are lines that replace those that begin with ``name =``: a reader's own data.
    """
    monkeypatch.chdir(folder)
    text = (DOCS / name).read_text(encoding="utf-8")
    for variable in changes:
        text, n = re.subn(rf"^{variable} = .*$", changes[variable], text, flags=re.MULTILINE)
        assert n == 1, variable
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
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
@pytest.mark.parametrize(
    "info",
    [
        'info = mne.create_info(names, 25.0, "eeg"); info["bads"] = ["C3"]',
        'names[0] = "EOG"; info = mne.create_info(names, 25.0, ["eog"] + 7 * ["eeg"])',
        'names[7] = "STI"; info = mne.create_info(names, 25.0, 7 * ["eeg"] + ["stim"])',
    ],
    ids=["a bad channel", "an EOG channel", "a trigger"],
)
def test_the_map_leaves_out_what_is_no_good_channel(run_page, info):
    names = run_page("recipe_eeg.md", info=info)
    assert names["auc"] > 0.8
    assert names["patterns"].shape == (7, 16)
    channel, _ = np.unravel_index(np.abs(names["patterns"]).argmax(), (7, 16))
    assert names["evoked"].ch_names[channel] in ("P3", "Pz", "P4")
    assert set(names["evoked"].ch_names) == set(names["tree"].labels[0])


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


@pytest.mark.slow
def test_a_map_lies_where_the_images_lie_and_leaves_out_what_does_not_vary(run_page, tmp_path):
    """Another affine, a voxel that is constant in all runs, and one that is so in one of them."""
    names = run_page(
        "recipe_fmri.md",
        affine="affine = np.array([[0, -2.0, 0, 9], [2, 0, 0, 7], [0, 0, 3, 1], [0, 0, 0, 1]])",
        bold="volumes[4, 5, 3], volumes[5, 5, 3, :12] = 0.1, 0.3\n"
        "bold = nibabel.Nifti1Image(volumes, affine)",
    )
    image = nibabel.load(tmp_path / "weights.nii.gz")
    np.testing.assert_array_equal(image.affine, names["bold"].affine)
    assert image.affine[0, 1] == -2.0
    weights = image.get_fdata()
    assert np.isfinite(weights).all()
    assert not weights[4, 5, 3].any()
    assert not weights[5, 5, 3].any()
    assert weights[3, 5, 3].all()


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ("nibabel.Nifti1Image(inside.astype(np.uint8), np.eye(4))", "of another space"),
        ("nibabel.Nifti1Image(inside[:9].astype(np.uint8), affine)", "to the grid of the images"),
    ],
)
def test_a_mask_of_another_space_is_refused(run_page, mask, message):
    with pytest.raises(AssertionError, match=message):
        run_page("recipe_fmri.md", mask=f"mask = {mask}")


@pytest.mark.slow
def test_rows_of_a_file_are_learned(tmp_path, monkeypatch):
    names = names_after("large_n.md", tmp_path, monkeypatch)
    for model in ("sgd", "mkpm", "rls"):
        assert names[model].score(names["X"], names["y"]) > 0.85
    assert names["kpm"].score(names["X"], names["y"] > 0) > 0.85


def test_lists_of_kernels_blocks_and_gram_matrices_become_weights(run_page):
    names = run_page("multiple_kernel_learning.md")
    assert names["accuracy"] > 0.95
    assert names["mkl"].score(names["new"], names["y"][300:]) > 0.95
    assert names["mkl"].status_ == "optimal"


@pytest.mark.parametrize("page", ["recipe_eeg", "recipe_fmri"])
def test_a_page_shows_its_picture(page):
    assert f"]({page}.png)" in (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert (DOCS / f"{page}.png").is_file()
