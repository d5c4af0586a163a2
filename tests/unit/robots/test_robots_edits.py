"""What a message asks to be inserted, teams, and bodies for the engine."""

import math

import pytest

from coopsim.errors import BadFile
from coopsim.features.sensors.interfaces import COMPASS, GPS
from coopsim.interfaces import BUMPERS, MOTORS, ODOMETRY, SONARS, SUPPORT, TARGET
from coopsim.robots import RobotBlueprint, RunSpec, TypeRegistry, object_body, robot_body, sections, world_spec
from coopsim.robots.names import RobotNames
from coopsim.robots.teams import members
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, TargetSpec, World

DEVICES = {"differential_drive": MOTORS} | {
    interface.kind: interface for interface in (BUMPERS, COMPASS, GPS, ODOMETRY, SONARS, SUPPORT, TARGET)
}
REGISTRY = TypeRegistry(devices=DEVICES, controllers=["wander"], engines=["pymunk"])
DISC = RobotBlueprint("disc", "", "cylinder", (0.4, 0.4, 0.2), 8.0, 0.3, ())


def refused(text: str) -> str:
    with pytest.raises(BadFile) as caught:
        sections(text, {"disc": DISC}, ["robot1"], registry=REGISTRY)
    return str(caught.value)


def test_inserted_robots_come_with_their_types() -> None:
    text = "[ROBOT_1]\ntype disc\n[ROBOT_2]\ntype bench\n[TARGET]\nred 1 1 0\n"
    additions = sections(text, {"disc": DISC}, registry=REGISTRY)
    assert [robot.name for robot in additions.robots] == ["robot_1", "robot_2"]
    assert list(additions.types) == ["bench", "disc"]
    assert additions.types["disc"] is DISC
    assert [target.name for target in additions.targets] == ["red"]


def test_what_cannot_be_inserted_is_refused_with_all_its_problems() -> None:
    text = refused("[ROBOT_1]\ntype dics\nname robot1\nfile x\n")
    kinds = (
        "abb_irb_120, amtec_lwa_7dof, bench, car, conveyor, disc, door, fixed_camera, game_amphibian, game_infantry, "
    )
    assert f"message:2:6: no robot type 'dics' (dics → disc?); known: {kinds.strip()}" in text
    assert "message:3:6: the name 'robot1' is already taken\n" in text
    assert "message:4:1: [ROBOT_1] knows no key 'file'" in text


def test_a_team_of_two_is_a_leader_on_the_left_and_a_helper_on_the_right_C_73_C_79() -> None:
    team = RobotPlacement("team1", "team2", (1.0, 2.0, 0.0), (0.0, 0.0, math.pi / 2), (1.0, 0.0, 0.0))
    leader, helper = members(team)
    assert (leader.name, helper.name) == ("team1/leader", "team1/helper")
    assert leader.position == pytest.approx((0.4, 2.0, 0.0))
    assert helper.position == pytest.approx((1.6, 2.0, 0.0))
    assert {leader.type, helper.type} == {"transport"}
    assert (leader.orientation, leader.color) == (team.orientation, team.color)


def test_a_team_can_be_inserted_C_59() -> None:
    additions = sections("[ROBOT_1]\ntype team2\nname team1\n", registry=REGISTRY)
    assert [robot.name for robot in additions.robots] == ["team1/leader", "team1/helper"]
    assert list(additions.types) == ["transport"]
    assert [thing.name for thing in additions.objects] == ["team1/bar"]
    assert [joint.a for joint in additions.joints] == ["team1/leader", "team1/helper"]


def test_a_controller_of_a_team_drives_its_members() -> None:
    names = RobotNames(["team1/leader", "team1/helper", "robot1"], {"team1": ("team1/leader", "team1/helper")})
    assert names.meant("robot1") == ("robot1",)
    assert names.meant("team1") == names.meant("team1/*") == ("team1/leader", "team1/helper")


def test_a_body_stands_on_the_middle_of_its_base_turned_about_fixed_axes() -> None:
    thing = Object("box", "box", (1.0, 2.0, 3.0), (1.0, 2.0, 0.5), (0.0, 0.0, math.pi / 2), mass=4.0, friction=0.5)
    body = object_body(thing, floor_friction=0.8)
    assert body.pose == pytest.approx((1.0, 2.0, 0.5, math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))
    assert (body.mass, body.span) == (4.0, thing.span)
    assert body.rolling == pytest.approx(0.4)
    assert (body.shapes[0].kind, body.shapes[0].size, body.shapes[0].friction) == ("box", (1.0, 2.0, 3.0), 0.5)


def test_what_is_fixed_does_not_slide() -> None:
    assert object_body(Object("box", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))).rolling == 0.0


def test_a_robot_rolls_freely() -> None:
    body = robot_body(DISC, RobotPlacement("robot1", "disc", (1.0, 0.0, 0.0)))
    assert (body.name, body.mass, body.rolling, body.shapes[0].kind) == ("robot1", 8.0, 0.0, "cylinder")


def test_objects_and_robots_have_bodies_targets_and_the_floor_have_none_C_101() -> None:
    thing = Object("box", "box", (1.0, 1.0, 1.0), (2.0, 0.0, 0.0), mass=1.0, friction=0.5)
    world = World(Floor((5.0, 6.0, 0.1), friction=0.5), (thing,))
    scenario = Scenario(world, (TargetSpec("red", (0.0, 0.0, 0.0)),), (RobotPlacement("robot1", "disc"),))
    spec = world_spec(RunSpec(scenario, {"disc": DISC}))
    assert [body.name for body in spec.bodies] == ["box", "robot1"]
    assert (spec.floor, spec.bodies[0].rolling) == ((5.0, 6.0, 0.1), 0.25)
