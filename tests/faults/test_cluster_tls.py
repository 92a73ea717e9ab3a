"""A cluster over TLS, with certificates from dask's own configuration."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

import dask
import distributed

from reprolib.rerun.tasks.cluster import Cluster, ClusterError, is_open


@pytest.fixture
def settings(certificate):
    """What a person puts into dask's configuration or its environment variables."""
    cert, key = map(str, certificate)
    roles = ("scheduler", "worker", "client")
    values = {
        f"{role}.{kind}": path for role in roles for kind, path in (("cert", cert), ("key", key))
    }
    return {f"distributed.comm.tls.{name}": v for name, v in {"ca-file": cert, **values}.items()}


def test_cluster_over_tls(settings, monkeypatch):
    from reprolib.rerun.tasks import cluster

    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 3)
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with dask.config.set(settings):
        security = distributed.Security(require_encryption=True)
        with distributed.LocalCluster(
            protocol="tls://", security=security, dashboard_address=None, **options
        ) as running:
            address = running.scheduler_address
            assert address.startswith("tls://")
            with Cluster(address) as connected:
                assert len(connected.workers()) == 1
            nothing = dict.fromkeys(settings)
            with dask.config.set(nothing), pytest.raises((ClusterError, TypeError)):
                Cluster(address)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "10.0.0.1:8786", "ws://host:1"])
def test_open_cluster_is_called_open(address, monkeypatch):
    def connect(*args, **options):
        raise OSError("not asked in a test")

    assert is_open(address)
    monkeypatch.setattr(distributed, "Client", connect)
    with (
        pytest.warns(UserWarning, match="neither encrypted nor authenticated"),
        pytest.raises(ClusterError),
    ):
        Cluster(address)
