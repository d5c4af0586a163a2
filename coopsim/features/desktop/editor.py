"""Editor of the window: each edit is a message, and can be taken back."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError, EngineCannot
from coopsim.features.beginnings import crews, templates
from coopsim.features.beginnings.insertions import ROBOT, new_section
from coopsim.features.beginnings.team_loads import with_load
from coopsim.features.desktop.changes import (
    Changed,
    Inserted,
    KnownScene,
    ParameterSet,
    Pulled,
    Rebuilt,
    Removed,
    Renamed,
)
from coopsim.features.desktop.link import RunFacts, ViewerLink
from coopsim.features.desktop.placing import Entries, entries_of, outline_of, rounded, texture_of
from coopsim.features.desktop.undoing import EditHistory
from coopsim.geometry import Pose, Vector3
from coopsim.interfaces import Value
from coopsim.robots import load_type
from coopsim.robots.names import plain_type
from coopsim.scene import writing
from coopsim.scene.edit import NO_TEXTURE, read_additions
from coopsim.scene.textures import is_pattern
from coopsim.state import EntityRow

if TYPE_CHECKING:
    from coopsim.client import Client


# Reasons why nothing can be edited now, for people.
PAST = "nothing is edited in the past that is shown: go to the end of the time line first, or continue from here"
_RECORDING = "nothing is edited in a recording: continue from here begins a run that can be"
_LOST = "the simulation is gone: nothing is edited until it answers again"
_CONNECTING = "nothing is edited before the simulation answers"


def edit_obstacle(facts: RunFacts, *, is_past: bool) -> str:
    """Return why nothing can be edited, "" = edits are possible: what is shown is the present of a run that answers.

    Args:
        facts: How the run goes.
        is_past: Whether another instant of it is shown than the present.
    """
    # first: a lost run tells nothing about its playback any more
    if facts.connection != "live":
        return _LOST if facts.connection == "lost" else _CONNECTING
    if facts.playback is not None:
        return _RECORDING
    return PAST if is_past else ""


# they hold what has rotors, and leave it on the floor for good
_IN_THE_PLANE = ("pymunk", "kinematic")
"""Engines without a height."""
# near enough to belong to it, far enough to be grabbed by itself
_APART = 0.3
"""A copy stands so far beside what was copied [m]."""
_BESIDE_A_TEAM = 1.0
"""Between a team and its copy [m]; robots are half as wide."""


class Editor:
    """Edits a run.

    Args:
        link: To the run.
        look: What is known of it.
        tell: Takes what went wrong, for people.
        select: Takes names of what was inserted.
    """

    def __init__(
        self, link: ViewerLink, look: KnownScene, tell: Callable[[str], None], select: Callable[[Sequence[str]], None]
    ) -> None:
        self._link, self._look, self._tell, self._select = link, look, tell, select
        self.history = EditHistory(link, look, tell)

    # insert, copy, remove

    def insert_new(self, kind: str, name: str, at: Vector3, robots: int = 0, taken: Sequence[str] = ()) -> str:
        """Insert one of the things that are offered; return its name.

        Args:
            kind: `object`, `target`, `robot` or `artifact`.
            name: Of the shape, colour or type.
            at: Where it stands [m].
            robots: How many there are already.
            taken: Names beside those in the scene that it must not have.
        """
        own, text = new_section(kind, name, (*self._look.names, *taken), at, robots)
        engine = self._link.facts.engine
        if kind == ROBOT and engine.partition("+")[0] in _IN_THE_PLANE and _flies(name):
            reason = f"{name} flies by its rotors, and {engine} moves robots in the plane alone"
            self.history.refuse(Inserted(own, text), EngineCannot(reason))
            self._select([own])
        else:
            self.insert({own: text})
        return own

    def insert(self, sections: Mapping[str, str]) -> None:
        """Insert entities.

        Args:
            sections: Their sections by their names.
        """
        if self.history.do(*(Inserted(name, text) for name, text in sections.items())):
            self._select(list(sections))

    def duplicate(self, names: Sequence[str], taken: Sequence[str]) -> None:
        """Insert copies beside what is there."""
        self._with_sections(names, lambda texts: self._insert_copies(texts, list(taken)))

    def remove(self, names: Sequence[str]) -> None:
        """Remove entities."""
        self._with_sections(names, self._remove)

    # change

    def update(self, name: str, entries: Entries) -> None:
        """Give an entity other values."""
        row, pose = self._look.entity(name), self._look.pose(name)
        if row is not None and pose is not None:
            values = values_of(row, pose)
            self.history.do(Changed(name, {key: values[key] for key in entries}, entries))

    def rename(self, old: str, new: str, taken: Sequence[str]) -> None:
        """Give a robot, an object or a target another name: it is removed, and inserted anew where it stands.

        Args:
            old: Its name.
            new: Its name from now on.
            taken: Names that are in use.
        """

        def exchange(texts: dict[str, str]) -> None:
            text = self._insertable(old, texts[old])
            renamed = templates.renamed(text, new)
            problem = _name_problem(renamed, [name for name in taken if name != old], new)
            if problem:
                self._tell(f"{old} keeps its name: {problem}")
            elif self.history.do(Renamed(old, new, renamed, text)):
                self._select([new])

        if new != old:
            self._with_sections([old], exchange)

    def pulled(self, name: str, begin: Pose) -> None:
        """Keep that a body was pulled.

        Args:
            name: Of the body.
            begin: Where it was grabbed.
        """
        pose = self._look.pose(name)
        if pose is not None:
            self.history.keep(Pulled(name, entries_of(begin), entries_of(pose)))

    def move(self, poses: Mapping[str, Pose]) -> None:
        """Put entities elsewhere."""
        moves: list[Changed] = []
        for name, pose in poses.items():
            row, old = self._look.entity(name), self._look.pose(name)
            if row is not None and row.kind != "area" and old is not None:
                # a target has no orientation in its section: the edit would be refused
                keys = ("position",) if row.kind == "target" else ("position", "orientation")
                before, after = ({key: entries_of(entity_pose)[key] for key in keys} for entity_pose in (old, pose))
                moves.append(Changed(name, before, after))
        if moves:
            self.history.do(*moves)

    def set_parameter(self, target: str, name: str, before: Value, after: Value) -> None:
        """Give a parameter of a module another value."""
        self.history.do(ParameterSet(target, name, before, after))

    def _with_sections(self, names: Sequence[str], then: Callable[[dict[str, str]], None]) -> None:
        """Fetch the sections of entities, where they stand now."""

        def fetch(simulation: "Client") -> dict[str, str]:
            world = simulation.module("/sim/world")
            return {name: str(world.section(name, 1).text) for name in names}

        def refused(problem: CoopsimError) -> None:
            self._tell(str(problem))

        if names:
            self._link.ask(fetch, then=then, failed=refused)

    def paint(self, names: Sequence[str], color: tuple[float, float, float]) -> None:
        """Give entities a colour."""
        words = {"color": " ".join(writing.color(color))}
        rows = [(row, pose) for name in names if (row := self._look.entity(name)) and (pose := self._look.pose(name))]
        changes = [Changed(row.name, {"color": values_of(row, pose)["color"]}, words) for row, pose in rows]
        if changes:
            self.history.do(*changes)

    def rename_team(self, team: str, name: str, taken: Sequence[str]) -> None:
        """Give a team another name: its members are removed, and inserted anew where they stand."""
        crew = crews.crews_in(taken)[team]

        def exchange(texts: dict[str, str]) -> None:
            text = self._insertable(team, crews.joined([texts[member] for member in crew]))
            renamed = crews.called(text, team, name)
            problem = _name_problem(renamed, [member for member in taken if member not in crew], name)
            if problem:
                self._tell(f"{team} keeps its name: {problem}")
            elif self.history.do(Renamed(team, name, renamed, text)):
                self._select([name])

        self._with_sections(crew, exchange)

    def rebuild_team(self, team: str, entries: Entries) -> None:
        """Give a team another load, or more or fewer carriers: it is removed, and inserted anew where it stands.

        Args:
            team: Its name.
            entries: `length`, `mass` or `carriers`.
        """

        def exchange(texts: dict[str, str]) -> None:
            members = crews.joined(list(texts.values()))
            text = with_load(members, team, entries)
            problem = _name_problem(text, [name for name in self._look.names if name not in texts], team)
            if problem:
                self._tell(f"{team} stays as it is: {problem}")
            elif self.history.do(Rebuilt(team, text, self._insertable(team, members))):
                self._select([team])

        self._with_sections(crews.crews_in(self._look.names)[team], exchange)

    def resize(self, name: str, size: str) -> None:
        """Give an artifact another size: it is removed, and inserted anew where it stands, with its settings.

        Args:
            name: Its name.
            size: Length, width and height [m].
        """

        def exchange(texts: dict[str, str]) -> None:
            before = self._insertable(name, texts[name])
            text = templates.with_size(before, size)
            problem = _name_problem(text, [taken for taken in self._look.names if taken != name], name)
            if problem:
                self._tell(f"{name} stays as it is: {problem}")
            elif self.history.do(Rebuilt(name, text, before)):
                self._select([name])

        self._with_sections([name], exchange)

    def _remove(self, texts: dict[str, str]) -> None:
        together = crews.gathered(texts, self._look.names)
        self.history.do(*(Removed(name, self._insertable(name, text)) for name, text in together.items()))

    def _insert_copies(self, texts: dict[str, str], taken: list[str]) -> None:
        copies: dict[str, str] = {}
        for old, text in crews.gathered(texts, self._look.names).items():
            if old not in texts:
                name = templates.free_name(old, taken)
                taken.append(name)
                copies[name] = crews.called(self._insertable(old, text), old, name, _BESIDE_A_TEAM)
                continue
            row, pose = self._look.entity(old), self._look.pose(old)
            if row is not None and row.kind != "area" and pose is not None:
                find = templates.free_target if row.kind == "target" else templates.free_name
                name = find(old, taken)
                taken.append(name)
                place = (pose[0] + row.size[0] + _APART, pose[1], pose[2])
                copies[name] = templates.renamed(self._insertable(old, text), name, place)
        if copies:
            self.insert(copies)

    def _insertable(self, name: str, text: str) -> str:
        """Return a section without what no message may insert."""
        lines = text.splitlines()
        kept = [_of_plain_type(line) if lines[0].startswith("[ARTIFACT") else line for line in lines]
        kept = [line for line in kept if not _names_file(line)]
        if len(kept) < len(lines):
            # a message may name no file of the server's disk, so that the copy lacks it: said, not hidden
            self._tell(f"{name}: its picture, or mesh, is in a file, which only a saved scene brings back")
        return "\n".join(kept) + "\n"


def _flies(kind: str) -> bool:
    """Return whether robots of a type have rotors; of types that only the run knows nothing is known."""
    try:
        return load_type(kind).flies
    except CoopsimError:
        return False


def _name_problem(text: str, taken: Sequence[str], name: str) -> str:
    """Return what is wrong with the name in a section, "" = nothing."""
    # a member's name outside of a team would be read as one when the scene is saved
    if "/" in name:
        return f"{name!r} would be a member of a team"
    kept = [line for line in text.splitlines() if not line.startswith("texture ")]
    _, problems = read_additions("\n".join(kept), taken)
    return next((problem.text for problem in problems), "")


def _of_plain_type(line: str) -> str:
    """Return a line of an artifact; its type is one that other runs know, too: size and settings say what it adds."""
    key, _, value = line.partition(" ")
    return f"{key} {plain_type(value.strip())}" if key == "type" else line


def _names_file(line: str) -> bool:
    """Return whether a line of a section names a file that no message may name."""
    key, _, value = line.partition(" ")
    return key == "mesh" or (key == "texture" and not is_pattern(value) and not value.startswith("/"))


def values_of(row: EntityRow, pose: Pose) -> dict[str, str]:
    """Return the values of an entity by the keys of its section."""
    return {
        **entries_of(pose),
        "size": " ".join(f"{length:.6g}" for length in row.size),
        "mass": f"{row.mass:.6g}",
        "friction": f"{row.friction:.6g}",
        "color": " ".join(writing.color(row.color)),
        "type": row.type,
        "texture": texture_of(row) or NO_TEXTURE,
        "height": rounded(row.size[2]),
        "points": outline_of(row),
    }
