"""The run that nothing disturbs, with which the others are compared."""

from __future__ import annotations

import shutil
import subprocess

import pandas as pd
import pytest

from tests.faults import tiny
from tests.faults.tiny_paper import N_TASKS


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert tiny.run(folder) == 0, tiny.said(folder)
    frame = tiny.tables(folder)
    assert len(frame) == N_TASKS
    assert set(frame["status"]) == {"ok"}
    return frame


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """Certificate and key of 127.0.0.1, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("makes a certificate with openssl")
    folder = tmp_path_factory.mktemp("tls")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"
