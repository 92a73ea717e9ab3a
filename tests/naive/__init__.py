"""Slow, obvious references, by definition; one module per paper."""
