"""Failures in the physics process that do not end the run, and their reports."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeAlias, assert_never

from coopsim.launch.programs import RunView
from coopsim.launch.report import too_late
from coopsim.transport.control import (
    CompilingKernels,
    DeviceFailed,
    DeviceNoticed,
    PluginReturned,
    PluginStuck,
    ThreadsLeft,
    TickFailed,
    TicksLate,
)

Incident: TypeAlias = (
    CompilingKernels
    | DeviceFailed
    | DeviceNoticed
    | PluginReturned
    | PluginStuck
    | ThreadsLeft
    | TickFailed
    | TicksLate
)

_BETWEEN = 5.0
"""Between two lines that say how far compiling is [s]."""


class Incidents:
    """Tells people, and remembers.

    Args:
        view: What people see.
        clock: Real time [s].

    Attributes:
        failures: Devices that were switched off, and engines that could not make a tick.
        stuck: The call of a plugin that does not return, and for how long [s]; {} = there is none.
        is_compiling: Whether kernels were compiled before the run began.
    """

    def __init__(self, view: RunView, clock: Callable[[], float] = time.monotonic) -> None:
        self._view, self._clock = view, clock
        self._compiling_due = 0.0
        self.failures: list[str] = []
        self.stuck: dict[str, Any] = {}
        self.is_compiling = False

    def report(self, incident: Incident, *, has_begun: bool) -> None:
        """Report an incident.

        Args:
            incident: As the physics process tells it.
            has_begun: Whether time goes on already.
        """
        match incident:
            case DeviceFailed():
                self._device_failed(incident)
            case DeviceNoticed(text, tick):
                self._view.complain(f"tick {tick}: {text}")
            case TickFailed(engine, text, tick):
                self._view.complain(f"the {engine} engine could not make tick {tick}: {text}")
                self._remember(engine)
            case PluginStuck():
                self._plugin_stuck(incident)
            case PluginReturned():
                self.stuck = {}
            case ThreadsLeft(names):
                threads = ", ".join(names)
                self._view.complain(f"a plugin left threads running, which end with the physics process: {threads}")
            case TicksLate(overruns, lateness):
                self._view.note(too_late(overruns, lateness))
            case CompilingKernels(done, total):
                self._report_compiling(done, total, has_begun=has_begun)
            case _:
                assert_never(incident)

    def _report_compiling(self, done: int, total: int, *, has_begun: bool) -> None:
        """Say how far compiling is, now and then."""
        self.is_compiling = self.is_compiling or not has_begun
        now = self._clock()
        if now < self._compiling_due:
            return
        again = "" if self._compiling_due else ", once after an installation"
        self._view.note(f"kernels are being compiled{again}" + f": {done} of {total}" * bool(total))
        self._compiling_due = now + _BETWEEN

    def _device_failed(self, device: DeviceFailed) -> None:
        """Complain once: after a reset it may fail again."""
        if self._remember(device.name):
            self._view.complain(
                f"{device.text}\n  tick {device.tick}: {device.name} is switched off, its readings stay as they are"
            )

    def _plugin_stuck(self, call: PluginStuck) -> None:
        """Complain once; the status says so while it lasts."""
        if not self.stuck:
            self._view.complain(
                f"{call.text} has been running for {call.seconds:g} s; until it returns there are no ticks"
            )
        self.stuck = asdict(call)

    def _remember(self, name: str) -> bool:
        """Return whether this is the first failure of a device or an engine."""
        is_first = name not in self.failures
        if is_first:
            self.failures.append(name)
        return is_first
