"""Base of every edit: a name, a serialised form, a text for people, an inverse where there is one."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeAlias

from coopsim.interfaces import Value
from coopsim.message import Param
from coopsim.state.plain import Misfit
from coopsim.state.vocabulary import Declared, Vocabulary, members, name_of

CommandName: TypeAlias = Callable[[str, str, int], str]
"""Returns the name of a command by robot, module and number, "" where it is not known."""


def unnamed(_robot: str, _module: str, _number: int) -> str:
    """Know no names of commands."""
    return ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Edit(Declared):
    """A change between two ticks.

    Attributes:
        word: Name in the serialised form; "" = as the class is called.
        says: Text for people, formatted with the edit; "" = its name and its fields.
        is_recorded: Whether the record of the next tick keeps it.
        is_long: Whether it lasts for many ticks; another edit may end it.
        ends_steps: Whether it ends a `Step` that is under way.
        changes_state: Whether positions, readings or devices may differ after it.
        restarts_commands: Whether commands may be counted anew after it.
        replaces: Name of the field whose value takes the place of an earlier one.
        waits_for_tick: Whether it gets no record of its own: that of the next tick holds it.
        is_mark: Whether people see it on the time line of a recording.
    """

    word: ClassVar[str] = ""
    says: ClassVar[str] = ""
    is_recorded: ClassVar[bool] = True
    is_long: ClassVar[bool] = False
    ends_steps: ClassVar[bool] = False
    changes_state: ClassVar[bool] = True
    restarts_commands: ClassVar[bool] = False
    replaces: ClassVar[str] = ""
    waits_for_tick: ClassVar[bool] = False
    is_mark: ClassVar[bool] = True

    @property
    def kind(self) -> str:
        """Name in the serialised form."""
        return name_of(type(self))

    def to_plain(self) -> dict[str, Any]:
        """Return the serialised form: what the channel carries and a recording holds."""
        return EDITS.to_plain(self)

    def as_text(self) -> str:
        """Return it in one line, for people."""
        return self.says.format(self).strip() or _listed(self.kind, members(self))

    def inverse(self, before: Value | None = None, /) -> "Edit | None":
        """Return the edit that undoes this one; None = there is none.

        Args:
            before: The value that this edit replaced.
        """
        return dataclasses.replace(self, **{self.replaces: before}) if self.replaces and before is not None else None

    def supersedes(self, _earlier: "Edit", /) -> bool:
        """Return whether an earlier edit that waits for its record need not be recorded any more."""
        return False

    @staticmethod
    def from_plain(plain: Any) -> "Edit":
        """Return the edit of a serialised form; an unknown or wrong one is an `UnknownEdit`."""
        try:
            return EDITS.from_plain(plain)
        except Misfit as problem:
            return UnknownEdit.of(plain, str(problem))


EDITS: Vocabulary[Edit] = Vocabulary("edit")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UnknownEdit(Edit):
    """An edit of another version of coopsim.

    Attributes:
        called: Its name.
        content: Its fields.
        problem: Why it is not known.
    """

    called: str
    content: Mapping[str, Any]
    problem: str = field(default="", compare=False)

    @classmethod
    def of(cls, plain: Any, problem: str = "") -> Self:
        """Return it for a serialised form."""
        # a damaged edit becomes an unknown one, so that the recording around it can still be read
        content = dict(plain) if isinstance(plain, Mapping) else {}
        return cls(str(content.pop(EDITS.mark, "?")), content, problem)

    @property
    def kind(self) -> str:
        """Name in the serialised form."""
        return self.called

    def to_plain(self) -> dict[str, Any]:
        """Return the serialised form."""
        return {EDITS.mark: self.called, **self.content}

    def as_text(self) -> str:
        """Return it in one line, for people."""
        return _listed(self.called, self.content)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EditResult(Declared):
    """Answer of an edit.

    Attributes:
        content: For the host alone.
    """

    params: tuple[Param, ...] = ()
    data: tuple[float, ...] = ()
    content: bytes = b""


def _listed(name: str, content: Mapping[str, Any]) -> str:
    return " ".join([name.replace("_", " "), *(f"{key} {value}" for key, value in content.items())])
