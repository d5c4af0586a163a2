"""Edits are functions from scene to scene, carried out whole or not at all."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulation_scenes import make_spec

from coopsim.engines import JointSpec
from coopsim.errors import BadArgument, BadFile, CoopsimError, EngineCannot, NoSuchName
from coopsim.robots.plain import to_plain
from coopsim.scene import TargetSpec
from coopsim.simulation import Simulation
from coopsim.simulation.difference import SceneDifference, difference
from coopsim.simulation.edits import apply
from coopsim.simulation.scene import Scene
from coopsim.simulation.scene_edits import inserted, removed, updated
from coopsim.simulation.snapshot import restore
from coopsim.state.edits import (
    Insert,
    Join,
    Load,
    Part,
    Remove,
    Reset,
    Restore,
    SceneEdit,
    SetEngine,
    TakeSnapshot,
    Update,
)

ENGINES = ("pymunk", "mujoco")
ROBOT = "[ROBOT_1]\ntype single\nname {name}\nposition {x} 3 0\n"
BOX = "[OBJECT_1]\ntype box\nname {name}\nposition {x} 2 0\nsize 0.3 0.3 0.3\nmass {mass}\n"
JOINT = "[JOINT_1]\nname {name}\ntype pivot\nbodies {a} {b}\n"
TEXTS = st.builds(
    ROBOT.format_map,
    st.fixed_dictionaries({"name": st.sampled_from(("late", "Z9")), "x": st.integers(-3, 3)}),
) | st.builds(
    BOX.format_map,
    st.fixed_dictionaries(
        {"name": st.sampled_from(("box1", "Z9")), "x": st.integers(-3, 3), "mass": st.integers(0, 2)}
    ),
)
BODIES = st.sampled_from(("robot1", "robot2", "crate", "wall_1", "late", "box1"))
JOINTS = st.builds(
    JOINT.format_map, st.fixed_dictionaries({"name": st.sampled_from(("bar", "rod")), "a": BODIES, "b": BODIES})
)
NAMES = st.sampled_from(("robot1", "robot2", "crate", "wall_1", "red", "late", "box1", "bar", "rod", "nobody"))
CHANGES = st.sampled_from(("position 1 1 0", "mass 3", "mass 0", "color red", "friction 0.2", "size 0.5 0.5 0.5"))
EDITS: st.SearchStrategy[SceneEdit] = st.one_of(
    st.builds(Insert, TEXTS),
    st.builds(Insert, JOINTS),
    st.builds(Insert, st.builds(str.__add__, TEXTS, JOINTS)),
    st.builds(Update, NAMES, CHANGES),
    st.builds(Update, st.just("floor"), st.sampled_from(("friction 0.3", "size 30 30 0.1", "color red"))),
    st.builds(Remove, NAMES),
    st.builds(Join, st.sampled_from(("bar", "rod")), st.just("support"), BODIES, BODIES, st.just("travel 0.1")),
    st.builds(Part, NAMES),
)


class Unreliable:
    """Has one of the calls that change an engine fail; those after it, which undo the others, succeed.

    Attributes:
        left: How many calls succeed before that; below 0 = one has failed.
    """

    CALLS = (
        "check",
        "add",
        "add_all",
        "remove",
        "add_joint",
        "remove_joint",
        "set_state",
        "set_spatial_state",
        "check_step",
    )

    def __init__(self, simulation: Simulation, left: int) -> None:
        self.left, self._engine = left, simulation.engine
        for name in self.CALLS:
            method = getattr(self._engine, name, None)
            if method is not None:
                setattr(self._engine, name, self._guarded(method))

    def _guarded(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                raise EngineCannot("not this time")
            try:
                return method(*arguments)
            except CoopsimError:
                self.left = -1
                raise

        return call

    def repair(self) -> None:
        """Let all calls succeed."""
        for name in self.CALLS:
            vars(self._engine).pop(name, None)


def attempt(simulation: Simulation, edit: SceneEdit) -> bool:
    try:
        apply(simulation, edit)
    except CoopsimError:
        return False
    return True


def state(simulation: Simulation) -> tuple[object, ...]:
    """Return what must be as before when an edit fails."""
    joints = {name: (joint.spec, joint.a, joint.b) for name, joint in simulation.joints.items()}
    bodies = {*simulation.engine.names}
    modes = (simulation.engine_name, simulation.spec, simulation.time_ns, simulation.resets, simulation.agenda.done)
    return simulation.scene, simulation.state_hash(), joints, bodies, modes


def prepared(engine: str, edits: list[SceneEdit]) -> Simulation:
    simulation = Simulation(make_spec(2), engine=engine)
    for edit in edits:
        attempt(simulation, edit)
        simulation.tick()
    return simulation


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(before=st.lists(EDITS, max_size=5), edit=EDITS, calls=st.integers(0, 9))
def test_an_engine_that_refuses_at_any_call_leaves_everything_as_before(
    engine: str, before: list[SceneEdit], edit: SceneEdit, calls: int
) -> None:
    simulation = prepared(engine, before)
    state_before = state(simulation)
    unreliable = Unreliable(simulation, calls)

    is_done = attempt(simulation, edit)
    unreliable.repair()

    assert is_done or state(simulation) == state_before
    assert simulation.layout.bodies == tuple(simulation.engine.names)
    simulation.tick()


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(EDITS, min_size=1, max_size=6), at_once=st.booleans())
def test_the_difference_the_other_way_undoes_edits(engine: str, edits: list[SceneEdit], at_once: bool) -> None:
    simulation = Simulation(make_spec(2), engine=engine)
    scenes = [simulation.scene]
    scenes += [simulation.scene for edit in edits if attempt(simulation, edit)]

    for scene in [scenes[0], scenes[-1]] if at_once else reversed(scenes[:-1]):
        simulation.change(scene)
        assert simulation.scene == scene
        assert {*simulation.engine.names} == {body.name for body in scene.bodies if body.mass > 0.0}
        assert {*simulation.joints} == {*scene.joint_names} == {*simulation.engine.joints}
    simulation.tick()


@pytest.mark.parametrize(
    "edit",
    [
        Reset("all"),
        Reset("poses"),
        Restore("kept"),
        Load("file", to_plain(make_spec(3))),
        SetEngine("mujoco"),
        Update("floor", "orientation 0 10 0"),
    ],
    ids=lambda edit: edit.as_text(),
)
def test_what_makes_an_engine_anew_leaves_everything_as_before_where_that_fails(
    edit: SceneEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation(make_spec(2, engine="pymunk"))
    simulation.add_joint(JointSpec("bar", "pivot", "robot1", "robot2", (-2.0, 0.75, 0.0)))
    apply(simulation, TakeSnapshot("kept"))
    simulation.tick()
    before, engine = state(simulation), simulation.engine

    def refuse(*_: object, **__: object) -> None:
        raise EngineCannot("there is no room")

    monkeypatch.setattr(Simulation, "rewire", refuse)
    with pytest.raises(CoopsimError):
        apply(simulation, edit)
    monkeypatch.undo()

    assert state(simulation) == before
    assert simulation.engine is engine
    simulation.tick()


def test_the_difference_of_two_scenes_says_what_goes_changes_and_comes() -> None:
    before = Scene.of(make_spec(2))
    after = removed(before, Remove("robot2"))
    after = updated(after, Update("crate", "mass 7"))
    after = inserted(
        after, Insert(BOX.format(name="box1", x=0, mass=1) + JOINT.format(name="bar", a="box1", b="crate"))
    )

    changes = difference(before, after)

    assert [entity.name for entity in changes.removed] == ["robot2"]
    assert [(was.name, was.mass, now.mass) for was, now in changes.updated] == [("crate", 5.0, 7.0)]  # type: ignore[union-attr]
    assert ([entity.name for entity in changes.added], [entity.name for entity in changes.joined], changes.parted) == (
        ["box1"],
        ["bar"],
        (),
    )
    back = difference(after, before)
    assert [entity.name for entity in back.added] == ["robot2"]
    assert ([entity.name for entity in back.removed], back.parted) == (["box1"], ("bar",))
    assert difference(after, after) == SceneDifference()


def test_an_entity_of_another_kind_takes_the_place_and_the_joints_of_its_name() -> None:
    simulation = Simulation(make_spec(2))
    apply(simulation, Insert(BOX.format(name="Z9", x=0, mass=1) + JOINT.format(name="bar", a="Z9", b="crate")))
    box = simulation.scene
    apply(simulation, Remove("Z9"))
    apply(simulation, Insert(ROBOT.format(name="Z9", x=0) + JOINT.format(name="bar", a="Z9", b="crate")))

    simulation.change(box)

    assert simulation.engine.joints == ("bar",)
    assert "Z9" not in simulation.layout.robot
    assert simulation.scene == box


def test_scenes_refuse_what_is_there_already_or_is_not_there() -> None:
    scene = Scene.of(make_spec(2))
    bar = JointSpec("bar", "pivot", "robot1", "robot2")
    with pytest.raises(BadArgument, match="red: this name is taken"):
        scene.with_entities([TargetSpec("red", (0.0, 0.0, 0.0))])
    with pytest.raises(BadArgument, match="already a joint named 'bar'"):
        scene.with_joints([bar, bar])
    with pytest.raises(BadArgument, match="floor cannot be removed"):
        removed(scene, Remove("floor"))
    with pytest.raises(BadFile, match="name cannot be changed"):
        updated(scene, Update("crate", "name box"))
    with pytest.raises(NoSuchName, match="'nobody'"):
        removed(scene, Remove("nobody"))
    with pytest.raises(NoSuchName, match="no joint named 'bar'"):
        scene.without_joint("bar")
    assert scene == Scene.of(make_spec(2))


def test_a_snapshot_that_an_engine_cannot_take_changes_nothing() -> None:
    simulation = Simulation(make_spec(2))
    apply(simulation, TakeSnapshot("kept"))
    raw = simulation.snapshots["kept"]
    simulation.tick()
    before = state(simulation)
    at = raw.index(b"robot1", raw.index(b"bodies"))
    with pytest.raises(CoopsimError):
        restore(simulation, raw[:at] + b"robotX" + raw[at + 6 :])
    assert state(simulation) == before
    simulation.tick()
