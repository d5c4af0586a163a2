"""Observations and actions of a task: the same code in training and on the robot that runs a policy."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coopsim.errors import BadArgument
from coopsim.geometry import Floats

Observations = NDArray[np.float32]
_LARGEST = 1.0
"""Every number of an observation lies within plus and minus this, so that spaces are finite."""
_SHOWN = 40  # letters of what is no action
MESSAGES = "messages"
"""Name of what is observed of the messages of others, in the place of a module's."""
MOST_STEPS = 64
"""Largest history: a network that needs more of the past is better off with a memory of its own."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Readings of a module that a learner sees.

    Attributes:
        module: Its name.
        columns: Which of its readings, in the order of its interface; () = all.
        scale: What they are divided by.
        is_angle: Whether they are angles [rad]: each is seen as its cosine and its sine, without a scale.
        own: Readings of a slot for each robot: robot k sees `own` of them from `own` times k on; 0 = all see the same.
        history: How many steps of them are seen, the present one first; an episode begins with the first one repeated.
    """

    module: str
    columns: tuple[int, ...] = ()
    scale: float = 1.0
    is_angle: bool = False
    own: int = 0
    history: int = 1

    def __post_init__(self) -> None:
        """Check the scale and the history.

        Raises:
            BadArgument: The scale is not a finite number above 0, or the history not a number of steps.
        """
        if not 1 <= self.history <= MOST_STEPS:
            raise BadArgument(f"{self.module}: expected a history of 1 to {MOST_STEPS} steps, got {self.history}")
        if not (math.isfinite(self.scale) and self.scale > 0.0):
            raise BadArgument(f"{self.module}: expected a scale above 0, got {self.scale}")

    def width(self, readings: int) -> int:
        """Return how many numbers a learner sees of a module with so many readings.

        Raises:
            BadArgument: A column is not there.
        """
        if self.columns and max(self.columns) >= readings:
            raise BadArgument(f"{self.module} has {readings} readings, and column {max(self.columns)} is asked for")
        seen = len(self.columns) or readings
        return self.history * (2 * seen if self.is_angle else seen)

    def of(self, readings: Floats) -> Floats:
        """Return what is seen of readings, shape (..., robots, width)."""
        if self.own:
            robots = np.arange(readings.shape[-2])[:, np.newaxis]
            seen = readings[..., robots, self.own * robots + np.array(self.columns or range(self.own))]
        else:
            seen = readings[..., list(self.columns)] if self.columns else readings
        if self.is_angle:
            return np.concatenate([np.cos(seen), np.sin(seen)], axis=-1)
        scaled: Floats = seen / self.scale
        return scaled


class Encoder:
    """Observations step by step: of one batch, or of the robots that a policy drives.

    Args:
        observed: What is seen.
    """

    def __init__(self, observed: Sequence[Observed]) -> None:
        self._observed = tuple(observed)
        self._past: list[Floats | None] = [None for _ in self._observed]

    def advance(self, readings: Mapping[str, Floats]) -> Observations:
        """Return the observations of a new step, shape (..., robots, numbers).

        Args:
            readings: Of each module, shape (..., robots, width).
        """
        return self._joined(readings, self._shifted)

    def restart(self, readings: Mapping[str, Floats], mask: NDArray[np.bool_] | None = None) -> Observations:
        """Return the observations where episodes begin.

        Args:
            readings: As of `advance`.
            mask: Which worlds begin anew, the first axis of readings; None = all.
        """
        return self._joined(readings, lambda row, seen: self._restarted(row, seen, mask))

    def _joined(self, readings: Mapping[str, Floats], follow: Callable[[int, Floats], Floats]) -> Observations:
        parts = []
        for row, observed in enumerate(self._observed):
            seen = observed.of(readings[observed.module])
            parts.append(seen if observed.history == 1 else follow(row, seen))
        joined = np.empty((*parts[0].shape[:-1], sum(part.shape[-1] for part in parts)), np.float32)
        np.concatenate(parts, axis=-1, out=joined, casting="same_kind")
        return np.clip(joined, -_LARGEST, _LARGEST, out=joined)

    def _shifted(self, row: int, seen: Floats) -> Floats:
        past = self._past[row]
        if past is None:
            return self._restarted(row, seen, None)
        now = np.concatenate([seen, past[..., : -seen.shape[-1]]], axis=-1)
        self._past[row] = now
        return now

    def _restarted(self, row: int, seen: Floats, mask: NDArray[np.bool_] | None) -> Floats:
        repeated, past = np.concatenate([seen] * self._observed[row].history, axis=-1), self._past[row]
        if past is not None and mask is not None:
            repeated = np.where(mask.reshape(-1, *[1] * (seen.ndim - 1)), repeated, past)
        self._past[row] = repeated
        return repeated


def as_actions(actions: ArrayLike, shape: tuple[int, ...], *, is_flat: bool = False) -> Floats:
    """Return actions as an array of numbers.

    Args:
        actions: As somebody gave them.
        shape: What is expected.
        is_flat: Whether as many numbers of another shape are the same.

    Raises:
        BadArgument: They are no numbers, or of another shape.
    """
    try:
        given = np.asarray(actions, np.float64)
    except (TypeError, ValueError):
        text = f"expected actions of shape {shape}, numbers from -1 to 1, got {type(actions).__name__}"
        raise BadArgument(f"{text} {str(actions)[:_SHOWN]!r}") from None
    if given.shape != shape and not (is_flat and given.size == math.prod(shape)):
        raise BadArgument(f"expected actions of shape {shape}, got {given.shape}")
    return given.reshape(shape)


@dataclass(frozen=True, slots=True)
class Acting:
    """A command that a learner gives in each step.

    Attributes:
        module: Its name.
        command: Name of the command.
        low: Values at -1.
        high: Values at +1.
        parameters: Names of parameters of the module that are set instead, one for each value; () = a command.
        messages: How many numbers behind those of the command are said to all other learners; see `LearnerMessages`.
    """

    module: str = "motors"
    command: str = "set_velocity"
    low: tuple[float, ...] = (-0.5, -1.5)
    high: tuple[float, ...] = (0.5, 1.5)
    parameters: tuple[str, ...] = ()
    messages: int = 0

    @property
    def width(self) -> int:
        """Count of the numbers of an action."""
        return len(self.low) + self.messages

    @property
    def still(self) -> Floats:
        """Values for a robot that is out: zeros; of parameters what their range has nearest to 0, shape (width,)."""
        zeros: Floats = np.zeros(len(self.low))
        return np.clip(zeros, self.low, self.high) if self.parameters else zeros

    def values(self, actions: NDArray[np.floating]) -> Floats:
        """Return the values of the command, shape (..., width); what lies beyond -1 and +1 is clipped.

        Raises:
            BadArgument: An action is no finite number, or there are more or fewer of them.
        """
        given = np.asarray(actions, np.float64)
        if given.shape[-1:] != (self.width,):
            taker = " and ".join(self.parameters) or self.command
            more = f" and a message {self.messages}" if self.messages else ""
            raise BadArgument(f"{taker} takes {len(self.low)} numbers{more}, got actions of shape {given.shape}")
        if not np.isfinite(given).all():
            place = tuple(np.argwhere(~np.isfinite(given))[0].tolist())
            raise BadArgument(f"the action at {place} is {given[place]}; expected finite numbers from -1 to 1")
        low, high = np.array(self.low), np.array(self.high)
        values: Floats = low + (high - low) * (0.5 * (np.clip(given[..., : low.size], -1.0, 1.0) + 1.0))
        return values


class LearnerMessages:
    """Messages of the last step: a part of each learner's action that all other learners see in the next step.

    Robot k hears robots k+1, k+2, ... and then the first ones, so that one policy can speak for all. Before
    the first step of an episode all messages are 0.

    Args:
        shape: Of what is said, (..., robots, numbers).
    """

    def __init__(self, *shape: int) -> None:
        self._said = np.zeros(shape)
        robots = np.arange(shape[-2])
        self._order = (robots[:, np.newaxis] + robots[1:]) % robots.size

    def say(self, actions: NDArray[np.floating]) -> None:
        """Note what is said: the last numbers of actions, shape (..., robots, actions), clipped to -1 and 1."""
        np.clip(actions[..., actions.shape[-1] - self._said.shape[-1] :], -1.0, 1.0, out=self._said)

    def forget(self, mask: NDArray[np.bool_] | None) -> None:
        """Forget what was said in worlds of the mask; None = in all."""
        self._said[... if mask is None else mask] = 0.0

    def heard(self) -> Floats:
        """Return what each robot hears, shape (..., robots, (robots - 1) x numbers)."""
        heard = self._said[..., self._order, :]
        return heard.reshape(*heard.shape[:-2], -1)
