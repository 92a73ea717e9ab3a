"""Maximum margin criterion: linear, kernel and multiple kernel (Gu & Zhou, ICIP 2009)."""

from reprolib.mmc._constraints import CONSTRAINTS
from reprolib.mmc._graph import margin_laplacian, margin_weights, total_laplacian
from reprolib.mmc._kernel import KernelMMC
from reprolib.mmc._leave_one_out import leave_one_out_collapsed_path, leave_one_out_path
from reprolib.mmc._linear import MMC
from reprolib.mmc._multiple import MultipleKernelMMC, bandwidth_grid
from reprolib.mmc._nearest import (
    nearest_in_order,
    nearest_neighbor,
    nearest_neighbor_path,
    nearest_other_path,
)

__all__ = [
    "CONSTRAINTS",
    "MMC",
    "KernelMMC",
    "MultipleKernelMMC",
    "bandwidth_grid",
    "leave_one_out_collapsed_path",
    "leave_one_out_path",
    "margin_laplacian",
    "margin_weights",
    "nearest_in_order",
    "nearest_neighbor",
    "nearest_neighbor_path",
    "nearest_other_path",
    "total_laplacian",
]
