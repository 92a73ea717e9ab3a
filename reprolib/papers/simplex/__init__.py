"""The simplex folder: printed numbers, experiment, figures, example."""
