"""HMAX: against its definition, and on images of every kind."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from PIL import Image
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from reprolib import HMAX
from reprolib.methods.simplex.hmax import SERRE_FILTERS, SERRE_POOLS, sizes_of
from tests.degenerate import run_python
from tests.naive import hmax as naive
from tests.processors import skip_unless_it_runs

SMALL = {"n_patches": 9, "patch_sizes": (2, 3), "side": 34, "random_state": 0}


def scene(rng, height=45, width=60, n_bars=12):
    """Bright bars on a dark ground, as bytes."""
    image = rng.uniform(0, 60, (height, width))
    for _ in range(n_bars):
        y, x = rng.integers(height - 4), rng.integers(width - 4)
        long, thin = rng.integers(5, 25), rng.integers(2, 5)
        if rng.random() < 0.5:
            long, thin = thin, long
        image[y : y + long, x : x + thin] += rng.uniform(40, 150)
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    return [scene(rng, height, width) for height, width in ((45, 60), (50, 40), (64, 64))]


@pytest.mark.parametrize(
    "options",
    [{}, {"n_orientations": 5, "sparse": True, "inhibition": 0.5, "limited": True}],
    ids=["base", "final"],
)
def test_mutch_and_lowe_by_definition(images, options):
    model = HMAX(**SMALL, **options).fit(images)
    n, h = model.n_orientations, model.inhibition
    filters = [naive.gabor(k, n, 11, 5.641, 4.5128) for k in range(n)]
    pixels = [one.astype(float).tolist() for one in model.stages(images[0]).images]
    assert [len(one) for one in pixels[:5]] == [34, 29, 24, 20, 17]
    s1 = [naive.s1_map(one, filters, h) for one in pixels if min(len(one), len(one[0])) >= 11]
    s1 += [[[]]] * (10 - len(s1))
    bands = [naive.c1_mutch_lowe(s1[k], s1[k + 1], h) for k in range(9)]
    for band, own in zip(model.stages(images[0]).c1, bands, strict=True):
        assert band.values.shape[0] == len(own)
        if own:
            np.testing.assert_allclose(band.values, own, atol=2e-6)
    expected = []
    patches = [patch for group in model.patches_ for patch in group]
    for patch, (_, scale, down, right) in zip(patches, model.places_, strict=True):

        def is_near(k, y, x, patch=patch, scale=scale, down=down, right=right):
            if not model.limited:
                return True
            # Centre and step of units of C1, as a part of the image.
            near = abs(k - scale) <= 1
            for at, wanted, side in ((y, down, len(pixels[k])), (x, right, len(pixels[k][0]))):
                centre = (10 + 5 * at + 5 * (len(patch) - 1) / 2) / side
                near &= abs(centre - wanted) <= max(0.05, 2.5 / side) + 1e-9
            return near

        expected.append(naive.c2(bands, patch.tolist(), 2, model.sparse, is_near))
    np.testing.assert_allclose(model.transform(images[:1])[0], expected, atol=2e-5)
    assert np.ptp(expected) > 0.01


def test_serre_by_definition(images):
    model = HMAX("serre", **{**SMALL, "side": 30}).fit(images)
    (image,) = model.stages(images[0]).images
    assert image.shape == (30, 40)
    bands = []
    for band, pool in enumerate(SERRE_POOLS):
        s1 = []
        for side, wavelength, width in SERRE_FILTERS[2 * band : 2 * band + 2]:
            filters = [naive.gabor(k, 4, side, wavelength, width) for k in range(4)]
            s1.append(naive.s1_map(image.astype(float).tolist(), filters, 0) if band < 4 else [])
        bands.append(naive.c1_serre(*s1, pool, 0))
    for band, own in zip(model.stages(images[0]).c1, bands, strict=True):
        assert band.values.shape[0] == len(own)
        if own:
            np.testing.assert_allclose(band.values, own, atol=2e-6)
    patches = [patch.tolist() for group in model.patches_ for patch in group]
    expected = [naive.c2(bands, patch, 2, False, lambda *_: True) for patch in patches]
    np.testing.assert_allclose(model.transform(images[:1])[0], expected, atol=2e-5)


def test_sizes_of_an_image_are_pillows():
    grey = np.random.default_rng(0).random((90, 70)).astype(np.float32)
    for own in sizes_of(grey, 140 / 70, 10):
        other = Image.fromarray(grey).resize(own.shape[::-1], Image.Resampling.BICUBIC)
        np.testing.assert_allclose(own, np.asarray(other), atol=1e-5)


def test_the_image_of_a_patch_has_it(images):
    for options in ({}, {"limited": True}):
        model = HMAX(**SMALL, **options).fit(images)
        features = model.transform(images)
        assert features.dtype == np.float32
        own = features[model.places_[:, 0].astype(int), np.arange(9)]
        np.testing.assert_allclose(own, 1, atol=1e-5)
        assert features.min() < 0.99


def test_features_are_the_same_whoever_computes_them(images):
    one = HMAX(**SMALL).fit(images)
    two = HMAX(**SMALL, n_jobs=2).fit(images)
    np.testing.assert_array_equal(one.places_, two.places_)
    features = one.transform(images)
    np.testing.assert_array_equal(features, two.transform(images))
    np.testing.assert_array_equal(features[1:2], one.transform(images[1:2]))
    np.testing.assert_array_equal(features, clone(one).fit(images).transform(images))
    other = clone(one).set_params(random_state=1).fit(images)
    assert not np.array_equal(one.places_, other.places_)


def test_s2_says_where(images):
    model = HMAX(**SMALL).fit(images)
    features = model.transform(images[:1])[0]
    for feature in (0, 8):
        number, scale, down, right = model.places_[feature]
        answers = model.s2(images[0], feature)
        assert max(one.max() for one in answers if one.size) == features[feature]
        answer = model.s2(images[int(number)], feature)[int(scale)]
        band = model.stages(images[int(number)]).c1[int(scale)]
        at = np.unravel_index(answer.argmax(), answer.shape)
        half = (model.patches_[0 if feature == 0 else 1].shape[1] - 1) / 2
        np.testing.assert_allclose(band.first + band.step * (np.array(at) + half), [down, right])


def test_bytes_and_numbers_grey_and_colour_are_alike(images):
    model = HMAX(**SMALL).fit(images)
    expected = model.transform(images)
    numbers = [image / 255 for image in images]
    np.testing.assert_allclose(model.transform(numbers), expected, atol=2e-5)
    colour = [np.dstack([image] * 3) for image in images]
    np.testing.assert_allclose(model.transform(colour), expected, atol=2e-5)
    as_pictures = [Image.fromarray(image) for image in colour]
    np.testing.assert_allclose(model.transform(as_pictures), expected, atol=2e-5)


def test_contrast_does_not_matter(images):
    model = HMAX(**SMALL).fit(images)
    faint = [image / 1020 for image in images]
    np.testing.assert_allclose(model.transform(faint), model.transform(images), atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"sparse": True, "inhibition": 0.5, "limited": True}])
def test_images_without_anything_to_see(images, options):
    model = HMAX(**SMALL, **options).fit(images)
    blank = [np.full((40, 50), level, np.uint8) for level in (0, 128, 255)]
    features = model.transform([*blank, np.ones((1, 1)), np.zeros((1, 1, 3), np.uint8)])
    assert np.isfinite(features).all()
    np.testing.assert_allclose(features - features[0], 0, atol=1e-4)
    empty = HMAX(**SMALL, **options).fit(blank)
    np.testing.assert_allclose(empty.transform(blank), 1, atol=1e-4)


def test_a_narrow_image_has_no_place_for_some_patches(images):
    narrow = images[0][:, :20]
    options = {"n_patches": 6, "patch_sizes": (3,), "side": 34, "random_state": 0}
    model = HMAX("serre", **options).fit([narrow, *images])
    assert 0 not in model.places_[:, 0]
    np.testing.assert_array_equal(model.transform([narrow]), 0)
    with pytest.raises(ValueError, match="No image has room for a patch of 3 x 3 units"):
        HMAX("serre", **options).fit([narrow])


WRONG = {
    "no image": ([np.zeros(64)], r"X\[0\] has the shape \(64,\); an image has"),
    "a path": (["there.jpg"], r"X\[0\] has the shape \(\)"),
    "four colours": ([np.zeros((9, 9, 4), np.uint8)], r"X\[0\] has the shape \(9, 9, 4\)"),
    "no pixel": ([np.zeros((0, 9))], r"X\[0\] has the shape \(0, 9\)"),
    "large numbers": ([np.ones((9, 9)), 255.0 * np.ones((9, 9))], r"X\[1\] has values that are"),
    "nothing": ([np.full((9, 9), np.nan)], r"X\[0\] has values that are not from 0 to 1"),
    "whole numbers": ([np.ones((9, 9), int)], r"X\[0\] holds int64; an image"),
    "a thread": ([np.ones((9, 900))], r"X\[0\] has 9 x 900 pixels; the longer side"),
    "none": ([], "X has no images"),
    "a generator": ((image for image in ()), "X is 'generator'; give a sequence of images"),
}


@pytest.mark.parametrize(("images_", "words"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_image_is_named(images, images_, words):
    with pytest.raises(ValueError, match=words):
        HMAX(**SMALL).fit(images_)
    with pytest.raises(ValueError, match=words):
        HMAX(**SMALL).fit(images).transform(images_)


def test_a_sparse_matrix_is_refused_as_scikit_learn_does():
    with pytest.raises(TypeError, match="X is a sparse matrix; give a sequence of images"):
        HMAX(**SMALL).fit(scipy.sparse.eye_array(4))


def test_wrong_settings_are_named(images):
    with pytest.raises(ValueError, match="patch_sizes is"):
        HMAX(patch_sizes=(8, 4)).fit(images)
    with pytest.raises(ValueError, match="'model' parameter"):
        HMAX("serre2007").fit(images)
    with pytest.raises(NotFittedError):
        HMAX().transform(images)


def test_it_stands_in_front_of_a_classifier():
    rng = np.random.default_rng(1)
    upright = [scene(rng, 40, 40) for _ in range(16)]
    X = np.stack([*upright[:8], *(np.rot90(scene(rng, 40, 40)) for _ in range(8))])
    X[:8] //= 2
    X[:8, ::6] += 100  # stripes that lie
    y = np.repeat(["lying", "other"], 8)
    pipeline = make_pipeline(HMAX(**SMALL).set_output(transform="default"), RidgeClassifier())
    assert cross_val_score(pipeline, X, y, cv=2).mean() > 0.9
    names = HMAX(**SMALL).fit(X).get_feature_names_out()
    assert list(names[:2]) == ["hmax0", "hmax1"]


def on_processor(folder, **environment) -> np.ndarray:
    """Features of both models, from a new interpreter.

    Of images so large that the product of matrices has other last digits elsewhere.
    """
    path = folder / "features.npy"
    code = f"""
        import numpy as np
        from reprolib import HMAX
        from tests.methods.simplex.test_hmax import scene
        rng = np.random.default_rng(3)
        images = [scene(rng, 170, 230), scene(rng, 300, 200)]
        final = dict(sparse=True, inhibition=0.5, limited=True)
        models = [HMAX(n_patches=200, random_state=0, **options) for options in ({{}}, final)]
        np.save({str(path)!r}, [model.fit_transform(images) for model in models])
    """
    run_python(code, **environment)
    return np.load(path)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return on_processor(tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize("kernel", ["Haswell", "Nehalem"])
def test_another_processor_gives_the_same_bits(kernel, here, tmp_path):
    skip_unless_it_runs(kernel)
    np.testing.assert_array_equal(on_processor(tmp_path, OPENBLAS_CORETYPE=kernel), here)
