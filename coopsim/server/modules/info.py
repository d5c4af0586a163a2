"""`/sim/info`: what is running here."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from coopsim import version
from coopsim.interfaces import INFO, Command
from coopsim.message import VERSION, Message
from coopsim.server.faults import FaultLog
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.offered_names import RECORDED
from coopsim.server.modules.requests import params_of, text
from coopsim.server.subscriptions import Subscriptions
from coopsim.transport import Source


class InfoModule(SimModule):
    """Version, ports, scenario, seed, engine.

    Args:
        link: The source.
        facts: Scenario, seed, engine.
        ports: Returns the ports that are open.
        subscriptions: Who gets states by TCP.
        faults: Exceptions that nobody foresaw.
    """

    interface = INFO

    def __init__(
        self,
        link: Source,
        facts: Mapping[str, Any],
        ports: Callable[[], Mapping[str, int]],
        subscriptions: Subscriptions,
        faults: FaultLog,
    ) -> None:
        super().__init__()
        self._link, self._facts, self._ports, self._subscriptions = link, facts, ports, subscriptions
        self._faults = faults

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"info": self._info, "subscribe": self._subscribe, "unsubscribe": self._unsubscribe}

    def _info(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        layout, record = self._link.now
        faults = self._faults.counts
        info = {
            # the first request reads all sources for the build number, 30 ms; most runs are never asked
            "version": version.version(),
            "build": version.build(),
            "protocol": VERSION,
            "protocol_revision": version.protocol_revision(),
            **self._facts,
            "ports": self._ports(),
            **{name: fact for name, fact in self._link.facts.items() if name != RECORDED},
            **({"compiling": self._link.compiling} if self._link.compiling else {}),
            "generation": layout.generation,
            "step": record.header.step_ns * 1e-9,
            "robots": len(layout.robots),
            **({"faults": faults} if faults else {}),
        }
        return request.reply((json.dumps(info),), tick=record.tick)

    def _subscribe(self, command: Command, request: Message, session: Session) -> Message:
        topic = text(params_of(command, request)[0], "topic")
        self._subscriptions.subscribe(session, topic, binary=request.binary)
        return request.reply(tick=self._link.record.tick)

    def _unsubscribe(self, command: Command, request: Message, session: Session) -> Message:
        self._subscriptions.unsubscribe(session, text(params_of(command, request)[0], "topic"))
        return request.reply(tick=self._link.record.tick)
