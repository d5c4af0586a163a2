"""Rays made ready for all worlds: the bits of the caster of single runs, whatever moves and looks."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.learning import StartRule, Worlds
from coopsim.features.learning.casting import cast_ready
from coopsim.features.learning.few_rays import cast_few
from coopsim.sensing.ray_kernels import cast
from coopsim.sensing.ray_scan import scan

SET_VELOCITY = 10
ANYWHERE = [StartRule(names=("r1", "r2", "r3", "r4"), area=(-2.0, -1.2, 2.0, 1.8), angle=3.0)]
FLOOR = """
[FLOOR]
size        6 6 0.1

[WALL_1]
type        box
size        6 0.2 0.5
position    0 3 0

[WALL_2]
type        box
size        0.2 6 0.5
position    3 0 0
"""
# circles at heights, boxes, and one that is too large for the grid
CLUTTER = """
[OBJECT_1]
name        ball
type        sphere
size        0.4 0.4 0.4
position    2.5 2.5 0
mass        1

[OBJECT_2]
name        crate
type        box
size        0.3 0.2 0.3
position    -2.5 2.5 0
mass        2

[OBJECT_3]
name        bar
type        box
size        7.0 0.1 0.4
position    -1 -1.9 0
mass        3

[OBJECT_4]
name        post
type        cylinder
size        0.2 0.2 0.4
position    0.1 2.3 0
mass        0

[OBJECT_5]
name        dome
type        sphere
size        0.5 0.5 0.5
position    2.4 0.3 -0.1
mass        0

[OBJECT_6]
name        shelf
type        box
size        0.8 0.2 0.3
position    -2.4 -0.4 0
orientation 0 0 40
mass        0
"""


def scene(folder: Path, kind: str, more: str = "") -> Path:
    (folder / "floor.world").write_text(FLOOR + more)
    file = folder / "scene.scenario"
    file.write_text(f"[WORLD]\nfile floor\n\n[ROBOT_1]\ntype {kind}\nname r\ncount 4\ngrid 2x2 1.0\n")
    return file


def kernels(worlds: Worlds) -> list[object]:
    return [step.call.kernel for step in worlds._template.calls]


@pytest.mark.parametrize("more", ["", CLUTTER], ids=["robots", "clutter"])
@pytest.mark.parametrize(("kind", "kernel"), [("single", cast_ready), ("bench", cast_few)], ids=["fan", "few"])
def test_worlds_see_to_the_last_bit_what_their_single_run_sees(
    kind: str, kernel: object, more: str, tmp_path: Path
) -> None:
    with Worlds(scene(tmp_path, kind, more), 3, starts=ANYWHERE) as worlds:
        assert kernel in kernels(worlds)
        worlds.keep_commands(2)
        worlds.command("motors", SET_VELOCITY, (0.5, 0.2))
        for _ in range(3):
            worlds.step(40)
            assert worlds.alone(2).state_hash() == worlds.state_hash(2)
        # some rays are free, and some end at what moves
        ranges = worlds.readings("sonars")
        assert ranges.min() < 0.5 * ranges.max()


SCANNING = """
[ROBOT]
summary     disc with sonars and a scanner

[BODY]
type        cylinder
size        0.36 0.36 0.2
mass        8

[DEVICE_1]
type        sonars
name        sonars

[DEVICE_2]
type        laser
name        lidar
"""


def test_who_stands_beside_a_scanner_uses_its_grid(tmp_path: Path) -> None:
    (tmp_path / "own.robot").write_text(SCANNING)
    with Worlds(scene(tmp_path, "own", CLUTTER), 2, starts=ANYWHERE) as worlds:
        # a table of shapes has one order, for both
        assert {cast, scan} <= set(kernels(worlds))
        assert cast_ready not in kernels(worlds)
        worlds.keep_commands(1)
        worlds.step(3)
        assert worlds.alone(1).state_hash() == worlds.state_hash(1)
        assert worlds.readings("lidar")[1].min() < 3.0


def test_rays_that_grow_beyond_their_tables_write_nothing(tmp_path: Path) -> None:
    with Worlds(scene(tmp_path, "bench"), 2) as worlds:
        worlds.step(1)
        before = worlds.readings("sonars").copy()
        worlds.command("motors", SET_VELOCITY, (0.5, 0.0))
        worlds.parameter("sonars", "reach")[1] = 50.0
        worlds.step(20)
        after = worlds.readings("sonars")
        assert np.array_equal(after[1], before[1])
        assert not np.array_equal(after[0], before[0])


def test_sensors_that_remember_nothing_look_in_the_last_of_several_ticks_alone(tmp_path: Path) -> None:
    with Worlds(scene(tmp_path, "single"), 1, vary={"all.sonars.noise": (0.01, 0.05)}) as worlds:
        looks = {step.call.kernel.__name__: step.is_look for step in worlds._template.calls}
        assert {name for name, is_look in looks.items() if is_look} == {"cast_ready", "_jitter", "_feel"}
        # what counts ways has to see each tick
        assert not looks["_roll"]
        worlds.keep_commands(0)
        worlds.command("motors", SET_VELOCITY, (0.5, 0.3))
        worlds.step(7)
        assert worlds.alone(0).state_hash() == worlds.state_hash(0)
