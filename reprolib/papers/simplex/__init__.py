"""The simplex folder: printed numbers, protocol, figures, example."""
