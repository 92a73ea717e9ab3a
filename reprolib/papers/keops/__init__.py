"""The keops folder: printed numbers, experiment, figures, example."""
