"""The mkpm folder: printed numbers, experiment, figures, example."""
