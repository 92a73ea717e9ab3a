"""Multiclass kernel projection machines (Takerkart & Ralaivola, CVPR 2011)."""

from reprolib.mkpm._classifier import MKPMClassifier
from reprolib.mkpm._cv import MKPMClassifierCV
from reprolib.mkpm._nystrom import NystromMKPMClassifier

__all__ = ["MKPMClassifier", "MKPMClassifierCV", "NystromMKPMClassifier"]
