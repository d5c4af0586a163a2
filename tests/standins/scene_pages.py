"""Files as people write them, line by line with whose each line is, for tests that change and save them."""

import math
import re
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from coopsim.scene import Object, RobotPlacement, TargetSpec

GAPS = st.sampled_from([" ", "\t", "    ", " \t "])
# a lone \r and a lone \n side by side would be one end
ENDS = st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]])
WORDS = st.from_regex(r"[a-z# =\[\]]{0,12}", fullmatch=True)
NUMBERS = st.sampled_from(["0", "1", "-2.5", "3.0", "+4", "1e-3", "007", "-0.0", "0.1", "12.345678"])
SIZES = st.sampled_from(["1", "0.50", "2.0", "1e1", "3"])
DEGREES = st.sampled_from(["0", "90", "-45.5", "180.0", "30", "1e-3", "359.999"])
COLORS = st.sampled_from(["red", "10 20 30", "0.5 0.25 1", "255 255 255", "1 1 0", "navy"])
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


@dataclass(frozen=True)
class Row:
    """A line: whose it is, the key it sets, and its text with its end."""

    owner: str
    key: str
    raw: str

    @property
    def is_blank(self) -> bool:
        return not self.raw.strip()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    return _LINE.findall(text)


@st.composite
def comments(draw: st.DrawFn, owner: str, most: int = 2) -> list[Row]:
    """Return comment lines of somebody."""
    return [
        Row(owner, "", f"{draw(st.sampled_from(['', '  ']))}# {words}")
        for words in draw(st.lists(WORDS, max_size=most))
    ]


@st.composite
def key_line(draw: st.DrawFn, owner: str, key: str, value: str) -> Row:
    """Return `key value...`, with any spacing and perhaps a comment."""
    gap = draw(GAPS)
    spelt = draw(st.sampled_from([key, key.capitalize(), key.upper()]))
    tail = draw(st.sampled_from(["", " ", "  # note", "\t#"]))
    return Row(owner, key, f"{draw(st.sampled_from(['', '  ', chr(9)]))}{spelt}{gap}{gap.join(value.split())}{tail}")


@st.composite
def vector(draw: st.DrawFn, numbers: st.SearchStrategy[str]) -> str:
    """Return three numbers."""
    return " ".join(draw(st.tuples(numbers, numbers, numbers)))


@st.composite
def section(draw: st.DrawFn, owner: str, header: str, keys: dict[str, str]) -> list[Row]:
    """Return a section: its comment, its header, its keys in any order, and what separates it from the next."""
    rows = draw(comments(owner))
    rows.append(Row(owner, "", f"[{header}]{draw(st.sampled_from(['', ' ', '  # here']))}"))
    for key in draw(st.permutations(list(keys))):
        rows.append(draw(key_line(owner, key, keys[key])))
        rows += draw(comments(owner, most=1))
    # comments right above a header are the next section's, so that a blank line ends this one
    return [*rows, *[Row("", "", "")] * draw(st.integers(1, 2))]


@st.composite
def detached(draw: st.DrawFn) -> list[Row]:
    """Return comments that are nobody's: between blank lines."""
    rows = draw(comments("", most=2))
    return [*rows, Row("", "", "")] if rows else []


@st.composite
def ended(draw: st.DrawFn, rows: list[Row]) -> list[Row]:
    """Return lines with ends, each its own; the last one perhaps without."""
    ends = st.sampled_from(draw(ENDS))
    lines = [replace(row, raw=row.raw + draw(ends)) for row in rows]
    if lines and draw(st.booleans()):
        while lines and lines[-1].is_blank:
            lines.pop()
        lines[-1] = replace(lines[-1], raw=lines[-1].raw.rstrip("\r\n"))
    return lines


@st.composite
def object_keys(draw: st.DrawFn) -> dict[str, str]:
    """Return the keys of an object, some of them left out."""
    size = draw(SIZES)
    keys = {"type": draw(st.sampled_from(["box", "cylinder", "sphere"])), "size": f"{size} {size} {size}"}
    keys["position"] = draw(vector(NUMBERS))
    more = {
        "orientation": draw(vector(DEGREES)),
        "mass": draw(st.sampled_from(["0", "2.50", "1e2"])),
        "color": draw(COLORS),
        "friction": draw(st.sampled_from(["0.6", "1", "0"])),
    }
    return keys | {key: more[key] for key in draw(st.sets(st.sampled_from(sorted(more))))}


@st.composite
def world_rows(draw: st.DrawFn) -> list[Row]:
    """Return a world: a floor and objects, named or called after their section."""
    rows = draw(detached())
    has_floor = draw(st.booleans())
    if has_floor:
        rows += draw(section("floor", "FLOOR", {"size": draw(vector(SIZES))}))
    numbers = draw(st.lists(st.integers(1, 30), unique=True, min_size=0 if has_floor else 1, max_size=4))
    for number in numbers:
        kind, keys = draw(st.sampled_from(["WALL", "OBJECT", "Wall"])), draw(object_keys())
        name = f"{kind.lower()}_{number}"
        if draw(st.booleans()):
            name = keys["name"] = f"thing{number}"
        rows += draw(section(name, f"{kind}_{number}", keys))
        rows += draw(detached())
    return draw(ended(rows))


@st.composite
def scenario_rows(draw: st.DrawFn) -> list[Row]:
    """Return a scenario: targets, robots, a controller and an event that speak of some of them."""
    rows = draw(detached())
    targets = draw(st.lists(st.sampled_from(["red", "blue_2", "GREEN", "color_1"]), unique=True, max_size=3))
    if targets:
        rows += [*draw(comments("targets")), Row("targets", "", "[TARGET]"), *draw(comments("targets", most=1))]
        for target in targets:
            rows += [Row(target, "position", f"{target} {draw(vector(NUMBERS))}  # goal")]
        rows += [Row("", "", ""), *draw(detached())]
    names = []
    for number in draw(st.lists(st.integers(1, 30), unique=True, min_size=1, max_size=4)):
        name = f"robot_{number}"
        keys = {"type": draw(st.sampled_from(["single", "bench"]))}
        more = {"position": draw(vector(NUMBERS)), "orientation": draw(vector(DEGREES)), "color": draw(COLORS)}
        keys |= {key: more[key] for key in draw(st.sets(st.sampled_from(sorted(more))))}
        if draw(st.booleans()):
            name = keys["name"] = f"r{number}"
        names.append(name)
        rows += draw(section(name, f"ROBOT_{number}", keys))
        rows += draw(detached())
    rows += draw(section("settings", "SIMULATION", {"seed": "7", "mode": "lockstep"}))
    return draw(ended(rows))


POSITIONS = st.tuples(*[st.floats(-1e4, 1e4)] * 3)
ANGLES = st.tuples(*[st.integers(-720, 720).map(lambda it: math.radians(it / 4))] * 3)
SHADES = st.one_of(st.tuples(*[st.integers(0, 255).map(lambda it: it / 255)] * 3), st.tuples(*[st.floats(0, 1)] * 3))


@st.composite
def changed_object(draw: st.DrawFn, thing: Object) -> Object:
    """Return an object with some of its keys changed."""
    changes = {
        "position": draw(POSITIONS),
        "orientation": draw(ANGLES),
        "mass": draw(st.floats(0, 1e6)),
        "color": draw(SHADES),
        "friction": draw(st.floats(0, 10)),
    }
    return replace(thing, **{key: changes[key] for key in draw(st.sets(st.sampled_from(sorted(changes)), min_size=1))})


@st.composite
def new_object(draw: st.DrawFn, name: str) -> Object:
    """Return an object that no file knows."""
    thing = Object(name, "box", draw(st.tuples(*[st.floats(1e-3, 1e4)] * 3)), draw(POSITIONS))
    return draw(changed_object(replace(thing, is_wall=draw(st.booleans()))))


@st.composite
def changed_robot(draw: st.DrawFn, robot: RobotPlacement) -> RobotPlacement:
    """Return a robot with some of its keys changed."""
    changes = {"position": draw(POSITIONS), "orientation": draw(ANGLES), "color": draw(SHADES)}
    return replace(robot, **{key: changes[key] for key in draw(st.sets(st.sampled_from(sorted(changes)), min_size=1))})


@st.composite
def moved_target(draw: st.DrawFn, target: TargetSpec) -> TargetSpec:
    """Return a target that stands elsewhere."""
    return replace(target, position=draw(POSITIONS))
