"""Tests that any paper runs, in this package and in a repository of its own.

A test file of a paper needs a few lines::

    from reprolib.suite import PaperSuite


    class TestFisher(PaperSuite):
        key = "fisher"

The parts can be used alone, and every fixture can be replaced in the class.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
