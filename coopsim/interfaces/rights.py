"""The right that each command takes, and which commands an audit records.

Specification: docs/protocol.md, "Security". A command of `/sim` that is not listed here takes the right to everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from coopsim.interfaces._interface import Command, Effect, Interface
from coopsim.interfaces.common import COMMON


class Right(Enum):
    """Right that the sender of a command needs."""

    WATCH = "watch"
    """Only read: nothing changes."""
    DRIVE = "drive"
    """Command robots, set their parameters, own them."""
    ALL = "all"
    """Change the simulation for all clients."""


@dataclass(frozen=True, slots=True)
class ChangingCommand:
    """A command that changes something.

    Attributes:
        name: Of the command.
        right: What it takes.
        is_audited: Whether an audit records it; commands of every tick are left out.
    """

    name: str
    right: Right
    is_audited: bool


_SERVED: Mapping[tuple[str, str], Right] = {
    ("clock", "status"): Right.WATCH,
    ("world", "list"): Right.WATCH,
    ("world", "get"): Right.WATCH,
    ("world", "scene"): Right.WATCH,
    ("world", "section"): Right.WATCH,
    ("world", "meshes"): Right.WATCH,
    ("world", "mesh"): Right.WATCH,
    ("names", "list"): Right.WATCH,
    ("names", "lookup"): Right.WATCH,
    ("names", "offer"): Right.DRIVE,
    ("names", "withdraw"): Right.DRIVE,
    ("info", "info"): Right.WATCH,
    ("info", "subscribe"): Right.WATCH,
    ("info", "unsubscribe"): Right.WATCH,
    ("events", "publish"): Right.DRIVE,
    ("events", "publish_all"): Right.DRIVE,
    ("events", "subscribe"): Right.WATCH,
    ("events", "unsubscribe"): Right.WATCH,
    ("recorder", "status"): Right.WATCH,
    ("renderer", "status"): Right.WATCH,
    ("controllers", "status"): Right.WATCH,
    ("playback", "status"): Right.WATCH,
    ("playback", "marks"): Right.WATCH,
    ("step", "layout"): Right.WATCH,
    ("step", "owners"): Right.WATCH,
    ("step", "read"): Right.WATCH,
    ("step", "step"): Right.DRIVE,
    ("step", "part"): Right.DRIVE,
    ("step", "skip"): Right.DRIVE,
    ("step", "claim"): Right.DRIVE,
    ("step", "claim_with"): Right.DRIVE,
    ("step", "release"): Right.DRIVE,
    ("step", "set_period"): Right.DRIVE,
}
"""What the server itself answers under `/sim`, by kind and command."""
_EACH_TICK = {"step", "part", "skip", "publish", "publish_all"}


def right_of(interface: Interface, command: Command, *, of_robot: bool) -> Right:
    """Return what a command takes.

    Args:
        interface: Of the module.
        command: One of its own, or one that all modules answer.
        of_robot: Whether the module belongs to a robot, and not to the simulation.
    """
    if command in COMMON:
        is_reading = command.effect is Effect.SERVE
    elif of_robot or command.effect is not Effect.SERVE:
        is_reading = command.effect is Effect.READ or (of_robot and command.effect is Effect.SERVE)
    else:
        # a command that nobody listed takes all rights: forgotten ones are shut, not open
        return _SERVED.get((interface.kind, command.name), Right.ALL)
    if is_reading:
        return Right.WATCH
    return Right.DRIVE if of_robot else Right.ALL


def changing_commands(interface: Interface, *, of_robot: bool) -> dict[int, ChangingCommand]:
    """Return the commands of a module that change something, by number."""
    rights = {}
    for command in (*COMMON, *interface.commands):
        right = right_of(interface, command, of_robot=of_robot)
        if right is not Right.WATCH:
            # what comes in every tick would fill the log, and recordings hold it anyway
            is_audited = command.effect is not Effect.SET and (of_robot or command.name not in _EACH_TICK)
            rights[int(command.number)] = ChangingCommand(command.name, right, is_audited or right is Right.ALL)
    return rights
