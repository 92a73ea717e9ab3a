"""Multiclass learning with simplex coding (Mroueh, Poggio, Rosasco and Slotine, NIPS 2012)."""

from reprolib.methods.simplex.boosting import SimplexBoostingClassifier
from reprolib.methods.simplex.losses import (
    ConeLoss,
    ExponentialLoss,
    HalfspaceLoss,
    LeastSquaresLoss,
    SimplexLoss,
    make_loss,
)
from reprolib.methods.simplex.rls import (
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    spectrum_alphas,
)
from reprolib.methods.simplex.sgd import SimplexSGDClassifier
from reprolib.methods.simplex.svc import SimplexConeSVC, SimplexHalfspaceSVC

__all__ = [
    "ConeLoss",
    "ExponentialLoss",
    "HalfspaceLoss",
    "LeastSquaresLoss",
    "SimplexBoostingClassifier",
    "SimplexConeSVC",
    "SimplexHalfspaceSVC",
    "SimplexLoss",
    "SimplexRLSClassifier",
    "SimplexRLSClassifierCV",
    "SimplexSGDClassifier",
    "make_loss",
    "spectrum_alphas",
]
