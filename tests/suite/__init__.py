"""What every paper, every figure and every notebook has to pass."""

import pytest

# Before they are imported: else a test that fails does not say why.
pytest.register_assert_rewrite("tests.suite.experiment", "tests.suite.shown")
