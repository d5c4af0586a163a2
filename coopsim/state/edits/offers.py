"""Values that programs tell each other through modules that they offer; nothing in the simulation changes by it."""

from dataclasses import dataclass
from typing import Any, ClassVar

from coopsim.interfaces import Value
from coopsim.state.edits.base import Edit
from coopsim.state.edits.scene import SceneEdit


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OfferedModuleEdit(SceneEdit):
    """Edit about an offered module; the record of the next tick holds it."""

    changes_state: ClassVar[bool] = False
    waits_for_tick: ClassVar[bool] = True

    module: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OfferModule(OfferedModuleEdit):
    """A program offers a module.

    Attributes:
        content: What it says of it, see `coopsim.interfaces.offered`.
    """

    says: ClassVar[str] = "offered {0.module}"

    content: dict[str, Any]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WithdrawModule(OfferedModuleEdit):
    """A program withdraws what it offered, or its connection is over."""

    says: ClassVar[str] = "withdrawn {0.module}"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WriteModule(OfferedModuleEdit):
    """A program writes into what it offers.

    Attributes:
        values: By name.
        count: How often it has written so far.
    """

    # programs write in each tick: the time line would hold nothing else
    is_mark: ClassVar[bool] = False

    values: dict[str, Value]
    count: int

    def as_text(self) -> str:
        """Return it in one line, for people."""
        return f"{self.module}: {' '.join(f'{name} {_short(value)}' for name, value in self.values.items())}"

    def supersedes(self, earlier: Edit) -> bool:
        """Return whether an edit before it need not be recorded any more: the newest message of a tick wins."""
        return isinstance(earlier, WriteModule) and earlier.module == self.module


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TuneModule(OfferedModuleEdit):
    """Change a parameter of an offered module."""

    says: ClassVar[str] = "{0.module} {0.name} = {0.value}"

    name: str
    value: Value

    def supersedes(self, earlier: Edit) -> bool:
        """Return whether an edit before it need not be recorded any more."""
        return isinstance(earlier, TuneModule) and (earlier.module, earlier.name) == (self.module, self.name)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ReadModule(OfferedModuleEdit):
    """Answer with what an offered module told when a record was made.

    Attributes:
        command: Number of one of its reading commands; 0 = the parameter `name`.
    """

    is_recorded: ClassVar[bool] = False

    command: int
    name: str = ""


def _short(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"
