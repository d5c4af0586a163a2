"""Many bodies for an engine at once: an insert costs what its bodies cost, not their square."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from coopsim.engines import BodySpec, PhysicsEngine


@runtime_checkable
class AddsAtOnce(Protocol):
    """What an engine whose arrays are made anew for each body offers besides the contract."""

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order."""


def add_bodies(engine: PhysicsEngine, bodies: Sequence[BodySpec]) -> None:
    """Add bodies, all or none.

    Raises:
        CoopsimError: The engine cannot hold one of them; none was added.
    """
    if isinstance(engine, AddsAtOnce):
        engine.add_all(bodies)
        return
    added: list[str] = []
    try:
        for body in bodies:
            engine.add(body)
            added.append(body.name)
    except BaseException:
        for name in added:
            engine.remove(name)
        raise
