"""Published results: sealed, safe to read, and put together with those of others."""

from __future__ import annotations

import io
import shutil
import zipfile
from dataclasses import replace

import pandas as pd
import pytest

from reprolib.cli.main import main
from reprolib.rerun.checks.merge import merge
from reprolib.rerun.records import archive, seal, write_results
from tests.rerun.made_up import ENVIRONMENT, row


def results(folder, trials, value=0.25, code="c"):
    """Sealed results of the made-up paper with some trials."""
    from reprolib.rerun import records

    rows = [row(trial=trial, value=value + trial / 100) for trial in trials]
    frame = records.to_frame(rows)
    lines = frame.assign(
        quick=False,
        date="2026-01-01",
        code=code,
        environment="e",
        **{"fit seconds": 0.0, "prediction seconds": 0.0},
    )
    about = {"paper": "paper", "profile": "full", "data": {}, "environments": {"e": ENVIRONMENT}}
    write_results(frame, folder / "paper", lines, about)
    return folder / "paper"


def published(tmp_path, who, trials, **changes):
    folder = results(tmp_path / f"{who}-{len(list(tmp_path.iterdir()))}", trials, **changes)
    path = folder.parent / f"{who}.zip"
    path.write_bytes(archive.pack(folder, who, "2026-01-02"))
    return path


def test_two_people_make_one_table_and_the_same_results_one_archive(tmp_path):
    ann, bob = published(tmp_path, "ann", [0, 1]), published(tmp_path, "bob", [1, 2])
    merged = merge([archive.read(path) for path in (ann, bob)])
    assert sorted(merged.records["trial"]) == [0, 1, 2]
    assert (merged.n_compared, merged.disagreements) == (1, [])
    assert merged.summary.set_index("who")["tasks"].to_dict() == {"ann": 2, "bob": 2}
    merged.write(tmp_path / "all")
    assert not seal.faults(tmp_path / "all" / "paper")
    who = pd.read_csv(tmp_path / "all" / "paper-who.csv")
    assert len(who) == 4
    assert archive.pack(ann.parent / "paper", "ann", "2026-01-02") == ann.read_bytes()


def test_disagreement_of_two_people_is_shown_and_of_one_person_refused(tmp_path, capsys):
    ann, bob = published(tmp_path, "ann", [0, 1]), published(tmp_path, "bob", [0], value=0.3)
    assert main(["merge", str(ann), str(bob)]) == 1
    shown = capsys.readouterr().out
    assert "0 of 1 shared records agree" in shown
    assert "bob.zip and ann.zip differ: value 0.3" in shown
    again = published(tmp_path, "ann", [0], value=0.3)
    with pytest.raises(ValueError, match="both of ann, by the same code .* One of them is wrong"):
        merge([archive.read(path) for path in (ann, again)])
    newer = published(tmp_path, "ann", [0], value=0.3, code="d")
    assert merge([archive.read(path) for path in (ann, newer)]).disagreements


def test_results_of_two_papers_are_not_put_together_and_none_are_not_a_result(tmp_path):
    of_ann = archive.read(published(tmp_path, "ann", [0]))
    of_bob = replace(archive.read(published(tmp_path, "bob", [1])), paper="other")
    with pytest.raises(ValueError, match="are of other, paper; give those of one"):
        merge([of_ann, of_bob])
    with pytest.raises(ValueError, match="are of no paper; give those of one"):
        merge([])


def rewritten(path, change):
    """Archive with other contents by name."""
    with zipfile.ZipFile(path) as old:
        files = {name: old.read(name) for name in old.namelist()}
    change(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, content in files.items():
            new.writestr(name, content)
    path.write_bytes(out.getvalue())
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.update({"t.csv": f["t.csv"] + b"x"}), "t.csv: changed since it was sealed"),
        (lambda f: f.update({"more.csv": b"x"}), "more.csv: not sealed"),
        (lambda f: f.pop("t.csv"), "t.csv: sealed, but missing"),
        (lambda f: f.pop("SHA256SUMS"), "not sealed"),
        (lambda f: f.update({"../evil.csv": b"x"}), "'../evil.csv', which is no table"),
        (lambda f: f.update({"/etc/evil.csv": b"x"}), "which is no table"),
        (lambda f: f.update({"a/b.csv": b"x"}), "which is no table"),
        (lambda f: f.update({"evil.py": b"x"}), "which is no table"),
        (lambda f: f.pop("published.json"), "does not say whose results"),
        (
            lambda f: f.update(
                {
                    "published.json": f["published.json"].replace(
                        b'"paper": "paper"', b'"paper": "../x"'
                    )
                }
            ),
            "which is not a valid key",
        ),
    ],
)
def test_an_archive_that_was_touched_or_reaches_out_is_refused(tmp_path, change, message):
    path = rewritten(published(tmp_path, "ann", [0]), change)
    with pytest.raises(ValueError, match=message):
        archive.read(path)


def test_what_unpacks_too_large_is_refused_and_what_is_no_archive_said(tmp_path, monkeypatch):
    path = published(tmp_path, "ann", [0])
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="unpacks to more than 100 bytes"):
        archive.read(path)
    path.write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is no archive of results"):
        archive.read(path)


def test_unsealed_results_are_not_published(tmp_path, capsys):
    folder = results(tmp_path, [0])
    (folder / "t.csv").write_text("changed", encoding="utf-8")
    with pytest.raises(ValueError, match="t.csv: changed since it was sealed"):
        archive.pack(folder, "ann", "2026-01-02")
    shutil.rmtree(folder)
    assert main(["publish", "kpm", "--by", "ann", "--results", str(tmp_path)]) == 2
    assert "there are no results of kpm" in capsys.readouterr().err
