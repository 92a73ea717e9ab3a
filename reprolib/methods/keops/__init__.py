"""Multiple kernel learning over a tree of kernels (KEOPS, ICASSP 2014), and its relatives."""

from reprolib.methods.keops._cv import KEOPSClassifierCV
from reprolib.methods.keops.estimators import KEOPSClassifier, KernelTree, MKLClassifier
from reprolib.methods.keops.tree_lasso import TreeLassoClassifier

__all__ = [
    "KEOPSClassifier",
    "KEOPSClassifierCV",
    "KernelTree",
    "MKLClassifier",
    "TreeLassoClassifier",
]
