"""The mkpm folder: printed numbers, protocol, figures, example."""
