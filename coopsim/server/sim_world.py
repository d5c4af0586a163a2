"""`/sim/world`: what is in the simulation."""

import numpy as np

from coopsim.errors import NoSuchName
from coopsim.geometry import Floats
from coopsim.interfaces import WORLD, Command, Effect
from coopsim.message import Message
from coopsim.server.edits import Edits
from coopsim.server.requests import params_of, text, whole
from coopsim.server.sessions import Session
from coopsim.server.sim_module import Handler, SimModule
from coopsim.state import EntityRow, Record
from coopsim.transport import SourceLink

_PAGE = 500


class WorldModule(SimModule):
    """Entities by page or by name, out of the record; changes are edits."""

    interface = WORLD

    def __init__(self, link: SourceLink, edits: Edits) -> None:
        super().__init__()
        self._link, self._edits = link, edits

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            "list": self._list,
            "get": self._get,
            **{each.name: self._edit(each.name) for each in WORLD.commands if each.effect is Effect.EDIT},
        }

    def _list(self, command: Command, request: Message, _session: Session) -> Message:
        first, count = params_of(command, request)
        layout, record = self._link.now
        start = whole(first, "first")
        page = layout.entities[start : start + min(whole(count, "count"), _PAGE)]
        words = [word for row in page for word in (row.name, row.kind, row.type)]
        poses = np.array([_pose(row, record) for row in page]).reshape(-1, 7)
        return request.reply((len(layout.entities), *words), _with_angles(poses).ravel(), tick=record.tick)

    def _get(self, command: Command, request: Message, _session: Session) -> Message:
        name = text(params_of(command, request)[0], "name")
        layout, record = self._link.now
        row = layout.entity.get(name)
        if row is None:
            raise NoSuchName(f"there is no entity {name[:80]!r}")
        data = (*_pose(row, record), *row.size, row.mass, *row.color)
        return request.reply((row.name, row.kind, row.type), data, tick=record.tick)

    def _edit(self, edit: str) -> Handler:
        def handler(command: Command, request: Message, session: Session) -> None:
            values = params_of(command, request)
            names = [field.name for field in command.takes]
            arguments = {name: text(value, name) for name, value in zip(names, values, strict=True)}
            self._edits.ask(edit, dict(arguments), request, session)

        return handler


def _pose(row: EntityRow, record: Record) -> tuple[float, ...]:
    """Return position and quaternion of an entity now."""
    return tuple(record.poses[row.body].tolist()) if row.body >= 0 else row.pose


def _with_angles(poses: Floats) -> Floats:
    """Return x y z phi psi theta, shape (n, 6), of positions and quaternions w x y z, shape (n, 7).

    The angles turn about the fixed x, y and z axes, in that order [rad].
    """
    w, x, y, z = poses[:, 3:].T
    phi = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    psi = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    theta = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.column_stack((poses[:, :3], phi, psi, theta))
