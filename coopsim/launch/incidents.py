"""Failures in the physics process that do not end the run, and their reports."""

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


class Incidents:
    """Tells people, and remembers.

    Args:
        view: What people see.

    Attributes:
        failures: Devices that were switched off, and engines that could not make a tick.
        stuck: The call of a plugin that does not return, and for how long [s]; {} = there is none.
        is_compiling: Whether kernels were compiled before the run began.
    """

    def __init__(self, view: RunView) -> None:
        self._view = view
        self.failures: list[str] = []
        self.stuck: dict[str, Any] = {}
        self.is_compiling = False

    def take(self, incident: Incident, *, has_begun: bool) -> None:
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
            case CompilingKernels():
                self.is_compiling = True
                if not has_begun:
                    self._view.note("kernels are being compiled, once after an installation: this takes half a minute")
            case _:
                assert_never(incident)

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
