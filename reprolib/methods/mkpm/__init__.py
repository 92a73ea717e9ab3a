"""Multiclass kernel projection machines (Takerkart & Ralaivola, CVPR 2011)."""

from reprolib.methods.mkpm._nystrom import NystromMKPMClassifier
from reprolib.methods.mkpm.estimators import MKPMClassifier, MKPMClassifierCV

__all__ = ["MKPMClassifier", "MKPMClassifierCV", "NystromMKPMClassifier"]
