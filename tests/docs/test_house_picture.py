"""The picture of the house says what the code imports, and the walk names what is there."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def docs():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        yield


@pytest.fixture
def house(docs):
    import house

    return house


def test_the_arrows_are_those_of_the_code(house):
    found = house.arrows()
    assert found["reprolib.methods"] == set() == found["data_fetch"]
    assert {"reprolib.methods", "data_fetch"} <= found["reprolib.papers"]
    assert not any("reprolib.papers" in others for others in found.values())


def test_every_room_stands_above_what_it_imports(house):
    found = house.arrows()
    height = {room: h for h, rooms in enumerate(house.floors(found)) for room in rooms}
    assert set(height) == set(found)
    assert all(height[a] > height[b] for a, others in found.items() for b in others)


def test_arrows_that_follow_from_others_are_left_out(house):
    chain = {"a": set(), "b": {"a"}, "c": {"a", "b"}}
    assert house.needed(chain) == {"a": set(), "b": {"a"}, "c": {"b"}}


def test_the_picture_shows_and_tells_all_rooms_and_draws_no_line_through_one(house):
    found = house.arrows()
    root = ET.fromstring(house.svg())
    space = "{http://www.w3.org/2000/svg}"
    told = root.find(f"{space}desc").text
    shown = {".".join(text.itertext()) for text in root.iter(f"{space}text")}
    assert shown == {house.short(room) for room in found}
    assert all(house.short(room) in told for room in found)
    links, storeys = house.needed(found), house.floors(found)
    lines = list(root.iter(f"{space}line"))
    assert len(lines) == sum(map(len, links.values()))
    placed = house.places(storeys, links)
    half = house.WIDTH / house.columns(storeys) / 2 - house.GAP / 2
    assert not any(
        house.runs_through((placed[a], placed[b]), box, half)
        for a, others in links.items()
        for b in others
        for box in placed.values()
    )


def test_the_walk_links_to_what_is_documented(docs):
    from api_pages import homes
    from estimator_pages import estimators

    named = set(re.findall(r"\{py:\w+\}`([\w.]+)`", TEXT))
    there = {f"{module}.{name}" for module, objects in homes().items() for name in objects}
    there |= {f"reprolib.{name}" for name in estimators()}
    assert named - there == set()
    assert len(named) > 15
