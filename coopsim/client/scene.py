"""Contents of a simulation and their looks, as SCENE of `/sim/world` answers it."""

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from coopsim.client.flows import Ask, Flow
from coopsim.errors import MalformedMessage
from coopsim.interfaces import WORLD
from coopsim.message import Message

if TYPE_CHECKING:
    from coopsim.state import EntityRow
    from coopsim.state.layout import JointRow

_SCENE = WORLD.command("scene").number


@dataclass(frozen=True, slots=True)
class SceneView:
    """Scene as a client draws it.

    Attributes:
        generation: Of the layout; another one means that the scene changed.
        tick: When entities stood where their poses say.
        entities: `drawn()` of each returns its shapes.
        joints: Between bodies; those within robots among them.
    """

    generation: int
    tick: int
    entities: tuple["EntityRow", ...]
    joints: tuple["JointRow", ...] = ()

    def __len__(self) -> int:
        return len(self.entities) + len(self.joints)


def fetching() -> Flow[SceneView]:
    """Ask for the scene, page by page; anew where it changed between two pages.

    Raises:
        MalformedMessage: The answer is not a scene.
    """
    while True:
        scene, total = yield from _page(0)
        whole = scene
        while len(scene) and len(whole) < total and scene.generation == whole.generation:
            scene, total = yield from _page(len(whole))
            entities, joints = whole.entities + scene.entities, whole.joints + scene.joints
            whole = replace(whole, tick=scene.tick, entities=entities, joints=joints)
        if scene.generation == whole.generation:
            return whole


def _page(first: int) -> Flow[tuple[SceneView, int]]:
    """Return a part of the scene, and how many entities and joints all of it has."""
    from coopsim.state.plain import check  # a client that asks for no scene needs nothing of the simulator
    from coopsim.state.plain_entities import PlainEntities, entities_from_plain, joints_from_plain

    reply = yield Ask(Message("/sim/world", _SCENE, (first,)))
    try:
        text, generation, total = reply.params
        plain: Any = json.loads(str(text))
        check(plain, PlainEntities)
        view = SceneView(int(generation), reply.tick, entities_from_plain(plain), joints_from_plain(plain))
        return view, int(total)
    except (ValueError, RecursionError) as problem:
        raise MalformedMessage(f"/sim/world: expected a scene as JSON: {problem}") from None
