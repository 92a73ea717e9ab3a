"""Five papers on kernel methods, rerun: each published number beside ours, with a verdict."""

__version__ = "0.1.0"
