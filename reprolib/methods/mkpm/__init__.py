"""Multiclass kernel projection machines (Takerkart & Ralaivola, CVPR 2011)."""

from reprolib.methods.mkpm._classifier import MKPMClassifier
from reprolib.methods.mkpm._cv import MKPMClassifierCV
from reprolib.methods.mkpm._nystrom import NystromMKPMClassifier

__all__ = ["MKPMClassifier", "MKPMClassifierCV", "NystromMKPMClassifier"]
