"""Checks of scikit-learn that an estimator is expected to fail, each with its reason.

Keyed by class name; `test_estimators` fails if an entry is no longer needed.
"""

from __future__ import annotations

EXPECTED_FAILURES: dict[str, dict[str, str]] = {}
