"""The numbers of STATISTICS: requests and errors of each module, and why its device is switched off."""

from typing import Any

from coopsim.message.targets import robot_and_module
from coopsim.server.modules.robot import commands_of
from coopsim.transport import Source


class RequestStatistics:
    """Requests of all modules.

    Args:
        link: The source.

    Attributes:
        counters: Requests and errors, by target.
    """

    def __init__(self, link: Source) -> None:
        self._link = link
        self.counters: dict[str, list[int]] = {}

    def count(self, target: str, count: int = 1) -> None:
        """Count requests to a module that exists."""
        self.counters.setdefault(target, [0, 0])[0] += count

    def count_error(self, target: str) -> None:
        """Count a refusal; for names that no module has, nothing is kept."""
        counter = self.counters.get(target)
        if counter is not None:
            counter[1] += 1

    def of(self, target: str) -> dict[str, Any]:
        """Return what STATISTICS says of a module."""
        requests, errors = self.counters[target]
        commands = commands_of(target, self._link)
        return {"requests": requests, "errors": errors, **commands, **self._failure(target)}

    def _failure(self, target: str) -> dict[str, Any]:
        """Return why the device behind a module is switched off, nothing while it works."""
        robot, module = robot_and_module(target)
        place = self._link.layout.robot.get(robot)
        for failure in self._link.facts.get("failures", ()):
            if place is not None and (failure["robots"], failure["module"]) == (place.type.name, module):
                return {"switched_off": failure["text"], "since_tick": failure["tick"]}
        return {}
