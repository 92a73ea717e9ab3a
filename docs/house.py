"""The rooms of the house and what each imports, read off the code, and drawn as SVG."""

from __future__ import annotations

import ast
import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from reprolib.report.charts import described
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper

ROOT = Path(__file__).resolve().parents[1]
#: Packages whose own packages are rooms; their rooms are drawn in their place.
OPENED = ("reprolib", "reprolib.rerun")
#: Of the picture, a floor, the space between boxes, and a box.
WIDTH, ROW, GAP, HEIGHT = 400, 88, 8, 44

Arrows = dict[str, set[str]]
Point = tuple[float, float]
Line = tuple[Point, Point]
Places = dict[str, Point]


def rooms() -> list[str]:
    """Names of the packages that are rooms: those below `OPENED`, and ``data_fetch``."""
    found = ["data_fetch"]
    for package in OPENED:
        folders = (ROOT / package.replace(".", "/")).glob("*/__init__.py")
        found += [f"{package}.{path.parent.name}" for path in folders]
    return sorted(set(found) - set(OPENED))


def arrows() -> Arrows:
    """Which rooms the modules of each room import, itself left out.

    An import of a whole room, such as the empty package of the papers to look for its folders, is
    no arrow: nothing of the room is used.
    """
    names = rooms()
    found: Arrows = {room: set() for room in names}
    for room in names:
        for path in (ROOT / room.replace(".", "/")).rglob("*.py"):
            found[room] |= {_room_of(name, names) for name in _imported(path)} - {"", room}
    return found


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room_of(name: str, names: list[str]) -> str:
    return next((room for room in names if name.startswith(f"{room}.")), "")


def floors(found: Mapping[str, set[str]]) -> list[list[str]]:
    """Rooms from the ground up: each stands above all that it imports."""
    level: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in level:
            level[room] = 1 + max(map(height, found[room]), default=-1)
        return level[room]

    for room in found:
        height(room)
    return [[r for r in found if level[r] == h] for h in range(max(level.values()) + 1)]


def needed(found: Mapping[str, set[str]]) -> Arrows:
    """Arrows that do not follow from others: A to C is left out if A to B and B to C are there."""

    def below(room: str) -> set[str]:
        return found[room].union(*map(below, found[room])) if found[room] else set()

    return {room: others - set().union(*map(below, others)) for room, others in found.items()}


def places(storeys: list[list[str]], links: Mapping[str, set[str]]) -> Places:
    """Middle of every room's box: floor by floor the order with the fewest lines in the way."""
    n_columns = columns(storeys)
    orders = [list(itertools.permutations(range(n_columns), len(rooms))) for rooms in storeys]
    chosen = [options[0] for options in orders]
    for floor in [*range(len(storeys)), *reversed(range(len(storeys)))] * 2:
        others = chosen[:floor], chosen[floor + 1 :]
        chosen[floor] = min(
            orders[floor],
            key=lambda order, others=others: _disorder(
                _placed(storeys, [*others[0], order, *others[1]], n_columns), links, n_columns
            ),
        )
    return _placed(storeys, chosen, n_columns)


def columns(storeys: list[list[str]]) -> int:
    """Places on a floor: two are left free for lines to pass."""
    return max(map(len, storeys)) + 2


def _placed(storeys: list[list[str]], order: Sequence[Sequence[int]], n_columns: int) -> Places:
    return {
        room: (WIDTH / n_columns * (column + 0.5), ROW * (len(storeys) - height) - ROW / 2)
        for height, (rooms, taken) in enumerate(zip(storeys, order, strict=True))
        for room, column in zip(rooms, taken, strict=True)
    }


def runs_through(line: Line, box: Point, half: float) -> bool:
    """Whether the line between two boxes touches a third one on a floor between them."""
    (x0, y0), (x1, y1) = line
    if not y0 < box[1] < y1:
        return False
    top, bottom = y0 + HEIGHT / 2, y1 - HEIGHT / 2
    edges = (box[1] - HEIGHT / 2, box[1] + HEIGHT / 2)
    left, right = sorted(x0 + (x1 - x0) * (y - top) / (bottom - top) for y in edges)
    return left < box[0] + half and right > box[0] - half


def _disorder(placed: Places, links: Mapping[str, set[str]], n_columns: int) -> float:
    """Boxes that lines run through count most, then crossings, then sideways length."""
    half = WIDTH / n_columns / 2 - GAP / 2
    lines = [(placed[a], placed[b]) for a, others in links.items() for b in others]
    hidden = sum(runs_through(line, box, half) for line in lines for box in placed.values())
    crossed = sum(_cross(*pair) for pair in itertools.combinations(lines, 2))
    sideways = sum(abs(a[0] - b[0]) for a, b in lines)
    return 1e6 * hidden + 1e3 * crossed + sideways


def _cross(one: Line, other: Line) -> bool:
    """Whether two lines between the same two floors cross."""
    (a0, ay0), (a1, ay1) = one
    (b0, by0), (b1, by1) = other
    return (ay0, ay1) == (by0, by1) and (a0 - b0) * (a1 - b1) < 0


def purpose(room: str) -> str:
    """First line of the room's docstring."""
    return (importlib.import_module(room).__doc__ or "").partition("\n")[0].strip()


def short(room: str) -> str:
    """Name in the picture."""
    return room.removeprefix("reprolib.")


def svg() -> str:
    """Draw the house; colours follow the page's theme, and the text says all that is drawn."""
    found = arrows()
    links, storeys = needed(found), floors(found)
    placed, height = places(storeys, links), ROW * len(storeys)
    told = "; ".join(
        f"{short(room)} imports {', '.join(sorted(map(short, others))) or 'nothing'}"
        for room, others in found.items()
    )
    box = WIDTH / columns(storeys) - GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-labelledby="house-title house-text" '
        f'style="width: 100%; max-width: {1.5 * WIDTH}px">',
        f'<title id="house-title">The house: {len(found)} rooms on {len(storeys)} floors</title>',
        f'<desc id="house-text">{escape(told)}.</desc>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="currentColor"/></marker>'
        "</defs>",
        *(_line(placed[a], placed[b]) for a, others in links.items() for b in sorted(others)),
        *(_box(short(room), *middle, box) for room, middle in placed.items()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _line(above: Point, below: Point) -> str:
    (x0, y0), (x1, y1) = above, below
    return (
        f'<line x1="{x0:.0f}" y1="{y0 + HEIGHT / 2:.0f}" x2="{x1:.0f}" y2="{y1 - HEIGHT / 2:.0f}" '
        'stroke="currentColor" stroke-width="1.2" marker-end="url(#tip)"/>'
    )


def _box(name: str, x: float, y: float, width: float) -> str:
    """A room; that of a package inside another has the outer name above its own."""
    outer, _, own = name.rpartition(".")
    above = f'<tspan x="{x:.0f}" dy="-9" font-size="13">{escape(outer)}</tspan>' if outer else ""
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{width:.0f}" '
        f'height="{HEIGHT}" rx="6" fill="var(--pst-color-surface, #f3f4f5)" '
        'stroke="var(--pst-color-primary, #0a7d91)"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" font-size="15" '
        f'fill="currentColor">{above}<tspan x="{x:.0f}" dy="{15 if outer else 0}">{escape(own)}'
        "</tspan></text>"
    )


def table() -> str:
    """Rooms from the top floor down, what each is for, and what it imports."""
    found = arrows()
    lines = ["| room | what it is for | imports |", "|---|---|---|"]
    for rooms in reversed(floors(found)):
        for room in rooms:
            imports = ", ".join(f"`{short(other)}`" for other in sorted(found[room])) or "nothing"
            lines.append(f"| `{short(room)}` | {purpose(room)} | {imports} |")
    return "\n".join(lines) + "\n"


def write_house(folder: Path) -> None:
    """Write what the page on the architecture includes: picture, table, and one judged number."""
    number = described(judge_paper(PAPERS[0])[0])
    (folder / "number.md").write_text(f"> {number}\n", encoding="utf-8")
    (folder / "house.svg").write_text(svg(), encoding="utf-8")
    (folder / "house.md").write_text(table(), encoding="utf-8")
