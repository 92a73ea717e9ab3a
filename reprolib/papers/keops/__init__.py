"""The keops folder: printed numbers, protocol, figures, example."""
