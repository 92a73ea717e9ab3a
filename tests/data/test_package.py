"""A wheel from the index: pip says which, and nothing of the working directory is run."""

from __future__ import annotations

from data_fetch import package


def test_a_module_in_the_working_directory_does_not_stand_in_for_pip(tmp_path, monkeypatch):
    """It was executed: whoever fetched data in a downloaded folder ran the code of that folder."""
    for name in ("pip", "subprocess", "ssl", "json"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.test/simple")
    assert "https://index.test/simple/some-set/" in package.configuration("Some_Set==1.0").pages
    assert not list(tmp_path.rglob("executed"))
