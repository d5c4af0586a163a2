"""Engines by name, and what of a scene they cannot represent."""

import math
from pathlib import Path

import pytest

from coopsim.errors import NoSuchPlugin
from coopsim.robots import check, engine_type, load, unfit, world_spec

TILTED = """\
[FLOOR]
size 8 8 0.1
{floor}
[OBJECT_1]
type box
size 2 1 0.2
position 1 0 0
orientation 0 20 0

[OBJECT_2]
type sphere
name ball
size 0.3 0.3 0.3
position -1 0 0
mass 2

[OBJECT_3]
type cylinder
name log
size 0.3 0.3 1
position 0 2 0.3
orientation 90 0 0
mass 2
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "hill.world"
    file.write_text(TILTED.format(floor=""))
    return file


def test_an_unknown_engine_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        NoSuchPlugin, match=r"no engine 'Mujoko' \(Mujoko → mujoco\?\); known: flight, kinematic, mujoco, pymunk"
    ):
        engine_type("Mujoko")
    assert engine_type("kinematic").__name__ == "KinematicEngine"


@pytest.mark.parametrize("engine", ["pymunk", "kinematic"])
def test_everything_that_a_planar_engine_cannot_hold_is_told_with_its_line(world: Path, engine: str) -> None:
    messages = unfit(load(world), engine)
    assert [line.split(": ")[0] for line in messages] == [f"{world}:4:1", f"{world}:17:1"]
    assert f"the {engine} engine cannot hold 'object_1': it is tilted" in messages[0]


def test_mujoco_holds_all_of_it(world: Path) -> None:
    assert unfit(load(world), "mujoco") == []


def test_a_tilted_floor_is_told_with_its_line_beside_the_bodies(tmp_path: Path) -> None:
    file = tmp_path / "slope.world"
    file.write_text(TILTED.format(floor="orientation 10 0 5"))
    spec = load(file)
    assert world_spec(spec).floor_orientation == pytest.approx((math.radians(10), 0.0, math.radians(5)))
    assert unfit(spec, "mujoco") == []
    messages = unfit(spec, "pymunk")
    assert len(messages) == 3
    assert messages[0].startswith(f"{file}:1:1: the pymunk engine cannot tilt the floor, got 10 and 0 degrees")


def test_a_floor_that_is_merely_turned_suits_every_engine(tmp_path: Path) -> None:
    file = tmp_path / "turned.world"
    file.write_text("[FLOOR]\nsize 8 8 0.1\norientation 0 0 30\n")
    assert [unfit(load(file), engine) for engine in ("pymunk", "kinematic", "mujoco")] == [[], [], []]


def test_a_wrong_orientation_of_the_floor_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "wrong.world"
    file.write_text("[FLOOR]\nsize 8 8 0.1\norientation 10 steep 0\n")
    (problem,) = check(file)
    assert str(problem).startswith(f"{file}:3:16: ")


def test_the_world_of_an_engine_has_the_friction_of_the_floor_and_its_place(world: Path) -> None:
    world.write_text("[FLOOR]\nsize 8 8 0.1\nfriction 0.25\n")
    built = world_spec(load(world))
    assert (built.floor, built.floor_friction) == ((8.0, 8.0, 0.1), 0.25)
    assert (built.floor_span.file, built.floor_span.line) == (str(world), 1)
