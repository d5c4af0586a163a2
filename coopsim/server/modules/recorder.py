"""`/sim/recorder`: start and stop a recording while the run goes on.

Source: CoopDynSim, section III-A (recording).
"""

from collections.abc import Callable, Mapping
from typing import Any

from coopsim.errors import SimulationEnded, error_for
from coopsim.interfaces import RECORDER, Command
from coopsim.message import Message
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import params_of, text
from coopsim.transport import Channel, Source

_NUMBERS = ("duration", "ticks", "size_bytes", "gaps")


class RecorderModule(SimModule):
    """Passes wishes to the launcher, which starts and stops recorders, and its answers back to the client.

    All of it runs under the lock of `Modules`.

    Args:
        link: The source.
        launcher: Channel to the launcher.
    """

    interface = RECORDER

    def __init__(self, link: Source, launcher: Channel) -> None:
        super().__init__()
        self._link, self._launcher = link, launcher
        self._status: dict[str, Any] = {}
        self._open: dict[int, tuple[Callable[[], Message], Message, Session]] = {}
        self._next = 0

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"start": self._start, "stop": self._stop, "status": self._tell}

    def take(self, said: Mapping[str, Any]) -> None:
        """Take the launcher's word: how the present recording goes, and what became of a wish."""
        self._status = dict(said["status"])
        if "id" not in said:
            return
        reply, request, session = self._open.pop(said["id"])
        session.waiting -= 1
        if said["error"]:
            problem = error_for(said["error"])(said["text"]).bring(*request.params)
            session.reply(request.refusal(problem, tick=self._link.record.tick))
        else:
            session.reply(reply())

    def refuse_all(self) -> None:
        """Answer everything that waits: the simulation has ended."""
        waiting, self._open = self._open, {}
        for _, request, session in waiting.values():
            session.waiting -= 1
            session.reply(request.refusal(SimulationEnded("the simulation has ended"), tick=self._tick))

    def _start(self, command: Command, request: Message, session: Session) -> None:
        name, foxglove = params_of(command, request)
        wish = {"do": "start", "file": text(name, "file"), "foxglove": bool(foxglove)}
        self._ask(wish, lambda: request.reply((self._file,), tick=self._tick), request, session)

    def _stop(self, command: Command, request: Message, session: Session) -> None:
        params_of(command, request)
        self._ask(
            {"do": "stop"}, lambda: request.reply((self._file,), self._numbers, tick=self._tick), request, session
        )

    def _ask(self, wish: dict[str, Any], reply: Callable[[], Message], request: Message, session: Session) -> None:
        session.begin_waiting()
        number = self._next
        self._next += 1
        self._open[number] = (reply, request, session)
        self._launcher.send({"recorder": {"id": number, **wish}})

    def _tell(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        status = self._status
        words = (status.get("recording", 0), self._file, status.get("problem", ""))
        return request.reply(words, self._numbers, tick=self._tick)

    @property
    def _file(self) -> str:
        return str(self._status.get("file", ""))

    @property
    def _numbers(self) -> tuple[float, ...]:
        return tuple(float(self._status.get(name, 0.0)) for name in _NUMBERS)

    @property
    def _tick(self) -> int:
        return self._link.record.tick
