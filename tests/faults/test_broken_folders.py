"""A results folder broken in every way that we could think of: named, with a command, no traceback.

What people bring: half a copy, a merge that git could not make, files that were unpacked, edited or
sealed anew. `verify`, `tables`, `report` and ``reprolib.paper()`` ask one check.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import lzma
import re
import shlex
import shutil
import subprocess

import pandas as pd
import pytest

import reprolib
from reprolib.cli.main import main
from reprolib.rerun.checks import verify
from reprolib.rerun.records import folder as records_folder
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.folder import BrokenResultsError, folder_faults
from reprolib.rerun.records.registry import committed_directory
from reprolib.rerun.records.rows import GAP
from tests import some_results

CONFLICT = "<<<<<<< HEAD\n{0}=======\n{0}>>>>>>> theirs\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A few records of KPM that take no time to check."""
    root = tmp_path_factory.mktemp("whole")
    records = load_paper("kpm")
    few = records[records["dataset"] == "embedded/twonorm"]
    few = few[(few["trial"] < 2) & few["table"].isin(["table1", "table2"])]
    few = few.sort_values("path", ascending=False)
    some_results.write("kpm", few[~few["task"].str.contains("over trials")], root)
    assert folder_faults("kpm", root) == ()
    return root


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole / "kpm", tmp_path / "results" / "kpm")


def remove(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def content(name, change):
    """Change the bytes of a file as it lies there."""
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def text(name, change):
    """Change the text in a file, which is packed again."""

    def done(folder):
        path = folder / name
        packed = path.suffix == ".xz"
        before = lzma.decompress(path.read_bytes()) if packed else path.read_bytes()
        after = change(before.decode())
        after = after if isinstance(after, bytes) else after.encode()
        path.write_bytes(lzma.compress(after) if packed else after)

    return done


def sealed(change):
    """Change, and seal anew."""

    def done(folder):
        change(folder)
        lines = []
        for path in sorted(folder.iterdir()):
            if path.name != "SHA256SUMS":
                data = path.read_bytes()
                data = lzma.decompress(data) if path.suffix == ".xz" else data
                lines.append(
                    f"{hashlib.sha256(data).hexdigest()}  {path.name.removesuffix('.xz')}\n"
                )
        (folder / "SHA256SUMS").write_text("".join(lines))

    return done


def run_json(change):
    """Change what run.json says, and seal anew."""
    return sealed(text("run.json", lambda t: json.dumps(change(json.loads(t)))))


def cell(name, column, value):
    """Change a column of the first line of a table, and seal anew."""

    def changed(t):
        rows = list(csv.reader(io.StringIO(t)))
        rows[1][rows[0].index(column)] = value
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()

    return sealed(text(f"{name}.csv.xz", changed))


def without_column(name, column):
    def changed(t):
        frame = pd.read_csv(io.StringIO(t), dtype=str, keep_default_na=False)
        return frame.drop(columns=column).to_csv(index=False)

    return sealed(text(f"{name}.csv.xz", changed))


def unpack(name):
    def done(folder):
        (folder / name).write_bytes(lzma.decompress((folder / f"{name}.xz").read_bytes()))
        (folder / f"{name}.xz").unlink()

    return done


def pack(folder):
    (folder / "run.json.xz").write_bytes(lzma.compress((folder / "run.json").read_bytes()))
    (folder / "run.json").unlink()


def twice(folder):
    packed = (folder / "records.csv.xz").read_bytes()
    (folder / "records.csv").write_bytes(lzma.decompress(packed))


def link(folder):
    shutil.move(folder / "records.csv.xz", folder.parent / "elsewhere.xz")
    (folder / "records.csv.xz").symlink_to(folder.parent / "elsewhere.xz")


def dangling(folder):
    (folder / "records.csv.xz").unlink()
    (folder / "records.csv.xz").symlink_to(folder / "nowhere")


def is_folder(folder):
    (folder / "records.csv.xz").unlink()
    (folder / "records.csv.xz").mkdir()


def of_another_paper(folder):
    shutil.rmtree(folder)
    shutil.copytree(committed_directory() / "mkpm", folder)


def is_file(folder):
    shutil.rmtree(folder)
    folder.write_text("")


def older(folder):
    """As results were when each table had a file."""
    for path in folder.iterdir():
        path.unlink()
    records = load_paper("kpm").iloc[:3]
    (folder / "table1.csv.xz").write_bytes(lzma.compress(records.to_csv(index=False).encode()))
    sealed(lambda _: None)(folder)


def first_line_again(t):
    head, first, *_ = t.splitlines(keepends=True)
    return t + first


def last_line_cut(t):
    return "".join(t.splitlines(keepends=True)[:2])


HALF, CHANGED, CONFLICTS = "half copied", "changed since sealed", "merge conflict"
OLDER, OTHER, PACKED = "older format", "of another paper", "packed otherwise"
NONSENSE = "not as a run writes it"
#: What is done to a folder, its kind, and what must be said of it.
WAYS = {
    "without its seal": (remove("SHA256SUMS"), HALF, "SHA256SUMS: there is none"),
    "without run.json": (remove("run.json"), HALF, "run.json: sealed, but missing"),
    "without a table": (remove("records.csv.xz"), HALF, "records.csv: sealed, but missing"),
    "a table emptied": (content("records.csv.xz", lambda b: b""), HALF, "records.csv"),
    "a table halved": (content("records.csv.xz", lambda b: b[: len(b) // 2]), HALF, "records.csv"),
    "a table with more behind it": (
        content("records.csv.xz", lambda b: b + b"x"),
        HALF,
        "records.csv",
    ),
    "run.json halved": (
        content("run.json", lambda b: b[: len(b) // 2]),
        HALF,
        "run.json: no JSON of a run",
    ),
    "a table under another name": (
        lambda f: (f / "records.csv.xz").rename(f / "table3.csv.xz"),
        HALF,
        "records.csv: sealed, but missing",
    ),
    "a file, and no folder": (is_file, HALF, "a file, and no folder"),
    "a link to nowhere": (dangling, HALF, "records.csv: sealed, but missing"),
    "a table unpacked": (unpack("records.csv"), PACKED, "records.csv: unpacked by hand"),
    "run.json packed": (pack, PACKED, "run.json.xz: packed by hand"),
    "a table twice": (twice, CHANGED, "is there twice, compressed and not"),
    "a link in the place of a table": (link, CHANGED, "records.csv.xz: a link, not sealed"),
    "a folder in the place of a table": (is_folder, CHANGED, "records.csv.xz: a folder"),
    "a file more": (lambda f: (f / "notes.txt").write_text("x"), CHANGED, "notes.txt: not sealed"),
    "a value edited": (
        text("records.csv.xz", lambda t: t.replace("0.0", "0.1", 1)),
        CHANGED,
        "records.csv: changed since it was sealed",
    ),
    "run.json edited": (
        text("run.json", lambda t: t.replace("full", "quick")),
        CHANGED,
        "run.json",
    ),
    "line ends of Windows": (
        text("run.json", lambda t: t.replace("\n", "\r\n")),
        CHANGED,
        "run.json: changed since it was sealed, in its line ends only",
    ),
    "line ends of an old Mac": (
        text("records.csv.xz", lambda t: t.replace("\n", "\r")),
        CHANGED,
        "records.csv: changed since it was sealed, in its line ends only",
    ),
    "a byte order mark": (text("run.json", lambda t: "\ufeff" + t), CHANGED, "run.json"),
    "two lines for a file in the seal": (
        text("SHA256SUMS", lambda t: f"{'0' * 64}  run.json\n{t}"),
        CHANGED,
        "SHA256SUMS: has two lines for run.json",
    ),
    "the same line twice in the seal": (
        text("SHA256SUMS", lambda t: t + t.splitlines(keepends=True)[0]),
        CHANGED,
        "SHA256SUMS: has two lines for",
    ),
    "words in the seal": (text("SHA256SUMS", lambda t: t + "words\n"), CHANGED, "'words' is no li"),
    "a path in the seal": (
        text("SHA256SUMS", lambda t: f"{t}{'0' * 64}  ../run.json\n"),
        CHANGED,
        "is no line of a seal",
    ),
    "an empty seal": (text("SHA256SUMS", lambda t: ""), HALF, "SHA256SUMS: there is none"),
    "no text in the seal": (content("SHA256SUMS", lambda b: b"\xff\x00\n"), CHANGED, "SHA256SUMS"),
    "marks of a merge in run.json": (
        text("run.json", CONFLICT.format),
        CONFLICTS,
        "run.json: has git's marks",
    ),
    "marks of a merge in the seal": (
        text("SHA256SUMS", CONFLICT.format),
        CONFLICTS,
        "SHA256SUMS: has git's marks",
    ),
    "marks of a merge in a table": (
        text("records.csv.xz", CONFLICT.format),
        CONFLICTS,
        "records.csv: has git's marks",
    ),
    "marks of a merge, sealed anew": (
        sealed(text("run.json", CONFLICT.format)),
        CONFLICTS,
        "run.json: has git's marks",
    ),
    "of another paper": (of_another_paper, OTHER, "paper is 'mkpm'"),
    "of the time of a file a table": (older, OLDER, "there is no records.csv.xz"),
    "run.json of an older form": (
        run_json(lambda run: {k: v for k, v in run.items() if k != "environments"}),
        OLDER,
        "no key 'environments'",
    ),
    "a column fewer": (without_column("records", GAP), OLDER, "records.csv: has the columns"),
    "run.json empty": (sealed(text("run.json", lambda t: "")), HALF, "run.json: is empty"),
    "run.json a list": (sealed(text("run.json", lambda t: "[1, 2]")), NONSENSE, "list, no object"),
    "run.json very deep": (
        sealed(text("run.json", lambda t: "[" * 100_000)),
        NONSENSE,
        "no JSON of a run",
    ),
    "run.json no text": (
        sealed(text("run.json", lambda t: b"\xff\xfe" + t.encode())),
        NONSENSE,
        "no JSON of a run",
    ),
    "a key twice in run.json": (
        sealed(text("run.json", lambda t: t.replace("{", '{"paper": "kpm", ', 1))),
        NONSENSE,
        "'paper' stands there twice",
    ),
    "an unknown key": (
        run_json(lambda run: {**run, "profil": "full"}),
        NONSENSE,
        "unknown key 'profil'; did you mean 'profile'?",
    ),
    "an unknown profile": (
        run_json(lambda run: {**run, "profile": "fulll"}),
        NONSENSE,
        "profile is 'fulll', not 'quick' or 'full'",
    ),
    "no number of seconds": (
        run_json(lambda run: {**run, "wall_seconds": "fast"}),
        NONSENSE,
        "wall_seconds is 'fast'",
    ),
    "seconds that are none": (
        run_json(lambda run: {**run, "wall_seconds": float("nan")}),
        NONSENSE,
        "wall_seconds is nan",
    ),
    "data as a list": (run_json(lambda run: {**run, "data": [1]}), NONSENSE, "data is [1], not"),
    "data as words": (run_json(lambda run: {**run, "data": {"a": "b"}}), NONSENSE, "data is {'a'"),
    "no versions": (
        run_json(lambda run: {**run, "environments": {"6dbcd1b8": {}}}),
        OLDER,
        "environments, '6dbcd1b8', no key 'versions'",
    ),
    "a digest that is none": (
        run_json(lambda r: {**r, "data": {k: {**v, "digest": 7} for k, v in r["data"].items()}}),
        NONSENSE,
        "digest is 7, not 64",
    ),
    "a source that is none": (
        run_json(lambda r: {**r, "data": {k: {**v, "source": "x"} for k, v in r["data"].items()}}),
        NONSENSE,
        "source is 'x', not one of original",
    ),
    "no data set": (
        run_json(lambda run: {**run, "data": {}}),
        NONSENSE,
        "dataset 'embedded/twonorm'",
    ),
    "a date in words": (cell("records", "date", "yesterday"), NONSENSE, "date 'yesterday'"),
    "a date of no calendar": (cell("records", "date", "2026-13-45"), NONSENSE, "date '2026-13-45'"),
    "a date far off": (cell("records", "date", "9999-01-01"), NONSENSE, "date '9999-01-01'"),
    "negative seconds": (cell("records", "seconds", "-3.0"), NONSENSE, "seconds '-3.0'"),
    "endless seconds": (cell("records", "seconds", "inf"), NONSENSE, "seconds 'inf'"),
    "no flag": (cell("records", "quick", "maybe"), NONSENSE, "numbers in the columns ['quick']"),
    "a number for a flag": (cell("records", "quick", ""), NONSENSE, "quick"),
    "code that is none": (cell("records", "code", "new code"), NONSENSE, "code 'new code'"),
    "an unknown environment": (cell("records", "environment", "12"), NONSENSE, "environment '12'"),
    "a negative seed": (cell("records", "seed", "-1"), NONSENSE, "seed '-1'"),
    "a task of another name": (
        cell("records", "method", "kmp"),
        NONSENSE,
        "task 'table2/",
    ),
    "a task without a trial": (
        cell("records", "task", "a/b"),
        NONSENSE,
        "task 'a/b'",
    ),
    "a word for a value": (
        cell("records", "value", "low"),
        NONSENSE,
        "numbers in the col",
    ),
    "an endless value": (cell("records", "value", "inf"), NONSENSE, "value 'inf'"),
    "a status that is none": (cell("records", "status", "OK"), NONSENSE, "status 'OK'"),
    "a number for a status": (cell("records", "status", "0"), NONSENSE, "status '0'"),
    "an unknown source": (cell("records", "source", "real"), NONSENSE, "source 'real'"),
    "choices that are none": (cell("records", "chosen", "D = 3"), NONSENSE, "chosen 'D = 3'"),
    "a path of words": (cell("records", "path", "up and down"), NONSENSE, "path 'up and down'"),
    "fewer than no test points": (cell("records", "n_test", "-7"), NONSENSE, "n_test '-7'"),
    "half a level": (cell("records", "level", "1.5"), NONSENSE, "level '1.5'"),
    "no metric": (cell("records", "metric", ""), NONSENSE, "metric ''"),
    "a record of no task": (
        cell("records", "task", "table1/x/y/0"),
        NONSENSE,
        "task 'table1/x/y/0'",
    ),
    "two records of one key": (
        sealed(text("records.csv.xz", first_line_again)),
        NONSENSE,
        "has two records of one key",
    ),
    "no text in a table": (
        sealed(text("records.csv.xz", lambda t: t.encode() + b"\xff\xfe\n")),
        NONSENSE,
        "records.csv: is no table of results",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_folder_is_named_with_its_command_and_gives_no_traceback(
    way, folder, monkeypatch, capsys
):
    change, kind, said = WAYS[way]
    change(folder)
    root = folder.parent
    monkeypatch.setattr(verify, "sample", lambda *_: set())
    for command in ("verify", "tables", "report"):
        code = main([command, "kpm", "--results", str(root)])
        printed = capsys.readouterr()
        told = printed.out + printed.err
        assert code == (1 if command == "verify" else 2), told
        assert said in told, told
        mended = [line.partition(": ")[0] for line in told.splitlines() if "`" in line]
        assert any(kind in kinds for kinds in mended), told
        assert "Traceback" not in told
    monkeypatch.setenv("REPROLIB_RESULTS", str(root))
    with pytest.raises(BrokenResultsError) as error:
        reprolib.paper("kpm")
    assert said in str(error.value)


def test_there_are_forty_ways_and_every_kind_is_among_them():
    assert len(WAYS) >= 40
    assert len({kind for _, kind, _ in WAYS.values()}) == 7


@pytest.mark.parametrize("way", ["a table halved", "data as a list", "run.json halved", "no flag"])
def test_a_run_goes_on_without_committed_results_that_are_broken(way, folder, monkeypatch, capsys):
    """It is what makes them anew: `reproduce` ended with a KeyError, its help with an EOFError."""
    WAYS[way][0](folder)
    monkeypatch.setenv("REPROLIB_RESULTS", str(folder.parent))
    assert main(["reproduce", "kpm", "--dry-run", "--embedded"]) == 0
    printed = capsys.readouterr()
    assert "The committed results of kpm are left out:" in printed.err
    assert "tasks" in printed.out
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])


def test_the_answer_is_kept_until_a_file_changes(folder, monkeypatch):
    root = folder.parent
    assert folder_faults("kpm", root) == ()
    monkeypatch.setattr(records_folder.tables, "content_of", None)
    assert folder_faults("kpm", root) == ()
    monkeypatch.undo()
    shutil.move(folder, root / "aside")
    assert folder_faults("kpm", root) == (), "none are no fault"
    folder.mkdir()
    assert folder_faults("kpm", root) == ()
    folder.rmdir()
    folder.touch()
    assert folder_faults("kpm", root)
    folder.unlink()
    shutil.move(root / "aside", folder)
    seal = folder / "SHA256SUMS"
    seal.write_text(seal.read_text().replace("0", "1"))
    assert folder_faults("kpm", root)


@pytest.fixture
def git(folder):
    """The folder in a repository, and git there."""

    def run(*words, check=True):
        named = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        root = folder.parent.parent
        subprocess.run(["git", *named, *words], cwd=root, check=check, capture_output=True)

    run("init", "-b", "main")
    run("add", "results")
    run("commit", "-m", "results")
    return run


def mended(monkeypatch, capsys, folder):
    """Run the command as it is printed, from another folder."""
    monkeypatch.setenv("REPROLIB_RESULTS", str(folder.parent))
    assert main(["tables", "kpm"]) == 2
    told = capsys.readouterr().err
    subprocess.run(shlex.split(re.search("`(git .*?)`", told)[1]), check=True, cwd="/")
    assert folder_faults("kpm") == ()
    return told


@pytest.mark.parametrize("way", ["without a table", "run.json edited", "no metric"])
def test_the_command_brings_back_what_is_committed(way, folder, git, monkeypatch, capsys):
    WAYS[way][0](folder)
    mended(monkeypatch, capsys, folder)


def test_a_merge_that_git_could_not_make_is_named_and_mended(folder, git, monkeypatch, capsys):
    """Both sides ran again: seal and run.json in conflict, and a table of theirs alone."""
    git("checkout", "-b", "theirs")
    WAYS["an endless value"][0](folder)
    run_json(lambda run: {**run, "wall_seconds": 2.0})(folder)
    git("commit", "-am", "theirs")
    git("checkout", "main")
    run_json(lambda run: {**run, "wall_seconds": 3.0})(folder)
    git("commit", "-am", "ours")
    git("merge", "theirs", check=False)
    told = mended(monkeypatch, capsys, folder)
    assert "kpm/SHA256SUMS: has git's marks (merge conflict)" in told
    assert json.loads((folder / "run.json").read_text())["wall_seconds"] == 3.0


@pytest.mark.parametrize("way", ["a table unpacked", "run.json packed"])
def test_the_command_packs_as_a_run_does(way, folder, capsys):
    WAYS[way][0](folder)
    assert main(["tables", "kpm", "--results", str(folder.parent)]) == 2
    for command in re.findall("`((?:un)?xz .*?)`", capsys.readouterr().err):
        subprocess.run(shlex.split(command), check=True)
    assert folder_faults("kpm", folder.parent) == ()
