"""Devices that failed: switched off, so that one mistake stops neither the tick nor the servers.

A device that is off exerts no force, and its readings stay what they were last; a reset switches it on again. What is
foreign is guarded besides: a value that is not finite is a failure, and a tick in which it fails leaves no trace.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from coopsim import plugins
from coopsim.devices import Bodies, Device, SensingWorld
from coopsim.devices.artifacts.running import AuthoredDevice
from coopsim.devices.checking import code_location
from coopsim.devices.program import OnBoardProgram
from coopsim.errors import BadFile, CoopsimError, PluginFailed
from coopsim.geometry import Floats
from coopsim.plugins import blame, blamed_location, is_foreign, is_interrupt, words
from coopsim.simulation.tables import RobotTables, TypeTable

Act = Callable[[Floats, Bodies, Floats, float], None]
Sense = Callable[[SensingWorld, int, Floats], None]
Run = Callable[[int, float], None]


class TickCalls(NamedTuple):
    """Calls of a tick, in order: methods of devices, with the rows they work on, and of programs."""

    actuators: list[tuple[Act, Floats]]
    sensors: list[tuple[Sense, Floats]]
    programs: list[Run]


@dataclass(frozen=True, slots=True)
class Failure:
    """A device that was switched off.

    Attributes:
        robots: Type of the robots that carry it.
        module: Its name on them.
        tick: When it failed.
        text: File, line and what was raised.
    """

    robots: str
    module: str
    tick: int
    text: str

    @property
    def name(self) -> str:
        """Name that people know it by."""
        return f"{self.module} of {self.robots}"


@dataclass(frozen=True, slots=True)
class Stumble:
    """A tick that an engine could not make; it put everything back, and the run goes on.

    Attributes:
        engine: Its name.
        tick: Which.
        text: Why, with the name of the body.
    """

    engine: str
    tick: int
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Remark of a device about single robots; it goes on.

    Attributes:
        text: What it is, with the names of the robots and the cure.
        tick: When it was noticed.
    """

    text: str
    tick: int


class Failures:
    """Devices and programs that are switched off.

    Attributes:
        news: Failures that are not reported yet; the reporter empties it.
        stumbles: Ticks that the engine could not make and that are not reported yet.
        remarks: What devices noticed and that is not reported yet.
        changed: Whether something was switched off, or on again, or is to be reported, since somebody looked.
    """

    def __init__(self, *, changed: bool = False) -> None:
        self._off: dict[tuple[str, str], Failure] = {}
        self.news: list[Failure] = []
        self.stumbles: list[Stumble] = []
        self.remarks: list[Remark] = []
        self._told: set[str] = set()
        self.changed = changed

    def __iter__(self) -> Iterator[Failure]:
        return iter(self._off.values())

    def __contains__(self, device: tuple[str, str]) -> bool:
        return device in self._off

    def add(self, failure: Failure) -> None:
        """Switch a device off."""
        self._off[failure.robots, failure.module] = failure
        self.news.append(failure)
        self.changed = True

    def report(self, robots: str, part: str, tick: int, text: str) -> None:
        """Report that a part of a program was switched off; the program itself goes on."""
        self.news.append(Failure(robots, part, tick, text))
        self.changed = True

    def stumble(self, engine: str, text: str, tick: int) -> None:
        """Note that an engine could not make a tick, once for each reason until a reset."""
        if self._is_new(text):
            self.stumbles.append(Stumble(engine, tick, text))

    def notice(self, text: str, tick: int) -> None:
        """Note what a device says of robots, once for each text up to its first colon until a reset."""
        if self._is_new(text):
            self.remarks.append(Remark(text, tick))

    def notes(self) -> list[str]:
        """Return what is to be reported, for the recording."""
        notes = [f"switched off {failure.name}: {failure.text}" for failure in self.news]
        notes += [f"{stumble.engine}: {stumble.text}" for stumble in self.stumbles]
        return notes + [remark.text for remark in self.remarks]

    def forget_reported(self) -> None:
        """Note that everything was reported."""
        self.news, self.stumbles, self.remarks, self.changed = [], [], [], False

    def _is_new(self, text: str) -> bool:
        kind = text.partition(":")[0]
        if kind in self._told:
            return False
        self._told.add(kind)
        self.changed = True
        return True

    def copy(self) -> "Failures":
        """Return failures that can be changed for themselves."""
        failures = Failures(changed=self.changed)
        failures._off, failures._told = dict(self._off), set(self._told)
        failures.news, failures.stumbles, failures.remarks = [*self.news], [*self.stumbles], [*self.remarks]
        return failures

    def clear(self) -> None:
        """Switch everything on again."""
        self._told.clear()  # after a reset the same may be news again
        self.put(())

    def to_plain(self) -> list[dict[str, Any]]:
        """Return what is off, for a snapshot."""
        return [asdict(failure) for failure in self]

    def put(self, plain: Iterable[Mapping[str, Any]]) -> None:
        """Disable exactly the devices that the snapshot lists.

        Raises:
            BadFile: It is no such list.
        """
        try:
            failures = [Failure(**failure) for failure in plain]
        except TypeError as problem:
            raise BadFile(f"the snapshot does not say which devices are switched off: {problem}") from None
        before, self._off = self._off, {(failure.robots, failure.module): failure for failure in failures}
        self.changed |= before != self._off


class Guard:
    """A foreign device whose forces and readings are looked over.

    Attributes:
        device: What it guards.
    """

    def __init__(self, device: Device) -> None:
        self.device = device

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Call `act`; on failure restore the wrench.

        Raises:
            PluginFailed: A force is not finite.
        """
        before = wrench.copy()  # other devices have written into it already in this tick
        try:
            self.device.act(commands, bodies, wrench, dt)
            self._check(wrench, "act", "a force")
        except BaseException:
            wrench[...] = before
            raise

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Call `sense`; on failure restore the readings.

        Raises:
            PluginFailed: A reading is not finite.
        """
        before = out.copy()
        try:
            self.device.sense(world, tick, out)
            self._check(out, "sense", "a reading")
        except BaseException:
            out[...] = before
            raise

    def run(self, tick: int, dt: float) -> None:
        """Run the program; on failure restore what it wrote.

        Raises:
            PluginFailed: A command or a reading is not finite.
        """
        program = self.device
        assert isinstance(program, OnBoardProgram)  # noqa: S101 - nothing else runs
        written = [program.readings, *(port.slots for port in program.ports.outputs.values())]
        before = [array.copy() for array in written]
        try:
            program.run(tick, dt)
            for array, old in zip(written, before, strict=True):
                # only what it wrote: others may have left a value that is not finite
                self._check(np.where(array == old, 0.0, array), "run", "a command or reading")
        except BaseException:
            for array, old in zip(written, before, strict=True):
                array[...] = old
            raise

    def _check(self, values: Floats, method: str, what: str) -> None:
        if not np.isfinite(values).all():
            kind = type(self.device)
            names = {"sense": ("read", method), "act": ("drive", method)}.get(method, (method,))
            own = next((vars(kind)[name] for name in names if name in vars(kind)), kind)
            raise PluginFailed(f"{code_location(own)}: {kind.__name__} wrote {what} that is not finite")


def guarded(kind: str, device: Device) -> "Device | Guard":
    """Return what the tick calls: the device itself if it is ours."""
    is_guarded = plugins.is_foreign("devices", kind) and not isinstance(device, AuthoredDevice)  # which guards itself
    return Guard(device) if is_guarded else device


def mark_failed(tables: RobotTables, failures: Failures) -> None:
    """Tell the devices that ask for it by `is_off` whether they are switched off."""
    for block in tables.blocks:
        for name, device in block.devices.items():
            if hasattr(device, "is_off"):
                device.is_off = (block.blueprint.name, name) in failures


def culprit(tables: RobotTables, method: Callable[..., None]) -> tuple[TypeTable, str]:
    """Return the block and the module's name of the device whose method was called."""
    owner: Any = getattr(method, "__self__", None)
    device = owner.device if isinstance(owner, Guard) else owner
    for block in tables.blocks:
        for name, parameters in block.devices.items():
            if parameters is device:
                return block, name
    raise KeyError(method)  # a mistake of ours: only methods of the tables are called


def failure_of(block: TypeTable, module: str, tick: int, problem: BaseException) -> Failure:
    """Return what to say about a device that raised."""
    kind = next(device.kind for device in block.blueprint.devices if device.name == module)
    what = f"device {kind}"
    if not isinstance(problem, PluginFailed) and not blamed_location(problem):
        what = f"{code_location(type(block.devices[module]))}: {what}"
    return Failure(block.blueprint.name, module, tick, words(blame(what, problem)))


def engine_failure(problem: BaseException, engine: str, tick: int | None = None) -> CoopsimError | None:
    """Return the error that ends a run in which an engine raised; None if the engine is not to blame.

    Args:
        problem: What was raised.
        engine: Name of the engine in use.
        tick: The tick that was being made; None = the engine was being made.
    """
    if is_interrupt(problem) or isinstance(problem, PluginFailed):
        return None
    is_plugin, place = is_foreign("engines", engine), blamed_location(problem)
    if isinstance(problem, CoopsimError):
        if not (is_plugin and place):
            return None
    elif not is_plugin and not (place and isinstance(problem, Exception)):  # a bug of ours shows its traceback
        return None
    what = f"engine {engine}" if tick is None else f"engine {engine}: tick {tick}"
    # its class may inherit from an engine of ours, whose line raised
    return blame(what if place else f"{code_location(plugins.load('engines', engine))}: {what}", problem)


class _Ticking(Protocol):
    @property
    def engine_name(self) -> str: ...

    @property
    def tick_count(self) -> int: ...


@contextmanager
def engine_blamed(stage: _Ticking) -> Iterator[None]:
    """Turn whatever a foreign engine raises in this block, wherever it is asked, into an error that names it.

    Raises:
        PluginFailed: The engine of `stage` raised; the text has its file, its line and the tick.
    """
    try:
        yield
    except BaseException as problem:
        failure = engine_failure(problem, stage.engine_name, stage.tick_count)
        if failure is None:
            raise
        raise failure from problem
