"""Whatever a valid world says is what is read."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.geometry import Vector3
from coopsim.scene import Floor, Object, World, read_world

NUMBERS = st.floats(-1e5, 1e5)
SIZES = st.floats(1e-3, 1e5)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
COLORS = st.tuples(*[st.floats(0, 1)] * 3)


@st.composite
def objects(draw: st.DrawFn) -> Object:
    shape, size = draw(st.sampled_from(["box", "cylinder", "sphere"])), draw(st.tuples(SIZES, SIZES, SIZES))
    if shape != "box":
        size = (size[0], size[0], size[0] if shape == "sphere" else size[2])
    # whole degrees, for these come back from radians exactly as they were written
    phi, psi, theta = draw(st.tuples(*[st.integers(-360, 360)] * 3))
    return Object(
        name=draw(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,9}", fullmatch=True)),
        shape=shape,
        size=size,
        position=draw(VECTORS),
        orientation=(math.radians(phi), math.radians(psi), math.radians(theta)),
        mass=draw(st.floats(0, 1e6)),
        color=draw(COLORS),
        friction=draw(st.floats(0, 10)),
        is_wall=draw(st.booleans()),
    )


WORLDS = st.builds(
    World,
    floor=st.builds(Floor, size=st.tuples(SIZES, SIZES, SIZES), color=COLORS, friction=st.floats(0, 10)),
    objects=st.lists(objects(), max_size=5, unique_by=lambda each: each.name)
    .filter(lambda them: not {"sim", "floor"} & {thing.name for thing in them})
    .map(tuple),
)
GAPS = st.sampled_from([" ", "\t", "   ", " \t "])


def written(world: World, gap: str, end: str) -> str:
    def line(key: str, *values: object) -> str:
        return gap.join([key, *map(str, values)])

    def vector(key: str, values: Vector3) -> str:
        return line(key, *(repr(value) for value in values))

    floor = world.floor
    lines = [
        "[FLOOR]",
        vector("size", floor.size),
        vector("color", floor.color),
        line("friction", repr(floor.friction)),
    ]
    for number, thing in enumerate(world.objects):
        lines += ["", f"[{'WALL' if thing.is_wall else 'OBJECT'}_{number}]  # {thing.shape}"]
        lines += [line("name", thing.name), line("Type", thing.shape), vector("size", thing.size)]
        lines += [vector("position", thing.position), line("mass", repr(thing.mass)), vector("color", thing.color)]
        lines += [line("orientation", *(round(math.degrees(angle)) for angle in thing.orientation))]
        lines += [line("friction", repr(thing.friction))]
    return end.join(lines)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch") / "any.world"


@given(world=WORLDS, gap=GAPS, end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
def test_a_valid_world_is_read_as_it_was_written(scratch: Path, world: World, gap: str, end: str) -> None:
    scratch.write_bytes(written(world, gap, end).encode())
    spec, problems = read_world(scratch)
    assert str(problems) == ""
    assert (spec.floor, spec.objects) == (world.floor, world.objects)
