"""Any edits at any moment, on any engine, against a model of who is there."""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from simulation_scenes import make_spec

from coopsim.engines import JointSpec
from coopsim.errors import CoopsimError
from coopsim.robots.plain import to_plain
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Edit

ENGINES = st.sampled_from(("pymunk", "kinematic", "mujoco"))
ROBOTS = ("robot1", "robot2", "robot3", "late", "Z9")
BODIES = (*ROBOTS, "crate", "wall_1", "box1")
BEGIN = frozenset({"wall_1", "crate", "red", "robot1", "robot2", "robot3"})
PLACES = st.floats(-3.0, 3.0)
PARAMETERS = (
    ("sonars", "interval", 3),
    ("sonars", "noise", 0.1),
    ("sonars", "height", 0.1),
    ("target", "interval", 4),
    ("target", "occlusion", 1),
    ("target", "field", 1.0),
    ("target", "robots", "robot1"),
    ("target", "robots", "late Z9"),
    ("odometry", "noise", 0.1),
    ("gps", "delay", 0.05),
    ("gps", "rate", 7.0),
    ("compass", "loss", 0.5),
    ("motors", "watchdog", 0.1),
)


class Edits(RuleBasedStateMachine):
    """A simulation, and what must be true of it.

    Attributes:
        there: Names of all entities but the floor.
        kept: Who was there, and the engine, by name of a snapshot.
    """

    @initialize(engine=ENGINES)
    def begin(self, engine: str) -> None:
        self.simulation = Simulation(make_spec(3), engine=engine)
        self.there, self.kept, self.ticks = set(BEGIN), dict[str, tuple[set[str], str]](), 0

    def edit(self, edit: str, **content: Any) -> bool:
        """Return whether an edit was carried out."""
        try:
            apply(self.simulation, Edit.from_plain({"edit": edit, **content}))
        except CoopsimError:
            return False
        return True

    def has(self, robot: str, module: str) -> bool:
        place = self.simulation.layout.robot.get(robot)
        return place is not None and place.type.module(module) is not None

    @rule(count=st.integers(1, 15))
    def tick(self, count: int) -> None:
        for _ in range(count):
            self.simulation.tick()
        self.ticks += count

    @rule(robot=st.sampled_from(ROBOTS), v=st.floats(-1.0, 1.0), w=st.floats(-3.0, 3.0))
    def drive(self, robot: str, v: float, w: float) -> None:
        if robot in self.there:
            self.simulation.command(robot, "motors", 10, (v, w))

    @rule(name=st.sampled_from(ROBOTS), x=PLACES, y=PLACES, kind=st.sampled_from(("single", "bench", "scout")))
    def insert_robot(self, name: str, x: float, y: float, kind: str) -> None:
        text = f"[ROBOT_1]\ntype {kind}\nname {name}\nposition {x} {y} 0\n"
        assert self.edit("insert", text=text) == (name not in self.there)
        self.there.add(name)

    @rule(name=st.sampled_from(("box1", "crate")), x=PLACES, mass=st.sampled_from((0, 2)))
    def insert_box(self, name: str, x: float, mass: float) -> None:
        text = f"[OBJECT_1]\ntype box\nname {name}\nposition {x} 2 0\nsize 0.3 0.3 0.3\nmass {mass}\n"
        assert self.edit("insert", text=text) == (name not in self.there)
        self.there.add(name)

    @rule(name=st.sampled_from((*BODIES, "red", "nobody")))
    def remove(self, name: str) -> None:
        assert self.edit("remove", name=name) == (name in self.there)
        self.there.discard(name)

    @rule(name=st.sampled_from(BODIES), text=st.sampled_from(("position 1 1 0", "position -2 3 0", "color red")))
    def update(self, name: str, text: str) -> None:
        assert self.edit("update", name=name, text=text) == (name in self.there)

    @rule(robot=st.sampled_from(ROBOTS), parameter=st.sampled_from(PARAMETERS))
    def parameter(self, robot: str, parameter: tuple[str, str, Any]) -> None:
        module, name, value = parameter
        if self.has(robot, module):
            done = self.edit("set_parameter", robot=robot, module=module, name=name, value=value)
            assert done or name == "robots"

    @rule(a=st.sampled_from(BODIES), b=st.sampled_from(BODIES), kind=st.sampled_from(("pivot", "weld", "support")))
    def join(self, a: str, b: str, kind: str) -> None:
        before = self.simulation.engine.joints
        try:
            self.simulation.add_joint(JointSpec(f"{a} {b}", kind, a, b, stiffness=50.0, damping=5.0))
        except CoopsimError:
            assert self.simulation.engine.joints == before

    @rule()
    def remove_joint(self) -> None:
        for name in list(self.simulation.joints)[:1]:
            self.simulation.remove_joint(name)

    @rule(engine=ENGINES)
    def exchange(self, engine: str) -> None:
        before, old = self.simulation.state_hash(), self.simulation.engine
        if not self.edit("set_engine", engine=engine):
            assert self.simulation.engine is old
            assert self.simulation.state_hash() == before

    @rule(edit=st.sampled_from(("reset", "clock_reset", "load")))
    def start_over(self, edit: str) -> None:
        content = {"spec": to_plain(make_spec(3)), "file": "three"} if edit == "load" else {}
        assert self.edit(edit, **content)
        self.there = set(BEGIN)

    @rule(name=st.sampled_from("ab"))
    def keep(self, name: str) -> None:
        assert self.edit("snapshot", name=name)
        self.kept[name] = set(self.there), self.simulation.engine_name

    @rule(name=st.sampled_from("ab"))
    def go_back(self, name: str) -> None:
        assert self.edit("restore", name=name) == (name in self.kept)
        if name in self.kept:
            self.there, engine = set(self.kept[name][0]), self.kept[name][1]
            assert self.simulation.engine_name == engine

    @rule(count=st.integers(1, 20))
    def go_on_twice(self, count: int) -> None:
        raw, before, restored = snapshot(self.simulation), self.simulation.state_hash(), Simulation(make_spec(1))
        for sim in (self.simulation, restored):
            restore(sim, raw)
            assert sim.state_hash() == before
            for _ in range(count):
                sim.tick()
        assert restored.state_hash() == self.simulation.state_hash()
        self.ticks += count

    @invariant()
    def everybody_is_where_the_tables_say(self) -> None:
        scene, engine, layout = self.simulation.scene, self.simulation.engine, self.simulation.layout
        assert {*scene.names} - {scene.floor.name} == self.there
        assert {*engine.names} == {body.name for body in scene.bodies if body.mass > 0.0}
        assert {*layout.robot} == self.there & {*ROBOTS}
        assert layout.bodies == tuple(engine.names)
        assert all(engine.names[place.body] == name for name, place in layout.robot.items())
        assert {*self.simulation.joints} == {*scene.joint_names} == {*engine.joints}
        assert self.simulation.tick_count == self.ticks

    @invariant()
    def arrays_fit_and_are_finite(self) -> None:
        simulation = self.simulation
        engine, layout = simulation.engine, simulation.layout
        sizes = {len(array) for array in (engine.planar, engine.poses, engine.twists, engine.wrench, engine.height)}
        assert sizes == {len(engine.names)}
        assert (layout.command_size, layout.reading_size) == (simulation.commands.size, simulation.readings.size)
        assert np.isfinite(engine.planar).all()
        assert np.isfinite(simulation.readings).all()


Edits.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyEditsAtAnyMoment = Edits.TestCase
