"""Books about requests: exchanges between clients, and statistics of requests."""

from collections.abc import Callable
from typing import Any

from coopsim.interfaces import Common
from coopsim.message import Message, MessageTemplate
from coopsim.message.targets import robot_and_module
from coopsim.server.lockstep.exchange_form import ExchangeForm, ExchangeKind, LearnedForms
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.robot import RobotModule, commands_of
from coopsim.server.modules.served import NoticesPings, ServedModule
from coopsim.transport import Source


# Learns what the requests of connections look like that come again and again, for `server.lane`.
class ExchangeBook:
    """Connections that send requests of the same form again.

    Args:
        run: Number of the run, which pings are answered with.
        is_apt: Returns whether it is worth the while to learn what a connection sends.

    Attributes:
        sessions: Those of which a form is known, in the order in which they were learned.
    """

    def __init__(self, run: int, is_apt: Callable[[Session], bool]) -> None:
        self._run, self._is_apt = run, is_apt
        self.sessions: dict[Session, None] = {}

    def notice(self, request: Message, session: Session, module: ServedModule, generation: int) -> None:
        """Take in a request that was not refused; learn what those of its form look like if there was one before."""
        if request.params or request.error or request.text:
            return
        learned = session.exchanges
        if learned is None:
            if not self._is_apt(session):
                return
            learned = session.exchanges = LearnedForms()
        if learned.is_again(request, generation):
            form = self._form(request, module, generation)
            learned.learn(request, form)
            if form is not None:
                self.sessions[session] = None

    def forget(self, session: Session) -> None:
        """Forget a connection that is over."""
        self.sessions.pop(session, None)

    def _form(self, request: Message, module: ServedModule, generation: int) -> ExchangeForm | None:
        if request.command == Common.PING:
            if isinstance(module, NoticesPings) or len(request.data):
                return None
            numbers = (0.0, 0.0)
            reply = MessageTemplate(request.reply((module.interface.kind, self._run), numbers))
            sizes = (0, len(numbers))
            return ExchangeForm(ExchangeKind.PING, generation, MessageTemplate(request), reply, sizes)
        return module.form(request, generation) if isinstance(module, RobotModule) else None


# The numbers of STATISTICS: requests and errors of each module, and why its device is switched off.
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
