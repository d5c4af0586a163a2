"""Observations and actions of a task: the same code in training and on the robot that runs a policy."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coopsim.errors import BadArgument
from coopsim.features.learning.encoding_kernels import write_scaled, write_values
from coopsim.features.learning.section import MOST_STEPS
from coopsim.geometry import Floats

Observations = NDArray[np.float32]
_SHOWN = 40  # letters of what is no action


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
        seen = self.unscaled(readings)
        scaled: Floats = seen if self.is_angle else seen / self.scale
        return scaled

    def unscaled(self, readings: Floats) -> Floats:
        """Return what is seen of readings before it is divided by the scale, a view where that is possible."""
        columns = self.columns
        if self.own:
            robots = np.arange(readings.shape[-2])[:, np.newaxis]
            seen = readings[..., robots, self.own * robots + np.array(columns or range(self.own))]
        elif columns:
            is_run = columns == tuple(range(columns[0], columns[0] + len(columns)))
            seen = readings[..., columns[0] : columns[-1] + 1] if is_run else readings[..., list(columns)]
        else:
            seen = readings
        return np.concatenate([np.cos(seen), np.sin(seen)], axis=-1) if self.is_angle else seen


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
        parts = list[tuple[Floats, float]]()
        for row, observed in enumerate(self._observed):
            of_module = readings[observed.module]
            if observed.history > 1:
                parts.append((follow(row, observed.of(of_module)), 1.0))
            else:
                parts.append((observed.unscaled(of_module), 1.0 if observed.is_angle else observed.scale))
        shape = parts[0][0].shape[:-1]
        joined = np.empty((math.prod(shape[:-1]), shape[-1], sum(part.shape[-1] for part, _ in parts)), np.float32)
        first = 0
        for part, scale in parts:
            write_scaled(part.reshape(*joined.shape[:2], -1), scale, first, joined)
            first += part.shape[-1]
        return joined.reshape(*shape, -1)

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

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            BadArgument: Its ends have different numbers of values, or one is not finite.
        """
        if len(self.low) != len(self.high) or not all(map(math.isfinite, (*self.low, *self.high))):
            taker = self.command or self.module
            raise BadArgument(f"{taker}: expected as many finite values at -1 as at 1, got {self.low} and {self.high}")

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
        low, high = np.array(self.low, np.float64), np.array(self.high, np.float64)
        values = np.empty((*given.shape[:-1], len(self.low)))
        if not write_values(given.reshape(-1, self.width), low, high, values.reshape(-1, low.size)):
            place = tuple(np.argwhere(~np.isfinite(given))[0].tolist())
            raise BadArgument(f"the action at {place} is {given[place]}; expected finite numbers from -1 to 1")
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
        if self._said.size:
            np.clip(actions[..., actions.shape[-1] - self._said.shape[-1] :], -1.0, 1.0, out=self._said)

    def forget(self, mask: NDArray[np.bool_] | None) -> None:
        """Forget what was said in worlds of the mask; None = in all."""
        self._said[... if mask is None else mask] = 0.0

    def heard(self) -> Floats:
        """Return what each robot hears, shape (..., robots, (robots - 1) x numbers)."""
        heard = self._said[..., self._order, :]
        return heard.reshape(*heard.shape[:-2], -1)
