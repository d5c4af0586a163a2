"""Items of SwarmSimX on engines; the names of the tests say which."""

import ast
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from coopsim import plugins
from coopsim.engines import BodySpec, PhysicsEngine, ShapeSpec, WorldSpec
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.pacing import Lateness, RealTime
from coopsim.state.edits import SetEngine

ROOT = Path(__file__).parents[2]
ENGINES = [name for name, plugin in plugins.registered("engines").items() if not plugin.is_foreign]
LIBRARIES = {"pymunk", "mujoco"}
ENGINE_ROOMS = (ROOT / "coopsim" / "engines", ROOT / "coopsim" / "features" / "space")


def _driven(engine: str, seconds: float = 1.0) -> Simulation:
    simulation = Simulation(load("formation"), engine=engine)
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.2, 0.1))
    for _ in range(round(seconds / simulation.step_ns * 1e9)):
        simulation.tick()
    return simulation


@pytest.mark.parametrize("engine", ENGINES)
def test_physics_is_exchangeable_and_every_robots_information_is_at_hand(engine: str) -> None:
    simulation = _driven(engine)

    assert len(simulation.layout.robots) == 3
    for place in simulation.layout.robots:
        speeds = simulation.reading(place.name, "motors")
        assert speeds[0] == pytest.approx(0.2, abs=0.02)
        x, y, _, vx, vy, w = simulation.engine.planar[place.body]
        assert math.isfinite(x + y)
        assert math.hypot(vx, vy) == pytest.approx(0.2, abs=0.02)
        assert w == pytest.approx(0.1, abs=0.02)


def test_s_4_engines_are_swapped_without_touching_the_scene() -> None:
    """The same file, the same modules, the same motion where nothing touches."""
    runs = {engine: _driven(engine) for engine in ENGINES}
    reference = runs["kinematic"]

    assert {"pymunk", "kinematic", "mujoco"} <= set(runs)
    assert len({type(simulation.engine) for simulation in runs.values()}) == len(runs)
    for simulation in runs.values():
        assert simulation.layout == reference.layout
        assert simulation.readings.shape == reference.readings.shape
        assert simulation.engine.planar[:, :2] == pytest.approx(reference.engine.planar[:, :2], abs=0.01)


def test_what_is_told_of_an_entity_stands_beside_its_body_and_follows_it() -> None:
    simulation = _driven("kinematic")
    simulation.engine.fill()
    shown = {entity.name: entity for entity in simulation.layout.entities}

    for place in simulation.layout.robots:
        entity = shown[place.name]
        assert entity.body == place.body
        assert (len(entity.color), len(entity.size)) == (3, 3)
        # where it is comes from the body alone; where it was put is only where it began
        moved = np.hypot(*(simulation.engine.poses[entity.body, :2] - entity.pose[:2]))
        assert moved > 0.1
    assert shown["floor"].body == -1


@pytest.mark.parametrize("engine", ENGINES)
def test_shapes_stand_where_their_body_puts_them_and_share_its_mass(engine: str) -> None:
    """Shapes are given in the frame of their body."""
    trunk = ShapeSpec("box", (0.4, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    branch = ShapeSpec("box", (0.4, 0.2, 0.2), position=(-0.5, 0.0, 0.0))
    turned = (1.0, 2.0, 0.0, math.cos(math.pi / 4), 0.0, 0.0, math.sin(math.pi / 4))
    body = BodySpec("thing", turned, 4.0, (trunk, branch))
    wall = BodySpec("wall", (1.0, 3.5, 0.0, 1.0, 0.0, 0.0, 0.0), 0.0, (ShapeSpec("box", (4.0, 0.2, 0.5)),))
    world_engine: PhysicsEngine = plugins.load("engines", engine)(WorldSpec((body, wall)))
    world_engine.fill()

    assert world_engine.mass.tolist() == [4.0]
    assert world_engine.inertia[0] == pytest.approx(4.0 * ((0.16 + 0.04) / 12.0 + 0.25), rel=0.01)
    assert world_engine.poses[0, [0, 1, 3, 6]] == pytest.approx([1.0, 2.0, math.sqrt(0.5), math.sqrt(0.5)], abs=1e-3)
    for _ in range(300):
        world_engine.wrench[0, 1] = 40.0
        world_engine.step(0.01)
    if "passage" in world_engine.abilities:  # nothing stops it
        assert world_engine.planar[0, 1] > 3.4
        return
    # the child 0.7 m ahead of its parent meets the wall, not the parent
    assert world_engine.planar[0, 1] == pytest.approx(3.4 - 0.7, abs=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_s_25_when_a_tick_is_over_every_device_has_read_what_that_tick_left_behind(engine: str) -> None:
    """S-23: physics comes first, then sensors."""
    simulation = _driven(engine, 0.5)
    for _ in range(3):
        before = simulation.readings.copy()
        simulation.tick()
        read = simulation.readings.copy()
        simulation.sense(0.0)  # looked at again, nothing is new
        assert simulation.readings == pytest.approx(read, abs=1e-6)
        for place in simulation.layout.robots:
            own = slice(place.reading_offset, place.reading_offset + place.type.reading_width)
            assert np.abs(read[own] - before[own]).max() > 1e-4


@dataclass
class _Wall:
    """A clock that moves when somebody looks, by 1 us, or sleeps: then it is late by up to 60 us, as real ones are."""

    ns: int = 0
    slept: int = 0

    def now(self) -> int:
        self.ns += 1_000
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.slept += 1
        self.ns += round(seconds * 1e9) + 20_000 * (self.slept % 4)

    def wait(self, timeout_ns: int | None) -> bool:
        if timeout_ns:
            self.sleep(timeout_ns * 1e-9)
        return False

    def permitted(self) -> bool:
        return False


def test_s_27_a_tick_begins_when_it_is_due_and_a_late_one_does_not_sleep() -> None:
    wall, lateness = _Wall(), Lateness()
    pacer = RealTime(10_000_000, wall, lateness, wall.now, wall.sleep)
    due = 10_000_000
    for work in (1_000_000, 9_500_000, 0, 9_990_000, 4_000_000) * 40:
        assert pacer.wait()
        assert 0 <= wall.ns - due < 50_000
        wall.ns += work
        due += 10_000_000
    wall.ns += 25_000_000
    slept = wall.slept
    assert pacer.wait()
    assert wall.slept == slept
    assert lateness.overruns == 1


@pytest.mark.parametrize("old", ENGINES)
@pytest.mark.parametrize("new", ENGINES)
def test_s_76_the_engine_is_exchanged_while_a_run_goes_on(old: str, new: str) -> None:
    """From the state of that moment; commands stay in force, and the motion goes on."""
    simulation = _driven(old)
    simulation.engine.fill()
    before = simulation.engine.poses.copy()

    assert apply(simulation, SetEngine(new)).params == (new,)
    simulation.engine.fill()
    tiny = 1e-12 if "height" in simulation.engine.abilities else 0.0  # between middle and centre of mass
    assert simulation.engine.poses[:, :3] == pytest.approx(before[:, :3], rel=0.0, abs=tiny)
    # what rests in three dimensions leans by micrometres, which the plane does not know
    assert simulation.engine.poses[:, 3:] == pytest.approx(before[:, 3:], abs=1e-4)
    for _ in range(50):
        simulation.tick()
    for place in simulation.layout.robots:
        way = np.hypot(*(simulation.engine.planar[place.body, :2] - before[place.body, :2]))
        assert way == pytest.approx(0.1, abs=0.01)
    assert simulation.engine_name == new


def test_no_room_but_that_of_the_engines_knows_a_physics_library() -> None:
    yardstick = (
        ROOT / "coopsim" / "testkit" / "bench" / "measuring" / "bare_chipmunk.py"
    )  # the library itself is what it measures
    # spaces of the planar engine, of a thousand worlds at once
    learning = ROOT / "coopsim" / "features" / "learning"
    batch = (learning / f"{name}.py" for name in ("chipmunk", "drifting", "spaces", "template", "touching"))
    spaces = {yardstick, *batch}
    for path in sorted((ROOT / "coopsim").rglob("*.py")):
        if any(map(path.is_relative_to, ENGINE_ROOMS)) or path in spaces:
            continue
        assert not LIBRARIES & _imported(path), path
    assert not LIBRARIES & _imported(ROOT / "coopsim" / "engines" / "contract.py")


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names
