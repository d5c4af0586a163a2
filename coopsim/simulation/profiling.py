"""Costs of a tick, phase by phase and device by device; only runs that ask for it are measured."""

import time
from collections.abc import Callable
from typing import Any

from coopsim.devices import Bodies, SensingWorld
from coopsim.devices.program import OnBoardProgram
from coopsim.geometry import Floats
from coopsim.simulation.failing import Act, Guard, Run, Sense, TickCalls, culprit
from coopsim.simulation.histogram import Histogram
from coopsim.simulation.publisher import Publisher
from coopsim.simulation.simulation import Simulation

PHASES = ("commands", "actuators", "engine", "sensors", "hash", "record")
"""In the order of the tick: events, commands and programs; forces; the step; readings; the state hash; the record."""


class Profile:
    """Sums of what ticks cost.

    Attributes:
        phases: Sum of each phase [ns].
        devices: Sum of each device, by phase and kind [ns].
        ticks: What whole ticks cost.
    """

    def __init__(self) -> None:
        self.phases = dict.fromkeys(PHASES, 0)
        self.devices: dict[tuple[str, str], int] = {}
        self.ticks = Histogram()
        self._began, self._sensed = 0, 0

    def begin(self) -> int:
        """Note that a tick begins; return when."""
        self._began = time.perf_counter_ns()
        return self._began

    def end(self) -> None:
        """Note that the record of a tick is written; one of an edit alone does not count."""
        if self._began:
            self.ticks.add(time.perf_counter_ns() - self._began)
            self._began = 0  # an edit between two ticks writes a record, too

    @property
    def is_on(self) -> bool:
        """Whether a tick is under way."""
        return self._began > 0

    def to_plain(self) -> dict[str, Any]:
        """Return means and quantiles over all ticks [s]."""
        count = max(self.ticks.count, 1)
        spread = {f"p{share}": (self.ticks.quantile(share / 100) or 0.0) * 1e-9 for share in (50, 99)}
        return {
            "ticks": self.ticks.count,
            "tick": {"mean": sum(self.phases.values()) / count * 1e-9, **spread},
            "phases": {phase: spent / count * 1e-9 for phase, spent in self.phases.items()},
            "devices": [
                {"phase": phase, "kind": kind, "mean": spent / count * 1e-9}
                for (phase, kind), spent in sorted(self.devices.items())
            ],
        }


class Timed(Guard):
    """A device whose methods are timed.

    Args:
        method: `act` or `sense` of a device, or of what guards it.
        phase: What it belongs to.
        kind: Of the device.
        profile: Where the sum goes.
    """

    def __init__(self, method: Callable[..., None], phase: str, kind: str, profile: Profile) -> None:
        owner: Any = method.__self__  # type: ignore[attr-defined]  # a device's methods are bound
        super().__init__(owner.device if isinstance(owner, Guard) else owner)
        self._method, self._profile, self._key = method, profile, (phase, kind)

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Measure `act`."""
        self._run(commands, bodies, wrench, dt)

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Measure `sense`."""
        self._run(world, tick, out)

    def run(self, tick: int, dt: float) -> None:
        """Measure a program."""
        self._run(tick, dt)

    def _run(self, *arguments: object) -> None:
        began = time.perf_counter_ns()
        try:
            self._method(*arguments)
        finally:
            if self._profile.is_on:  # sensors look after edits as well, which is no tick
                sums = self._profile.devices
                sums[self._key] = sums.get(self._key, 0) + time.perf_counter_ns() - began


def timed(simulation: Simulation, profile: Profile) -> TickCalls:
    """Return what a tick calls, each call timed.

    Args:
        simulation: Whose tick it is; it stays as it is.
        profile: Where the sums go.
    """

    def made(method: Act | Sense | Run, phase: str) -> Timed:
        block, module = culprit(simulation.tables, method)
        kind = next(device.kind for device in block.blueprint.devices if device.name == module)
        return Timed(method, phase, kind, profile)

    actuators, sensors, programs = simulation.calls
    return TickCalls(
        [(made(act, "actuators").act, slot) for act, slot in actuators],
        [(made(sense, "sensors").sense, out) for sense, out in sensors],
        [made(run, "commands").run for run in programs],
    )


class ProfiledSimulation(Simulation):
    """A simulation that says what its ticks cost; its states are those of one that does not.

    Attributes:
        profile: The sums so far.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self.profile = Profile()
        self._mark = 0
        super().__init__(*arguments, **settings)

    def tick(self) -> None:
        """Do one tick."""
        self._mark = self.profile.begin()
        super().tick()

    def act(self, dt: float) -> None:
        """Measure all actuators."""
        self._pass("commands")
        super().act(dt)
        self._pass("actuators")

    def sense(self, dt: float) -> None:
        """Measure all sensors."""
        # an event that changes something lets all look again before the step
        self._pass("engine" if dt else "commands")
        super().sense(dt)
        self._pass("sensors" if dt else "commands")

    def state_hash(self) -> bytes:
        """Return 16 bytes that are equal for equal states."""
        self._pass("record")
        digest = super().state_hash()
        self._pass("hash")
        return digest

    def connect(self) -> None:
        """List what the tick calls."""
        super().connect()
        for block in self.tables.blocks:
            for device in block.devices.values():
                if isinstance(device, OnBoardProgram):
                    device.measure_parts()
        self.calls = timed(self, self.profile)

    def to_plain(self) -> dict[str, Any]:
        """Return the profile with what parts of programs cost that measure them, such as leaves of components."""
        parts = [
            {"robots": block.blueprint.name, **cost}
            for block in self.tables.blocks
            for device in block.devices.values()
            if isinstance(device, OnBoardProgram)
            for cost in device.part_costs()
        ]
        return {**self.profile.to_plain(), "parts": parts}

    def end_tick(self) -> None:
        """Note that the record is written."""
        self._pass("record")
        self.profile.end()

    def _pass(self, phase: str) -> None:
        """Count the time since the last mark to a phase, while a tick is under way."""
        if self.profile.is_on:
            now = time.perf_counter_ns()
            self.profile.phases[phase] += now - self._mark
            self._mark = now


class ProfiledPublisher(Publisher):
    """A publisher whose records count; hash and record are measured apart, so they are made apart."""

    compiles = False

    def publish(self, *, mode: str, speed: float, paused: bool, ended: bool = False) -> None:
        """Write one record of the present state."""
        super().publish(mode=mode, speed=speed, paused=paused, ended=ended)
        if isinstance(self._simulation, ProfiledSimulation):
            self._simulation.end_tick()
