"""The kpm folder: printed numbers, experiment, figures, example."""
