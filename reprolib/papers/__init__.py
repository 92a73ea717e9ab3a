"""One folder a paper: printed numbers, protocol, figures, example."""
