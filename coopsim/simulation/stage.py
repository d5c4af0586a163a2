"""Everything that is in a simulation at one instant: engine, devices, tables, layout."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from coopsim.devices.program import OnBoardProgram
from coopsim.engines import JointSpec
from coopsim.engines import WorldSpec as EngineWorld
from coopsim.errors import BadArgument, CoopsimError, PluginFailed
from coopsim.geometry import Floats
from coopsim.plugins import is_interrupt
from coopsim.robots import RunSpec, body_names, engine_type, world_with
from coopsim.robots.entities import entity_rows
from coopsim.sensing.world import EngineSensingWorld
from coopsim.simulation import tables as table
from coopsim.simulation import warming
from coopsim.simulation.events import Agenda
from coopsim.simulation.exchange import carried
from coopsim.simulation.failing import Act, Failures, Guard, Run, Sense, culprit, failure_of, guarded
from coopsim.simulation.hashing import RULE, StateHash
from coopsim.simulation.joined import join
from coopsim.simulation.onboard import connect_programs
from coopsim.simulation.population import Population
from coopsim.simulation.tables import RobotTables
from coopsim.state import HEADER_BYTES, Layout, RobotPlace
from coopsim.state.layout import LAYOUT_BYTES, NUMBER, STAMP, VALUES, JointRow


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
        population: Who is there.
        layout: Which rows and columns are whose.
        command_limit: How many floats `commands` may grow to.
        record_limit: How many bytes a record and its layout may grow to.
        seed: Of all noise.
        episode_tick: Tick from which noise and intervals count: 0, or where a reset gave a seed.
        resets: How often everything was put back; commands given before the last time are void.
        hash_rule: What the state hash covers from the next change of entities on.
        snapshots: Taken while running, by name.
        described: What a snapshot says of the population, kept until that changes.
        failures: Devices that are switched off because they raised.

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
        self.engine_name = engine or settings.engine
        self.tick_count = self.episode_tick = 0
        self.time_ns = 0
        self.command_limit, self.record_limit = 1 << 24, 1 << 40
        self.resets = 0
        self.hash_rule = RULE
        self.snapshots: dict[str, bytes] = {}
        self.described = b""
        self.failures = Failures()
        self.agenda = Agenda(spec.scenario.events)
        self.population = Population.of(spec)
        self.layout = Layout(0, (), (), ())
        self.engine = engine_type(self.engine_name)(first_world(self.population))
        self.population.joints = self.population.first_joints()
        self.engine.check_step(self.step_ns * 1e-9)
        self.tables = table.build((), table.Rows(), self.seed, ())
        self.rewire(carry_over=False)
        for failure in self.failures:  # nothing has begun: better to say it now
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
        return self._hash.digest()

    def reading(self, robot: str, module: str) -> Floats:
        """Return the readings of one module, a view."""
        place = self.layout.robot[robot]
        part = place.type.module(module)
        if part is None:
            raise KeyError(f"{robot} has no module {module}")
        begin = place.reading_offset + part.reading_offset
        return self.readings[begin : begin + part.reading_width]

    def command(self, robot: str, module: str, number: int, values: Sequence[float] = ()) -> None:
        """Write a command in place, for runs in process."""
        place = self.layout.robot[robot]
        part = place.type.module(module)
        if part is None or part.command_offset < 0:
            raise KeyError(f"{robot} has no actuator {module}")
        begin = place.command_offset + part.command_offset
        slot = self.commands[begin : begin + VALUES + part.interface.setting_width]
        slot[STAMP] += 1
        slot[NUMBER] = number
        slot[VALUES:] = 0.0
        slot[VALUES : VALUES + len(values)] = values

    def sense(self, dt: float) -> None:
        """Let all devices read; `dt` is the time since they read last, 0 to look again."""
        world, tick, rest = self._world, self.tick_count - self.episode_tick, iter(self._sensors)
        world.begin_tick(tick, dt)
        while True:
            try:
                for sense, out in rest:
                    sense(world, tick, out)
                break
            except BaseException as problem:  # whatever a device raises, the tick goes on
                self.switch_off(sense, problem)
                np.nan_to_num(out, copy=False, posinf=0.0, neginf=0.0)

    def run_programs(self, dt: float) -> None:
        """Let on-board programs change the commands that came, for a tick of `dt` [s]."""
        for acting, commands in self._acting:
            acting[:] = commands
        tick, rest = self.tick_count - self.episode_tick, iter(self._programs)
        while True:
            try:
                for run in rest:
                    run(tick, dt)
                break
            except BaseException as problem:  # whatever a program raises, the tick goes on
                self.switch_off(run, problem)

    def switch_off(self, method: Act | Sense | Run, problem: BaseException) -> None:
        """Leave a device out from now on because one of its methods raised.

        Raises:
            KeyboardInterrupt: It was none of its faults: somebody ends the program.
        """
        if is_interrupt(problem):
            raise problem
        block, module = culprit(self.tables, method)
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

    def rewire(self, *, carry_over: bool = True, prepare: Callable[[RobotTables], None] | None = None) -> None:
        """Make tables and layout for the present population; called after each change of it.

        Args:
            carry_over: Keep commands, memory and parameters of robots that stay.
            prepare: What is to be done with the new tables before devices look for the first time.

        Raises:
            BadArgument: Records would grow beyond the limit.
        """
        population = self.population
        self.described = b""
        held = set(self.engine.joints)  # joints leave with their bodies
        population.joints = {name: population.joints[name] for name in self.engine.joints if name in population.joints}
        population.sections = {name: it for name, it in population.sections.items() if name in held}
        rows = {name: row for row, name in enumerate(self.engine.names)}
        joints = {name: row for row, name in enumerate(self.engine.joints)}
        robots = [(each.name, population.types[each.type]) for each in population.robots.values()]
        tables = table.build(robots, table.Rows(rows, joints), self.seed, tuple(population.targets))
        self._check_room(tables)
        connect_programs(tables)
        if carry_over:
            table.carry_over(self.tables, tables)
        if prepare is not None:
            prepare(tables)
        self.tables = tables
        self.connect()
        self._hash = StateHash(self.engine, tables, self.hash_rule)
        self.layout = self._next_layout(rows)
        self._world = self._surroundings(rows)
        present = [(it.blueprint, len(it.robots)) for it in tables.blocks]
        warming.prepare(cast("warming.Make", type(self)), self.engine_name, present)
        self.sense(0.0)

    def _check_room(self, tables: RobotTables) -> None:
        floats = 13 * len(self.engine.names) + tables.readings.size + tables.commands.size
        size = HEADER_BYTES + 8 * floats + LAYOUT_BYTES * len(self.population.names)
        if size > self.record_limit:
            raise BadArgument(
                f"a record would have {size} bytes, and there is room for {self.record_limit}; "
                "start the run with a larger --max-robots"
            )

    def connect(self) -> None:
        """List what the tick calls: all devices but those that are switched off."""
        working = [
            (block, module, guarded(kind.kind, block.devices[kind.name]))
            for block in self.tables.blocks
            for kind, module in zip(block.blueprint.devices, block.layout.modules, strict=True)
            if (block.blueprint.name, kind.name) not in self.failures
        ]
        self._actuators = [(it.act, block.slot(module)) for block, module, it in working if module.command_offset >= 0]
        self._sensors = [(it.sense, block.out(module)) for block, module, it in working]
        working_by_name = {(block.blueprint.name, module.name): it for block, module, it in working}
        programs = [
            working_by_name.get((each.blueprint.name, it)) for each in self.tables.blocks for it in each.programs
        ]
        self._programs: list[Run] = [it.run for it in programs if isinstance(it, OnBoardProgram | Guard)]
        self._acting = [(block.acting, block.commands) for block in self.tables.blocks if block.programs]

    def start_over(self, *, seed: int | None = None) -> None:
        """Put entities, devices and parameters back; tick, time and engine stay.

        Args:
            seed: Of all noise, which is then that of a run that begins here; None = it goes on as it was.

        Raises:
            EngineCannot: This engine, which is not the first one, cannot hold what the run began with.
        """
        population = Population.of(self.spec)
        self.engine.rebuild(first_world(population))
        population.joints = population.first_joints()
        self.population = population
        self.resets += 1
        self._begin_noise(seed)
        self.failures.clear()
        self.rewire(carry_over=False)

    def put_back_poses(self, *, seed: int | None = None) -> None:
        """Put bodies and what devices remember back; who is there, parameters and what is switched off stay.

        Args:
            seed: Of all noise, which is then that of a run that begins here; None = it goes on as it was.

        Raises:
            EngineCannot: This engine, which is not the first one, cannot hold where everything began.
        """
        self.engine.rebuild(first_world(self.population))
        self.population.joints = self.population.first_joints()
        self.resets += 1
        self._begin_noise(seed)
        self.rewire(carry_over=False, prepare=partial(table.carry_parameters, self.tables))

    def _begin_noise(self, seed: int | None) -> None:
        if seed is not None:
            self.seed, self.episode_tick = seed, self.tick_count

    def load(self, spec: RunSpec) -> None:
        """Take another scene: its entities, and its events from time 0; tick, step, seed and engine stay.

        Raises:
            CoopsimError: It cannot be built; everything is as it was.
        """
        before = dict(vars(self))
        try:
            self.spec, self.agenda, self.time_ns = spec, Agenda(spec.scenario.events), 0
            self.population, self.failures = Population.of(spec), Failures(changed=True)
            self.resets += 1
            self.engine = type(self.engine)(first_world(self.population))
            self.population.joints = self.population.first_joints()
            self.rewire(carry_over=False)
        except BaseException:
            # all of it was made anew, so that what was there is untouched
            vars(self).update(before)
            raise

    def join(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; a reset lets them go.

        Raises:
            EngineCannot: The engine has no such joint, or it is too stiff for the present step.
            BadArgument: A joint of this name is there, or a number is out of range.
            NoSuchName: It joins a body that is not there.
        """
        fixed = {body.name: body.pose for body in self.population.bodies() if body.mass == 0.0}
        joined = join(self.engine, joint, fixed)
        try:
            self.engine.check_step(self.step_ns * 1e-9)
        except CoopsimError:
            self.engine.remove_joint(joint.name)
            raise
        self.population.joints[joint.name] = joined
        self.rewire()

    def part(self, name: str) -> None:
        """Take a joint away.

        Raises:
            NoSuchName: There is no joint of this name.
        """
        self.engine.remove_joint(name)
        self.rewire()

    def exchange(self, name: str) -> None:
        """Go on with another engine: bodies stay where and as fast as they are, joints, devices and parameters too.

        Source: SwarmSimX, section 2.1 (engines are exchangeable).

        Raises:
            NoSuchPlugin: No engine of this name is registered.
            EngineCannot: It cannot hold a body as that is now, or not make such steps; everything is as it was.
        """
        before = dict(vars(self))
        try:
            population = self.population
            world = world_with(population.floor, population.bodies())
            self.engine = carried(self.engine, engine_type(name), world, tuple(population.joints.values()))
            self.engine.check_step(self.step_ns * 1e-9)
            self.engine_name = name
            self.rewire()
        except BaseException:
            vars(self).update(before)
            raise

    def _next_layout(self, rows: dict[str, int]) -> Layout:
        places = []
        command_offset = reading_offset = 0
        for block in self.tables.blocks:
            for name in block.robots:
                own = [rows[each] for each in body_names(name, block.blueprint.links)]
                places.append(RobotPlace(name, block.layout, command_offset, reading_offset, own[0], tuple(own[1:])))
                command_offset += block.layout.command_width
                reading_offset += block.layout.reading_width
        layout = Layout(
            self.layout.generation,
            tuple(block.layout for block in self.tables.blocks),
            tuple(places),
            entity_rows(self.population.entities(), self.population.types, rows),
            tuple(self.engine.names),
            command_offset,
            reading_offset,
            tuple(JointRow(it.name, it.kind, it.a, it.b) for it, _, _ in self.population.joints.values()),
        )
        return layout if layout == self.layout else replace(layout, generation=self.layout.generation + 1)

    def _surroundings(self, rows: dict[str, int]) -> EngineSensingWorld:
        robots = self.layout.robots
        targets = self.population.targets
        radii = [0.5 * max(self.population.types[place.type.name].size[:2]) for place in robots]
        return EngineSensingWorld(
            self.engine,
            self.population.bodies(),
            tuple(targets),
            np.array([each.position for each in targets.values()], np.float64).reshape(-1, 3),
            tuple(place.name for place in robots),
            np.array([rows[place.name] for place in robots], np.int64),
            np.array(radii, np.float64),
        )


def first_world(population: Population) -> EngineWorld:
    """Return everything as files place it, and as a reset makes it again."""
    joints = [joint.spec for joint in population.first_joints().values()]
    return world_with(population.floor, population.bodies(), joints)
