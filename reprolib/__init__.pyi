from .methods.keops import KEOPSClassifier, KEOPSClassifierCV, MKLClassifier, TreeLassoClassifier
from .methods.kpm import KPMClassifier, KPMClassifierCV, NystromKPMClassifier
from .methods.mkmmc import MMC, KernelMMC, MultipleKernelMMC
from .methods.mkpm import MKPMClassifier, MKPMClassifierCV, NystromMKPMClassifier
from .methods.shared.codes import one_vs_all_code, simplex_code
from .methods.simplex import (
    NystromSimplexRLSClassifier,
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexHalfspaceSVC,
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
)
from .paper import paper
from .papers.across.own_data import compare_methods
from .rerun.checks import evaluate, recompute

__version__: str

__all__ = [
    "MMC",
    "KEOPSClassifier",
    "KEOPSClassifierCV",
    "KPMClassifier",
    "KPMClassifierCV",
    "KernelMMC",
    "MKLClassifier",
    "MKPMClassifier",
    "MKPMClassifierCV",
    "MultipleKernelMMC",
    "NystromKPMClassifier",
    "NystromMKPMClassifier",
    "NystromSimplexRLSClassifier",
    "SimplexBoostingClassifier",
    "SimplexConeSVC",
    "SimplexHalfspaceSVC",
    "SimplexRLSClassifier",
    "SimplexRLSClassifierCV",
    "SimplexSGDClassifier",
    "TreeLassoClassifier",
    "compare_methods",
    "evaluate",
    "one_vs_all_code",
    "paper",
    "recompute",
    "simplex_code",
]
