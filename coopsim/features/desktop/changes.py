"""Edits of a scene that can be taken back: each knows its messages and its opposite."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from coopsim.features.desktop.placing import Entries, differing, entries_in, position_entries, text_of
from coopsim.features.laws.choosing import LawOrder, LawRow
from coopsim.geometry import Pose
from coopsim.interfaces import Value
from coopsim.message.targets import robot_and_module
from coopsim.state import EntityRow
from coopsim.suggest import listed

WORLD = "/sim/world"
_SHOWN = 3
"""Names that a title has at most."""
Request: TypeAlias = tuple[str, str, tuple[Value, ...]]
"""Module, command, values."""


class KnownScene(Protocol):
    """The window's knowledge of a run."""

    @property
    def names(self) -> Sequence[str]:
        """Names of everything there is."""
        ...

    def entity(self, name: str) -> EntityRow | None:
        """Return an entity, None if it is gone."""
        ...

    def pose(self, name: str) -> Pose | None:
        """Return where an entity is, None if it is gone."""
        ...

    def value(self, target: str, name: str) -> Value | None:
        """Return the newest known value of a parameter, None = it is not known."""
        ...

    def forget(self, target: str, name: str) -> None:
        """Take the known value of a parameter for out of date."""
        ...

    @property
    def obstacle(self) -> str:
        """Reason why nothing can be edited now, for people, "" = edits are possible."""
        ...


class Change(Protocol):
    """An edit of one thing."""

    @property
    def title(self) -> str:
        """Title of the change, for people."""
        ...

    def requests(self, look: KnownScene) -> list[Request]:
        """Return what carries it out."""
        ...

    def opposite(self) -> "Change":
        """Return what takes it back."""
        ...

    def obstacle(self, look: KnownScene) -> str:
        """Return why it cannot be carried out any more, because others changed the scene; "" = it can."""
        ...


@dataclass(frozen=True, slots=True)
class Changed:
    """An entity that has other values than before."""

    name: str
    before: Entries
    after: Entries

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"{'move' if 'position' in self.after else 'change'} {self.name}"

    def requests(self, _look: KnownScene) -> list[Request]:
        """Return one update."""
        return [(WORLD, "update", (self.name, text_of(self.after)))]

    def opposite(self) -> "Changed":
        """Return what gives it the values of before."""
        return Changed(self.name, self.after, self.before)

    def obstacle(self, look: KnownScene) -> str:
        """Return what others changed."""
        row, pose = look.entity(self.name), look.pose(self.name)
        if row is None or pose is None:
            return f"{self.name} is gone: there is nothing to put back"
        key = differing(self.before, row, pose)
        if key in {"position", "orientation"}:
            return f"{self.name} was moved by somebody else since: it stays where it is"
        return f"{self.name} was changed by somebody else since: its {key} stays" if key else ""


@dataclass(frozen=True, slots=True)
class Inserted:
    """An entity that was not there before."""

    name: str
    text: str

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"insert {self.name}"

    def requests(self, _look: KnownScene) -> list[Request]:
        """Return one insertion."""
        return [(WORLD, "insert", (self.text,))]

    def opposite(self) -> "Removed":
        """Return what removes it."""
        return Removed(self.name, self.text)

    def obstacle(self, look: KnownScene) -> str:
        """Return that others took the name."""
        return f"there is another {self.name} now: nothing is put back" if members(look, self.name) else ""


@dataclass(frozen=True, slots=True)
class Removed:
    """An entity that is not there any more."""

    name: str
    text: str

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"delete {self.name}"

    def requests(self, look: KnownScene) -> list[Request]:
        """Return a removal, of a team those of its members."""
        return [(WORLD, "remove", (name,)) for name in members(look, self.name)]

    def opposite(self) -> Inserted:
        """Return what puts it back."""
        return Inserted(self.name, self.text)

    def obstacle(self, look: KnownScene) -> str:
        """Return what others made of it."""
        if not members(look, self.name):
            return f"{self.name} is gone already"
        row, pose = look.entity(self.name), look.pose(self.name)
        key = differing(entries_in(self.text), row, pose) if row is not None and pose is not None else ""
        return f"{self.name} was changed by somebody else since ({key}): it stays" if key else ""


@dataclass(frozen=True, slots=True)
class Renamed:
    """An entity that has another name: it was removed, and inserted under that."""

    before: str
    name: str
    text: str
    """Its section, under the new name."""
    old_text: str

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"rename {self.before} to {self.name}"

    def requests(self, look: KnownScene) -> list[Request]:
        """Return a removal, of a team those of its members, and an insertion."""
        removals: list[Request] = [(WORLD, "remove", (name,)) for name in members(look, self.before)]
        return [*removals, (WORLD, "insert", (self.text,))]

    def opposite(self) -> "Renamed":
        """Return what gives it the name of before, where it was."""
        return Renamed(self.name, self.before, self.old_text, self.text)

    def obstacle(self, look: KnownScene) -> str:
        """Return that it is gone, or others took the name."""
        if not members(look, self.before):
            return f"{self.before} is gone: there is nothing to rename"
        return f"there is another {self.name} now: {self.before} keeps its name" if members(look, self.name) else ""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A team with another load or more carriers, or a belt of another size: removed, and inserted anew where it was."""

    name: str
    text: str
    old_text: str
    """Its section, or those of all its members, as they were."""

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"rebuild {self.name}"

    def requests(self, look: KnownScene) -> list[Request]:
        """Return removals, of a team those of its members, and an insertion."""
        removals: list[Request] = [(WORLD, "remove", (name,)) for name in members(look, self.name)]
        return [*removals, (WORLD, "insert", (self.text,))]

    def opposite(self) -> "Rebuilt":
        """Return what makes it as it was, where it was."""
        return Rebuilt(self.name, self.old_text, self.text)

    def obstacle(self, look: KnownScene) -> str:
        """Return that it is gone."""
        return "" if members(look, self.name) else f"{self.name} is gone: there is nothing to rebuild"


@dataclass(frozen=True, slots=True)
class Pulled:
    """A body that was pulled from where it was; what it hit meanwhile is not known."""

    name: str
    before: Entries
    after: Entries

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"pull {self.name}"

    def requests(self, look: KnownScene) -> list[Request]:
        """Return one update: a force cannot be repeated, but where it led to can be."""
        row = look.entity(self.name)
        return [
            (WORLD, "update", (self.name, text_of(self.after if row is None else position_entries(self.after, row))))
        ]

    def opposite(self) -> "Pulled":
        """Return what puts it back where it was grabbed."""
        return Pulled(self.name, self.after, self.before)

    def obstacle(self, look: KnownScene) -> str:
        """Return that it is gone; where it went by itself meanwhile does not count."""
        return "" if look.entity(self.name) is not None else f"{self.name} is gone: there is nothing to put back"


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """A parameter of a module that has another value than before."""

    target: str
    name: str
    before: Value
    after: Value

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"set {self.name} of {self.target}"

    def requests(self, _look: KnownScene) -> list[Request]:
        """Return one setting."""
        return [(self.target, "set_parameter", (self.name, self.after))]

    def opposite(self) -> "ParameterSet":
        """Return what gives it the value of before."""
        return ParameterSet(self.target, self.name, self.after, self.before)

    def obstacle(self, look: KnownScene) -> str:
        """Return what others set."""
        robot = robot_and_module(self.target)[0]
        if look.entity(robot) is None:
            return f"{robot} is gone: there is nothing to set"
        value = look.value(self.target, self.name)
        if value is None or value == self.before:
            return ""
        return f"{self.name} of {self.target} was set by somebody else since: it stays {value}"


@dataclass(frozen=True, slots=True)
class Driven:
    """Robots that control laws drive from now on, in the place of what drove them before.

    Attributes:
        robots: Their names, with blanks between them.
        before: JSON: [[law, robots, arguments], ...], of the laws that ran before.
        after: Of those that run from now on.
    """

    robots: str
    before: str
    after: str

    @property
    def title(self) -> str:
        """Title of the change."""
        laws = listed([order.law for order in self.orders], _SHOWN)
        whose = listed(self.robots.split(), _SHOWN)
        return f"start {laws} for {whose}" if self.orders else f"stop what drives {whose}"

    @property
    def orders(self) -> list[LawOrder]:
        """Laws to start."""
        return [LawOrder(law, tuple(robots), arguments) for law, robots, arguments in json.loads(self.after)]

    def requests(self, _look: KnownScene) -> list[Request]:
        """Return nothing: one law waits for the end of the other, which `LawOrders` looks after."""
        return []

    def opposite(self) -> "Driven":
        """Return what lets the laws of before drive them."""
        return Driven(self.robots, self.after, self.before)

    def obstacle(self, look: KnownScene) -> str:
        """Return which of them is gone."""
        gone_names = [name for name in self.robots.split() if look.entity(name) is None]
        return f"{gone_names[0]} is gone: no control law drives it" if gone_names else ""


def driven(robots: Sequence[str], before: Sequence[LawRow], after: Sequence[LawOrder]) -> Driven:
    """Return that laws drive robots in the place of others.

    Args:
        robots: Names.
        before: Laws that run now, as `/sim/controllers` describes them.
        after: Laws to start.
    """
    rows = [[row["law"], row["robots"], row["arguments"]] for row in before]
    orders = [[order.law, order.robots, dict(order.arguments)] for order in after]
    return Driven(" ".join(robots), json.dumps(rows), json.dumps(orders))


@dataclass(frozen=True, slots=True)
class Several:
    """Edits that belong together."""

    changes: tuple[Change, ...]

    @property
    def title(self) -> str:
        """Title of the changes."""
        more = len(self.changes) - 1
        return f"{self.changes[0].title} and {more} more" if more else self.changes[0].title

    def opposite(self) -> "Several":
        """Return what takes all of them back, the last one first."""
        return Several(tuple(change.opposite() for change in reversed(self.changes)))

    def obstacle(self, look: KnownScene) -> str:
        """Return why one of them cannot be carried out any more, "" = all can."""
        return next((obstacle_now for change in self.changes if (obstacle_now := change.obstacle(look))), "")


def members(look: KnownScene, name: str) -> list[str]:
    """Return the entity of this name, or the members of the team; nothing where they are gone."""
    if look.entity(name) is not None:
        return [name]
    return [entity_name for entity_name in look.names if entity_name.startswith(f"{name}/")]
