"""KFD, 1999: printed numbers, data, experiments and figures."""
