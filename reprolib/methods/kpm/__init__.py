"""Kernel projection machine (Blanchard, Massart, Vert and Zwald, NIPS 2004), nested paths."""

from reprolib.methods.kpm.estimators import KPMClassifier, KPMClassifierCV, select_dimension
from reprolib.methods.kpm.nystrom import NystromKPMClassifier

__all__ = ["KPMClassifier", "KPMClassifierCV", "NystromKPMClassifier", "select_dimension"]
