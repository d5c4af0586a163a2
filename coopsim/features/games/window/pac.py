"""Agents of presentation, abstraction and control, and the way they speak to each other.

Source: swarm gaming, section 3 (presentation, abstraction, control).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

Topic: TypeAlias = Literal["match", "status", "log", "chat", "end", "player", "order", "say", "ready"]
A = TypeVar("A")
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Happening:
    """News of an agent for the others.

    Attributes:
        topic: What it is about; "order" and "say" are what this player does, "player" is who it is from now on.
        text: In words.
        facts: Numbers and names.
        time: Simulated [s].
    """

    topic: Topic
    text: str = ""
    facts: Mapping[str, Any] | None = None
    time: float = 0.0


class PacControl:
    """The part of an agent that speaks to other agents.

    Args:
        hears: Called with what others tell.

    Attributes:
        parent: Of the agent above, None = it is the root.
    """

    def __init__(self, hears: Callable[[Happening], None] = lambda _: None) -> None:
        self._hears = hears
        self.parent: PacControl | None = None
        self._children: list[PacControl] = []

    def adopt(self, child: "PacControl") -> None:
        """Put the control of an agent below this one."""
        child.parent = self
        self._children.append(child)

    def broadcast(self, happening: Happening) -> None:
        """Tell all other agents: up to the root, and from there down."""
        root = self
        while root.parent is not None:
            root = root.parent
        root.pass_on(happening, self)

    def pass_on(self, happening: Happening, sender: "PacControl") -> None:
        """Tell this agent and those below it, but not who told it."""
        if self is not sender:
            self._hears(happening)
        for child in self._children:
            child.pass_on(happening, sender)


@dataclass(frozen=True, slots=True)
class PacAgent(Generic[A, P]):
    """An agent.

    Attributes:
        abstraction: What it knows and decides.
        presentation: Draws it, or lets it sound; asks the abstraction alone.
        control: Between the two and other agents.
    """

    abstraction: A
    presentation: P
    control: PacControl
