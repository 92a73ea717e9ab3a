"""Optimisation problems of the five papers, one per file, each answer with its certificate."""

from reprolib.solvers._solution import NotOptimalError, NotOptimalWarning, Solution

__all__ = ["NotOptimalError", "NotOptimalWarning", "Solution"]
