"""`/sim/info`: what is running here."""

import json
from collections.abc import Mapping
from typing import Any

import coopsim
from coopsim.interfaces import INFO, Command
from coopsim.message import VERSION, Message
from coopsim.server.requests import params_of
from coopsim.server.sessions import Session
from coopsim.server.sim_module import Handler, SimModule
from coopsim.transport import SourceLink


class InfoModule(SimModule):
    """Version, ports, scenario, seed, engine.

    Args:
        link: The source.
        facts: Scenario, seed, engine; ports as soon as they are known.
    """

    interface = INFO

    def __init__(self, link: SourceLink, facts: Mapping[str, Any]) -> None:
        super().__init__()
        self._link, self._facts = link, facts

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"info": self._info}

    def _info(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        layout, record = self._link.now
        info = {
            "version": coopsim.__version__,
            "protocol": VERSION,
            **self._facts,
            **self._link.facts,
            "generation": layout.generation,
            "step": record.header.step_ns * 1e-9,
            "robots": len(layout.robots),
        }
        return request.reply((json.dumps(info),), tick=record.tick)
