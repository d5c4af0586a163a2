"""Bodies of a scene are made once, however many ask for them, and robots of a type share their shapes."""

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from coopsim.engines.plane.footprints import check_planar, footprints
from coopsim.errors import EngineCannot
from coopsim.robots import RunSpec, load_type
from coopsim.robots.bodies import robot_bodies
from coopsim.scene import RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.simulation import scene as scene_module
from coopsim.simulation import snapshot as snapshot_module

_COUNT = 5


def _grippers() -> RunSpec:
    robots = tuple(RobotPlacement(f"r{k}", "rover_gripper", (2.0 * k, 0.0, 0.0)) for k in range(_COUNT))
    return RunSpec(Scenario(World(), robots=robots), {"rover_gripper": load_type("rover_gripper")})


def test_a_simulation_makes_the_bodies_of_each_robot_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(*arguments: Any) -> Any:
        asked.append(arguments[1].name)
        return robot_bodies(*arguments)

    monkeypatch.setattr(scene_module, "robot_bodies", counted)
    simulation = Simulation(_grippers())
    # another simulation may be made before, to have kernels ready
    assert sorted(name for name in asked if not name.startswith("robot")) == [f"r{k}" for k in range(_COUNT)]
    assert [body.name for body in simulation.scene.bodies[:3]] == ["r0", "r0.left", "r0.right"]


def test_a_scene_that_was_edited_has_bodies_of_its_own() -> None:
    scene = Simulation(_grippers()).scene
    moved = scene.with_entity(replace(scene.robots["r1"], position=(2.0, 3.0, 0.0)))
    ways = [next(body.pose[1] for body in way.bodies if body.name == "r1") for way in (scene, moved)]
    assert ways == [0.0, 3.0]
    assert {joint.a[1] for name, joint in moved.first_joints().items() if name.startswith("r1.")} == {3.0}


def test_robots_of_a_type_share_shapes_and_what_planar_engines_make_of_them() -> None:
    kind = load_type("rover_gripper")
    first, second = (robot_bodies(kind, RobotPlacement(name, kind.name, (0.0, 0.0, 0.0))) for name in "ab")
    for body, twin in zip(first, second, strict=True):
        assert body.shapes[0] is twin.shapes[0]
        assert footprints(body) is footprints(twin)
    assert len(set(chain(*(body.shapes for body in first)))) == len(
        {id(part) for body in first for part in body.shapes}
    )


def test_a_shape_that_cannot_be_is_refused_each_time() -> None:
    kind = load_type("rover_gripper")
    body = robot_bodies(kind, RobotPlacement("a", kind.name, (0.0, 0.0, 0.0)))[0]
    flat = replace(body, shapes=(replace(body.shapes[0], size=(0.1, 0.1, 0.0)),))
    for _ in range(2):
        with pytest.raises(EngineCannot, match="expected lengths above 0"):
            check_planar(flat)
    check_planar(body)


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_checkpoint_describes_who_is_there_once_and_as_it_is(
    is_loaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation, described = Simulation(_grippers()), list[bytes]()
    if is_loaded:
        simulation.load(_grippers())
    describe = snapshot_module._description
    monkeypatch.setattr(snapshot_module, "_description", lambda stage: described.append(b"") or describe(stage))
    snapshot_module.checkpoint(simulation)
    kept = snapshot_module.snapshot(simulation)
    assert len(described) == 1
    simulation.described = b""
    assert snapshot_module.snapshot(simulation) == kept
    assert len(described) == 2
