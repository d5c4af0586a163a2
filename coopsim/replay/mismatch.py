"""Difference between two states, or between what a recording says and what was run."""

from typing import NamedTuple, TypeAlias

Datum: TypeAlias = float | str


class Mismatch(NamedTuple):
    """A number, or one fact, that is not the same in two states.

    Attributes:
        entity: `robot1`; "" when it is unknown.
        field: `pose.x`, `sonars.ranges[3]`.
        first: What it is in the first state.
        second: What it is in the second state.
    """

    entity: str
    field: str
    first: Datum
    second: Datum
