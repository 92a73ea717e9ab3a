"""The mkmmc folder: printed numbers, protocol, figures, example."""
