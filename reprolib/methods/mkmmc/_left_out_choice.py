"""Choose a kernel by leave-one-out accuracy, leaving out no more points than it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee

import numpy as np

from reprolib.methods.shared.ties import last_largest

#: (Gram matrix, points in their order) -> hits of each in 1, 2, ..., m directions.
Hits = Callable[[np.ndarray, Iterable[int]], Iterator[np.ndarray]]


def last_best_left_out(grams: Sequence[np.ndarray], hits: Hits):
    """Gram matrix of largest leave-one-out accuracy, each in its best number of directions.

    Of equally good ones the last. The matrix with the fewest errors so far leaves out its next
    point; the first that has left out all has won, as no other can end with fewer. Every matrix
    first leaves out points on which others erred, so that losers are soon behind.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n, n)
        The Gram matrices to choose from.
    hits : callable
        (Gram matrix, order of the points) -> iterator, such as `leave_one_out_hits`.

    Returns
    -------
    index : int
        Which of ``grams`` is chosen.
    path : ndarray of shape (m,)
        Its accuracy in every number of directions.

    See Also
    --------
    leave_one_out_path : The accuracies of one Gram matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import last_best_left_out, leave_one_out_collapsed_hits
    >>> from reprolib.methods.shared.kernels import gram
    >>> X, y = np.array([0.0, 0.2, 0.4, 5.0, 5.2, 5.4])[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> grams = [gram(X, gamma=0.1), gram(X, gamma=1.0)]
    >>> t, path = last_best_left_out(grams, lambda K, i: leave_one_out_collapsed_hits(K, y, i))
    >>> t, path.tolist()
    (1, [1.0])
    """
    n = len(grams[0])
    errors_on, least = np.zeros(n, dtype=int), np.zeros(len(grams), dtype=int)
    errors: list[np.ndarray | int] = [0] * len(grams)
    runs = [_run(K, hits, errors_on) for K in grams]
    while True:
        t = int(last_largest(-least))
        step = next(runs[t], None)
        if step is None:
            return t, (n - errors[t]) / n
        i, right = step
        errors_on[i] += np.count_nonzero(~right)
        errors[t] = errors[t] + ~right
        least[t] = np.min(errors[t])


def _run(K, hits: Hits, errors_on) -> Iterator[tuple[int, np.ndarray]]:
    """Points that are left out one after the other, and where they were hit."""
    points, same = tee(_hardest_first(errors_on))
    return zip(points, hits(K, same), strict=True)


def _hardest_first(errors_on) -> Iterator[int]:
    """Every point once: of those left always one with most errors, as they are counted by then."""
    left = np.ones(len(errors_on), dtype=bool)
    for _ in errors_on:
        i = int(np.argmax(np.where(left, errors_on, -1)))
        left[i] = False
        yield i
