"""Large worlds on MuJoCo whose parts are compiled alone: the same bytes as at once, and a bound on their size."""

import os
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from spatial_standins import engine_of, robot, run, thing

from coopsim.engines import BodySpec, JointSpec, ShapeSpec
from coopsim.errors import EngineCannot
from coopsim.features.space import description, merging, model, solids
from coopsim.features.space.description import independent_parts
from coopsim.features.space.engine import MujocoEngine
from coopsim.robots import load_type
from coopsim.scene import JointDynamics
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.type_crowds import scene

CORNERS = tuple(float(c) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.2) for c in (x, y, z))
HULL = BodySpec("hull", (0, 7.0, 0.1, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.2, 0.2, 0.2), points=CORNERS),))


def looped_arm(name: str, x: float) -> tuple[list[BodySpec], list[JointSpec]]:
    """Return a bolted foot with two links, of which one follows the other, and a weld that closes the loop."""
    foot = replace(thing(f"{name}.foot", x, z=2.0, size=(0.1, 0.1, 0.1)), is_bolted=True)
    rods = [thing(f"{name}.rod{k}", x + 0.2 * k, z=1.6, size=(0.1, 0.1, 0.4), turn=(0.1, 0.0, 0.2)) for k in (1, 2)]
    places = {"anchor": (x, 0.0, 2.0), "axis": (0.0, 1.0, 0.0), "is_chained": True}
    following = JointDynamics(follows=f"{name}.a", ratio=-0.5, offset=0.1)
    return [foot, *rods], [
        JointSpec(f"{name}.a", "hinge", foot.name, rods[0].name, upper=1.0, armature=0.1, **places),
        JointSpec(f"{name}.b", "hinge", foot.name, rods[1].name, dynamics=following, **places),
        JointSpec(f"{name}.c", "weld", rods[0].name, rods[1].name, (x, 0.0, 1.6)),
    ]


def pair(name: str, x: float, kind: str) -> tuple[list[BodySpec], list[JointSpec]]:
    """Return two free bodies and the joint between them."""
    bodies = [robot(f"{name}.a", x, 3.0), thing(f"{name}.b", x, 3.0, 0.6, turn=(0.1, 0.2, 0.3), mass=0.7)]
    settings = {"support": {"limit": 0.1}, "spring": {"stiffness": 50.0, "damping": 1.0}}.get(kind, {})
    return bodies, [JointSpec(f"{name}.joint", kind, bodies[0].name, bodies[1].name, (x, 3.0, 0.5), **settings)]


def crane(name: str) -> tuple[list[BodySpec], list[JointSpec]]:
    """Return a free body with two links, askew: the last numbers of a world are added up one by one."""
    askew = {"turn": (0.3, 0.5, 0.7), "size": (0.5, 0.3, 0.2), "position": (0.1, 0.05, 0.0)}
    bodies = [thing(f"{name}.{part}", 0.6 * k, 6.0, 1.0 + k, mass=1.3 + k, **askew) for k, part in enumerate("abc")]
    places = {"axis": (0.3, 0.7, 0.2), "is_chained": True}
    joints = [JointSpec(f"{name}.{k}", "hinge", f"{name}.{'ab'[k]}", f"{name}.{'bc'[k]}", **places) for k in (0, 1)]
    return bodies, joints


def crowd(count: int, *extra: JointSpec) -> MujocoEngine:
    """Return an engine with bodies of all kinds by turns, that joints of all kinds tie in twos and threes."""
    bodies: list[BodySpec] = [thing(f"wall{k}", -3.0 - k, mass=0.0) for k in range(3)]
    joints = list(extra)
    kinds = ("pivot", "hinge", "spring", "slide", "support", "weld")
    for k in range(count):
        more, ties = looped_arm(f"r{k}", 2.0 * k) if k % 3 == 0 else pair(f"r{k}", 2.0 * k, kinds[k % 6])
        bodies += [*more, thing(f"r{k}.z", k, -2.0 - 0.1 * k, 0.2, turn=(0.1 * k, 0.2, 0.3), kind="cylinder")]
        joints += ties
    more, ties = crane("s")
    return engine_of(*bodies, *more, joints=[*joints, *ties])


def saved(engine: MujocoEngine) -> bytes:
    world = engine._ready().model
    buffer = np.zeros(mujoco.mj_sizeModel(world), np.uint8)
    mujoco.mj_saveModel(world, None, buffer)
    return buffer.tobytes()


def parts_of(engine: MujocoEngine) -> int:
    return len(model._parts_of(engine._solids, engine.names, tuple(engine._holds.values()))[0])


@pytest.mark.parametrize(("most", "count"), [(1, 2), (1, 8), (4, 30), (20, 31)])
def test_parts_that_are_compiled_alone_merge_to_the_same_bytes_and_move_alike(
    most: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = crowd(count)
    at_once = saved(usual)
    run(usual, 0.2)
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", most)
    again = crowd(count)
    assert parts_of(again) > 2
    assert saved(again) == at_once
    run(again, 0.2)
    assert again.poses.tobytes() == usual.poses.tobytes()
    assert again.joint_state().tobytes() == usual.joint_state().tobytes()


@pytest.mark.parametrize("kind", ["quadrotor", "quadrotor_gripper", "abb_irb_120", "single_hinged", "rover_gripper"])
def test_crowds_of_types_in_a_laboratory_merge_to_the_same_bytes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def crowded() -> MujocoEngine:
        engine = Simulation(scene(load_type(kind), 30, "laboratory"), engine="mujoco").engine
        assert isinstance(engine, MujocoEngine)
        return engine

    usual = saved(crowded())
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 8)
    engine = crowded()
    assert parts_of(engine) > 2
    assert saved(engine) == usual


def test_where_mujoco_saves_models_otherwise_worlds_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = saved(crowd(10))
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 1)
    monkeypatch.setattr(merging, "_room", lambda pieces: 0)
    monkeypatch.setattr(merging, "_order", merging._order.__wrapped__)
    engine = crowd(10)
    assert parts_of(engine) == 1
    assert saved(engine) == usual


def test_parts_end_where_no_joint_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 1)
    engine = crowd(6)
    joints = tuple(engine._holds.values())
    names = [*engine.names, *(f"wall{k}" for k in range(3))]
    parts = independent_parts(names, joints, engine._solids)
    assert [(list(bodies), [joint.spec.name for joint in ties]) for bodies, ties in parts[:3]] == [
        (["r0.foot", "r0.rod1", "r0.rod2"], ["r0.a", "r0.b", "r0.c"]),
        (["r0.z"], []),
        (["r1.a", "r1.b"], ["r1.joint"]),
    ]
    assert [name for bodies, _ in parts for name in bodies] == names


@pytest.mark.parametrize(
    "tie",
    [
        JointSpec("r9", "weld", "r0.z", "r5.z", (0.0, 0.0, 0.0)),  # from the first to the last
        JointSpec("r0", "weld", "r4.z", "r5.z", (0.0, 0.0, 0.0)),  # numbered before what is joined in the first part
    ],
)
def test_what_joints_tie_across_is_compiled_at_once(tie: JointSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = saved(crowd(6, tie))
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 1)
    assert parts_of(crowd(6)) > 1
    assert saved(crowd(6, tie)) == usual


def test_hulls_belong_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 1)
    assert parts_of(engine_of(*(thing(f"can{k}", k) for k in range(8)))) > 1
    assert parts_of(engine_of(*(thing(f"can{k}", k) for k in range(8)), HULL)) == 1


def test_a_world_that_is_compiled_at_once_has_a_bound_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "_FEW", 0)
    monkeypatch.setattr(description, "MOST", 1)
    monkeypatch.setattr(model, "MOST_TOGETHER", 10)
    cans = [thing(f"can{k}", k) for k in range(12)]
    engine = engine_of(*cans)
    before = list(engine.names)
    with pytest.raises(EngineCannot, match=r"13 bodies are too many .* a hull or a polygon.* at most 10 of them"):
        engine.add(HULL)
    with pytest.raises(EngineCannot, match=r"12 bodies are too many .* joints tie the first to the last"):
        engine.add_joint(JointSpec("tie", "weld", "can0", "can11", (0.0, 0.0, 0.0)))
    run(engine, 0.02)
    assert list(engine.names) == before
    assert not engine.joints


def test_carriages_of_joints_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MOST_BODIES", 3)
    bodies, joints = pair("r", 0.0, "hinge")
    assert engine_of(*bodies, joints=joints).joints
    with pytest.raises(EngineCannot, match=r"at most 3 bodies, links and carriages of joints included, got 4"):
        engine_of(*bodies, thing("can"), joints=joints)


@pytest.mark.parametrize(("gigabytes", "most"), [(1, 20_000), (8, 42_000), (64, 65_000)])
def test_a_machine_has_room_for_so_many_bodies_as_its_memory_holds(
    gigabytes: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = gigabytes << 18
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PHYS_PAGES": pages, "SC_PAGE_SIZE": 4096}[name])
    fits = solids.most_bodies()
    assert fits == pytest.approx(most, rel=0.02)
    if 20_000 < fits < 65_000:
        assert solids.reserved(fits) <= gigabytes << 30 < solids.reserved(fits + 1)
    with pytest.raises(EngineCannot, match=rf"{'holds' if most == 65_000 else 'this machine for'} at most {fits} bod"):
        solids.check_count([thing("can")] * (fits + 1))


def test_a_large_world_of_free_bodies_refuses_what_mujoco_refuses() -> None:
    flat = BodySpec(
        "flat", (0, 9.0, 1, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), tensor=(1, 1, 9, 0, 0, 0)
    )
    with pytest.raises(EngineCannot, match=r"MuJoCo cannot build this world: .*inertia must satisfy"):
        engine_of(*(thing(f"can{k}", k) for k in range(300)), flat)
