"""`/sim/renderer`: what draws the windows on a run, and what its cameras see.

Source: SwarmSimX, section II (the rendering engine is exchangeable at run time).
"""

from collections.abc import Callable, Mapping
from typing import Any

from coopsim import plugins
from coopsim.errors import BadArgument
from coopsim.interfaces import RENDERER, Command
from coopsim.message import Message
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.camera import ImageSource
from coopsim.server.modules.requests import params_of, text
from coopsim.suggest import choices, did_you_mean, quoted
from coopsim.transport import Source
from coopsim.transport.control import RendererOrder

_GROUP = "renderers"


class RendererModule(SimModule):
    """Name of the renderer that clients ask for, beside the one of the scene; windows ask for it, cameras are told.

    Args:
        link: The source.
        edits: Notes requests that wait.
        facts: What `/sim/info` says.
        images: Returns what draws for cameras.
    """

    interface = RENDERER

    def __init__(
        self, link: Source, edits: EditForwarder, facts: Mapping[str, Any], images: Callable[[], ImageSource]
    ) -> None:
        super().__init__()
        self._link, self._edits, self._facts, self._images, self._asked = link, edits, facts, images, ""

    @property
    def order(self) -> RendererOrder:
        """Order for whoever begins to draw."""
        of_scene = self._link.facts.get("renderer") or self._facts.get("renderer", "")  # of a recording, or of the run
        return RendererOrder(0, self._asked, str(of_scene))

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"status": self._status, "set": self._set}

    def _status(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        order = self.order
        return request.reply((order.asked, order.scene, *_names()), tick=self._link.record.tick)

    def _set(self, command: Command, request: Message, session: Session) -> None:
        name = text(params_of(command, request)[0], "renderer")
        if name and name not in (names := _names()):
            near = did_you_mean(name, names)
            raise BadArgument(f"there is no renderer {quoted(name)}; known: {choices(names)}{near}").bring(name)
        later = self._edits.later(request, session)

        def changed() -> None:
            self._asked = name
            later.succeed(name)

        self._images().exchange(RendererOrder(0, name, self.order.scene), changed, later.refuse)


def _names() -> list[str]:
    return sorted(plugins.registered(_GROUP))
