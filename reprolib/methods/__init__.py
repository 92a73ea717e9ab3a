"""Estimators of the papers with their solvers; they know no data set and no printed number."""
