"""The across folder: printed numbers, protocol, figures, example."""
