"""Maximum margin criterion: linear, kernel and multiple kernel (Gu & Zhou, ICIP 2009)."""

from reprolib.methods.mkmmc._constraints import CONSTRAINTS
from reprolib.methods.mkmmc._graph import margin_laplacian, margin_weights, total_laplacian
from reprolib.methods.mkmmc._kernel import KernelMMC
from reprolib.methods.mkmmc._leave_one_out import (
    last_best_left_out,
    leave_one_out_collapsed_hits,
    leave_one_out_collapsed_path,
    leave_one_out_hits,
    leave_one_out_path,
)
from reprolib.methods.mkmmc._linear import MMC
from reprolib.methods.mkmmc._multiple import MultipleKernelMMC, bandwidth_grid
from reprolib.methods.mkmmc._nearest import (
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
    "last_best_left_out",
    "leave_one_out_collapsed_hits",
    "leave_one_out_collapsed_path",
    "leave_one_out_hits",
    "leave_one_out_path",
    "margin_laplacian",
    "margin_weights",
    "nearest_neighbor",
    "nearest_neighbor_path",
    "nearest_other_path",
    "total_laplacian",
]
