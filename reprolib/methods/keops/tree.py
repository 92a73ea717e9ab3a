"""Pyramids: a tree over the kernels, all leaves at the same depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np


@dataclass(frozen=True)
class KernelTree:
    """Tree of nested groups of kernels; level 1 is the coarsest, level H holds the kernels.

    Build it with `KernelTree.flat`, `KernelTree.from_labels` or `KernelTree.from_nested`.

    Parameters
    ----------
    parents : tuple of ndarray of int
        ``parents[h][m]`` is the node of the level above that holds node m of level h + 1;
        ``parents[0]`` is all zero (the root).
    labels : tuple of ndarray
        Names of the nodes of every level.

    See Also
    --------
    reprolib.methods.keops.KEOPSClassifier : The SVM on such a tree.

    Examples
    --------
    >>> from reprolib.methods.keops import KernelTree
    >>> tree = KernelTree.from_labels([["left", "left", "right"], ["C3", "C5", "C4"]])
    >>> tree.height, tree.n_nodes
    (3, (2, 3, 3))
    >>> tree.n_selected([True, True, False])
    (1, 2, 2)
    """

    parents: tuple[np.ndarray, ...]
    labels: tuple[np.ndarray, ...]

    @property
    def height(self) -> int:
        """Number of levels H."""
        return len(self.parents)

    @property
    def n_nodes(self) -> tuple[int, ...]:
        """Number of nodes of every level, coarsest first; the last is the number of kernels."""
        return tuple(len(parent) for parent in self.parents)

    def ancestors(self) -> list[np.ndarray]:
        """For every level, the node of that level above (or at) each kernel."""
        nodes = [np.arange(self.n_nodes[-1])]
        for parent in self.parents[:0:-1]:
            nodes.append(parent[nodes[-1]])
        return nodes[::-1]

    def n_selected(self, selected) -> tuple[int, ...]:
        """Number of nodes of every level with a selected kernel below (mask over kernels)."""
        return tuple(len(np.unique(nodes[np.asarray(selected)])) for nodes in self.ancestors())

    @classmethod
    def flat(cls, n_kernels: int) -> KernelTree:
        """Tree of height 1: the unstructured set of kernels of multiple kernel learning."""
        if n_kernels < 1:
            raise ValueError(f"n_kernels is {n_kernels}; a tree needs at least one kernel.")
        return cls((np.zeros(n_kernels, dtype=np.intp),), (np.arange(n_kernels),))

    @classmethod
    def from_labels(cls, levels: Sequence) -> KernelTree:
        """Tree from the group of every kernel at every level above the kernels, coarsest first.

        Parameters
        ----------
        levels : sequence of array-like of shape (n_kernels,)
            For example (region of every feature, channel of every feature).

        Raises
        ------
        ValueError
            If the lengths differ, or a group lies in two groups of the level above.
        """
        names = [np.asarray(level) for level in levels]
        if not names:
            raise ValueError("levels is empty; use KernelTree.flat for a tree without groups.")
        n_kernels = len(names[0])
        for h, level in enumerate(names):
            if level.shape != (n_kernels,):
                raise ValueError(
                    f"levels[{h}] has shape {level.shape}, levels[0] has {n_kernels} entries; "
                    "every level gives one group label to each kernel."
                )
        names.append(np.arange(n_kernels))
        labels, nodes = zip(
            *(np.unique(level, return_inverse=True) for level in names), strict=True
        )
        parents = [np.zeros(len(labels[0]), dtype=np.intp)]
        for h in range(1, len(names)):
            above = np.empty(len(labels[h]), dtype=np.intp)
            above[nodes[h]] = nodes[h - 1]
            torn = np.flatnonzero(above[nodes[h]] != nodes[h - 1])
            if len(torn):
                child = nodes[h][torn[0]]
                both = labels[h - 1][[nodes[h - 1][torn[0]], above[child]]].tolist()
                raise ValueError(
                    f"Group {labels[h][child].item()!r} lies in two groups of the level above, "
                    f"{both[0]!r} and {both[1]!r}; the groups of a tree are nested."
                )
            parents.append(above)
        return cls(tuple(parents), tuple(labels))

    @classmethod
    def from_nested(cls, nested: Sequence, n_kernels: int | None = None) -> KernelTree:
        """Tree from nested lists of kernel indices, e.g. [[[0, 1], [2]], [[3, 4]]] (height 3).

        Raises
        ------
        ValueError
            If a node is empty, leaves lie at different depths, a kernel occurs twice or is missing.
        """
        paths = _leaf_paths(nested, ())
        depths = {len(path) for path, _ in paths}
        if len(depths) != 1:
            raise ValueError(
                f"The tree has leaves at depths {sorted(depths)}; put every kernel at the same "
                "depth, wrapping the shallow ones in groups of one."
            )
        leaves = np.array([leaf for _, leaf in paths])
        expected = len(leaves) if n_kernels is None else n_kernels
        repeated = sorted({int(m) for m in leaves if np.count_nonzero(leaves == m) > 1})
        if repeated:
            raise ValueError(f"Kernels {repeated[:5]} occur in two groups; each has one place.")
        missing = sorted(set(range(expected)) - set(leaves.tolist()))
        extra = sorted(set(leaves.tolist()) - set(range(expected)))
        if missing or extra:
            raise ValueError(
                f"The tree must hold each kernel 0..{expected - 1} once: missing {missing[:5]}, "
                f"unknown {extra[:5]}."
            )
        if len(paths[0][0]) == 1:
            return cls.flat(expected)
        by_kernel = [path for path, _ in sorted(paths, key=lambda item: item[1])]
        height = len(by_kernel[0])
        prefixes = [
            {prefix: i for i, prefix in enumerate(sorted({path[:h] for path in by_kernel}))}
            for h in range(1, height)
        ]
        return cls.from_labels(
            [[ids[path[: h + 1]] for path in by_kernel] for h, ids in enumerate(prefixes)]
        )


def _leaf_paths(node, path):
    """(path of child positions, kernel index) of every leaf below a nested list."""
    if not isinstance(node, list | tuple | range | np.ndarray):
        raise ValueError(
            f"The tree has {node!r} at position {list(path)}; give nested lists of the numbers of "
            "the kernels."
        )
    if len(node) == 0:
        raise ValueError(f"The tree has an empty node at position {list(path)}; leave it out.")
    found = []
    for i, child in enumerate(node):
        if isinstance(child, Integral) and not isinstance(child, bool):
            found.append(((*path, i), int(child)))
        else:
            found.extend(_leaf_paths(child, (*path, i)))
    return found


def check_tree(tree, n_kernels: int) -> KernelTree:
    """Tree over exactly ``n_kernels`` kernels; None gives the flat one.

    Raises
    ------
    ValueError
        If the tree is malformed, or has another number of kernels.
    """
    if tree is None:
        return KernelTree.flat(n_kernels)
    if not isinstance(tree, KernelTree):
        return KernelTree.from_nested(tree, n_kernels)
    if tree.n_nodes[-1] != n_kernels:
        raise ValueError(
            f"The tree has {tree.n_nodes[-1]} kernels, the data {n_kernels}; give every kernel a "
            "place in the tree (with blocks, a kernel is a block of features). A tree of "
            "tree_from_info has the good data channels alone: take the features of the same ones, "
            "epochs.pick('data', exclude='bads')."
        )
    return tree
