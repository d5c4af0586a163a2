"""`/sim/playback`: what is shown of a recording.

Source: CoopDynSim, section III-A (a global module, a server like the robots' modules, receives the desired time).
"""

from typing import Any

from coopsim.interfaces import PLAYBACK, Command
from coopsim.message import Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import MOST_WHOLE, data_of, params_of, text, whole
from coopsim.state.edits import EDITS, PLAYBACK_PREFIX


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
