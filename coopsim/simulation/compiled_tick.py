"""The tick as one compiled call, made of the kernels that devices and engine are made of: the same bits, in less time.

What takes the commands, actuators, step and sensors are listed once as calls of kernels and then made without Python in
between. A sensor that
cannot say what it comes to is called between them, and one that has to decide something, as bumpers that touch, is
called instead of its calls.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Any, NamedTuple, Self, TypeAlias

from coopsim.devices.calls import CallableWorld, DeviceCalls, MayChange, all_of, says_itself
from coopsim.engines import PhysicsEngine
from coopsim.engines.contract import StepCalls
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.kernels.sequence import KernelCall, KernelSequence, run_plan
from coopsim.sensing.world import EngineSensingWorld
from coopsim.simulation.astray import Straying
from coopsim.simulation.failing import Act, Sense, TickCalls

Sensing: TypeAlias = tuple[Sense, Floats]
"""What a sensor is called by, and where its readings go."""
_NOBODY: "tuple[tuple[KernelCall, ...], tuple[KernelCall, ...]]" = ((), ())
"""What watches over steps that engines undo themselves: no call."""
Look: TypeAlias = Callable[[Iterable[Sensing]], None]
"""Calls sensors and switches off those that fail."""


class SensorRun(NamedTuple):
    """Sensors that follow each other and are called together.

    Attributes:
        sequence: Their calls, after those of actuators and step in the first part.
        begins: Number of the first call of each sensor, and of the one after the last.
    """

    sensors: Sequence[Sensing]
    sequence: KernelSequence
    begins: Sequence[int]


class CompiledTick:
    """Actuators, step and sensors of a simulation whose devices and bodies stay who they are.

    Args:
        engine: Moves the bodies.
        world: What sensors ask.
        step: What the engine's step comes to.
        parts: What is called, sensors that are called by their methods as such; the first one holds the step.
        sources: What the calls follow from.
        dt: Length of a tick [s].
        around: How many calls take the commands, before all others, and how many see after the step whether bodies are
            astray.

    Attributes:
        is_astray: Whether bodies went astray in the last step.
        is_over: Whether sensors have looked, too, so that `sense` has nothing to do.
    """

    def __init__(
        self,
        engine: PhysicsEngine,
        world: EngineSensingWorld,
        step: StepCalls,
        parts: Sequence[SensorRun | Sensing],
        sources: Sequence[MayChange],
        dt: float,
        around: tuple[int, int] = (0, 0),
    ) -> None:
        first = parts[0]
        assert isinstance(first, SensorRun)  # noqa: S101 - actuators and step are in it
        self._engine, self._world, self._step, self._sources, self._dt = engine, world, step, sources, dt
        self._planar, self._first, self._others = engine.planar, first, parts[1:]
        self._taking, watching = around
        # calls in order: commands, actuators, what is kept, the step, who strayed, sensors; counted from the end
        self._watches_at = first.begins[0] - watching
        self._steps_at = self._watches_at - len(step.calls)
        self.is_astray = self.is_over = False
        self._sensors = [
            sensor for part in parts for sensor in (part.sensors if isinstance(part, SensorRun) else (part,))
        ]
        self._length, self._plan, self._step_done = first.sequence.length, first.sequence.plan, step.done
        self._tick = self._done = 0

    @classmethod
    def of(
        cls,
        engine: PhysicsEngine,
        world: EngineSensingWorld,
        called: TickCalls,
        dt: float,
        taking: tuple[KernelCall, ...] = (),
        straying: Straying | None = None,
    ) -> Self | None:
        """Return the tick of `dt` [s] as it is now; None if actuators or the step cannot be said as calls."""
        world.dt = dt  # what some devices expect depends on it
        own: Any = engine
        step: StepCalls | None = own.step_calls(dt) if says_itself(engine, "step", "step_calls") else None
        acting = all_of([_act_calls(act, slot, engine, dt) for act, slot in called.actuators])
        watching = _NOBODY if straying is None else straying.calls()
        if acting is None or step is None or watching is None:
            return None
        before, after = watching
        sensing = [(sensor, _sense_calls(*sensor, world)) for sensor in called.sensors]
        parts = list(_parts((*taking, *acting.calls, *before, *step.calls, *after), sensing))
        if not isinstance(parts[0], SensorRun):
            return None
        sources = [source for _, calls in sensing if calls for source in calls.sources]
        # many sensors follow from one caster: asked once a tick
        values = list({id(source): source for source in sources}.values())
        return cls(engine, world, step, parts, values, dt, (len(taking), len(after)))

    def is_current(self, dt: float) -> bool:
        """Return whether the calls are still what a tick of `dt` [s] comes to."""
        # another array is another engine, or other bodies: addresses in the calls would be stale
        if dt != self._dt or self._engine.planar is not self._planar:
            return False
        # not `_is_stale`: this is asked in each tick, and a frame of Python counts
        for source in self._sources:  # noqa: SIM110 - a generator takes three times as long
            if source.is_stale:
                return False
        return True

    def begin(self, tick: int) -> None:
        """Handle what has moved, before `move`.

        Args:
            tick: Number of the tick, for noise.
        """
        self._tick = tick
        self._world.begin_tick(tick, self._dt)

    def move(self, take: Callable[[], object] | None = None) -> EngineCannot | None:
        """Have actuators act and the engine step, and sensors look as far as they need no Python.

        Args:
            take: Takes the commands where the calls that do cannot; None = they are taken already.

        Returns:
            Why the step was refused; None if it was made.

        Raises:
            MemoryError: A kernel did not get the memory it needs; nothing else stops one.
        """
        first = self._taking
        done = run_plan(self._plan, self._tick, first if take is None else 0)
        # commands came that need Python: theirs are taken there, and the rest is made
        if done < first and take is not None:
            take()
            done = run_plan(self._plan, self._tick, first)
        self._done = done
        if done == self._length:
            self.is_astray, self.is_over = False, not self._others
            self._step_done()
            return None
        return self._break_off(done)

    def _break_off(self, done: int) -> EngineCannot | None:
        """Note what the call of number `done` stopped; return why the step was refused, None if it was made.

        Raises:
            MemoryError: A kernel before the step stopped it.
        """
        self.is_over = False
        self.is_astray = self._watches_at <= done < self._first.begins[0]
        # a kernel before the step failed: only memory can lack
        if done < self._steps_at:
            raise MemoryError("not enough memory for the actuators; use fewer robots, or free some")
        if done > self._steps_at:
            self._step_done()
            return None
        return self._step.refusal(self._first.sequence.result(self._steps_at))

    def sense(self, look: Look) -> None:
        """Have the other sensors look: all of them after a step that was not made."""
        if self.is_over:
            return
        if self._done == self._steps_at:
            look(self._sensors)
            return
        self._finish(self._first, self._done, look)
        for device in self._others:
            if not isinstance(device, SensorRun):
                look((device,))
            elif self._is_stale():
                look(device.sensors)
            else:
                self._finish(device, device.sequence.run(self._tick), look)

    def _finish(self, part: SensorRun, done: int, look: Look) -> None:
        """Have the sensors of a part look whose calls, from number `done` on, are still to be made."""
        while done < part.sequence.length:
            sensor = bisect_right(part.begins, done) - 1
            look(part.sensors[sensor : sensor + 1])
            if self._is_stale():  # what one saw may have made new tables for those after it
                look(part.sensors[sensor + 1 :])
                return
            done = part.sequence.run(self._tick, part.begins[sensor + 1])

    def _is_stale(self) -> bool:
        for source in self._sources:  # noqa: SIM110 - a generator takes three times as long
            if source.is_stale:
                return True
        return False


def _act_calls(act: Act, slot: Floats, engine: PhysicsEngine, dt: float) -> DeviceCalls | None:
    device: Any = getattr(act, "__self__", None)
    calls: DeviceCalls | None = None
    if says_itself(device, "act", "act_calls"):
        calls = device.act_calls(slot, engine, engine.wrench, dt)
    return calls


def _sense_calls(sense: Sense, out: Floats, world: CallableWorld) -> DeviceCalls | None:
    device: Any = getattr(sense, "__self__", None)
    calls: DeviceCalls | None = None
    if says_itself(device, "sense", "sense_calls"):
        calls = device.sense_calls(world, out)
    return calls


def _parts(
    before: tuple[KernelCall, ...], sensing: Iterable[tuple[Sensing, DeviceCalls | None]]
) -> Iterator[SensorRun | Sensing]:
    """Yield runs of sensors that have calls, the first one after the calls `before`, and the other sensors."""
    for has_calls, group in groupby(sensing, lambda sensor: sensor[1] is not None):
        members = list(group)
        if before and not has_calls:
            yield from _part(before, [])
            before = ()
        if has_calls:
            yield from _part(before, members)
            before = ()
        else:
            yield from (sensor for sensor, _ in members)
    if before:
        yield from _part(before, [])


def _part(
    before: tuple[KernelCall, ...], members: Sequence[tuple[Sensing, DeviceCalls | None]]
) -> Iterator[SensorRun | Sensing]:
    """Yield one part, or its sensors, where a kernel cannot be called so."""
    calls = [device_calls.calls for _, device_calls in members if device_calls is not None]
    sensors = [sensor for sensor, _ in members]
    sequence = KernelSequence.of([*before, *(call for group in calls for call in group)])
    if sequence is None:
        yield from sensors
    else:
        yield SensorRun(sensors, sequence, list(accumulate(map(len, calls), initial=len(before))))
