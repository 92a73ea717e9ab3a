"""Kernel projection machine (Blanchard, Massart, Vert and Zwald, NIPS 2004), nested paths."""

from reprolib.methods.kpm.estimators import KPMClassifier, KPMClassifierCV, select_dimension

__all__ = ["KPMClassifier", "KPMClassifierCV", "select_dimension"]
