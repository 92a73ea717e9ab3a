from .methods.keops import KEOPSClassifier, KEOPSClassifierCV, MKLClassifier, TreeLassoClassifier
from .methods.keops.electrodes import tree_from_info
from .methods.keops.speller import SpellerFeatures
from .methods.kpm import KPMClassifier, KPMClassifierCV
from .methods.mkmmc import MMC, KernelMMC, MultipleKernelMMC
from .methods.mkpm import MKPMClassifier, MKPMClassifierCV, NystromMKPMClassifier
from .methods.shared.codes import one_vs_all_code, simplex_code
from .methods.simplex import (
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexHalfspaceSVC,
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
)
from .methods.simplex.hmax import HMAX
from .paper import paper
from .rerun.checks import evaluate, recompute

__version__: str

__all__ = [
    "HMAX",
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
    "NystromMKPMClassifier",
    "SimplexBoostingClassifier",
    "SimplexConeSVC",
    "SimplexHalfspaceSVC",
    "SimplexRLSClassifier",
    "SimplexRLSClassifierCV",
    "SimplexSGDClassifier",
    "SpellerFeatures",
    "TreeLassoClassifier",
    "evaluate",
    "one_vs_all_code",
    "paper",
    "recompute",
    "simplex_code",
    "tree_from_info",
]
