"""`/sim/recorder` and `/sim/playback`: recordings that a run begins and ends, and what is shown of one.

Source: CoopDynSim, section III-A (recording; a global module, a server like the modules of robots, receives the desired
time).
"""

from collections.abc import Callable
from typing import Any

from coopsim.errors import SimulationEnded, error_for
from coopsim.interfaces import PLAYBACK, RECORDER, Command
from coopsim.message import Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import MOST_WHOLE, data_of, params_of, text, whole
from coopsim.state.edits import EDITS, PLAYBACK_PREFIX
from coopsim.transport import Channel, Source
from coopsim.transport.control import (
    HostToLauncher,
    ImageChoice,
    LauncherToHost,
    RecordingAnswer,
    RecordingNews,
    RecordingStatus,
    StartRecording,
    StopRecording,
)

_NUMBERS = ("duration", "ticks", "size_bytes", "gaps")


class RecorderModule(SimModule):
    """Passes requests to the launcher, which starts and stops recorders, and its answers back to the client.

    All of it runs under the lock of `Modules`.

    Args:
        link: The source.
        launcher: Channel to the launcher.
    """

    interface = RECORDER

    def __init__(self, link: Source, launcher: Channel[HostToLauncher, LauncherToHost]) -> None:
        super().__init__()
        self._link, self._launcher = link, launcher
        self._status = RecordingStatus()
        self._open: dict[int, tuple[Callable[[], Message], Message, Session]] = {}
        self._next = 0

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"start": self._start, "stop": self._stop, "status": self._status_reply}

    def receive(self, message: RecordingNews | RecordingAnswer) -> None:
        """Store the recorder's status and answer the request it belongs to."""
        self._status = message.status or RecordingStatus()
        if isinstance(message, RecordingNews):
            return
        reply, request, session = self._open.pop(message.id)
        session.waiting -= 1
        if message.error:
            problem = error_for(message.error)(message.text).bring(*request.params)
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
        name, foxglove, images = params_of(command, request)
        choice = ImageChoice.of(text(images, "images"))
        message = StartRecording(self._next, text(name, "file"), bool(foxglove), choice)
        self._ask(message, lambda: request.reply((self._status.file,), tick=self._tick), request, session)

    def _stop(self, command: Command, request: Message, session: Session) -> None:
        params_of(command, request)
        message = StopRecording(self._next)
        self._ask(
            message, lambda: request.reply((self._status.file,), self._numbers, tick=self._tick), request, session
        )

    def _ask(
        self, message: StartRecording | StopRecording, reply: Callable[[], Message], request: Message, session: Session
    ) -> None:
        session.begin_waiting()
        self._next += 1
        self._open[message.id] = (reply, request, session)
        self._launcher.send(message)

    def _status_reply(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        status = self._status
        words = (status.recording, status.file, status.problem)
        return request.reply(words, self._numbers, tick=self._tick)

    @property
    def _numbers(self) -> tuple[float, ...]:
        return tuple(float(getattr(self._status, name)) for name in _NUMBERS)

    @property
    def _tick(self) -> int:
        return self._link.record.tick


class PlaybackModule(SimModule):
    """Passes everything on to the playback process, which answers when it is seen."""

    interface = PLAYBACK

    def __init__(self, edits: EditForwarder) -> None:
        super().__init__()
        self._edits = edits

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        special: dict[str, Handler] = {"load": self._load, "step": self._step, "marks": self._marks}
        return {command.name: special.get(command.name, self._plain) for command in PLAYBACK.commands}

    def _plain(self, command: Command, request: Message, session: Session) -> None:
        params_of(command, request)
        self._ask(command, request, session, *data_of(command, request))

    def _load(self, command: Command, request: Message, session: Session) -> None:
        data_of(command, request)
        self._ask(command, request, session, text(params_of(command, request)[0], "file"))

    def _step(self, command: Command, request: Message, session: Session) -> None:
        data_of(command, request)
        (count,) = params_of(command, request)
        self._ask(command, request, session, whole(count, "count", -MOST_WHOLE))

    def _marks(self, command: Command, request: Message, session: Session) -> None:
        data_of(command, request)
        (first,) = params_of(command, request)
        self._ask(command, request, session, whole(first, "first", 0))

    def _ask(self, command: Command, request: Message, session: Session, *arguments: Param) -> None:
        kind: Any = EDITS[PLAYBACK_PREFIX + command.name]
        self._edits.ask(kind(*arguments), request, session)
