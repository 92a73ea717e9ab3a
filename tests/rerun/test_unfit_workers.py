"""What a worker of a cluster must have in common with the process that asks, without a cluster."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from reprolib.rerun.tasks import cluster
from tests import fake_paper


def test_every_difference_of_a_worker_is_named():
    expected = {"Python": "3.12", "code": "ab", "numpy": "2.0"}
    assert cluster.unfit(expected, dict(expected), 1) == ""
    found = {"Python": "3.11", "code": "ab"}
    assert cluster.unfit(expected, found, 1) == (
        "differs from this process: Python 3.11, not 3.12, numpy missing, not 2.0; install both "
        "from one checkout and its lock file"
    )
    assert cluster.unfit(expected, found, 2).startswith("has 2 threads")


def test_environment_has_the_feature_release_of_python_and_the_code():
    found = cluster.environment()
    assert found["Python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert found["code"] == cluster.code_digest()
    assert {"numpy", "pandas", "distributed"} <= set(found)


def test_code_is_every_source_file_of_both_packages_and_no_other(tmp_path, monkeypatch):
    one, two = tmp_path / "reprolib", tmp_path / "data_fetch"
    for path in (one / "rerun/cluster.py", one / "a.py", two / "__init__.py", tmp_path / "x.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.setattr(cluster.reprolib, "__file__", str(one / "__init__.py"))
    monkeypatch.setattr(cluster.data_fetch, "__file__", str(two / "__init__.py"))
    seen = [cluster.code_digest()]
    assert len(seen[0]) == 16
    for path, matters in [
        (one / "a.py", True),
        (two / "__init__.py", True),
        (one / "b.toml", True),
        (one / "b.txt", False),
        (tmp_path / "x.py", False),
    ]:
        path.write_text("1")
        assert (cluster.code_digest() != seen[-1]) == matters, path
        seen.append(cluster.code_digest())


def test_data_are_sent_under_their_name_and_the_begin_of_their_digest():
    plugin = cluster.DatasetPlugin(fake_paper.dataset(), "0123456789abcdefgh", {})
    assert plugin.name == "reprolib data real/coins 0123456789abcdef"
