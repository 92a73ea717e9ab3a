"""The kpm folder: printed numbers, protocol, figures, example."""
