"""Springs between bodies, on every engine that has them (SwarmSimX, S-75)."""

import math
from dataclasses import replace

import numpy as np
import pytest
from engine_standins import DT, body, wall, where

from coopsim.engines import JointSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.flight.engine import FlightEngine
from coopsim.scene import Span

ENGINES = [PymunkEngine, MujocoEngine]
POST = wall("post", 0.0, 0.0, 0.2, 0.2, height=0.2)
SPAN = Span("swing.world", 7, 1)


def smooth(name, x=0.0, y=0.0, *, mass=2.0, z=0.0):
    return body(name, x, y, mass=mass, kind="box", size=(0.2, 0.2, 0.2), friction=0.0, z=z)


def spring(a="post", b="mass", *, far=(1.5, 0.0, 0.1), anchor=(0.0, 0.0, 0.1), **settings):
    said = {"length": 1.0, "stiffness": 200.0, "damping": 0.0, "span": SPAN} | settings
    return JointSpec("joint", "spring", a, b, anchor, far_anchor=far, **said)


def swing(engine, seconds, dt, name="mass"):
    """Return where a body is along x after each step."""
    positions = []
    for _ in range(round(seconds / dt)):
        engine.step(dt)
        positions.append(where(engine, name)[0])
    return np.array(positions)


@pytest.mark.parametrize("damping", [0.0, 4.0])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_mass_on_a_spring_moves_as_analysis_says(engine, damping):
    off = []
    for dt in (0.01, 0.005, 0.0025):
        world = engine(WorldSpec((POST, smooth("mass", 1.5)), (spring(damping=damping),)))
        measured, t = swing(world, 3.0, dt), dt * np.arange(1, round(3.0 / dt) + 1)
        fading = damping / (2.0 * 2.0)
        turning = math.sqrt(200.0 / 2.0 - fading**2)
        exact = 1.0 + 0.5 * np.exp(-fading * t) * (np.cos(turning * t) + fading / turning * np.sin(turning * t))
        off.append(float(np.abs(measured - exact).max()))

    # of first order: half the step, half of what is missing
    assert off[0] < 0.035
    assert off[1] < 0.6 * off[0]
    assert off[2] < 0.6 * off[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_undamped_spring_neither_grows_nor_fades(engine):
    world = engine(WorldSpec((POST, smooth("mass", 1.5)), (spring(),)))
    heights = swing(world, 60.0, DT)
    assert heights[-200:].max() == pytest.approx(1.5, abs=0.02)
    assert heights[-200:].min() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_bodies_swing_about_each_other_and_keep_momentum(engine):
    """Off the middle of both: what one gains in turning, the other and their ways lose."""
    bodies = smooth("a", mass=2.0), smooth("b", 1.0, 0.4, mass=1.0)
    world = engine(WorldSpec(bodies, (spring("a", "b", anchor=(0.1, 0.1, 0.1), far=(0.9, 0.3, 0.1), length=0.3),)))

    def turning():
        return sum(
            mass * (x * vy - y * vx) + inertia * w
            for (x, y, _, vx, vy, w), mass, inertia in zip(world.planar, world.mass, world.inertia, strict=True)
        )

    for _ in range(100):
        world.step(DT)
    assert (world.mass[:, np.newaxis] * world.planar[:, 3:5]).sum(axis=0).tolist() == pytest.approx([0, 0], abs=1e-4)
    assert np.hypot(*where(world, "b")[3:5]) > 0.1
    # pymunk moves bodies by the speeds of the step before
    assert turning() == pytest.approx(0.0, abs=0.02 if engine is PymunkEngine else 1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_length_a_spring_rests_where_it_is_made_and_tells_its_force(engine):
    world = engine(WorldSpec((POST, smooth("mass", 1.5)), (spring(length=None, damping=40.0),)))
    swing(world, 0.5, DT)
    assert where(world, "mass")[0] == pytest.approx(1.5, abs=1e-9)
    for _ in range(500):
        world.wrench[0, 0] = 10.0
        world.step(DT)
    assert where(world, "mass")[0] == pytest.approx(1.5 + 10.0 / 200.0, abs=1e-4)
    assert world.joint_state()[0].tolist() == pytest.approx([1.55, 0.0, 0.0, -10.0, 0.0, 0.0], abs=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stiff_spring_cuts_steps_into_parts_and_swings_at_its_rate(engine):
    world = engine(WorldSpec((POST, smooth("mass", 1.1)), (spring(far=(1.1, 0.0, 0.1), stiffness=20000.0),)))
    offsets = swing(world, 2.0, DT) - 1.0
    crossings = np.flatnonzero(np.diff(np.sign(offsets)))
    rate = math.sqrt(20000.0 / 2.0)  # more than half a radian a step
    assert len(crossings) == pytest.approx(2.0 * rate / math.pi, abs=2)
    assert np.abs(offsets).max() < 0.11


@pytest.mark.parametrize("engine", ENGINES)
def test_springs_together_need_more_parts_than_one_and_none_blows_up(engine):
    row = [smooth(f"mass{k}", 0.5 * k) for k in range(6)]
    springs = [
        replace(spring(f"mass{k}", f"mass{k + 1}", stiffness=30000.0), name=f"s{k}", length=0.5) for k in range(5)
    ]
    ends = [((0.5 * k, 0.0, 0.1), (0.5 * k + 0.5, 0.0, 0.1)) for k in range(5)]
    springs = [replace(spring, anchor=a, far_anchor=b) for spring, (a, b) in zip(springs, ends, strict=True)]
    world = engine(WorldSpec(tuple(row), tuple(springs)))
    world.wrench[0, 0] = 500.0
    for _ in range(500):
        world.step(DT)
    assert np.abs(world.planar[:, 3:5]).max() < 3.0
    assert (world.mass * world.planar[:, 3]).sum() == pytest.approx(500.0 * DT, rel=2e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_spring_too_stiff_for_any_parts_is_refused_by_its_place_with_a_cure(engine):
    world = engine(WorldSpec((POST, smooth("mass", 1.5)), (spring(stiffness=1e9),)))
    with pytest.raises(EngineCannot, match=r"^swing.world:7:1: the spring 'joint' .* make it softer"):
        world.check_step(DT)
    world.check_step(1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_snapshot_of_a_spring_goes_on_the_same_bit_by_bit(engine):
    first = engine(WorldSpec((POST, smooth("mass", 1.5)), (spring(length=None, damping=1.0),)))
    first.wrench[0, :2] = 300.0, 40.0
    swing(first, 0.3, DT)
    restored = engine(WorldSpec(()))
    restored.restore(first.snapshot())
    first.restore(first.snapshot())
    assert np.array_equal(swing(first, 1.0, DT), swing(restored, 1.0, DT))
    assert np.array_equal(first.joint_state(), restored.joint_state())
    assert restored.snapshot() == first.snapshot()


@pytest.mark.parametrize("engine", [KinematicEngine, FlightEngine])
def test_engines_without_joints_say_so(engine):
    bodies = (smooth("mass", 1.5),)
    with pytest.raises(EngineCannot, match=r"joint"):
        engine(WorldSpec((POST, *bodies), (spring(),)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"length": -1.0}, BadArgument, "length -1.0"),
        ({"length": math.nan}, BadArgument, "length nan"),
        ({"far_anchor": (math.inf, 0.0, 0.0)}, BadArgument, "not finite"),
        ({"stiffness": -5.0}, BadArgument, "stiffness -5.0"),
        ({"b": "ghost"}, NoSuchName, "no body 'ghost'"),
    ],
)
def test_a_spring_that_cannot_be_is_refused(engine, change, error, text):
    with pytest.raises(error, match=rf"^swing.world:7:1: .*{text}"):
        engine(WorldSpec((POST, smooth("mass", 1.5)), (replace(spring(), **change),)))


def test_the_ends_of_a_spring_in_the_plane_keep_their_heights():
    """3 m apart and 4 m of height between: the level part of a spring that is 1 m too long."""
    world = PymunkEngine(WorldSpec((POST, smooth("mass", 3.0, z=4.0)), (spring(far=(3.0, 0.0, 4.1), length=4.0),)))
    world.step(1e-4)
    state = world.joint_state()[0]
    assert state.tolist() == pytest.approx([3.0, 0.0, 4.0, -200.0 * 0.6, 0.0, 0.0], abs=0.01)


def test_a_load_hangs_on_a_spring_that_bears_its_weight():
    roof = body("roof", mass=0.0, kind="box", size=(1.0, 1.0, 0.1), z=3.0)
    load = smooth("load", z=1.8)
    joint = spring("roof", "load", anchor=(0.0, 0.0, 3.0), far=(0.0, 0.0, 2.0), damping=20.0)
    world = MujocoEngine(WorldSpec((roof, load), (joint,)))
    for _ in range(1000):
        world.step(DT)
    assert world.joint_state()[0].tolist() == pytest.approx(
        [0, 0, -(1.0 + 2.0 * 9.81 / 200.0), 0, 0, 2 * 9.81], abs=1e-4
    )


def test_a_spring_holds_the_link_of_an_arm():
    """A link on a level hinge turns until its weight and the spring agree."""
    base = replace(body("arm", kind="box", size=(0.2, 0.2, 0.2), z=1.0), is_bolted=True)
    link = replace(body("arm.link", 0.25, kind="box", size=(0.5, 0.05, 0.05), z=1.1), part_of="arm")
    roof = body("roof", 0.5, mass=0.0, kind="box", size=(0.1, 0.1, 0.1), z=2.0)
    hinge = JointSpec("arm.hinge", "hinge", "arm", "arm.link", (0.0, 0.0, 1.125), (0.0, 1.0, 0.0), is_chained=True)
    holds = spring("roof", "arm.link", anchor=(0.5, 0.0, 2.0), far=(0.5, 0.0, 1.125), length=0.875, damping=20.0)
    world = MujocoEngine(WorldSpec((base, link, roof), (hinge, holds)))
    for _ in range(800):
        world.step(DT)
    # about the hinge: half a metre of spring against a quarter of weight
    assert world.joint_state()[list(world.joints).index("joint"), 5] == pytest.approx(0.5 * 9.81, rel=0.01)
    assert world.joint_position[list(world.joints).index("arm.hinge")] == pytest.approx(
        0.5 * 9.81 / 200 / 0.5, rel=0.02
    )


def test_a_step_with_springs_is_the_same_from_python(monkeypatch):
    from coopsim.features.space import compiled_step
    from coopsim.features.space.step import PythonStep

    scene = WorldSpec((POST, smooth("mass", 1.5)), (spring(stiffness=20000.0, damping=3.0),))
    compiled = swing(MujocoEngine(scene), 1.0, DT)
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)
    engine = MujocoEngine(scene)
    assert np.array_equal(swing(engine, 1.0, DT), compiled)
    assert isinstance(engine._steps, PythonStep)
