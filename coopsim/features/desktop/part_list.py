"""The parts of a composed object: as its section says them, changed one by one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError
from coopsim.features.desktop.changes import Changed
from coopsim.features.desktop.placing import entries_in
from coopsim.features.desktop.session import ViewerSession
from coopsim.scene.object_part import MOST_PARTS, ObjectPart
from coopsim.scene.parts import NO_PART, part, part_words
from coopsim.scene.values import Flaw

if TYPE_CHECKING:
    from coopsim.client import Client

_KEY = "part_"
_SIZES = {"box": (0.4, 0.2, 0.2), "cylinder": (0.3, 0.3, 0.3), "sphere": (0.3, 0.3, 0.3)}


class PartList:
    """The parts of one object at a time.

    Args:
        session: Whose run is asked, and edited.

    Attributes:
        name: Of the object, "" = none.
        parts: By the numbers of their lines.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self.name, self.parts = "", dict[int, ObjectPart]()
        self._known: tuple[str, int] | None = None

    def watch(self, name: str) -> None:
        """Follow an object; called with each picture. It is asked for anew when the scene has changed."""
        scene = self._session.link.scene
        now = name, -1 if scene is None else scene.generation
        if now == self._known:
            return
        if name != self.name:
            self.name, self.parts = name, {}
        self._known = now

        def fetch(simulation: "Client") -> str:
            return str(simulation.module("/sim/world").section(name).text)

        self._session.link.ask(fetch, then=lambda text: self._receive_text(name, text), failed=self._fail)

    def add(self, shape: str) -> None:
        """Add a part in front of the object."""
        row = self._session.entity(self.name)
        number = next(candidate for candidate in range(1, MOST_PARTS + 2) if candidate not in self.parts)
        if row is None or number > MOST_PARTS:
            self._session.note(f"{self.name}: an object has at most {MOST_PARTS} parts")
            return
        size = _SIZES[shape]
        place = (round((row.size[0] + size[0]) / 2.0, 3), 0.0, 0.0)
        mass = round(row.mass / 4.0, 3) if row.mass else None
        self.put(number, ObjectPart(shape, size, place, number, mass))

    def remove(self, number: int) -> None:
        """Remove a part."""
        self._change(number, NO_PART)

    def put(self, number: int, wanted: ObjectPart) -> None:
        """Give the object a part, or that part other values."""
        if wanted.shape == "sphere":
            wanted = replace(wanted, size=(wanted.size[0],) * 3)
        elif wanted.shape == "cylinder":
            wanted = replace(wanted, size=(wanted.size[0], wanted.size[0], wanted.size[2]))
        self._change(number, " ".join(part_words(wanted)))

    def _change(self, number: int, words: str) -> None:
        old = self.parts.get(number)
        before = NO_PART if old is None else " ".join(part_words(old))
        key = f"{_KEY}{number}"
        if words != before:
            self._session.editor.history.do(Changed(self.name, {key: before}, {key: words}))

    def _receive_text(self, name: str, text: str) -> None:
        if name == self.name:
            self.parts = read_parts(entries_in(text))

    def _fail(self, problem: CoopsimError) -> None:
        self.parts, self._known = {}, None
        self._session.note(str(problem))


def read_parts(entries: Mapping[str, str]) -> dict[int, ObjectPart]:
    """Return the parts in the entries of an object by the numbers of their lines."""
    parts: dict[int, ObjectPart] = {}
    for key, value in entries.items():
        number = key.removeprefix(_KEY)
        if key.startswith(_KEY) and number.isdecimal():
            object_part = part(value.split())
            if not isinstance(object_part, Flaw):
                parts[int(number)] = replace(object_part, number=int(number))
    return dict(sorted(parts.items()))
