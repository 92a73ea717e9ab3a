"""The across folder: printed numbers, experiment, figures, example."""
