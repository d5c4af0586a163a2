"""Template of a batch: one simulation, the calls that its tick is, and the memory that each world needs a copy of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.calls import DeviceCalls, says_itself
from coopsim.devices.copying import copied
from coopsim.engines.planar.engine import SLOP, PymunkEngine
from coopsim.engines.planar.stepping import ALL_RIGHT
from coopsim.errors import EngineCannot
from coopsim.features.learning.arena import WORD, ArenaPlan, arrays_of
from coopsim.features.learning.casting import ReadyRays, cast_ready
from coopsim.features.learning.chipmunk import check_layout
from coopsim.features.learning.drifting import step_world
from coopsim.features.learning.program import End, StepCall
from coopsim.features.learning.spaces import SpacePlan
from coopsim.features.learning.touching import SPACE as SPACE_OF_BUMPERS
from coopsim.features.learning.touching import touch_call
from coopsim.features.sensors.bumpers import Bumpers
from coopsim.geometry import Floats, Ints
from coopsim.kernels.sequence import KernelCall
from coopsim.robots import RunSpec
from coopsim.sensing import ray_head
from coopsim.sensing.ray_kernels import cast
from coopsim.sensing.ray_scan import scan
from coopsim.simulation import Simulation
from coopsim.simulation.astray import Straying

_ENGINE = "pymunk"
_WHY_SENSORS = "as what is set to measure at intervals, late or with a limited view does"
_CURE = "Batches of worlds tick what compiled code alone can tick: see docs/learning.md."


class TemplateSimulation(Simulation):
    """A simulation whose calls are read off."""

    @property
    def world(self) -> Any:
        """World that its sensors read."""
        return self._world

    def due_events(self) -> None:
        """Carry out the events of time 0, and have sensors look, so that they know their parameters."""
        self._run_events()
        self.sense(0.0)


class WorldTemplate:
    """A world of a batch as it is before its first tick.

    Args:
        spec: What is simulated.
        step: Simulated seconds per tick, instead of the scenario's.

    Attributes:
        simulation: Its arrays are those that worlds have copies of.
        calls: What a tick is.
        sensors_from: Number of the first call of sensors.
        plan: Where in a world's memory each array lies.
        image: A world at tick 0 before the events of that time, shape (bytes,).
        space: What is in the space of each world.
        stale: Word to be set before each tick, see `TickProgram`.
        changed: Words that events of time 0 change, and what they become, shape (k, 2).
        spaces_at: Words that hold the address of the space, shape (k,).
        drift_at: Words at which the arrays of `Drift` begin, shape (4,).
        contacts_at: Words that hold the addresses of `ContactBuffers`, shape (k, 3).

    Raises:
        EngineCannot: Compiled code alone cannot tick this scene; the text says what is in the way, and where.
    """

    def __init__(self, spec: RunSpec, *, step: float | None = None) -> None:
        self.simulation = simulation = TemplateSimulation(spec, step=step)
        self._check(spec)
        check_layout()
        engine = simulation.engine
        assert isinstance(engine, PymunkEngine)  # noqa: S101 - checked above
        self._engine = engine
        self._contact_addresses: list[Ints] = []
        self.space = SpacePlan(engine.places, SLOP)
        self._drift = self.space.drift.arrays()
        self._forget_beginning()
        early, _ = self._listed()  # kept until the end: no array of later calls may get their memory
        before = self._planned(early)
        image, self._contact_addresses = before.image(), []
        simulation.due_events()
        listed, self.sensors_from = self._listed()
        self._rays = ReadyRays([step.call for step in listed])
        self.calls = [step._replace(call=call) for step, call in zip(listed, self._rays.calls, strict=True)]
        self.plan = plan = self._planned(self.calls)
        self.image = plan.image()
        for address, size, offset in before.blocks:
            if (place := plan.offset_of(address)) is not None:
                self.image[place : place + size] = image[offset : offset + size]
        self.changed = self._changes(plan.image())
        tables = _ray_tables(self.calls)
        self.stale = self.word_of(tables[0]) + ray_head.STALE if tables else -1
        self._note_addresses()

    @property
    def planar(self) -> Floats:
        """Positions of the bodies, shape (n, 6)."""
        return self._engine.planar

    @property
    def file(self) -> str:
        """Name of the scenario, for messages."""
        return Path(self.simulation.spec.scenario.file).name or "the scenario"

    def word_of(self, array: NDArray[Any]) -> int:
        """Return the word of a world at which an array begins, -1 where no call takes it."""
        offset = self.plan.offset_of(array.ctypes.data)
        return -1 if offset is None else offset // WORD

    # the calls of a tick

    def _listed(self) -> tuple[list[StepCall], int]:
        """Return the calls of a tick and the number of the first one of sensors."""
        simulation, engine, dt = self.simulation, self._engine, self.simulation.step_ns * 1e-9
        simulation.world.dt = dt
        steps, watching = engine.step_calls(dt), Straying(engine).calls()
        if steps is None or watching is None or len(steps.calls) != 1:
            raise EngineCannot(f"{self.file}: its springs are too stiff for a step of {dt:g} s").advise(_CURE)
        calls = [StepCall(call) for call in (*self._on_board(dt), *self._acting(dt))]
        # nobody is put back here: who strays ends its world
        (step,) = steps.calls
        step_alike = KernelCall(step_world, (self._drift, *step.arguments[1:]), ALL_RIGHT)
        calls.append(StepCall(step_alike, End.WILD_FORCE))
        calls += [StepCall(call, End.ASTRAY) for call in watching[1]]
        return [*calls, *self._sensing()], len(calls)

    def _on_board(self, dt: float) -> Iterator[KernelCall]:
        """Yield what `SimulationState.run_programs` does."""
        for block in self.simulation.tables.blocks:
            if block.is_changed_by_programs:
                yield from copied(block.commands, block.acting).calls
        for run in self.simulation.calls.programs:
            device: Any = getattr(run, "__self__", None)
            device_calls = device.run_calls(dt) if says_itself(device, "run", "run_calls") else None
            yield from self._calls_of(device, device_calls)

    def _forget_beginning(self) -> None:
        """Have programs on board begin anew: worlds begin elsewhere, and programs begin with zeros."""
        for block in self.simulation.tables.blocks:
            for name in block.programs:
                for array in block.devices[name].memory.values():
                    array[:] = 0

    def _acting(self, dt: float) -> Iterator[KernelCall]:
        for act, slot in self.simulation.calls.actuators:
            device: Any = getattr(act, "__self__", None)
            device_calls: DeviceCalls | None = None
            if says_itself(device, "act", "act_calls"):
                device_calls = device.act_calls(slot, self._engine, self._engine.wrench, dt)
            yield from self._calls_of(device, device_calls)

    def _sensing(self) -> Iterator[StepCall]:
        is_unread = not self.simulation.calls.programs
        for sense, out in self.simulation.calls.sensors:
            device: Any = getattr(sense, "__self__", None)
            if isinstance(device, Bumpers) and not device.is_timed:
                call, addresses = touch_call(device, self._engine.planar, out)
                self._contact_addresses.append(addresses)
                yield StepCall(call, is_look=is_unread)
                continue
            device_calls: DeviceCalls | None = None
            if says_itself(device, "sense", "sense_calls"):
                device_calls = device.sense_calls(self.simulation.world, out)
            needed = self._calls_of(device, device_calls)
            # rays, their noise and bumpers remember nothing, and without programs nobody reads them within a tick
            is_look = is_unread and any(call.kernel in (cast, scan) for call in needed)
            yield from (StepCall(call, is_look=is_look) for call in needed)

    def _calls_of(self, device: Any, device_calls: DeviceCalls | None) -> tuple[KernelCall, ...]:
        """Return the calls of a device, all of which go on whatever they return.

        Raises:
            EngineCannot: It has none, or some that may want Python.
        """
        if (
            device_calls is None
            or any(call.expects not in (None, 0) for call in device_calls.calls)
            or _may_wait(device_calls)
        ):
            raise self._refusal(device)
        return device_calls.calls

    def _refusal(self, device: Any) -> EngineCannot:
        for block in self.simulation.tables.blocks:
            for name, owned in block.devices.items():
                if owned is device:
                    place, robot, why = self._location(block.robots[0]), block.robots[0], _WHY_SENSORS
                    if name in block.programs:
                        why = "as programs on board do"
                    return EngineCannot(
                        f"{place}: {name} of {robot} needs Python in each tick, {why}; a batch of worlds has none"
                    ).advise(_CURE)
        return EngineCannot(f"{self.file}: {type(device).__name__} needs Python in each tick").advise(_CURE)

    def _location(self, robot: str) -> str:
        span = self.simulation.scene.robots[robot].span
        return f"{span.file}:{span.line}:{span.column}" if span.file else self.file

    def _check(self, spec: RunSpec) -> None:
        """Refuse what no call does.

        Raises:
            EngineCannot: Another engine, joints, or events after the beginning.
        """
        simulation = self.simulation
        scenario, problem = spec.scenario, ""
        if not isinstance(simulation.engine, PymunkEngine):
            problem = f"expected the engine {_ENGINE}, got {simulation.engine_name}"
        elif simulation.joints:
            problem = f"joint {next(iter(simulation.joints))!r}: batches of worlds have no joints yet"
        elif late := [event for event in scenario.events if event.at > 0.0 or event.reset]:
            problem = f"an event at {late[0].at:g} s: in a batch events happen at 0 s and set parameters"
        elif simulation.callbacks.calls:
            problem = "a driver or sensor of a plugin listens to sensors, which needs Python in each tick"
        if problem:
            raise EngineCannot(f"{self.file}: {problem}").advise(_CURE)

    # memory

    def _planned(self, calls: list[StepCall]) -> ArenaPlan:
        """Return where what calls take lies, and what is read of a world besides."""
        tables = self.simulation.tables
        plan = ArenaPlan((), [array for array in (tables.commands, tables.readings, self.planar) if array.size])
        for whole in _ray_tables(calls):
            # a world is ticked by one thread, which needs the first room for notes alone
            plan.include(whole, most=WORD * int(whole[ray_head.AT_FOUND] + ray_head.NOTE_WIDTH))
        for array in arrays_of(call for call, *_ in calls):
            plan.include(array)
        return plan

    def _changes(self, now: NDArray[np.uint8]) -> Ints:
        """Return which words of tables of parameters events have changed, and what they are now."""
        before, after = self.image.view(np.int64), now.view(np.int64)
        changed = []
        for block in self.simulation.tables.blocks:
            for device in block.devices.values():
                table: Floats = getattr(device, "table", np.zeros(0))
                first = self.word_of(table) if table.size else -1
                if first >= 0:
                    at = np.arange(first, first + table.size)
                    at = at[before[at] != after[at]]
                    changed.append(np.stack([at, after[at]], axis=1))
        return np.concatenate(changed).astype(np.int64) if changed else np.zeros((0, 2), np.int64)

    def _note_addresses(self) -> None:
        """Say which words of a world are addresses."""
        self.drift_at: Ints = np.array([self.word_of(array) for array in self._drift[:-1]], np.int64)
        spaces, contacts = [], []
        for addresses in self._contact_addresses:
            first = self.word_of(addresses)
            spaces.append(first + SPACE_OF_BUMPERS)
            contacts.append([first + 4, first + 5, first + 3])
        self.spaces_at: Ints = np.array(spaces, np.int64)
        self.contacts_at: Ints = np.array(contacts, np.int64).reshape(-1, 3)


def _may_wait(device_calls: DeviceCalls) -> bool:
    """Return whether a call asks whether Python has something to do."""
    # rays that reach too far for their tables cannot come up: no reach grows in a batch
    return any(call.expects is not None and call.kernel not in (cast, scan) for call in device_calls.calls)


def _ray_tables(calls: list[StepCall]) -> list[Ints]:
    """Return the whole numbers of the tables that rays are cast in."""
    return [call.arguments[-1][1] for call, *_ in calls if call.kernel in (cast, cast_ready, scan)]
