"""Groups of robots in a batch: those that one policy or law drives, what they see, and the command they are given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadArgument
from coopsim.features.learning.encoding import Acting, Encoder, LearnerMessages, Observations, Observed
from coopsim.features.learning.section import MESSAGES
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.state.layout import VALUES

Deciding: TypeAlias = Callable[[Observations, Mapping[str, Floats]], Floats]
"""Returns actions from -1 to 1, shape (worlds, robots, actions), of observations and of where all bodies are."""


@dataclass(frozen=True)
class DrivenRobots:
    """Robots that do not learn, and the law that drives them.

    Attributes:
        robots: Their names, all of one type.
        observed: What the law sees.
        acting: The command that it gives.
        decide: The law.
    """

    robots: tuple[str, ...]
    observed: Sequence[Observed]
    acting: Acting
    decide: Deciding


class DrivenGroup:
    """Robots of one type in all worlds.

    Args:
        worlds: Where they are.
        names: Their names, in the order in which arrays have them.
        observed: What they see.
        acting: What they do.

    Attributes:
        names: Their names.
        width: How many numbers one of them sees.

    Raises:
        BadArgument: They are of several types, or a module has no such column.
        NoSuchName: There is no such robot or module.
    """

    def __init__(self, worlds: Worlds, names: Sequence[str], observed: Sequence[Observed], acting: Acting) -> None:
        self.names = tuple(names)
        kind, self._rows = worlds.rows_of(self.names)
        self._kind = kind
        if not observed:
            raise BadArgument(f"expected at least one reading that {self.names[0]} observes, got none")
        self._messages = LearnerMessages(worlds.count, len(self.names), acting.messages)
        self._readings = {
            module: worlds.readings(module, kind) for module in sorted({seen.module for seen in observed} - {MESSAGES})
        }
        for seen in observed:
            if seen.module == MESSAGES:
                seen.width(self._messages.heard().shape[-1])
                continue
            seen.width(seen.own or self._readings[seen.module].shape[-1])
            if seen.own * len(self.names) > self._readings[seen.module].shape[-1]:
                raise BadArgument(
                    f"{len(self.names)} robots need as many slots of {seen.module} of their own, "
                    f"and it has {self._readings[seen.module].shape[-1]} readings for them"
                )
        self._encoder, self._acting = Encoder(observed), acting
        if not acting.parameters:
            self._slots = worlds.slots(acting.module, kind)
            self._command = worlds.number_of(acting.module, acting.command, kind)
            most = self._slots.shape[-1] - VALUES
            if len(acting.low) > most:
                raise BadArgument(f"{acting.command} of {acting.module} takes {most} values, got {len(acting.low)}")
        has_bumpers = worlds.has("bumpers", kind)
        self._touches = worlds.readings("bumpers", kind) if has_bumpers else np.zeros((worlds.count, len(names), 1))
        self._places = [worlds.robots.index(name) for name in self.names]
        self._heights = worlds.heights(self.names)
        self._is_all = self._places == list(range(len(worlds.robots)))
        self._worlds = worlds
        self._nobody = np.zeros(worlds.count, np.bool_)
        self.width = self.restart(None).shape[-1]

    def restart(self, mask: NDArray[np.bool_] | None) -> Observations:
        """Return what all see, after worlds of the mask began anew; None = all of them."""
        self._messages.forget(mask)
        return self._encoder.restart(self._seen(), mask)

    def advance(self) -> Observations:
        """Return what all see in a new step."""
        return self._encoder.advance(self._seen())

    def now(self) -> Observations:
        """Return what all see as it is now, in the same step as before."""
        return self._encoder.restart(self._seen(), self._nobody)

    def command(self, actions: NDArray[Any], out: Bools | None = None) -> None:
        """Give each robot its command.

        Args:
            actions: From -1 to 1, shape (worlds, robots, actions).
            out: Who stands still instead, shape (worlds, robots); None = nobody.

        Raises:
            BadArgument: They have another shape, or are not finite.
        """
        expected = self._worlds.count, len(self.names), self._acting.width
        if actions.shape != expected:
            raise BadArgument(f"expected actions of shape {expected}, got {actions.shape}")
        values = self._acting.values(actions)
        if out is not None:
            values[out] = self._acting.still
        self._messages.say(actions)
        for column, name in enumerate(self._acting.parameters):
            self._worlds.set_parameter(self.names, self._acting.module, name, values[..., column])
        if self._acting.parameters:
            return
        slots, rows = self._slots, self._rows
        slots[:, rows, 0] += 1.0
        slots[:, rows, 1] = self._command
        slots[:, rows, 2 : 2 + values.shape[-1]] = values

    @property
    def poses(self) -> Floats:
        """X y heading and their velocities, shape (worlds, robots, 6): a view where they are all robots."""
        return self._worlds.poses if self._is_all else self._worlds.poses[:, self._places]

    @property
    def heights(self) -> Floats:
        """Height of the base of each above the floor, shape (worlds, robots) [m]."""
        return self._heights()

    @property
    def touched(self) -> Bools:
        """Whether something presses against each, shape (worlds, robots)."""
        touched: Bools = np.logical_or.reduce(self._touches[:, self._rows] > 0.0, axis=-1)
        return touched

    def readings(self, module: str, *reading: str) -> Floats:
        """Return readings of a module, also of one that they do not see, shape (worlds, robots, width).

        Args:
            module: Its name.
            reading: Names of a reading and of a column of it; none = all of the module.
        """
        values = self._worlds.readings(module, self._kind)[:, self._rows]
        return values[..., self._worlds.columns(module, reading, self._kind)] if reading else values

    def _seen(self) -> dict[str, Floats]:
        seen = {module: readings[:, self._rows] for module, readings in self._readings.items()}
        return {**seen, MESSAGES: self._messages.heard()} if self._acting.messages else seen
