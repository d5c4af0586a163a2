"""Contract of a source of records for servers, in another process or in this one."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from coopsim.geometry import Floats
from coopsim.state import Layout, Record
from coopsim.state.edits import AnyEdit
from coopsim.transport.control import Answer


class Source(Protocol):
    """Gives the newest record, takes commands, edits and permissions for ticks.

    Attributes:
        layout: Of the newest generation.
        facts: What the source says about itself.
        compiling: How many kernels are compiled, `done` of `total`, while it waits for that; else {}.
        ended: Whether it is gone.
    """

    layout: Layout
    facts: Mapping[str, Any]
    compiling: Mapping[str, int]
    ended: bool

    @property
    def largest_edit(self) -> int:
        """Bytes of the largest edit it takes."""

    @property
    def now(self) -> tuple[Layout, Record]:
        """The newest record whose layout is in force, and that layout.

        Raises:
            SimulationEnded: There is none yet.
        """
        ...

    @property
    def record(self) -> Record:
        """The same record alone."""
        ...

    def follow_layouts(self) -> None:
        """Adopt the layouts that came since the last call; until then `now` stays with the record before them."""
        ...

    def writing(self) -> AbstractContextManager[tuple[Layout, Floats]]:
        """Give (layout, flat command rows in that layout) to write."""
        ...

    def edit(self, edit: AnyEdit, answer: Callable[[Answer], None]) -> None:
        """Ask for an edit; `answer` is called when it is in force, or refused.

        Raises:
            BadArgument: An argument cannot be carried.
        """
        ...

    def grant_tick(self) -> None:
        """Permit one lockstep tick."""
        ...
