"""Get me the data: names, files, hashes, sites; nothing about methods."""

from data_fetch.dataset import Dataset, canonical_digest

__all__ = ["Dataset", "canonical_digest"]
