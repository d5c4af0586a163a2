"""Contents of a simulation at one instant: engine, devices, tables, layout."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from coopsim.devices import Notice
from coopsim.devices.program import PartsOff
from coopsim.engines import JointSpec, PhysicsEngine
from coopsim.errors import PluginFailed
from coopsim.geometry import Floats
from coopsim.plugins import is_interrupt, words
from coopsim.robots import RunSpec, engine_like, engine_type, world_with
from coopsim.simulation import tables as table
from coopsim.simulation import warming
from coopsim.simulation.artifacts import acts, enter, retiring
from coopsim.simulation.derived import check_commands, check_room, check_sound, next_layout, sensing_world
from coopsim.simulation.difference import SceneDifference, difference
from coopsim.simulation.engine_change import EngineChange
from coopsim.simulation.events import Agenda
from coopsim.simulation.exchange import carried
from coopsim.simulation.failing import Act, Failures, Run, Sense, TickCalls, culprit, failure_of, guarded, mark_failed
from coopsim.simulation.hashing import RULE, StateHash, ticks_as_before
from coopsim.simulation.joined import Joined
from coopsim.simulation.onboard import connect_programs, runs_of
from coopsim.simulation.pushes import ActivePush
from coopsim.simulation.scene import Scene
from coopsim.simulation.tables import RobotTables
from coopsim.state import Layout
from coopsim.state.layout import NUMBER, STAMP, VALUES


class SimulationState:
    """A simulation without its tick.

    Args:
        spec: What to simulate (`coopsim.robots.load`).
        engine: Name of a registered engine, instead of the scenario's.
        seed: Instead of the scenario's.
        step: Simulated seconds per tick, instead of the scenario's.

    Attributes:
        spec: What a reset goes back to: what was loaded last.
        origin: What the run began with.
        tick_count: How many ticks were done.
        time_ns: Simulated time.
        agenda: Timed events that are still to come.
        scene: Who is there.
        joints: Between bodies, as they were made, in the order of the engine's.
        layout: Which rows and columns are whose.
        command_limit: How many floats `commands` may grow to.
        record_limit: How many bytes a record and its layout may grow to.
        seed: Of all noise.
        episode_tick: Tick from which noise and intervals count: 0, or where a reset gave a seed.
        resets: How often everything was put back; commands given before the last time are void.
        hash_rule: What the state hash, made by `hashing`, covers from the next change of entities on.
        snapshots: Taken while running, by name.
        described: What a snapshot says of the scene, kept until that changes.
        failures: Devices that are switched off because they raised.
        pushes: Forces that act on bodies for a while.
        calls: What a tick calls; `connect` lists it.
        callbacks: What drivers and sensors registered at sensors.
        retired: Tables whose drivers and sensors are still to be destroyed.

    Raises:
        NoSuchPlugin: The engine or a device is not registered.
        PluginFailed: A device cannot be made, or not look for the first time.
        EngineCannot: The engine cannot represent the scene.
    """

    def __init__(
        self, spec: RunSpec, *, engine: str | None = None, seed: int | None = None, step: float | None = None
    ) -> None:
        settings = spec.scenario.settings
        self.spec = self.origin = spec
        self.seed = settings.seed if seed is None else seed
        self.step_ns = round((settings.step if step is None else step) * 1e9)
        self.engine_name = engine or settings.physics
        self.tick_count = self.episode_tick = self.time_ns = 0
        # more than any run needs; processes set those of their shared memory
        self.command_limit, self.record_limit = 1 << 24, 1 << 40
        self.resets, self.hash_rule = 0, RULE
        self.snapshots, self.described = dict[str, bytes](), b""
        self.failures = Failures()
        self.agenda = Agenda(spec.scenario.events)
        self.layout = Layout(0, (), (), ())
        self.scene, self.joints = Scene.of(spec), dict[str, Joined]()
        self._begin(self.scene, engine_type(self.engine_name))
        self.engine.check_step(self.step_ns * 1e-9)
        self.tables, self.retired = table.build((), table.RobotRows(), self.seed, ()), tuple[RobotTables, ...]()
        self.rewire(carry_over=False)
        for failure in self.failures.news:  # nothing has begun: better to say it now
            raise PluginFailed(failure.text)

    # reading

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.time_ns / 1e9

    @property
    def commands(self) -> Floats:
        """Latched commands of all robots, flat."""
        return self.tables.commands

    @property
    def readings(self) -> Floats:
        """Readings of all robots, flat."""
        return self.tables.readings

    def state_hash(self) -> bytes:
        """Return 16 bytes that are equal for equal states."""
        return self.hashing.digest()

    def reading(self, robot: str, module: str) -> Floats:
        """Return the readings of one module, a view."""
        place = self.layout.robot[robot]
        if (part := place.type.module(module)) is None:
            raise KeyError(f"{robot} has no module {module}")
        begin = place.reading_offset + part.reading_offset
        return self.readings[begin : begin + part.reading_width]

    def command(self, robot: str, module: str, number: int, values: Sequence[float] = ()) -> None:
        """Write a command in place, for runs in process."""
        place = self.layout.robot[robot]
        if (part := place.type.module(module)) is None or part.command_offset < 0:
            raise KeyError(f"{robot} has no actuator {module}")
        begin = place.command_offset + part.command_offset
        slot = self.commands[begin : begin + VALUES + part.interface.setting_width]
        slot[STAMP] += 1
        slot[NUMBER] = number
        slot[VALUES:] = 0.0
        slot[VALUES : VALUES + len(values)] = values

    def sense(self, dt: float) -> None:
        """Call all sensors; `dt` is the time since their last call, 0 to repeat it."""
        self._world.begin_tick(self.tick_count - self.episode_tick, dt)
        self.measure(self.calls.sensors)

    def measure(self, sensors: Iterable[tuple[Sense, Floats]]) -> None:
        """Call some sensors; those that fail are switched off."""
        world, tick, rest = self._world, self.tick_count - self.episode_tick, iter(sensors)
        while True:
            try:
                for sense, out in rest:
                    sense(world, tick, out)
                break
            except BaseException as problem:  # whatever a device raises, the tick goes on
                self.switch_off(sense, problem)
                # what the device wrote before it failed stays in the record: it must be numbers
                np.nan_to_num(out, copy=False, posinf=0.0, neginf=0.0)

    def run_programs(self, dt: float) -> None:
        """Run the on-board programs, which change the commands, for a tick of `dt` [s]."""
        for acting, commands in self._acting:
            acting[:] = commands
        tick, rest = self.tick_count - self.episode_tick, iter(self.calls.programs)
        while True:
            try:
                for run in rest:
                    run(tick, dt)
                break
            except BaseException as problem:  # whatever a program raises, the tick goes on
                self.switch_off(run, problem)

    def switch_off(self, method: Act | Sense | Run, problem: BaseException) -> None:
        """Leave a device out from now on because one of its methods raised, or say what it noticed.

        Raises:
            KeyboardInterrupt: The user ends the program; not a fault of the device.
        """
        if is_interrupt(problem):
            raise problem
        block, module = culprit(self.tables, method)
        if isinstance(problem, Notice):
            self.failures.notice(f"{module} of {problem}", self.tick_count)
            return
        if isinstance(problem, PartsOff):
            for part, text in problem.parts:
                self.failures.report(block.blueprint.name, part, self.tick_count, words(text))
            return
        self.failures.add(failure_of(block, module, self.tick_count, problem))
        self.connect()

    # changes of time, and of who is there

    def set_step(self, step: float) -> None:
        """Change the simulated time of one tick [s].

        Raises:
            EngineCannot: The engine cannot make such steps with the joints there are.
        """
        step_ns = round(step * 1e9)
        self.engine.check_step(step_ns * 1e-9)
        self.step_ns = step_ns

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Undo everything where the block fails, in which other things may take the place of those there are.

        What it changes in the engine that is there it has to undo.
        """
        # all attributes at once: what the block replaces comes back by itself, however it fails
        before = dict(vars(self))
        self.failures, self.agenda = self.failures.copy(), copy(self.agenda)
        rows = self._rows()
        try:
            yield
        except BaseException:
            vars(self).update(before)
            if self._rows() != rows:  # what was removed and came back has another row
                tables = self.tables
                self.rewire()
                table.carry_readings(tables, self.tables)  # an engine that was restored remembers no contacts
            raise

    def _rows(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(self.engine.names), tuple(self.engine.joints)

    def change(self, after: Scene, placed: Container[str] = ()) -> SceneDifference:
        """Have another scene; bodies and devices that are in both go on, and all happens or nothing.

        Args:
            after: The other scene.
            placed: Entities whose bodies go where it has them, also where it has them as before.

        Returns:
            What was done.

        Raises:
            CoopsimError: It cannot be built; everything is as it was.
        """
        before, changes = self.scene, difference(self.scene, after, placed)
        check_commands(self.layout, [after.types[robot.type] for robot in changes.added_robots], self.command_limit)
        with self.all_or_nothing():
            if changes.has_other_ground:  # the engine is made anew around those who stand on it
                before = replace(before, floor=after.floor)
                self._carry(engine_like(self.engine), before)
            with EngineChange(self.engine, self.joints, before, after, self.step_ns * 1e-9) as engine:
                engine.apply(changes)
                self.scene, self.joints = after, engine.joints
                self.rewire()
        return changes

    def rewire(self, *, carry_over: bool = True, prepare: Callable[[RobotTables], None] | None = None) -> None:
        """Make tables and layout for the present scene; called after each change of it.

        Args:
            carry_over: Keep commands, memory and parameters of robots that stay.
            prepare: What is to be done with the new tables before devices look for the first time.

        Raises:
            BadArgument: Records would grow beyond the limit.
            EngineCannot: A body of the engine is nowhere.
        """
        scene = self.scene
        self.described = b""
        # joints leave with their bodies
        self.joints = {name: self.joints[name] for name in self.engine.joints if name in self.joints}
        rows = table.RobotRows.of(self.engine, self.joints)
        robots = [(robot.name, scene.types[robot.type]) for robot in scene.robots.values()]
        tables = table.build(robots, rows, self.seed, tuple(scene.targets))
        check_sound(self.engine, self.engine_name)
        check_room(tables, len(self.engine.names), len(scene.names), self.record_limit)
        as_before = ticks_as_before(self.hash_rule)
        connect_programs(tables, as_before=as_before)
        if carry_over:
            table.carry_over(self.tables, tables)
        if prepare is not None:
            prepare(tables)
        self.retired, self.tables = retiring(self.retired, self.tables), tables
        self.connect()
        self.hashing = StateHash(self.engine, tables, self.hash_rule)
        self.layout = next_layout(self.layout, scene, tables, self.engine.names, self.joints.values())
        self._world = sensing_world(self.engine, scene, self.layout)
        self.callbacks = enter(tables, self._world, lambda: self.time, every_tick=as_before)
        present = [(block.blueprint, len(block.robots)) for block in tables.blocks]
        warming.prepare(cast("warming.Make", type(self)), self.engine_name, present)
        self.sense(0.0)

    def connect(self) -> None:
        """List what the tick calls: all devices but those that are switched off, which are told so."""
        mark_failed(self.tables, self.failures)
        working = [
            (block, module, guarded(kind.kind, block.devices[kind.name]))
            for block in self.tables.blocks
            for kind, module in zip(block.blueprint.devices, block.layout.modules, strict=True)
            if (block.blueprint.name, kind.name) not in self.failures
        ]
        acting = [part for part in working if part[1].command_offset >= 0 or acts(part[2])]
        working_by_name = {(block.blueprint.name, module.name): device for block, module, device in working}
        self.calls = TickCalls(
            [(device.act, block.slot(module)) for block, module, device in acting],
            [(device.sense, block.out(module)) for block, module, device in working],
            runs_of(self.tables, working_by_name),
        )
        self._acting = [(block.acting, block.commands) for block in self.tables.blocks if block.is_changed_by_programs]

    def start_over(self, *, seed: int | None = None) -> None:
        """Reset entities, devices and parameters; tick, time and engine stay.

        Args:
            seed: Of all noise, which is then that of a run that begins here; None = it goes on as it was.

        Raises:
            EngineCannot: This engine, which is not the first one, cannot hold what the run began with.
        """
        with self.all_or_nothing():
            self._begin(Scene.of(self.spec), engine_like(self.engine))
            self.resets += 1
            self._begin_noise(seed)
            self.failures.clear()
            self.rewire(carry_over=False)

    def put_back_poses(self, *, seed: int | None = None) -> None:
        """Reset poses and memories of devices; entities, parameters and disabled devices stay.

        Args:
            seed: Of all noise, which is then that of a run that begins here; None = it goes on as it was.

        Raises:
            EngineCannot: This engine, which is not the first one, cannot hold where everything began.
        """
        with self.all_or_nothing():
            self._begin(self.scene.of_files(), engine_like(self.engine))
            self.resets += 1
            self._begin_noise(seed)
            self.rewire(carry_over=False, prepare=partial(table.carry_parameters, self.tables))

    def _begin(self, scene: Scene, make: type[PhysicsEngine]) -> None:
        """Have a scene as files place it."""
        self.scene, self.joints, self.pushes = scene, scene.first_joints(), tuple[ActivePush, ...]()
        self.engine = make(world_with(scene.floor, scene.bodies, (joint.spec for joint in self.joints.values())))

    def _begin_noise(self, seed: int | None) -> None:
        if seed is not None:
            self.seed, self.episode_tick = seed, self.tick_count

    def load(self, spec: RunSpec) -> None:
        """Take another scene: its entities, and its events from time 0; tick, step, seed and engine stay.

        Raises:
            CoopsimError: It cannot be built; everything is as it was.
        """
        with self.all_or_nothing():
            self.spec, self.agenda, self.time_ns = spec, Agenda(spec.scenario.events), 0
            self.failures = Failures(changed=True)
            self.resets += 1
            self._begin(Scene.of(spec), engine_like(self.engine))
            self.rewire(carry_over=False)

    def add_joint(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; a reset lets them go.

        Raises:
            EngineCannot: The engine has no such joint, or it is too stiff for the present step.
            BadArgument: A joint of this name is there, or a number is out of range.
            NoSuchName: It joins a body that is not there.
        """
        self.change(self.scene.with_joints([joint]))

    def remove_joint(self, name: str) -> None:
        """Remove a joint.

        Raises:
            NoSuchName: There is no joint of this name.
            BadArgument: It is a part of a robot.
        """
        self.change(self.scene.without_joint(name))

    def exchange(self, name: str) -> None:
        """Go on with another engine: bodies stay where and as fast as they are, joints, devices and parameters too.

        Source: SwarmSimX, section 2.1 (engines are exchangeable).

        Raises:
            NoSuchPlugin: No engine of this name is registered.
            EngineCannot: It cannot hold a body as that is now, or not make such steps; everything is as it was.
        """
        with self.all_or_nothing():
            self._carry(engine_type(name), self.scene)
            self.engine_name = name
            self.rewire()

    def _carry(self, make: type[PhysicsEngine], scene: Scene) -> None:
        """Have a new engine in which everything goes on."""
        self.engine = carried(self.engine, make, world_with(scene.floor, scene.bodies), tuple(self.joints.values()))
        self.engine.check_step(self.step_ns * 1e-9)
