"""Cloths and soft bodies on mujoco: what they resist, and what cannot be (SwarmSimX, S-75)."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from engine_standins import body, wall

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.flight.engine import FlightEngine
from coopsim.geometry import UNTURNED
from coopsim.scene import SoftNode, Span

BALL, WAY = 0.04, 0.1


def node(cell, *, name="cloth", rest=None, at=(0.0, 0.0, 1.0), mass=0.01, young=2e4, damping=0.0, thickness=0.005):
    rest = tuple(WAY * (place - 1) for place in cell) if rest is None else rest
    soft = SoftNode(name, cell, rest, young, 0.0, damping, thickness)
    x, y, z = (low + side for low, side in zip(at, rest, strict=True))
    shape = ShapeSpec("sphere", (BALL, BALL, BALL), friction=0.5)
    label = "_".join(map(str, cell))
    return BodySpec(f"{name}_{label}", (x, y, z, *UNTURNED), mass, (shape,), span=Span("a.world", 5, 1), soft=soft)


def cloth(columns=4, rows=3, **said):
    return [node((i, j, 1), **said) for i, j in product(range(1, columns + 1), range(1, rows + 1))]


def block(side=3, **said):
    cells = product(range(1, side + 1), repeat=3)
    return [node(cell, **{"name": "block", "thickness": 0.0, "young": 1e4} | said) for cell in cells]


def middles(engine, *names):
    rows = [list(engine.names).index(name) for name in names]
    return engine.poses[rows, :3] + np.array([0.0, 0.0, BALL / 2])


def hang(engine, seconds, dt, forces):
    """Let forces act on nodes until all is at rest."""
    for _ in range(round(seconds / dt)):
        for name, force in forces.items():
            engine.wrench[list(engine.names).index(name), :3] = force
        engine.step(dt)


def test_a_strip_stretches_as_its_stiffness_says():
    strip = cloth(6, 2, young=2e4, mass=0.004, damping=0.02, at=(0.0, 0.0, 2.0))
    hooks = [wall(f"hook_{j}", 0.0, WAY * (j - 1), 0.02, 0.02, z=2.0, height=BALL) for j in (1, 2)]
    place = [(0.0, WAY * (j - 1), 2.0 + BALL / 2) for j in (1, 2)]
    pins = [JointSpec(f"pin_{j}", "pivot", f"cloth_1_{j}_1", f"hook_{j}", place[j - 1]) for j in (1, 2)]
    engine = MujocoEngine(WorldSpec((*strip, *hooks), tuple(pins)))
    weights = {node.name: (0.0, 0.0, 9.81 * node.mass) for node in strip}
    pull = 0.05
    hang(engine, 3.0, 0.002, weights | {f"cloth_6_{j}_1": (pull, 0.0, 9.81 * 0.004) for j in (1, 2)})
    ends = middles(engine, "cloth_6_1_1", "cloth_6_2_1")
    # 0.1 N over a width of 0.1 m: 1 N/m of 2e4 Pa times 5 mm; the true stress of a nonlinear solid is a little less
    strain = 2 * pull / WAY / (2e4 * 0.005)
    assert ends[:, 0] == pytest.approx(0.5 * (1.0 + strain), abs=0.02 * 0.5 * strain)
    np.testing.assert_allclose(ends[:, 2], 2.0 + BALL / 2, atol=1e-3)


def test_a_block_is_pressed_together_as_its_stiffness_says():
    cube = block(3, mass=0.05, damping=0.01, at=(0.0, 0.0, 0.0))
    engine = MujocoEngine(WorldSpec(tuple(cube)))
    top = [node.name for node in cube if node.soft.cell[2] == 3]
    force = 8.0
    # what a node of a surface bears goes with the surface around it: a quarter at corners, half at edges
    shares = {node.name: np.prod([0.5 if k in (1, 3) else 1.0 for k in node.soft.cell[:2]]) / 4.0 for node in cube}
    up = {node.name: np.array([0.0, 0.0, 9.81 * node.mass]) for node in cube}
    loads = {name: up[name] - (np.array([0.0, 0.0, force * shares[name]]) if name in top else 0.0) for name in up}
    hang(engine, 3.0, 0.002, loads)
    heights = middles(engine, *top)[:, 2] - middles(engine, *(f"block_{n[6:9]}_1" for n in top))[:, 2]
    strain = force / (2 * WAY) ** 2 / 1e4
    assert heights.mean() == pytest.approx(2 * WAY * (1.0 - strain), abs=0.1 * 2 * WAY * strain)


def test_a_cloth_that_lies_on_a_ball_stays_there_and_falls_where_it_is_gone():
    rock = body("rock", 0.15, 0.1, mass=0.0, kind="sphere", size=(0.4, 0.4, 0.4))
    engine = MujocoEngine(WorldSpec((*cloth(at=(0.0, 0.0, 0.45), damping=0.001), rock)))
    for _ in range(150):
        engine.step(0.01)
    assert middles(engine, "cloth_2_2_1")[0, 2] == pytest.approx(0.4 + BALL / 2, abs=0.02)
    assert middles(engine, "cloth_1_1_1")[0, 2] < 0.38
    assert any(-1 in pair for pair in engine.contacts().pairs.tolist())
    engine.remove("rock")
    for _ in range(100):
        engine.step(0.01)
    assert middles(engine, *(name for name in engine.names))[:, 2].max() < 0.1


def test_nodes_do_not_roll():
    engine = MujocoEngine(WorldSpec(tuple(cloth(at=(0.0, 0.0, 0.0), damping=0.001))))
    for _ in range(20):
        engine.step(0.01)
    rows = np.arange(len(engine.names))
    engine.set_spatial_state(rows, engine.poses, np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], (rows.size, 1)))
    begin = float(engine.poses[:, 0].mean())
    for _ in range(60):
        engine.step(0.01)
    # floor 0.6, nodes 0.5
    assert float(engine.poses[:, 0].mean()) - begin == pytest.approx(1.0 / (2 * 0.3 * 9.81), rel=0.1)
    assert np.abs(engine.twists[:, 3:]).max() < 1e-3


def test_two_cloths_meet_and_one_does_not_meet_itself():
    under = cloth(3, 3, name="under", at=(0.0, 0.0, 0.0), damping=0.001)
    over = cloth(3, 3, name="over", at=(0.0, 0.0, 0.3), damping=0.001)
    engine = MujocoEngine(WorldSpec((*under, *over)))
    touched = set()
    for _ in range(60):
        engine.step(0.01)
        names = [(engine.names[a], engine.names[b]) for a, b in engine.contacts().pairs.tolist()]
        touched |= {tuple(sorted(name.partition("_")[0] for name in pair)) for pair in names}
    assert touched == {("over", "under")}


def test_rest_is_what_is_said_wherever_nodes_are_when_they_come():
    crumpled = [replace(node, pose=(*(0.7 * x for x in node.pose[:3]), *UNTURNED)) for node in block(3, damping=0.01)]
    engine = MujocoEngine(WorldSpec(tuple(crumpled)))
    for _ in range(700):
        engine.step(0.001)
    far = middles(engine, "block_1_1_1", "block_3_1_1")
    assert float(np.linalg.norm(far[1] - far[0])) == pytest.approx(2 * WAY, rel=0.05)


def moved(engine, steps=40):
    for _ in range(steps):
        engine.step(0.01)
    order = sorted(range(len(engine.names)), key=lambda row: engine.names[row])
    return engine.poses[order], engine.twists[order]


def test_it_is_the_same_run_in_any_order_from_python_and_after_a_snapshot(monkeypatch):
    from coopsim.features.space import compiled_step
    from coopsim.features.space.step import PythonStep

    nodes = (*cloth(at=(0.0, 0.0, 0.3), damping=0.001), *block(at=(1.0, 0.0, 0.1)), wall("post", 0.1, 0.1, 0.1, 0.1))
    engine = MujocoEngine(WorldSpec(nodes))
    begin = engine.snapshot()
    first = moved(engine)
    engine.restore(begin)
    assert all(np.array_equal(a, b) for a, b in zip(moved(engine), first, strict=True))
    reordered = MujocoEngine(WorldSpec(nodes[::-1]))
    assert all(np.array_equal(a, b) for a, b in zip(moved(reordered), first, strict=True))
    monkeypatch.setattr(compiled_step, "data_layout", lambda: None)
    slow = MujocoEngine(WorldSpec(nodes))
    assert all(np.array_equal(a, b) for a, b in zip(moved(slow), first, strict=True))
    assert isinstance(slow._steps, PythonStep)


def test_snapshots_without_anything_soft_are_as_they_were():
    plain = MujocoEngine(WorldSpec((body("thing"),)))
    assert b"cloth" not in plain.snapshot()
    soft = MujocoEngine(WorldSpec(tuple(cloth(2, 2))))
    again = MujocoEngine(WorldSpec(()))
    again.restore(soft.snapshot())
    assert again.snapshot() == soft.snapshot()
    assert [solid.spec.soft for solid in again._solids.values()] == [node.soft for node in cloth(2, 2)]


def test_a_step_is_cut_for_what_is_stiff_and_refused_where_that_is_not_enough():
    engine = MujocoEngine(WorldSpec(tuple(cloth(young=1e5))))
    assert engine._springs.parts(0.02) > 1
    assert engine._springs.parts(0.0001) == 1
    stiff = MujocoEngine(WorldSpec(tuple(cloth(young=1e9))))
    with pytest.raises(
        EngineCannot, match=r"^a\.world:5:1: 'cloth' is too stiff for a step of 10 ms.* a step of up to"
    ):
        stiff.check_step(0.01)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda nodes: replace(nodes[0], soft=replace(nodes[0].soft, young=1.0)),
            "has another material than the other nodes",
        ),
        (lambda nodes: replace(nodes[0], soft=nodes[1].soft), "is in the place of another node, 1 2 1"),
        (lambda nodes: replace(nodes[0], soft=replace(nodes[0].soft, rest=(0.0, WAY, 0.0))), "there is no room"),
        (lambda nodes: replace(nodes[0], mass=0.0), "one sphere with a mass above"),
        (lambda nodes: replace(nodes[0], shapes=(ShapeSpec("box", (0.1, 0.1, 0.1)),)), "one sphere with a mass above"),
    ],
)
def test_nodes_that_disagree_are_refused_by_their_place(change, problem):
    nodes = cloth()
    nodes[0] = change(nodes)
    with pytest.raises(EngineCannot, match=rf"^a\.world:5:1: the mujoco engine cannot hold .*{problem}"):
        MujocoEngine(WorldSpec(tuple(nodes)))
    engine = MujocoEngine(WorldSpec(()))
    with pytest.raises(EngineCannot, match=problem):
        engine.add_all(nodes)
    assert list(engine.names) == []


def test_there_is_a_most_of_wholes_and_of_nodes():
    many = [node for number in range(25) for node in cloth(2, 2, name=f"c{number}")]
    with pytest.raises(EngineCannot, match="holds at most 24 cloths and soft bodies, got 25"):
        MujocoEngine(WorldSpec(tuple(many)))
    with pytest.raises(EngineCannot, match="'cloth': it has 420 nodes, and at most 400 are one body"):
        MujocoEngine(WorldSpec(tuple(cloth(21, 20))))


@pytest.mark.parametrize("engine", [PymunkEngine, KinematicEngine, FlightEngine])
def test_engines_without_the_ability_refuse_by_the_place(engine):
    assert "soft" not in engine.abilities
    with pytest.raises(EngineCannot, match=r"^a\.world:5:1: the \w+ engine cannot hold 'cloth_1_1_1': it is a node of"):
        engine(WorldSpec(tuple(cloth())))
    empty = engine(WorldSpec(()))
    with pytest.raises(EngineCannot, match="neither cloths nor soft bodies; choose an engine that has, as mujoco"):
        empty.add(cloth()[0])
