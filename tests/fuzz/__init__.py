"""Property-based fuzzing of every public estimator: hostile data, containers, hyperparameters."""
