"""The mkmmc folder: printed numbers, experiment, figures, example."""
