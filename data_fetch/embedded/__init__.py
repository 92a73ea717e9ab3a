"""Data sets that need no file: generated, or bundled with a library."""
