"""`reprolib data` on toy data."""

from __future__ import annotations

import io

import pytest

import data_fetch
from data_fetch import Dataset, access, cli, registry
from data_fetch.progress import progress_bar
from reprolib.cli.main import build_parser
from tests import toy_data as toy


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a data command in a world with one toy data set, in a mirror unless removed."""
    cache, mirror = tmp_path / "[/x]" / "cache", tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy/a.txt").write_bytes(toy.CONTENT)
    catalog = toy.catalog(toy.version())
    monkeypatch.setitem(registry.LOADERS, "toy", "tests.toy_data:load_toy")
    monkeypatch.setattr(access, "default_catalog", lambda: catalog)
    monkeypatch.setattr(cli, "default_catalog", lambda: catalog)
    monkeypatch.setattr(
        cli, "Fetcher", lambda cat=catalog, **kwargs: toy.fetcher(cat, cache, mirror, **kwargs)
    )

    def run(*argv):
        arguments = build_parser().parse_args(["data", *argv])
        return arguments.run(arguments)

    run.file = mirror / "toy/a.txt"
    run.cached = cache / "toy/a.txt"
    return run


def test_list(run, capsys):
    assert run("list") == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("toy/a", "3 x 2", "original", "0.1 MB", "mirror", "none"))
    run("fetch")
    run("list")
    assert "cached" in capsys.readouterr().out


def test_fetch(run, capsys):
    assert run("fetch", "toy/a") == 0
    assert run.cached.read_bytes() == toy.CONTENT
    assert "ok toy/a" in capsys.readouterr().err


def test_fetch_fails_with_advice(run, capsys):
    run.file.unlink()
    assert run("fetch") == 1
    assert "https://example.org/toy, put it at" in capsys.readouterr().err


def test_verify(run, capsys):
    assert run("verify") == 0
    assert "ok toy/a: original, values as known" in capsys.readouterr().out


def test_verify_what_is_not_at_hand(run, capsys):
    run.file.write_bytes(toy.OTHER_VALUES)
    assert run("verify") == 0
    assert run("verify", "toy/a") == 1
    assert "not at hand toy/a" in capsys.readouterr().out


def test_verify_altered_values(run, capsys, monkeypatch):
    monkeypatch.setattr(Dataset, "digest", lambda self: "0" * 64)
    assert run("verify") == 1
    assert "bad toy/a: toy/a: the files are intact, but" in capsys.readouterr().out


def test_digest(run, capsys):
    assert run("digest", "toy/a") == 0
    assert capsys.readouterr().out == f'[dataset."toy/a"]\ndigest = "{toy.DIGEST}"\n'


def test_unknown_name(run):
    with pytest.raises(ValueError, match=r"unknown data set 'toy/b'; did you mean 'toy/a'\?"):
        run("fetch", "toy/b")


@pytest.mark.parametrize("columns", ["20", "200"])
def test_paths_are_printed_in_one_piece_and_as_they_are(run, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    run("fetch", "toy/a")
    assert str(run.cached.parent.parent) in capsys.readouterr().err
    run("list")
    assert f"cache: {run.cached.parent.parent}\n" in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["20", "200"])
def test_messages_are_printed_as_they_are(run, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    message = "/a/folder/[/x]/[bold]/:smile:/of/a/very/long/name/indeed"

    def load(name, fetcher):
        raise data_fetch.AlteredDataError(message)

    monkeypatch.setattr(access, "load", load)
    assert run("verify") == 1
    assert f"bad toy/a: {message}\n" in capsys.readouterr().out


@pytest.mark.parametrize("variable", ["REPROLIB_DATA", "REPROLIB_MIRROR"])
def test_home_folder_that_does_not_exist_is_said(variable, monkeypatch, tmp_path):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv(variable, "~no-such-user-here/x")
    with pytest.raises(ValueError, match=f"{variable} is '~no-such-user-here/x'.*full path"):
        data_fetch.available("uci/letter")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_on_a_terminal_only():
    with progress_bar("a.txt", io.StringIO()) as bar:
        assert bar is False
    with progress_bar("a.txt", Terminal()) as bar:
        bar.total = 100
        bar.update(60)
        assert bar.total == 100
        bar.reset()
        bar.update(100)
        bar.close()
