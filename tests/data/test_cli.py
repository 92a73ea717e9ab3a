"""`reprolib data` on toy data."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

import data_fetch
from data_fetch import Dataset, access, cli, errors, silence
from data_fetch.__main__ import main
from data_fetch.advice import missing_table
from data_fetch.catalog import default_catalog
from data_fetch.download import progress_bar
from data_fetch.fetcher import Fetcher
from reprolib.cli.main import build_parser
from tests import toy_data as toy


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a data command in a world with one toy data set, in a mirror unless removed."""
    cache, mirror = tmp_path / "[/x]" / "cache", tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    (mirror / "toy/a.txt").write_bytes(toy.CONTENT)
    catalog = toy.catalog(toy.version())
    entry = replace(catalog.entry("toy/a"), papers=("kpm",))
    catalog = replace(catalog, entries={"toy/a": entry})
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


@pytest.mark.parametrize("word", ["toy", "kpm"])
def test_fetch_a_family_or_a_paper(run, capsys, word):
    assert run("fetch", word) == 0
    assert "ok toy/a" in capsys.readouterr().err


def test_fetch_fails_with_advice(run, capsys):
    run.file.unlink()
    assert run("fetch") == 1
    assert "https://example.org/toy, put it at" in capsys.readouterr().err


def test_verify(run, capsys):
    assert run("verify") == 0
    assert "ok toy/a: original, values as known" in capsys.readouterr().out


def test_verify_says_where_nothing_is_known_of_the_values(run, capsys, monkeypatch):
    """The bytes are those of the publisher, but nobody here has seen them."""
    unseen, make = toy.catalog(toy.version(seen=False)), cli.Fetcher
    monkeypatch.setattr(cli, "Fetcher", lambda: make(unseen))
    assert run("verify", "toy/a") == 0
    assert "ok toy/a: original, no digest to compare with" in capsys.readouterr().out


def test_verify_what_is_not_at_hand(run, capsys):
    run.file.write_bytes(toy.OTHER_VALUES)
    assert run("verify") == 0
    assert run("verify", "toy/a") == 1
    assert "not at hand toy/a" in capsys.readouterr().out


def test_verify_says_when_there_is_nothing_to_verify(run, capsys):
    run.file.unlink()
    assert run("verify") == 0
    assert "nothing to verify: no data set is at hand" in capsys.readouterr().out


def test_list_shows_the_sources_in_order(run, capsys):
    run("list")
    text = capsys.readouterr().out
    assert "sources, in order" in text
    assert "Sources are tried in their order, after the cache" in text


def test_sources_of_the_packages_data_sets(monkeypatch):
    fetcher = Fetcher(mirror=None)
    sources = data_fetch.info("uci/optdigits", fetcher).sources
    assert [source.split()[0] for source in sources] == ["site", "archive", "package"]
    assert sources[0] == "site 0.8 MB"
    assert sources[2] == "package 14.3 MB"
    assert data_fetch.info("raetsch/ringnorm", fetcher).sources == ("site 8.9 MB",)
    assert data_fetch.info("embedded/twonorm", fetcher).sources == ()


def test_module_as_a_program(capsys):
    assert main(["list"]) == 0
    assert "uci/letter" in capsys.readouterr().out
    assert main(["fetch", "uci/leter"]) == 2
    assert "unknown data set 'uci/leter'; did you mean 'uci/letter'" in capsys.readouterr().err


def test_papers_of_the_catalog():
    catalog = default_catalog()
    assert set(catalog.named("simplex")) == {
        f"uci/{name}" for name in ("landsat", "optdigits", "pendigits", "letter", "isolet")
    }
    assert len(catalog.named("raetsch")) == 13
    assert catalog.named("uci/letter") == ["uci/letter"]


def test_what_is_missing_as_a_short_table(tmp_path):
    closed = "http://127.0.0.1:9/{}"
    catalog = toy.catalog(toy.version(urls=(closed.format("a"), closed.format("b"))))
    silence.silent.forget()
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        data_fetch.load("toy/a", toy.fetcher(catalog, tmp_path))
    silence.silent.forget()
    by_hand = data_fetch.DataUnavailableError("put x where y is", tried=[])
    table = missing_table({"toy/a": error.value, "p300/x": by_hand})
    assert table == [
        ("toy/a", "no connection (is there a network?)", "reprolib data fetch toy/a"),
        ("p300/x", "no program can download it", "reprolib data fetch p300/x"),
    ]


def test_a_wrong_file_explains_more_than_sites_that_cannot_be_reached():
    """And a host that was not asked again explains nothing."""
    tried = [
        *(errors.Failure(source, errors.SourceError("no network")) for source in "ab"),
        errors.Failure("c", errors.SourceError("3 bytes instead of 4", gave_other=True)),
        errors.Failure("d", errors.SourceError("d did not answer a moment ago", not_asked=True)),
    ]
    found = [errors.DataUnavailableError("", rows) for rows in (tried, tried[:1], tried[3:])]
    assert [row.why for row in missing_table({f"x/{k}": e for k, e in enumerate(found)})] == [
        "3 bytes instead of 4, and 1 other reason",
        "no network",
        "no connection",
    ]
    assert [error.not_asked for error in found] == [True, False, True]


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
    for stream in (io.StringIO(), Terminal()):
        with progress_bar("a.txt", stream, 100) as advance:
            advance(60)
            advance(40)
        assert bool(stream.getvalue()) == stream.isatty()
