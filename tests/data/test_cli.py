"""`reprolib data` on toy data."""

from __future__ import annotations

from dataclasses import replace

import pytest

import data_fetch
from data_fetch import Dataset, access, errors
from data_fetch import fetcher as fetching
from data_fetch.errors import missing_table
from reprolib.cli.main import build_parser
from tests import toy_data as toy


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a data command in a world with one toy data set, in a mirror unless removed."""
    cache, mirror = tmp_path / "[/x]" / "cache", tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy/a.txt").write_bytes(toy.CONTENT)

    def run(*argv, version=toy.version()):  # noqa: B008
        catalog = toy.catalog(version)
        entry = replace(catalog.entry("toy/a"), papers=("kpm",))
        catalog = replace(catalog, entries={"toy/a": entry})
        make = lambda **kwargs: toy.fetcher(catalog, cache, mirror, **kwargs)  # noqa: E731
        monkeypatch.setattr(fetching, "Fetcher", make)
        arguments = build_parser().parse_args(["data", *argv])
        return arguments.run(arguments)

    run.file = mirror / "toy/a.txt"
    run.cached = cache / "toy/a.txt"
    return run


def test_list(run, capsys):
    assert run("list") == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("toy/a", "3 x 2", "original", "0.1 MB", "mirror", "none"))
    assert "sources, in order" in text
    assert "Sources are tried in their order, after the cache" in text
    run("fetch")
    run("list")
    assert "cached" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["toy/a", "toy", "kpm"])
def test_fetch_a_set_a_family_or_a_paper(run, capsys, word):
    assert run("fetch", word) == 0
    assert run.cached.read_bytes() == toy.CONTENT
    assert "ok toy/a" in capsys.readouterr().err


def test_fetch_fails_with_advice(run, capsys):
    run.file.unlink()
    assert run("fetch") == 1
    assert "https://example.org/toy, put it at" in capsys.readouterr().err


def test_verify(run, capsys):
    assert run("verify") == 0
    assert "ok toy/a: original, values as known" in capsys.readouterr().out
    assert run("verify", "toy/a", version=toy.version(seen=False)) == 0
    assert "ok toy/a: original, no digest to compare with" in capsys.readouterr().out


def test_verify_altered_values(run, capsys, monkeypatch):
    monkeypatch.setattr(Dataset, "digest", lambda self: "0" * 64)
    assert run("verify") == 1
    assert "bad toy/a: toy/a: the files are intact, but" in capsys.readouterr().out


def test_verify_what_is_not_at_hand(run, capsys):
    run.file.unlink()
    assert run("verify") == 0
    assert "nothing to verify: no data set is at hand" in capsys.readouterr().out
    assert run("verify", "toy/a") == 1
    assert "not at hand toy/a" in capsys.readouterr().out


def test_digest(run, capsys):
    assert run("digest", "toy/a") == 0
    assert capsys.readouterr().out == f'[dataset."toy/a"]\ndigest = "{toy.DIGEST}"\n'


@pytest.mark.parametrize("columns", ["20", "200"])
def test_paths_and_messages_are_printed_in_one_piece_and_as_they_are(
    run, capsys, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    run("fetch", "toy/a")
    assert str(run.cached.parent.parent) in capsys.readouterr().err
    run("list")
    assert f"cache: {run.cached.parent.parent}\n" in capsys.readouterr().out
    message = "/a/folder/[/x]/[bold]/:smile:/of/a/very/long/name/indeed"

    def load(name, fetcher):
        raise data_fetch.AlteredDataError(message)

    monkeypatch.setattr(access, "load", load)
    assert run("verify") == 1
    assert f"bad toy/a: {message}\n" in capsys.readouterr().out


def test_what_is_missing_as_a_short_table(tmp_path):
    """A wrong file explains more than silent sites; a host that was not asked again nothing."""
    closed = "http://127.0.0.1:9/{}"
    catalog = toy.catalog(toy.version(urls=(closed.format("a"), closed.format("b"))))
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        data_fetch.load("toy/a", toy.fetcher(catalog, tmp_path))
    tried = [
        *(errors.Failure(source, errors.SourceError("no network")) for source in "ab"),
        errors.Failure("c", errors.SourceError("3 bytes instead of 4", gave_other=True)),
        errors.Failure("d", errors.SourceError("d did not answer a moment ago", not_asked=True)),
    ]
    missing = {
        "toy/a": error.value,
        "p300/x": errors.DataUnavailableError("put x where y is", tried=[]),
        "x/all": errors.DataUnavailableError("", tried),
        "x/silent": errors.DataUnavailableError("", tried[3:]),
    }
    assert missing_table(missing) == [
        ("toy/a", "no connection (is there a network?)", "reprolib data fetch toy/a"),
        ("p300/x", "no program can download it", "reprolib data fetch p300/x"),
        ("x/all", "3 bytes instead of 4, and 1 other reason", "reprolib data fetch x/all"),
        ("x/silent", "no connection", "reprolib data fetch x/silent"),
    ]


@pytest.mark.parametrize("variable", ["REPROLIB_DATA", "REPROLIB_MIRROR"])
def test_home_folder_that_does_not_exist_is_said(variable, monkeypatch, tmp_path):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.setenv(variable, "~no-such-user-here/x")
    with pytest.raises(ValueError, match=f"{variable} is '~no-such-user-here/x'.*full path"):
        data_fetch.available("uci/letter")
