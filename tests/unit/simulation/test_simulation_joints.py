"""Robots of several bodies, and joints between bodies, while a simulation runs."""

import json
from pathlib import Path

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.engines import is_spatial
from coopsim.errors import BadArgument, BadFile, CoopsimError, EngineCannot
from coopsim.inprocess import connect
from coopsim.recording import layout_from_json, layout_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Insert, Remove, Reset, SetEngine, Update
from coopsim.state.layout import JointRow

ROBOT = """\
[ROBOT]
summary a cart with a drawer

[BODY]
type box
size 0.5 0.4 0.2
mass 10

[LINK_1]
name drawer
type box
size 0.2 0.2 0.1
mass 1
position 0.2 0 0.25

[JOINT_1]
name rail
type slide
bodies base drawer
anchor 0.2 0 0.25
axis 1 0 0
limits -0.1 0.3

[DEVICE_1]
type slide
name drawer
joint rail

[DEVICE_2]
type compass
name compass
body drawer
"""
SCENE = "[ROBOT_1]\ntype cart\nname cart\norientation 0 0 90\n"
BAR = """\
[OBJECT_1]
name bar
type box
size 0.1 2 0.1
position -2 0.75 0.3
mass 2
[JOINT_1]
name left
type hinge
bodies robot1 bar
anchor 0 0 0.3
[JOINT_2]
name right
type hinge
bodies robot2 bar
anchor 0 0 0.3
"""
ENGINES = ("pymunk", "mujoco")
_EDITS = {"insert": Insert, "update": Update, "remove": Remove, "reset": Reset, "set_engine": SetEngine}


@pytest.fixture
def cart(tmp_path: Path) -> Path:
    """A scenario beside the one new file that a robot of two bodies and a joint takes."""
    (tmp_path / "cart.robot").write_text(ROBOT)
    (tmp_path / "scene.scenario").write_text(SCENE)
    return tmp_path / "scene.scenario"


def edit(simulation: Simulation, what: str, /, **content: object) -> tuple[object, ...]:
    return apply(simulation, _EDITS[what](**content)).params  # type: ignore[arg-type]


def ticks(simulation: Simulation, count: int) -> None:
    for _ in range(count):
        simulation.tick()


def distance(simulation: Simulation, one: str, other: str) -> float:
    row = {name: row for row, name in enumerate(simulation.engine.names)}
    return float(np.hypot(*(simulation.engine.planar[row[one], :2] - simulation.engine.planar[row[other], :2])))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_robot_of_two_bodies_and_a_joint_is_one_new_file(cart: Path, engine: str) -> None:
    simulation = Simulation(load(cart), engine=engine)
    assert simulation.layout.bodies == ("cart", "cart.drawer")
    assert simulation.layout.robot["cart"].links == (1,)

    simulation.command("cart", "drawer", 10, [0.2])
    ticks(simulation, 200)

    position, velocity, _ = simulation.reading("cart", "drawer")
    assert position == pytest.approx(0.2, abs=0.005)
    assert velocity == pytest.approx(0.0, abs=0.005)
    # the robot looks along y, and so does its rail
    assert distance(simulation, "cart", "cart.drawer") == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_motor_stops_at_the_limits_and_pushes_with_what_it_is_told(cart: Path, engine: str) -> None:
    simulation = Simulation(load(cart), engine=engine)
    simulation.command("cart", "drawer", 12, [20.0])
    ticks(simulation, 150)
    assert simulation.reading("cart", "drawer")[[0, 2]].tolist() == pytest.approx([0.3, 20.0], abs=0.01)

    simulation.command("cart", "drawer", 13)
    ticks(simulation, 1)
    assert simulation.reading("cart", "drawer")[2] == 0.0


def test_a_robot_of_two_bodies_comes_and_goes_as_a_whole(cart: Path) -> None:
    simulation = Simulation(load(cart))

    assert edit(simulation, "insert", text="[ROBOT_1]\ntype cart\nname other\nposition 3 0 0") == ("other",)
    assert simulation.engine.joints == ("cart.rail", "other.rail")
    with pytest.raises(BadArgument, match="part of 'other'"):
        edit(simulation, "remove", name="other.rail")
    edit(simulation, "remove", name="other")

    assert simulation.engine.names == ("cart", "cart.drawer")
    assert simulation.engine.joints == ("cart.rail",)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_robot_that_is_put_elsewhere_takes_its_bodies_along(cart: Path, engine: str) -> None:
    simulation = Simulation(load(cart), engine=engine)
    simulation.command("cart", "drawer", 10, [0.2])
    ticks(simulation, 100)

    edit(simulation, "update", name="cart", text="position 2 1 0\norientation 0 0 0")

    assert simulation.engine.planar[:, :2].tolist() == [pytest.approx([2.0, 1.0]), pytest.approx([2.2, 1.0])]
    assert simulation.reading("cart", "drawer")[0] == pytest.approx(0.0, abs=1e-6)
    ticks(simulation, 100)
    assert distance(simulation, "cart", "cart.drawer") == pytest.approx(0.4, abs=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_continuations_of_a_snapshot_with_joints_are_the_same(cart: Path, engine: str) -> None:
    simulation = Simulation(load(cart), engine=engine)
    simulation.command("cart", "drawer", 11, [0.1])
    ticks(simulation, 50)
    taken = snapshot(simulation)
    hashes = []
    for _ in range(2):
        restored = Simulation(load(cart), engine=engine)
        restore(restored, taken)
        assert restored.reading("cart", "drawer")[0] == pytest.approx(simulation.reading("cart", "drawer")[0], abs=1e-9)
        ticks(restored, 50)
        hashes.append(restored.state_hash())

    assert hashes[0] == hashes[1]


def test_a_reset_makes_the_joints_of_files_again(cart: Path) -> None:
    simulation = Simulation(load(cart))
    simulation.command("cart", "drawer", 10, [0.2])
    ticks(simulation, 100)

    for what in ("poses", "all"):
        edit(simulation, "reset", what=what)
        assert simulation.reading("cart", "drawer")[0] == pytest.approx(0.0, abs=1e-9)
        assert [*simulation.joints] == ["cart.rail"]


def test_an_engine_is_exchanged_under_a_joint_that_is_away_from_its_zero(cart: Path) -> None:
    simulation = Simulation(load(cart))
    simulation.command("cart", "drawer", 10, [0.2])
    ticks(simulation, 150)

    for name in ("mujoco", "pymunk"):
        edit(simulation, "set_engine", engine=name)
        assert is_spatial(simulation.engine) == (name == "mujoco")
        ticks(simulation, 20)
        assert simulation.reading("cart", "drawer")[0] == pytest.approx(0.2, abs=0.01)


def test_an_engine_without_joints_refuses_a_robot_with_one(cart: Path) -> None:
    with pytest.raises(EngineCannot, match=r"the kinematic engine has no joints; 'cart\.rail' is a slide"):
        Simulation(load(cart), engine="kinematic")


@pytest.mark.parametrize("engine", ENGINES)
def test_inserted_joints_hold_what_they_join_through_updates_and_snapshots(engine: str) -> None:
    simulation = Simulation(make_spec(2), engine=engine)
    assert edit(simulation, "insert", text=BAR) == ("bar", "left", "right")
    edit(simulation, "update", name="bar", text="mass 3\ncolor red")
    assert sorted(simulation.engine.joints) == ["left", "right"]

    restore(simulation, snapshot(simulation))
    simulation.command("robot1", "motors", 10, [0.3, 0.0])
    ticks(simulation, 100)

    assert distance(simulation, "robot1", "robot2") == pytest.approx(1.5, abs=0.02)
    assert {*simulation.scene.joints} == {"left", "right"}


def test_a_joint_is_removed_by_its_name_and_goes_with_its_bodies() -> None:
    simulation = Simulation(make_spec(2))
    edit(simulation, "insert", text=BAR)

    edit(simulation, "remove", name="left")
    assert simulation.engine.joints == ("right",)
    edit(simulation, "remove", name="bar")

    assert simulation.engine.joints == ()
    assert not simulation.scene.joints
    assert not simulation.joints


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[JOINT_1]\ntype weld\nbodies robot1 ghost", "no body 'ghost'"),
        ("[JOINT_1]\ntype slide\nbodies robot1 robot2\naxis 0 0 1", "three dimensions"),
        ("[JOINT_1]\nname robot1\ntype weld\nbodies robot1 robot2", "already taken"),
        ("[JOINT_1]\ntype support\nbodies robot1 crate\nstiffness 1e9", "stiff"),
    ],
)
def test_an_insertion_that_fails_leaves_everything_as_it_was(text: str, problem: str) -> None:
    simulation = Simulation(make_spec(2))
    names = simulation.scene.names

    with pytest.raises((BadFile, EngineCannot, Exception), match=problem):
        edit(simulation, "insert", text="[ROBOT_1]\ntype single\nname late\nposition 0 3 0\n" + text)

    assert simulation.scene.names == names
    assert simulation.engine.joints == ()
    assert "late" not in simulation.engine.names
    simulation.tick()


def test_a_fixed_body_that_is_moved_takes_its_joint_along() -> None:
    simulation = Simulation(make_spec(1))
    post = "[OBJECT_1]\nname post\ntype box\nsize 0.1 0.1 0.1\nposition 0 3 0\n"
    bob = "[OBJECT_2]\nname bob\ntype box\nsize 0.1 0.1 0.1\nposition 1 3 0\nmass 1\nfriction 0\n"
    edit(simulation, "insert", text=post + bob + "[JOINT_1]\ntype hinge\nbodies post bob\n")

    edit(simulation, "update", name="post", text="position 0 3.01 0")
    ticks(simulation, 200)

    row = list(simulation.engine.names).index("bob")
    assert np.hypot(*(simulation.engine.planar[row, :2] - (0.0, 3.01))) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("engine", "joint", "text"),
    [
        ("pymunk", "type weld\nbodies post bob", "mass 0"),
        ("mujoco", "type weld\nbodies post bob", "mass 0"),
        ("pymunk", "type support\nbodies bob robot1\ncarriage 0.5", "mass 0.000001\nposition 1 3.1 0"),
    ],
)
def test_an_update_that_a_joint_forbids_leaves_everything_as_it_was(engine: str, joint: str, text: str) -> None:
    simulation = Simulation(make_spec(1), engine=engine)
    post = "[OBJECT_1]\nname post\ntype box\nsize 0.1 0.1 0.1\nposition 0 3 0\n"
    bob = "[OBJECT_2]\nname bob\ntype box\nsize 0.1 0.1 0.1\nposition 1 3 0\nmass 5\n"
    edit(simulation, "insert", text=f"{post}{bob}[JOINT_1]\n{joint}\n")
    ticks(simulation, 20)
    before, names, layout = simulation.state_hash(), simulation.engine.names, simulation.layout

    with pytest.raises(CoopsimError):
        edit(simulation, "update", name="bob", text=text)

    assert simulation.state_hash() == before
    assert (simulation.engine.names, simulation.engine.joints) == (names, ("joint_1",))
    assert (simulation.layout, [*simulation.joints]) == (layout, ["joint_1"])
    assert simulation.scene.objects["bob"].mass == 5.0
    simulation.tick()


def test_a_layout_tells_the_joints_of_its_generation(cart: Path) -> None:
    simulation = Simulation(load(cart))
    first = simulation.layout
    assert first.joints == (JointRow("cart.rail", "slide", "cart", "cart.drawer"),)
    assert layout_from_json(layout_to_json(first)) == first

    edit(simulation, "insert", text="[OBJECT_1]\ntype box\nsize 0.1 0.1 0.1\nposition 3 0 0\nmass 1\n")
    edit(simulation, "insert", text="[JOINT_1]\ntype weld\nbodies cart object_1\n")
    assert [joint.name for joint in simulation.layout.joints] == ["cart.rail", "joint_1"]
    assert simulation.layout.generation == first.generation + 2


def test_clients_update_what_is_joined_save_its_joints_and_see_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    simulation = Simulation(make_spec(2))
    with connect(simulation) as sim:
        sim.world.insert(BAR)
        sim.world.update("bar", "mass 3\npart_1 box 0.1 0.1 0.1 0 0 0.1")
        sim.world.update("robot1", "position -2 0.1 0")
        assert sorted(simulation.engine.joints) == ["left", "right"]
        assert sorted((joint.name, joint.kind, joint.a, joint.b) for joint in sim.scene().joints) == [
            ("left", "hinge", "robot1", "bar"),
            ("right", "hinge", "robot2", "bar"),
        ]
        page = sim.world.scene(8)
        assert (len(json.loads(page.scene)["joints"]), page.total) == (1, 9)
        sim.world.save("joined.scenario")
    again = load(tmp_path / "joined.scenario").scenario
    assert sorted((joint.name, joint.kind, joint.a, joint.b, joint.anchor) for joint in again.joints) == [
        ("left", "hinge", "robot1", "bar", (0.0, 0.0, 0.3)),
        ("right", "hinge", "robot2", "bar", (0.0, 0.0, 0.3)),
    ]
    (bar,) = (thing for thing in again.world.objects if thing.name == "bar")
    assert (bar.mass, len(bar.parts)) == (3.0, 1)
