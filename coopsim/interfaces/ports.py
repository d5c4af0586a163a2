"""Ports of a device to its siblings, the other devices of its robot, and which of them it commands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Input:
    """Values of a sibling that a device reads.

    Attributes:
        name: What the device calls them.
        module: Name of the sibling, or of a text parameter of the device that names it; "" = the first one above it in
            the `.robot` file that has such a signal.
        field: A reading of the sibling, or one of its signals; "" = it is called as the input.
        summary: What it is, for people.
        is_needed: Whether a robot without it is a mistake.
        kinds: Kinds of siblings that it is meant for, with spaces between; for others it is left open; "" = any.
    """

    name: str
    module: str = ""
    field: str = ""
    summary: str = ""
    is_needed: bool = True
    kinds: str = ""

    @property
    def source(self) -> str:
        """Name of the reading or signal."""
        return self.field or self.name


@dataclass(frozen=True, slots=True)
class Output:
    """A sibling that a program commands.

    Attributes:
        name: What the program calls it.
        module: Name of the sibling, or of a text parameter of the program that names it.
        commands: Commands that the sibling must know.
        summary: What for, for people.
        is_needed: Whether a robot without it is a mistake.
        kinds: As those of an input.
    """

    name: str
    module: str
    commands: tuple[str, ...] = ()
    summary: str = ""
    is_needed: bool = True
    kinds: str = ""
