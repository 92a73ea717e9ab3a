"""Multiclass learning with simplex coding (Mroueh, Poggio, Rosasco and Slotine, NIPS 2012)."""

from reprolib.simplex.boosting import SimplexBoostingClassifier
from reprolib.simplex.losses import (
    ConeLoss,
    ExponentialLoss,
    HalfspaceLoss,
    LeastSquaresLoss,
    SimplexLoss,
    make_loss,
)
from reprolib.simplex.nystrom import NystromSimplexRLSClassifier
from reprolib.simplex.rls import SimplexRLSClassifier, SimplexRLSClassifierCV, spectrum_alphas
from reprolib.simplex.sgd import SimplexSGDClassifier
from reprolib.simplex.svm import SimplexConeSVC, SimplexHalfspaceSVC

__all__ = [
    "ConeLoss",
    "ExponentialLoss",
    "HalfspaceLoss",
    "LeastSquaresLoss",
    "NystromSimplexRLSClassifier",
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
