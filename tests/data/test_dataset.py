"""What a data set says of itself, and the way back to the domain's own objects."""

from __future__ import annotations

import nibabel as nib
import numpy as np
import pytest

from data_fetch import Dataset
from data_fetch.embedded import haxby


def test_short_repr():
    rows = np.arange(6)
    data = Dataset(
        "toy/a",
        np.zeros((6, 4)),
        rows % 3,
        "partial",
        splits=[(rows[:4], rows[4:])],
        groups=rows // 3,
    )
    assert repr(data) == "<Dataset toy/a: 6 x 4, 3 classes, 1 split, 2 groups, partial>"
    assert repr(Dataset("toy/b", np.zeros((2, 1)), rows[:2], "original")) == (
        "<Dataset toy/b: 2 x 1, 2 classes, original>"
    )


@pytest.fixture(scope="module")
def session():
    return haxby.load_embedded()


def test_values_become_a_volume_of_the_masks_grid(session):
    image = session.to_nifti(session.X[3])
    assert isinstance(image, nib.Nifti1Image)
    assert image.shape == session.extra["mask"].shape
    np.testing.assert_array_equal(image.affine, session.extra["affine"])
    np.testing.assert_array_equal(image.get_fdata()[session.extra["mask"]], session.X[3])
    assert not image.get_fdata()[~session.extra["mask"]].any()


def test_several_rows_become_volumes(session):
    image = session.to_nifti(session.X[:5])
    assert image.shape == (*session.extra["mask"].shape, 5)
    np.testing.assert_array_equal(image.get_fdata()[session.extra["mask"]], session.X[:5].T)


def test_domain_objects_are_there(session):
    assert session.extra["mask_image"].shape == session.extra["mask"].shape
    assert session.extra["series"].shape[3] > len(session.X)


def test_wrong_numbers_and_no_voxels(session):
    with pytest.raises(ValueError, match=r"values has shape \(3,\); 448 voxels expected"):
        session.to_nifti(np.zeros(3))
    data = Dataset("toy/a", np.zeros((2, 2)), np.arange(2), "original")
    with pytest.raises(ValueError, match="the columns of toy/a are not voxels"):
        data.to_nifti(np.zeros(2))
