"""Papers outside of this package and their data: how they are found, and what is said of faults."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import EntryPoint

import pytest

import data_fetch
from data_fetch import access, outside
from data_fetch.catalog import default_catalog, joined, read_catalog

POINTS = b"1,2,0\n3,4,1\n"
CATALOG = f"""
[dataset."mole/wine"]
title = "Wine"
size = [178, 13]
bundled = "scikit-learn"
loader = "mole.data:load_wine"
papers = ["mole"]

[dataset."mole/points"]
title = "Points"
files = ["mole/points.csv"]
loader = "mole.data:load_points"

[file."mole/points.csv"]
terms = "ours"
cite = "nobody"
[[file."mole/points.csv".version]]
path = "mole/points.csv"
fidelity = "original"
sha256 = "{hashlib.sha256(POINTS).hexdigest()}"
bytes = {len(POINTS)}
urls = ["https://example.invalid/points.csv"]
"""
LOADERS = """
import numpy as np
from sklearn.datasets import load_wine as bundled

from data_fetch import Dataset


def load_wine(name):
    wine = bundled()
    return Dataset(name, wine.data, wine.target, SOURCE)


def load_points(name, paths):
    table = np.loadtxt(paths["points.csv"], delimiter=",")
    return Dataset(name, table[:, :2], table[:, 2], "original")


SOURCE = "original"
"""


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """A folder with one paper, found by the variable; everything is forgotten afterwards."""
    folder = tmp_path / "mole"
    folder.mkdir()
    (folder / "printed.toml").write_text("[paper]\n")
    (folder / "__init__.py").touch()
    (folder / "data.toml").write_text(CATALOG)
    (folder / "data.py").write_text(LOADERS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("REPROLIB_PAPERS", str(tmp_path))
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path / "cache"))
    forget()
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "mole"]:
        del sys.modules[name]
    monkeypatch.undo()
    forget()


def forget() -> None:
    outside.outside_papers.cache_clear()
    default_catalog.cache_clear()


def test_data_bundled_by_a_library_are_real_and_need_no_file(paper):
    assert data_fetch.available("mole/wine")
    wine = data_fetch.load("mole/wine")
    assert (wine.source, wine.X.shape) == ("original", (178, 13))
    about = data_fetch.info("mole/wine")
    assert (about.state, about.source) == ("bundled", "original")
    assert about.terms == "bundled with scikit-learn"
    assert "mole/wine" in data_fetch.names()
    assert access.loader_modules(["mole/wine"]) == {"mole.data"}


def test_the_own_data_are_found_beside_those_of_this_package(paper):
    assert {"raetsch/heart", "embedded/twonorm"} < set(data_fetch.names())
    assert default_catalog().named("mole") == ["mole/wine", "mole/points"]
    assert not data_fetch.available("mole/points")


def test_a_file_is_checked_by_its_hash_and_read_by_the_loader_beside_the_paper(paper, monkeypatch):
    mirror = paper.parent / "mirror"
    (mirror / "mole").mkdir(parents=True)
    monkeypatch.setenv("REPROLIB_MIRROR", str(mirror))
    path = mirror / "mole" / "points.csv"
    path.write_bytes(POINTS[::-1])
    with pytest.raises(data_fetch.DataUnavailableError, match=r"points\.csv"):
        data_fetch.load("mole/points")
    path.write_bytes(POINTS)
    assert data_fetch.load("mole/points").X.tolist() == [[1, 2], [3, 4]]


def test_a_loader_of_real_data_may_not_call_them_embedded(paper):
    (paper / "data.py").write_text(LOADERS.replace('SOURCE = "original"', 'SOURCE = "embedded"'))
    with pytest.raises(ValueError, match="bundled with scikit-learn, but its loader"):
        data_fetch.load("mole/wine")


def test_other_values_than_the_catalog_s_are_told(paper):
    text = CATALOG.replace("size = [178, 13]", 'size = [178, 13]\ndigest = "00"')
    (paper / "data.toml").write_text(text)
    with pytest.raises(data_fetch.AlteredDataError, match="another version of scikit-learn"):
        access.load("mole/wine")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("bundled =", "bundeld =", "'mole/wine': unknown key 'bundeld'; did you mean 'bundled'"),
        ('terms = "ours"', "", "file 'mole/points.csv': terms is missing"),
        ("urls =", "url =", "'mole/points.csv', version 1: unknown key 'url'; did you mean 'urls'"),
        ('bundled = "scikit-learn"', "", "'mole/wine' has no files; say in which library"),
        ('loader = "mole.data:load_wine"', "", "dataset 'mole/wine': loader is missing"),
        ("mole/wine", "raetsch/heart", "another 'raetsch/heart'; begin the name with"),
        ("[dataset.", "[dataset", "data.toml: "),
    ],
)
def test_a_fault_of_the_catalog_is_named_with_its_file(paper, old, new, told):
    (paper / "data.toml").write_text(CATALOG.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"mole.data\.toml: ") as error:
        data_fetch.load("mole/wine")
    assert told in str(error.value)


def test_a_loader_that_is_not_there_is_named(paper):
    (paper / "data.toml").write_text(CATALOG.replace("data:load_wine", "data:load_vine"))
    with pytest.raises(ValueError, match=r"loader 'mole\.data:load_vine' .* cannot be imported"):
        data_fetch.load("mole/wine")


def test_a_folder_without_a_paper_is_a_warning_and_the_rest_works(paper, monkeypatch):
    monkeypatch.setenv("REPROLIB_PAPERS", f"{paper.parent}/nowhere:{paper}")
    forget()
    with pytest.warns(UserWarning, match=r"nowhere, which has no folder with a printed\.toml"):
        assert [found.key for found in outside.outside_papers()] == ["mole"]


def test_a_folder_that_another_module_hides_is_left_out(paper, monkeypatch):
    paper.rename(paper.with_name("json"))
    forget()
    with pytest.warns(UserWarning, match=r"json is left out: .* give the folder a name"):
        assert outside.outside_papers() == ()


def test_an_entry_point_names_the_package(paper, monkeypatch):
    points = [EntryPoint("vole", "mole", outside.GROUP), EntryPoint("gone", "nope", outside.GROUP)]
    monkeypatch.setattr(outside, "entry_points", lambda group: points)
    monkeypatch.setenv("REPROLIB_PAPERS", "")
    monkeypatch.syspath_prepend(paper.parent)
    forget()
    with pytest.warns(UserWarning, match="entry point 'gone' of reprolib.papers is left out"):
        (found,) = outside.outside_papers()
    assert (found.key, found.package, found.folder) == ("vole", "mole", paper)


def test_names_of_two_catalogs_may_not_be_equal(paper):
    own = read_catalog(paper / "data.toml")
    with pytest.raises(ValueError, match=r"there is another 'mole/points\.csv'"):
        joined(own, own, paper / "data.toml")
