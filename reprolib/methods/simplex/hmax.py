"""HMAX: from images to C2 features, the "hierarchical features (hmax)" of the simplex paper.

Two layers of simple units (S) that compare with a template, and two of complex units (C) that take
the largest answer around a place. The paper does not say which variant its laboratory ran. Here are

- "mutch_lowe": Mutch and Lowe, *Object class recognition and localization using sparse features
  with limited receptive fields*, International Journal of Computer Vision 80, 2008: one filter at
  ten sizes of the image;
- "serre": Serre, Wolf, Bileschi, Riesenhuber and Poggio, *Robust object recognition with
  cortex-like mechanisms*, IEEE PAMI 29(3), 2007: filters of 16 sizes on one image (its Table 1).

Numbers that the papers leave open are those of the laboratory's public MATLAB code: Mutch's package
``hmax`` for CNS with its parameter sets ``cvpr06_params_base``, ``cvpr06_params_full`` and
``pnas07_params``.

Every sum that a feature is made of is compiled in one order, so C2 has the same bits on every
processor. Matrix products have not: they only tell which windows may be nearest to a patch, and the
distance of those is summed again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import scipy.sparse
from numba import njit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.shared.types import Array
from reprolib.methods.shared.validation import COUNT, POSITIVE

#: Sizes of the image of "mutch_lowe", and the factor from one to the next.
N_SIZES, FACTOR = 10, 2**0.25
#: Wavelength and width of its one filter of 11 x 11 pixels; height over width of both models'.
MUTCH_LOWE_FILTERS, ASPECT = ((11, 5.641, 4.5128),), 0.3
#: Places of S1 that a C1 unit of "mutch_lowe" sees, and from one unit to the next.
POOL, STEP = 10, 5
#: Table 1 of Serre et al.: side, wavelength and width of the filters, two a band.
SERRE_FILTERS = (
    *((7, 3.5, 2.8), (9, 4.6, 3.6), (11, 5.6, 4.5), (13, 6.8, 5.4)),
    *((15, 7.9, 6.3), (17, 9.1, 7.3), (19, 10.3, 8.2), (21, 11.5, 9.2)),
    *((23, 12.7, 10.2), (25, 14.1, 11.3), (27, 15.4, 12.3), (29, 16.8, 13.4)),
    *((31, 18.2, 14.6), (33, 19.7, 15.8), (35, 21.2, 17.0), (37, 22.8, 18.2)),
)
#: Places that a C1 unit sees in each of its bands; the next unit is half of it away.
SERRE_POOLS = (8, 10, 12, 14, 16, 18, 20, 22)
#: Least length of the pixels under a filter that its answer is divided by: black stays black.
DARKEST = 1e-3
#: Answers nearer to each other than this count as equal where one is chosen.
EQUAL = 1e-4
#: A place this much farther away than the limit, in parts of the image, is still within it.
HAIR = 1e-9
#: Longer side of an image over its shorter one; more is a mistake, and would fill the memory.
LONGEST = 16
DECIMALS = 5
#: Guessed distances that are compared at a time.
LANES = 64


class Band(NamedTuple):
    """C1 at one scale.

    ``values`` has shape (rows, columns, orientations). The centre of the unit in row i lies at
    ``first[0] + i * step[0]``, as a part of the height of the image, and columns alike.
    """

    values: Array
    first: Array
    step: Array


class Stages(NamedTuple):
    """What `HMAX.stages` gives: every stage of one image, scale by scale.

    ``images`` are the sizes of the grey image, (h, w), values from 0 to 1; ``s1`` has arrays of
    shape (orientations, h', w'), values from 0 to 1; ``c1`` has one `Band` a scale.
    """

    images: list[Array]
    s1: list[Array]
    c1: list[Band]


class Template(NamedTuple):
    """Patches of one side.

    ``features`` are the numbers of their features, (k,); ``patches`` their values, (k, d), and
    ``seen`` is one where they are compared, else zero. A window x of d units becomes (x, 1, |x|^2),
    or (x, 1, x^2) where patches are sparse; its product with a row of ``weights`` is the squared
    distance to that patch, but for rounding.
    """

    side: int
    features: Array
    patches: Array
    seen: Array
    weights: Array


class HMAX(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""From images to C2 features: how well each of many small patches fits anywhere.

    The stages, for an image of H x W pixels with values from 0 to 1 (grey: 0.299 R + 0.587 G +
    0.114 B):

    1. **S1**, (orientations, h, w) a scale: :math:`|\langle g, x \rangle| / \|x\|` of the pixels x
       under a Gabor filter g, with :math:`u, v` turned by k pi / orientations,
       :math:`g = \exp(-(u^2 + 0.3^2 v^2) / 2 s^2) \cos(2 \pi u / l)` in a circle, minus its mean,
       of length 1.
    2. **C1**, (rows, columns, orientations) a scale: the largest S1 in a square at two neighbouring
       scales; squares overlap by half.
    3. **S2**, for every patch P of n x n x orientations that ``fit`` drew from C1:
       :math:`\exp(-\|X - P\|^2 / (2 \sigma^2 \alpha))` of every window X of C1 at every scale, with
       :math:`\alpha = (n / n_\min)^2`.
    4. **C2**, one number a patch: the largest S2 over all places and scales.

    Of a maximum only the value is used: it does not matter which of several equal units has it.
    Only ``sparse`` must choose (the first of the orientations that are equal to four decimals), so
    equal images give equal features on any processor.

    Parameters
    ----------
    model : {"mutch_lowe", "serre"}, default="mutch_lowe"
        How scales are made. "mutch_lowe" filters ten sizes of the image, 2^(1/4) apart, with one
        filter of 11 x 11 pixels: nine scales of C1. "serre" filters one size with 16 filters of 7
        to 37 pixels: eight scales. Its S1 is divided by the length of the pixels, too, as in
        Mutch's package.
    n_patches : int, default=4075
        Number of features: 4,075 are in the base model of Mutch and Lowe, 1,000 and more in Serre
        et al.
    patch_sizes : sequence of int, default=(4, 8, 12, 16)
        Sides of the patches in units of C1, increasing; equally many of each.
    n_orientations : int, default=4
        Orientations of the filters: 4 in both base models, 12 in the final one of Mutch and Lowe.
    sparse : bool, default=False
        Compare at every place of a patch only the orientation that is strongest in the patch, as in
        the final model of Mutch and Lowe.
    inhibition : float, default=0.0
        Set a unit of S1 or C1 to zero if it is below min + inhibition * (max - min), taken over the
        orientations at its place; 0.5 in the final model of Mutch and Lowe.
    limited : bool, default=False
        Seek a patch only near where it was drawn: at its scale and the two beside it, and no
        farther than ``tolerance``; as in the final model of Mutch and Lowe.
    tolerance : float, default=0.05
        Distance for ``limited``, as a part of the height and of the width of the image; at least
        half a step of C1, so that there is always a nearest place.
    side : int, default=140
        Pixels to which the shorter side of an image is brought ("serre": its height), by cubic
        interpolation that smooths where it makes smaller, as ``imresize`` of MATLAB does.
    sigma : float, default=1.0
        Width of the S2 units: 1 in Mutch and Lowe; Serre et al. do not say theirs.
    random_state : int, RandomState or None, default=None
        Seed of the patches; an integer makes the fit repeatable.
    n_jobs : int, default=None
        Images at a time, in threads with one BLAS thread each; see joblib. The features do not
        depend on it.
    verbose : int, default=0
        Progress of joblib: 0 says nothing, 10 says how many images are done, and in which time.

    Attributes
    ----------
    filters_ : list of ndarray of shape (n_orientations, f, f)
        The Gabor filters, by size: one for "mutch_lowe", 16 for "serre".
    patches_ : list of ndarray of shape (k, n, n, n_orientations)
        The patches of every size, in the order of the features, as drawn from C1.
    places_ : ndarray of shape (n_patches, 4)
        Where a patch was drawn: number of the image, scale, and its centre from the top and from
        the left, as a part of height and width.

    See Also
    --------
    SimplexRLSClassifier : The paper's classifiers stand behind these features.

    Notes
    -----
    ``fit`` draws the place of a patch from all scales and places of an image with equal chances,
    and as many patches from every image, as Mutch's package does. That package also draws the size
    of a patch, so it has more small patches; its ``limited`` reaches as far as 0.0575, not the
    paper's 0.05. If an image is too small for a patch, the patch is drawn from the next image; one
    that fits nowhere in a new image gives the feature 0.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib import HMAX
    >>> images = np.random.default_rng(0).random((3, 60, 80))
    >>> HMAX(n_patches=8, patch_sizes=(3, 5), side=60, random_state=0).fit_transform(images).shape
    (3, 8)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "model": [StrOptions({"mutch_lowe", "serre"})],
        "n_patches": [COUNT],
        "patch_sizes": ["array-like"],
        "n_orientations": [COUNT],
        "sparse": ["boolean"],
        "inhibition": [Interval(Real, 0.0, 1.0, closed="both")],
        "limited": ["boolean"],
        "tolerance": [Interval(Real, 0.0, None, closed="left")],
        "side": [Interval(Integral, 16, 4096, closed="both")],
        "sigma": [POSITIVE],
        "random_state": ["random_state"],
        "n_jobs": [None, Interval(Integral, None, None, closed="neither")],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        model: str = "mutch_lowe",
        n_patches: int = 4075,
        patch_sizes: Sequence[int] = (4, 8, 12, 16),
        n_orientations: int = 4,
        sparse: bool = False,
        inhibition: float = 0.0,
        limited: bool = False,
        tolerance: float = 0.05,
        side: int = 140,
        sigma: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.model = model
        self.n_patches = n_patches
        self.patch_sizes = patch_sizes
        self.n_orientations = n_orientations
        self.sparse = sparse
        self.inhibition = inhibition
        self.limited = limited
        self.tolerance = tolerance
        self.side = side
        self.sigma = sigma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.places_)

    def fit(self, X: Sequence[Any], y: object = None) -> Self:
        """Draw the patches from the C1 units of the images.

        Parameters
        ----------
        X : sequence of array-like of shape (h, w) or (h, w, 3)
            Grey or colour images, each of its own size: bytes, or numbers from 0 to 1. Read one by
            one, by index.
        y : object, default=None
            Not used; pipelines give it.

        Returns
        -------
        HMAX
            The transformer itself, with its patches.

        Raises
        ------
        ValueError
            If there are no images, one is none, or no image has room for a patch.
        """
        self._validate_params()
        sizes = list(self.patch_sizes)
        if not sizes or not all(map(COUNT.is_satisfied_by, sizes)) or sorted(set(sizes)) != sizes:
            raise ValueError(
                f"patch_sizes is {self.patch_sizes!r}; it must be increasing whole numbers."
            )
        count = _number_of(X)
        self.filters_ = [
            gabor_filters(self.n_orientations, *filter_)
            for filter_ in (MUTCH_LOWE_FILTERS if self.model == "mutch_lowe" else SERRE_FILTERS)
        ]
        random = check_random_state(self.random_state)
        sources = random.permutation(count)[: self.n_patches]
        parts = np.array_split(np.arange(self.n_patches), len(sizes))
        patch_size = np.repeat(sizes, [len(part) for part in parts])
        chances = random.uniform(size=self.n_patches)
        drawn: dict[int, tuple[Array, tuple[float, ...]]] = {}
        source_of = random.permutation(self.n_patches) % len(sources)

        def draw(source: int, wanted: list[int]) -> None:
            number = int(sources[source])
            bands = self._stages(X[number], number).c1
            for p in wanted:
                if (found := _patch(bands, int(patch_size[p]), chances[p])) is not None:
                    drawn[p] = found[0], (number, *found[1])

        left = list(range(self.n_patches))
        for _ in sources:
            wanted: dict[int, list[int]] = {}
            for p in left:
                wanted.setdefault(int(source_of[p]), []).append(p)
            self._for_each(draw, wanted.items())
            left = [p for p in left if p not in drawn]
            if not left:
                break
            source_of[left] = (source_of[left] + 1) % len(sources)
        else:
            size = int(max(patch_size[p] for p in left))
            raise ValueError(
                f"No image has room for a patch of {size} x {size} units of C1; give smaller "
                f"patch_sizes, or a longer side than {self.side} pixels."
            )
        self.patches_ = [np.stack([drawn[p][0] for p in part]) for part in parts if len(part)]
        self.places_ = np.array([drawn[p][1] for p in range(self.n_patches)])
        return self

    def transform(self, X: Sequence[Any]) -> Array:
        """C2 of every image.

        Parameters
        ----------
        X : sequence of array-like of shape (h, w) or (h, w, 3)
            Images, as `fit` takes them.

        Returns
        -------
        ndarray of shape (images, n_patches), of float32
            From 0 to 1, smaller patches first; rounded to five decimals.

        Raises
        ------
        ValueError
            If there are no images, or one is none.
        """
        check_is_fitted(self)
        features = np.zeros((_number_of(X), self._n_features_out), np.float32)
        templates = self._templates()

        def describe(number: int) -> None:
            bands = self._stages(X[number], number).c1
            nearest = [self._nearest(bands, sought) for sought in templates]
            features[number] = self._answers(np.concatenate(nearest), slice(None))

        self._for_each(describe, ((number,) for number in range(len(features))))
        return features

    def stages(self, image: Any) -> Stages:
        """All that comes before S2, to be looked at.

        Parameters
        ----------
        image : array-like of shape (h, w) or (h, w, 3)
            One image, as `fit` takes them.

        Returns
        -------
        Stages
            The sizes of the image, S1 and C1 at every scale.
        """
        check_is_fitted(self)
        return self._stages(image, 0)

    def s2(self, image: Any, feature: int) -> list[Array]:
        """Where one patch answers in an image.

        Parameters
        ----------
        image : array-like of shape (h, w) or (h, w, 3)
            One image, as `fit` takes them.
        feature : int
            Number of the patch, which is the number of the feature.

        Returns
        -------
        list of ndarray of shape (rows, columns)
            S2 at every scale, empty where the patch is not sought; the largest of all is the
            feature.
        """
        check_is_fitted(self)
        template = next(t for t in self._templates() if feature in t.features)
        own = feature - int(template.features[0])
        patch, seen = template.patches[own], template.seen[own]
        maps = []
        for scale, band in enumerate(self._stages(image, 0).c1):
            if self.limited and abs(self.places_[feature, 1] - scale) > 1:
                maps.append(np.zeros((0, 0), np.float32))
                continue
            windows = self._windows(band, template.side)
            each = [_squared_distance(x, patch, seen) for x in windows.reshape(-1, len(patch))]
            distances = np.array(each).reshape(windows.shape[:2])
            if self.limited:
                ((top, left),), ((bottom, right),) = self._reach(
                    band, scale, template.side, np.array([feature])
                )
                near = distances[top:bottom, left:right].copy()
                distances[...] = np.inf
                distances[top:bottom, left:right] = near
            maps.append(self._answers(distances, feature))
        return maps

    # Stage by stage ---------------------------------------------------------------------------

    def _for_each(self, work: Callable[..., None], calls: Iterable[tuple]) -> None:
        """Do the work with the arguments of every call, in threads that share the memory."""
        with threadpool_limits(limits=1, user_api="blas"):
            parallel = joblib.Parallel(self.n_jobs, require="sharedmem", verbose=self.verbose)
            parallel(joblib.delayed(work)(*call) for call in calls)

    def _stages(self, image: Any, number: int) -> Stages:
        grey = grey_levels(image, number)
        if self.model == "mutch_lowe":
            images = sizes_of(grey, self.side / min(grey.shape), N_SIZES)
            s1 = [self._s1(one, self.filters_[0]) for one in images]
            c1 = [self._c1_of_sizes(images[k], s1[k], s1[k + 1]) for k in range(N_SIZES - 1)]
        else:
            images = sizes_of(grey, self.side / grey.shape[0], 1)
            s1 = [self._s1(images[0], filters) for filters in self.filters_]
            c1 = [
                self._c1_of_filters(images[0], s1[2 * band], s1[2 * band + 1], pool)
                for band, pool in enumerate(SERRE_POOLS)
            ]
        return Stages(images, s1, c1)

    def _s1(self, image: Array, filters: Array) -> Array:
        if min(image.shape) < filters.shape[1]:
            return np.zeros((len(filters), 0, 0), np.float32)
        return self._inhibited(_responses(image, filters, np.float32(DARKEST)))

    def _inhibited(self, maps: Array) -> Array:
        """Zero where an orientation is weak beside the others of its place."""
        if self.inhibition == 0 or not maps.size:
            return maps
        least, most = maps.min(axis=0), maps.max(axis=0)
        maps[maps < least + self.inhibition * (most - least) - EQUAL / 100] = 0
        return maps

    def _c1_of_sizes(self, image: Array, own: Array, smaller: Array) -> Band:
        """Largest of 10 x 10 units, and of the 8 x 8 at the same place of the next smaller image.

        That place has the same centre, as a part of the image, rounded to the nearest unit (upwards
        where two are) and moved inwards at the edge.
        """
        border = MUTCH_LOWE_FILTERS[0][0] - 1
        starts = [np.arange(0, n - POOL + 1, STEP) for n in own.shape[1:]]
        if not all(map(len, starts)):
            return self._band([np.zeros((len(own), 0, 0), np.float32)], image, border, POOL, STEP)
        parts = [_largest(own, POOL, starts)]
        width = int(POOL / FACTOR + 0.5)
        if min(smaller.shape[1:]) >= width:
            beside = []
            for start, n, m in zip(starts, own.shape[1:], smaller.shape[1:], strict=True):
                # Twice the centre in pixels of this image, then whole numbers only: no tie is lost.
                twice = 2 * start + POOL + border
                n_pixels, m_pixels = n + border, m + border
                at = (twice * m_pixels - (border + width - 1) * n_pixels) // (2 * n_pixels)
                beside.append(np.clip(at, 0, m - width))
            parts.append(_largest(smaller, width, beside))
        return self._band(parts, image, border, POOL, STEP)

    def _c1_of_filters(self, image: Array, small: Array, large: Array, pool: int) -> Band:
        """Largest of pool x pool units of two filters, where both have an answer."""
        border = image.shape[0] - large.shape[1] if large.size else 0
        starts = [np.arange(0, n - pool + 1, pool // 2) for n in large.shape[1:]]
        if not all(map(len, starts)):
            empty = np.zeros((len(large), 0, 0), np.float32)
            return self._band([empty], image, border, pool, pool // 2)
        # The larger filter is two pixels larger: its first answer is beside the other's second.
        parts = [_largest(small[:, 1:-1, 1:-1], pool, starts), _largest(large, pool, starts)]
        return self._band(parts, image, border, pool, pool // 2)

    def _band(self, parts: list[Array], image: Array, border: int, pool: int, step: int) -> Band:
        maps = self._inhibited(functools.reduce(np.maximum, parts))
        pixels = np.array(image.shape, float)
        values = np.ascontiguousarray(np.moveaxis(maps, 0, -1))
        return Band(values, (border + pool) / (2 * pixels), step / pixels)

    def _templates(self) -> list[Template]:
        """Patches that are sought, a template a side."""
        found, first = [], 0
        for group in self.patches_:
            patches = group.reshape(len(group), -1)
            seen = np.ones(patches.shape, np.float32)
            if self.sparse:
                strongest = first_largest(group, EQUAL)[..., np.newaxis]
                is_seen = np.arange(self.n_orientations) == strongest
                seen = is_seen.reshape(patches.shape).astype(np.float32)
            flat = patches * seen
            met = seen if self.sparse else np.ones((len(group), 1))
            weights = np.hstack([-2 * flat, np.sum(flat**2, axis=1, keepdims=True), met])
            weights = weights.astype(np.float32)
            features = np.arange(first, first + len(group))
            found.append(Template(group.shape[1], features, patches, seen, weights))
            first += len(group)
        return found

    def _windows(self, band: Band, side: int) -> Array:
        """Windows of C1 with a side, as a view: (rows, columns, side, side x orientations)."""
        rows, cols, n_orientations = band.values.shape
        shape = (max(rows - side + 1, 0), max(cols - side + 1, 0), side, side * n_orientations)
        down, across, one = band.values.strides
        strides = (down, across, down, one)
        return np.lib.stride_tricks.as_strided(band.values, shape, strides, writeable=False)

    def _nearest(self, bands: list[Band], template: Template) -> Array:
        """Squared distances of patches to their nearest windows in all bands.

        A product of matrices finds the windows that may be nearest: its error is at most
        2 (d + 2) u (|x|^2 + |p|^2) for d units and a unit of rounding u.
        """
        found = [self._windows(band, template.side) for band in bands]
        ends = np.cumsum([0, *(len(windows) * windows.shape[1] for windows in found)])
        d = template.patches.shape[1]
        x = np.empty((ends[-1], template.weights.shape[1]), np.float32)
        for windows, first, end in zip(found, ends, ends[1:], strict=False):
            x[first:end, :d].reshape(windows.shape, copy=False)[...] = windows
        nearest = np.full(len(template.features), np.inf)
        if not len(x):
            return nearest
        x[:, d] = 1
        lengths = np.einsum("ij,ij->i", x[:, :d], x[:, :d])
        if self.sparse:
            np.multiply(x[:, :d], x[:, :d], out=x[:, d + 1 :])
        else:
            x[:, d + 1] = lengths
        if self.limited:
            guessed = np.full((len(nearest), len(x)), np.inf, np.float32)
            for scale, band in enumerate(bands):
                start, stop = self._reach(band, scale, template.side, template.features)
                columns, at = found[scale].shape[1], ends[scale]
                _guess_in_reach(x[at:], template.weights, start, stop, columns, guessed[:, at:])
        else:
            guessed = template.weights @ x.T
        unit = np.finfo(np.float32).eps / 2
        error = 2 * (d + 2) * unit * (lengths.max() + template.weights[:, d])
        _measure_again(x, guessed, 2 * error, template.patches, template.seen, nearest)
        return nearest

    def _reach(self, band: Band, scale: int, side: int, features: Array) -> tuple[Array, Array]:
        """First row and column of the windows that are near the place of a patch, and their ends.

        Shape (k, 2) each; none is near at a scale that is not beside that of the patch.
        """
        first, end = np.zeros((2, len(features), 2), int)
        beside = np.abs(self.places_[features, 1] - scale) <= 1
        for axis, n_units in enumerate(band.values.shape[:2]):
            n, step = n_units - side + 1, band.step[axis]
            if n > 0:
                centres = band.first[axis] + step * (np.arange(n) + (side - 1) / 2)
                away = np.abs(centres - self.places_[features, 2 + axis, np.newaxis])
                # A hair more, so that what is just as far counts on every processor.
                near = away <= max(self.tolerance, step / 2) + HAIR
                first[:, axis] = near.argmax(axis=1)
                end[:, axis] = first[:, axis] + beside * near.sum(axis=1)
        return first, end

    def _answers(self, distances: Array, features) -> Array:
        """S2 of squared distances: one where a patch is met exactly, zero where it has no place."""
        sides = np.repeat([p.shape[1] for p in self.patches_], [len(p) for p in self.patches_])
        alpha = (sides[features] / min(self.patch_sizes)) ** 2
        near = np.exp(-distances / (2 * self.sigma**2 * alpha))
        return np.round(near, DECIMALS).astype(np.float32)


def grey_levels(image: Any, number: int = 0) -> Array:
    """Grey levels of one image, from 0 to 1.

    Parameters
    ----------
    image : array-like of shape (h, w) or (h, w, 3)
        Bytes, or numbers from 0 to 1.
    number : int, default=0
        Number of the image in error messages.

    Returns
    -------
    ndarray of shape (h, w), of float32
        The image itself where it is grey, else 0.299 R + 0.587 G + 0.114 B.

    Raises
    ------
    ValueError
        If it is no image.
    """
    values = np.asarray(image)
    what = "an image has the shape (height, width) or (height, width, 3)"
    if values.ndim not in (2, 3) or values.shape[2:] not in ((), (3,)) or not values.size:
        raise ValueError(f"X[{number}] has the shape {values.shape}; {what}.")
    if max(values.shape[:2]) > LONGEST * min(values.shape[:2]):
        raise ValueError(
            f"X[{number}] has {values.shape[0]} x {values.shape[1]} pixels; the longer side may "
            f"be at most {LONGEST} times the shorter one."
        )
    if values.dtype.kind == "f":
        if not (np.all(values >= 0) and np.all(values <= 1)):
            raise ValueError(f"X[{number}] has values that are not from 0 to 1; give X / 255?")
    elif values.dtype != np.uint8:
        raise ValueError(
            f"X[{number}] holds {values.dtype}; {what}, of uint8 or of numbers from 0 to 1."
        )
    white = np.float32(255 if values.dtype == np.uint8 else 1)
    if values.ndim == 2:
        return values.astype(np.float32) / white
    grey = np.zeros(values.shape[:2], np.float32)
    for colour, weight in enumerate((0.299, 0.587, 0.114)):  # one at a time: photos are large
        level = values[..., colour].astype(np.float32)
        level /= white
        level *= np.float32(weight)
        grey += level
    return grey


def sizes_of(grey: Array, factor: float, n_sizes: int) -> list[Array]:
    """One image at several sizes, 2^(1/4) apart.

    Parameters
    ----------
    grey : ndarray of shape (h, w)
        Grey levels.
    factor : float
        Of the first and largest size.
    n_sizes : int
        How many there are.

    Returns
    -------
    list of ndarray
        Largest first, made of the image itself and not of each other.
    """
    found = []
    for k in range(n_sizes):
        down, across = (_cubic(n, max(1, int(n * factor / FACTOR**k + 0.5))) for n in grey.shape)
        lower = _weighted_rows(grey, *down)
        found.append(np.ascontiguousarray(_weighted_rows(lower.T.copy(), *across).T))
    return found


def gabor_filters(n_orientations: int, side: int, wavelength: float, width: float) -> Array:
    """Gabor filters of one size, all orientations.

    Parameters
    ----------
    n_orientations : int
        How many there are, in equal steps over half a turn.
    side : int
        Pixels in a row of a filter; what is outside of the circle in it is zero.
    wavelength, width : float
        Of the wave and of the Gaussian, in pixels.

    Returns
    -------
    ndarray of shape (n_orientations, side, side), of float32
        Filters with mean 0 and length 1.
    """
    down, across = np.mgrid[:side, :side] - (side - 1) / 2
    found = np.empty((n_orientations, side, side))
    for k in range(n_orientations):
        cos, sin = np.cos(np.pi * k / n_orientations), np.sin(np.pi * k / n_orientations)
        u, v = across * cos - down * sin, across * sin + down * cos
        wave = np.cos(2 * np.pi * u / wavelength)
        g = np.exp(-(u**2 + (ASPECT * v) ** 2) / (2 * width**2)) * wave
        g[down**2 + across**2 > side**2 / 4] = 0
        g -= g.mean()
        found[k] = g / np.linalg.norm(g)
    return found.astype(np.float32)


def _number_of(X: Any) -> int:
    """Count the images; an error if there are none or they cannot be counted.

    Of a sparse matrix it is a TypeError, as scikit-learn's estimators have it that take none.
    """
    if scipy.sparse.issparse(X):
        raise TypeError("X is a sparse matrix; give a sequence of images, such as a list.")
    if not (hasattr(X, "__len__") and hasattr(X, "__getitem__")):
        raise ValueError(f"X is {type(X).__name__!r}; give a sequence of images, such as a list.")
    if len(X) == 0:
        raise ValueError("X has no images; at least one is needed.")
    return len(X)


def _patch(bands: list[Band], size: int, chance: float) -> tuple[Array, tuple[float, ...]] | None:
    """Patch at the place that a chance from 0 to 1 tells, and its scale and centre."""
    room = [[max(n - size + 1, 0) for n in band.values.shape[:2]] for band in bands]
    ends = np.cumsum([rows * cols for rows, cols in room])
    if ends[-1] == 0:
        return None
    number = min(int(chance * ends[-1]), int(ends[-1]) - 1)
    scale = int(np.searchsorted(ends, number, side="right"))
    rows, cols = room[scale]
    corner = divmod(number - (int(ends[scale]) - rows * cols), cols)
    band = bands[scale]
    centre = band.first + band.step * (np.array(corner) + (size - 1) / 2)
    part = tuple(slice(at, at + size) for at in corner)
    return band.values[part].copy(), (scale, *centre)


def _largest(maps: Array, width: int, starts: Sequence[Array]) -> Array:
    """Largest value in squares of a width that begin at the starts, in every map."""
    for axis, start in enumerate(starts, start=1):
        reach = 1
        while reach < width:
            shift = min(reach, width - reach)
            front, back = [slice(None)] * 3, [slice(None)] * 3
            front[axis], back[axis] = slice(None, -shift), slice(shift, None)
            maps = np.maximum(maps[tuple(front)], maps[tuple(back)])
            reach += shift
        maps = maps.take(start, axis=axis)
    return maps


@functools.lru_cache(maxsize=1024)
def _cubic(n: int, m: int) -> tuple[Array, Array]:
    """Which of n pixels make each of m by cubic interpolation (Keys, a = -1/2), and their weights.

    Both have m rows. Where it makes smaller, the cubic is as much wider, so that no fine stripe
    becomes a coarse one. Weights of a pixel add up to one, also at the edge.
    """
    stretch = max(n / m, 1.0)
    centre = (np.arange(m) + 0.5) * n / m - 0.5
    reach = int(np.ceil(2 * stretch))
    pixel = np.floor(centre).astype(int)[:, np.newaxis] + np.arange(-reach, reach + 2)
    t = np.abs(pixel - centre[:, np.newaxis]) / stretch
    weight = np.where(t < 1, 1.5 * t**3 - 2.5 * t**2 + 1, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2)
    weight[(t >= 2) | (pixel < 0) | (pixel >= n)] = 0
    weight /= weight.sum(axis=1, keepdims=True)
    return np.clip(pixel, 0, n - 1), weight.astype(np.float32)


@njit(cache=True, nogil=True)
def _weighted_rows(values, which, weights):
    """Sums of rows of an array, each of as many rows with a weight."""
    found = np.zeros((len(which), values.shape[1]), np.float32)
    for i in range(len(which)):
        for j in range(which.shape[1]):
            if weights[i, j] != 0:
                for x in range(values.shape[1]):
                    found[i, x] += weights[i, j] * values[which[i, j], x]
    return found


@njit(cache=True, nogil=True)
def _squared_distance(window, patch, seen):
    """Squared distance between a window and the units of a patch that are seen."""
    total = 0.0
    for i in range(len(patch)):
        away = (np.float64(window[i]) - np.float64(patch[i])) * seen[i]
        total += away * away
    return total


@njit(cache=True, nogil=True)
def _four_distances(windows, patches, seen, at, own, squares):
    """As `_squared_distance`, of four windows and patches: the sums do not wait for each other."""
    for one in range(4):
        window, patch, of_patch, into = (
            windows[at[one]],
            patches[own[one]],
            seen[own[one]],
            squares[one],
        )
        for i in range(len(patch)):
            away = (np.float64(window[i]) - np.float64(patch[i])) * of_patch[i]
            into[i] = away * away
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(squares.shape[1]):
        a += squares[0, i]
        b += squares[1, i]
        c += squares[2, i]
        d += squares[3, i]
    return a, b, c, d


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _guess_in_reach(windows, weights, first, end, columns, guessed):
    """Products of the patches with the windows that are near their place, in any order of sums."""
    for k in range(len(weights)):
        for row in range(first[k, 0], end[k, 0]):
            for i in range(row * columns + first[k, 1], row * columns + end[k, 1]):
                total = np.float32(0)
                for j in range(windows.shape[1]):
                    total += weights[k, j] * windows[i, j]
                guessed[k, i] = total


@njit(cache=True, nogil=True)
def _measure_again(windows, guessed, error, patches, seen, nearest):
    """Bring ``nearest`` down to the windows whose guess may be that of the nearest."""
    at, own, waiting = np.zeros(4, np.int64), np.zeros(4, np.int64), 0
    squares = np.empty((4, patches.shape[1]))
    least = np.empty(LANES, np.float32)
    n = guessed.shape[1]
    for k in range(len(nearest)):
        guesses = guessed[k]
        least[:] = np.inf
        for start in range(0, n, LANES):
            for lane in range(min(LANES, n - start)):
                guess = guesses[start + lane]
                least[lane] = guess if guess < least[lane] else least[lane]
        limit = least.min() + error[k]
        for lane in range(LANES):
            if least[lane] > limit or least[lane] == np.inf:
                continue
            for i in range(lane, n, LANES):
                if guesses[i] > limit:
                    continue
                at[waiting], own[waiting] = i, k
                waiting += 1
                if waiting == 4:
                    found = _four_distances(windows, patches, seen, at, own, squares)
                    for one in range(4):
                        nearest[own[one]] = min(nearest[own[one]], found[one])
                    waiting = 0
    for one in range(waiting):
        k = own[one]
        distance = _squared_distance(windows[at[one]], patches[k], seen[k])
        nearest[k] = min(nearest[k], distance)


@njit(cache=True, nogil=True)
def _responses(image, filters, darkest):
    """S1 of one image: |<filter, pixels>| / |pixels| at every place where a filter fits."""
    n_filters, side = filters.shape[:2]
    height, width = image.shape[0] - side + 1, image.shape[1] - side + 1
    squares = np.zeros((image.shape[0], width), np.float32)
    for y in range(image.shape[0]):
        for j in range(side):
            for x in range(width):
                squares[y, x] += image[y, x + j] * image[y, x + j]
    found = np.zeros((n_filters, height, width), np.float32)
    length = np.empty(width, np.float32)
    for y in range(height):
        length[:] = 0
        for i in range(side):
            for x in range(width):
                length[x] += squares[y + i, x]
        for x in range(width):
            length[x] = max(np.sqrt(length[x]), darkest)
        for k in range(n_filters):
            row = found[k, y]
            for i in range(side):
                for j in range(side):
                    weight = filters[k, i, j]
                    for x in range(width):
                        row[x] += weight * image[y + i, x + j]
            for x in range(width):
                row[x] = abs(row[x]) / length[x]
    return found
