"""`/sim/world`: what is in the simulation."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coopsim.errors import BadArgument, NoSuchName
from coopsim.geometry import ORIGIN, Pose
from coopsim.interfaces import WORLD, Command, Effect
from coopsim.interfaces.simulation import RESETS
from coopsim.message import MAX_PARAM_BYTES, Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.mesh_store import MeshStore
from coopsim.server.modules.requests import data_of, params_of, text, whole
from coopsim.server.modules.scenes import SceneStore
from coopsim.server.poses import with_angles
from coopsim.state import EntityRow, Layout, Record
from coopsim.state.edits import EDITS, Insert, Push, Reset, Update
from coopsim.state.layout import JointRow
from coopsim.state.plain_entities import entities_to_plain
from coopsim.transport import Source

_PAGE = 500  # entities; rows of longest names stay below the limit of a message
LARGEST_SEED = 2**63 - 1  # as large as an integer of a message
_PLACE = re.compile(r"^\s*(position|orientation|length|carriers)\b", re.MULTILINE)  # entries that say where bodies go
_NO_BODY = (0.0,) * 7
"""Size, mass and colour of a joint."""


class WorldModule(SimModule):
    """Entities and joints by page or by name, out of the record; changes are edits; files are the library's."""

    interface = WORLD

    def __init__(self, link: Source, edits: EditForwarder, library: SceneStore, meshes: MeshStore) -> None:
        super().__init__()
        self._link, self._edits, self._library, self._meshes = link, edits, library, meshes

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            **{command.name: self._edit(command.name) for command in WORLD.commands if command.effect is Effect.EDIT},
            "reset": self._reset,
            "push": self._push,
            "list": self._list,
            "get": self._get,
            "scene": self._scene,
            "load": self._load,
            "save": self._save,
            "section": self._section,
            "meshes": self._list_meshes,
            "mesh": self._mesh,
        }

    def _list(self, command: Command, request: Message, _session: Session) -> Message:
        first, count = params_of(command, request)
        layout, record = self._link.now
        start = whole(first, "first")
        rows: list[EntityRow | JointRow] = [*layout.entities, *layout.joints]
        page = rows[start : start + min(whole(count, "count"), _PAGE)]
        words = [word for row in page for word in _words(row)]
        poses = np.array([_pose_in(layout, row, record) for row in page]).reshape(-1, 7)
        return request.reply((len(rows), *words), with_angles(poses).ravel(), tick=record.tick)

    def _get(self, command: Command, request: Message, _session: Session) -> Message:
        name = text(params_of(command, request)[0], "name")
        layout, record = self._link.now
        row = layout.entity.get(name)
        joint = next((joint for joint in layout.joints if joint.name == name), None)
        if row is None and joint is not None:
            data = (*_pose_in(layout, joint, record), *_NO_BODY)
            return request.reply((*_words(joint), joint.a, joint.b), data, tick=record.tick)
        if row is None:
            raise NoSuchName(f"there is no entity {name[:80]!r}").bring(name)
        data = (*_pose(row, record), *row.size, row.mass, *row.color)
        return request.reply((row.name, row.kind, row.type), data, tick=record.tick)

    def _scene(self, command: Command, request: Message, _session: Session) -> Message:
        first, count = params_of(command, request)
        layout, record = self._link.now
        start = whole(first, "first")
        rows: list[EntityRow | JointRow] = [*layout.entities, *layout.joints]
        page = rows[start : start + min(whole(count, "count"), _PAGE)]
        text = _text_of(
            [
                replace(entity, pose=_pose(entity, record)) if isinstance(entity, EntityRow) else entity
                for entity in page
            ]
        )
        return request.reply((text, layout.generation, len(rows)), tick=record.tick)

    def _load(self, command: Command, request: Message, session: Session) -> None:
        name = text(params_of(command, request)[0], "file")
        self._library.load(name, self._edits.later(request, session))

    def _save(self, command: Command, request: Message, session: Session) -> None:
        name, poses, overwrite = params_of(command, request)
        file, with_poses = text(name, "file"), _yes(poses, "poses")
        replace = _yes(overwrite, "overwrite")
        self._library.save(file, self._edits.later(request, session), poses=with_poses, overwrite=replace)

    def _section(self, command: Command, request: Message, session: Session) -> None:
        name, poses = params_of(command, request)
        self._library.section(text(name, "name"), self._edits.later(request, session), poses=_yes(poses, "poses"))

    def _list_meshes(self, command: Command, request: Message, session: Session) -> None:
        first, count = params_of(command, request)
        start, most = whole(first, "first"), whole(count, "count")
        self._meshes.list(self._link.now, start, most, self._edits.later(request, session))

    def _mesh(self, command: Command, request: Message, session: Session) -> None:
        wanted, first = params_of(command, request)
        digest, start = text(wanted, "hash"), whole(first, "first")
        self._meshes.part(self._link.now, digest, start, self._edits.later(request, session))

    def _reset(self, command: Command, request: Message, session: Session) -> None:
        what, given = params_of(command, request)
        seed = whole(given, "seed", -1)
        if what not in RESETS or seed > LARGEST_SEED:
            raise BadArgument(
                f"reset takes {' or '.join(RESETS)}, and a seed up to {LARGEST_SEED}; got {what!r} {seed}"
            )
        self._edits.ask(Reset(str(what), seed if seed >= 0 else None), request, session)

    def _push(self, command: Command, request: Message, session: Session) -> None:
        name = text(params_of(command, request)[0], "name")
        x, y, z, seconds, along, across, up = data_of(command, request)
        self._edits.ask(Push(name, (x, y, z), seconds, (along, across, up)), request, session)

    def _edit(self, name: str) -> Handler:
        kind: Any = EDITS[name]

        def handler(command: Command, request: Message, session: Session) -> None:
            values = params_of(command, request)
            names = [field.name for field in command.takes]
            arguments: dict[str, Any] = {name: text(value, name) for name, value in zip(names, values, strict=True)}
            if kind in (Insert, Update) and (pictures := self._library.pictures(arguments["text"])):
                arguments["pictures"] = pictures
            if kind is Update:
                arguments["places"] = _PLACE.search(arguments["text"]) is not None
            self._edits.ask(kind(**arguments), request, session)

        return handler


def _words(row: EntityRow | JointRow) -> tuple[str, str, str]:
    """Return name, kind and type."""
    return (row.name, "joint", row.kind) if isinstance(row, JointRow) else (row.name, row.kind, row.type)


def _text_of(rows: Sequence[EntityRow | JointRow]) -> str:
    """Return rows as JSON, as many of them as one message holds."""
    entities = [row for row in rows if isinstance(row, EntityRow)]
    plain = entities_to_plain(entities, [row for row in rows if isinstance(row, JointRow)])
    text = json.dumps(plain, separators=(",", ":"))
    if len(text) <= MAX_PARAM_BYTES or len(rows) < 2:
        return text
    return _text_of(rows[: len(rows) // 2])


def _yes(value: Param, name: str) -> bool:
    number = whole(value, name)
    if number > 1:
        raise BadArgument(f"{name} must be 0 or 1, got {number}")
    return bool(number)


def _pose_in(layout: Layout, row: EntityRow | JointRow, record: Record) -> Pose:
    """Return position and quaternion of an entity, or of the second body of a joint, now."""
    if isinstance(row, EntityRow):
        return _pose(row, record)
    if row.b in layout.bodies:
        pose: Pose = tuple(record.poses[layout.bodies.index(row.b)].tolist())
        return pose
    return layout.entity[row.b].pose if row.b in layout.entity else ORIGIN


def _pose(row: EntityRow, record: Record) -> Pose:
    """Return position and quaternion of an entity now."""
    if row.body < 0:
        return row.pose
    pose: Pose = tuple(record.poses[row.body].tolist())
    return pose
