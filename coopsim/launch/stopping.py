"""Stop of the processes of a run, in order, and what went wrong by then."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from coopsim.launch.child import Child
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.incidents import Incidents
from coopsim.launch.outcome import RunOutcome
from coopsim.launch.programs import Programs, RunView
from coopsim.launch.recording import Recorders
from coopsim.transport import Channel
from coopsim.transport.control import Stop

Serve: TypeAlias = Callable[..., None]
"""Serves all channels until something holds, or for so many seconds."""


class RunStopper:
    """Stops one process after the other; those that do not obey are told of, and killed by the launcher in the end.

    Args:
        links: Ring and channels of the run.
        recorders: May hold up physics.
        incidents: Know whether a plugin is stuck.
        view: What people see.
        programs: How long each may take.
    """

    def __init__(
        self, links: ProcessLinks, recorders: Recorders, incidents: Incidents, view: RunView, programs: Programs
    ) -> None:
        self._links, self._recorders, self._incidents = links, recorders, incidents
        self._view, self._programs = view, programs

    def stop(
        self,
        channel: Channel[Any, Any],
        name: str,
        child: Child,
        reason: str,
        serve: Serve,
        *,
        is_hurried: Callable[[], bool],
    ) -> bool:
        """Stop one of our own processes; return False when it did not obey."""
        channel.send(Stop(reason))
        serve(lambda: child.ended or bool(self._incidents.stuck), 0.5 * self._programs.stop)
        if self._incidents.stuck and name == "physics":
            child.kill()  # it will not listen
        if not child.ended:
            self._recorders.release()  # it may wait for the recorder
        serve(lambda: child.ended, 0.5 * self._programs.stop)
        if not child.ended and not is_hurried():
            self._view.complain(f"the {child.name} did not stop within {self._programs.stop:g} s and was killed")
        return child.ended

    def stop_recorder(self, reason: str, serve: Serve, *, is_hurried: Callable[[], bool]) -> bool:
        """Wait until the recorder has written the rest; return False when it did not end."""
        recorders = self._recorders
        if not recorders.is_active:
            return True
        recorders.stop(reason=reason)
        serve(lambda: not recorders.is_active or recorders.foxglove.is_written, self._programs.drain)
        if recorders.foxglove.is_written:  # as long as that takes: one that does nothing is noticed
            serve(lambda: not recorders.is_active)
        if recorders.is_active and is_hurried():
            recorders.hasten()
        elif recorders.is_active:
            self._view.complain(f"the recorder did not stop within {self._programs.drain:g} s and was killed")
        return not recorders.is_active

    def with_failures(self, ending: RunOutcome, failures: Sequence[str]) -> RunOutcome:
        """Return the ending with what went wrong meanwhile and did not end the run."""
        recorders = self._recorders
        every = [
            *failures,
            *(["the recording"] if recorders.has_failed else []),
            *(["the file for Foxglove"] if recorders.foxglove.is_missing else []),
        ]
        if recorders.has_died:
            ending = replace(ending, code=ending.code or 3)
        if every and not ending.is_fault:
            return RunOutcome(ending.code or 1, f"{ending.reason}; with an error: {', '.join(every)}")
        return ending
