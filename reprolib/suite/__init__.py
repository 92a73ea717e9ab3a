"""Tests that any paper runs, in this package and in a repository of its own.

A test file of a paper needs a few lines::

    from reprolib.suite import PaperSuite


    class TestFisher(PaperSuite):
        key = "fisher"

The parts can be used alone, and every fixture can be replaced in the class.
"""

import lazy_loader
import pytest

# Before they are imported: else a test that fails in another repository does not say why.
pytest.register_assert_rewrite(
    "reprolib.suite.experiment", "reprolib.suite.paper", "reprolib.suite.shown"
)
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
