"""Worlds step without Chipmunk while nothing touches, with its bits, and ask for little memory."""

import gc
from pathlib import Path

import numpy as np
import pymunk
import pytest

from coopsim.errors import EngineCannot
from coopsim.features.learning import StartRule, Worlds, chipmunk
from coopsim.features.learning.drifting import SPACE
from coopsim.features.learning.template import WorldTemplate
from coopsim.geometry import Ints
from coopsim.kernels.foreign import ints_at
from coopsim.robots import load

SET_VELOCITY = 10
CRATES = """
[WORLD]
file        crates

[ROBOT_1]
type        single
name        r
count       4
grid        2x2 1.2
"""
CRATES_WORLD = """
[OBJECT_1]
type        box
name        block
size        0.4 0.3 0.4
position    1.4 0.1 0
orientation 0 0 30
mass        0

[OBJECT_2]
type        box
name        wall
size        0.2 4.0 0.4
position    -1.6 0.0 0
mass        0
"""


def space_of(batch: Worlds, world: int) -> Ints:
    """Return the words of the space of a world."""
    addresses = batch._template._drift[0]
    return ints_at(int(batch._arena.of_all(addresses)[world, SPACE]), chipmunk.SPACE)


def steps_of_chipmunk(batch: Worlds, world: int) -> int:
    """Return how many steps Chipmunk has made in a world since its reset."""
    return int(space_of(batch, world)[chipmunk.STAMP] & chipmunk.LOW)


def buffers_of(batch: Worlds, world: int) -> int:
    """Return how many pieces of memory trees and sets of a world got from Chipmunk."""
    space, pieces = space_of(batch, world), 0
    for shapes in (chipmunk.STATIC_SHAPES, chipmunk.DYNAMIC_SHAPES):
        tree = ints_at(int(space[shapes]), chipmunk.TREE)
        leaves = ints_at(int(tree[chipmunk.LEAVES]), chipmunk.SET)
        pieces += sum(int(ints_at(int(array), 1)[0]) & chipmunk.LOW for array in (tree[chipmunk.BUFFERS], leaves[-1]))
    return pieces


@pytest.fixture
def crates(tmp_path: Path) -> str:
    """Robots beside blocks that stand."""
    (tmp_path / "crates.world").write_text(CRATES_WORLD)
    path = tmp_path / "crates.scenario"
    path.write_text(CRATES)
    return str(path)


@pytest.mark.parametrize("scenario", ["formation", "crates"])
def test_worlds_come_into_contact_and_part_with_the_bits_of_chipmunk(scenario: str, crates: str) -> None:
    """Robots drive at each other and at walls, stand, and drive away again."""
    rng = np.random.default_rng(3)
    with Worlds(crates if scenario == "crates" else scenario, 3, starts=[StartRule(distance=0.3, angle=3.0)]) as batch:
        alone = {world: batch.alone(world) for world in range(3)}
        touched = 0
        for part in range(60):
            speeds = rng.uniform(-1.0, 1.0, (3, len(batch.robots), 2)) * (0.0 if part % 6 == 5 else 1.0)
            batch.command("motors", SET_VELOCITY, speeds)
            for _ in range(12):
                batch.step(1)
                for world, single in alone.items():
                    for robot, values in zip(batch.robots, speeds[world].tolist(), strict=True):
                        single.command(robot, "motors", SET_VELOCITY, values)
                    single.tick()
                    touched += len(single.engine.contacts().pairs)
            assert [batch.state_hash(world) for world in alone] == [single.state_hash() for single in alone.values()]
        assert touched > 20
        assert all(20 < steps_of_chipmunk(batch, world) < 719 for world in alone)


@pytest.mark.parametrize("scenario", ["crossing_circle", "formation"])
def test_chipmunk_steps_seldom_while_robots_meet_nobody(scenario: str) -> None:
    """In one of them things lie on the floor, which would brake them."""
    with Worlds(scenario, 2) as batch:
        batch.step(50)
        assert [steps_of_chipmunk(batch, world) for world in range(2)] == [1, 1]
        batch.command("motors", SET_VELOCITY, (0.2, 0.0))
        batch.step(50)
        assert all(1 < steps_of_chipmunk(batch, world) < 40 for world in range(2))
        batch.reset()
        assert steps_of_chipmunk(batch, 0) == 0


def test_trees_and_sets_of_a_world_need_no_memory_of_chipmunk() -> None:
    with Worlds("formation", 2, starts=[StartRule(distance=0.3)]) as batch:
        assert buffers_of(batch, 1) == 0
        batch.command("motors", SET_VELOCITY, (0.5, 0.4))
        batch.step(100)
        assert buffers_of(batch, 1) == 0
        batch.reset()
        batch.step(20)
        assert buffers_of(batch, 1) == 0


def test_a_pymunk_that_lays_out_its_bodies_otherwise_is_refused_with_its_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chipmunk, "is_known", lambda: False)
    with pytest.raises(EngineCannot, match=f"pymunk {pymunk.version} keeps bodies elsewhere"):
        WorldTemplate(load("formation"))


@pytest.mark.parametrize("name", ["POINTS", "POINTS_AT", "IMPULSES"])
def test_a_pymunk_that_lays_out_its_contacts_otherwise_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chipmunk, name, getattr(chipmunk, name) + 1)
    with pytest.raises(EngineCannot, match=r"keeps (points|impulses) of .* elsewhere"):
        chipmunk.check_layout()


def test_contacts_of_a_world_that_presses_need_one_buffer_and_no_memory_of_chipmunk() -> None:
    """Robots drive on against walls and each other; what a step goes on from is kept beside that buffer."""
    with Worlds("formation", 2, starts=[StartRule(area=(-1.0, -1.0, 1.0, 1.0))]) as batch:
        space = space_of(batch, 1)
        first, most = space[chipmunk.CONTACTS], 0
        for _ in range(300):
            batch.command("motors", SET_VELOCITY, (0.5, 0.4))
            batch.step(5)
            buffer = ints_at(int(space[chipmunk.CONTACTS]), chipmunk.BUFFER_HEAD)
            assert space[chipmunk.CONTACTS] == first == buffer[chipmunk.NEXT_BUFFER]
            most = max(most, int(buffer[chipmunk.FILLED] & chipmunk.LOW))
        assert most > 1


@pytest.mark.parametrize("closes", [True, False])
def test_spaces_are_freed_by_closing_worlds_and_by_forgetting_them(closes: bool) -> None:
    batch = Worlds("formation", 3)
    batch.step(2)
    handles = batch._resetter._handles
    assert handles[:, 0].all()
    if closes:
        batch.close()
    del batch
    gc.collect()
    assert not handles[:, 0].any()
