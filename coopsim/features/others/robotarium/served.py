"""The class `Robotarium` of the user's own `rps`, with robots of coopsim behind it."""

import inspect
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, SupportsIndex

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.others.robotarium.arena import ScriptRobots
from coopsim.features.others.robotarium.distances import (
    DistanceModel,
    distance_model,
    endpoints,
    simulate_distances,
    source_digest,
)
from coopsim.features.others.robotarium.figures import FIGURE, DeferredFigures
from coopsim.features.others.robotarium.safety import SafetyCounters, SafetyLimits
from coopsim.geometry import Floats, all_finite


class _Words(NamedTuple):
    """Names that the class has for the same things, since 2.0 and before.

    Attributes:
        poses: Where the robots are.
        velocities: What a script asked for.
        is_paced: Whether a step takes as long as it simulates.
        constants: Step, bounds, track, radius of a wheel, its fastest turn, diameter of what may collide, its offset.
        lazy: Methods that simulate a sensor anew, by the method that reads it.
    """

    poses: str
    velocities: str
    is_paced: str
    constants: tuple[str, ...]
    lazy: dict[str, str]


_CONSTANTS: Final = (
    "TIME_STEP",
    "BOUNDARIES",
    "BASE_LENGTH",
    "WHEEL_RADIUS",
    "MAX_WHEEL_VELOCITY",
    "COLLISION_DIAMETER",
    "COLLISION_OFFSET",
)
_NOW: Final = _Words(
    "_poses",
    "_velocities",
    "_sim_in_real_time",
    _CONSTANTS,
    {
        "get_accelerations": "simulate_accelerations",
        "get_gyros": "simulate_gyros",
        "get_magnetic_fields": "simulate_magnetometers",
        "get_orientations": "simulate_orientations",
    },
)
KNOWN_STEPS: Final = frozenset({"94507c847cf7f122"})
"""Sources of the steps of `rps` that are done in its stead, which takes a tenth of the time: that of 2.1."""
_BEFORE: Final = _Words("poses", "velocities", "sim_in_real_time", tuple(name.lower() for name in _CONSTANTS), {})


class HeldPoses(np.ndarray[Any, np.dtype[np.float64]]):
    """Poses that are those of the simulation: what is written into them by `rps`, which integrates, is not kept.

    Copies, parts and results of arithmetic are arrays like any other.
    """

    is_held = False

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.is_held:
            super().__setitem__(key, value)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return np.array(self).__reduce_ex__(protocol)


def hold(poses: Floats) -> HeldPoses:
    """Return poses that `rps` cannot change."""
    held = np.array(poses, dtype=np.float64).view(HeldPoses)
    held.is_held = True
    return held


class ServedRobotarium:
    """Additions to the class of the user's `rps`; it stands before that class.

    A step of `rps` judges, limits velocities, integrates them, simulates sensors, draws and waits. Here the robots move
    before it, and what it integrates is not kept. All else is the user's own package.

    Attributes:
        stale: Methods that read a sensor which was not simulated since the last step.
        safety: Counters of the judgement, None before the first step.
    """

    arena: ScriptRobots
    words: _Words
    is_drawn: bool
    is_paced: bool
    show_figure: bool
    is_known: bool
    figures: DeferredFigures | None  # that are made when they are asked for; None = at once
    _distance_model: DistanceModel | None  # of sensors that are simulated here; None = rps simulates them
    safety: SafetyCounters | None
    # of the class of rps, where its step is known
    _called_step_already: bool
    _checked_poses_already: bool
    _distance_sensors_enabled: bool
    _iteration: int
    _velocities: Floats
    _encoders: Floats
    _distances: Floats
    obstacles: Floats | None
    simulate_encoder_readings: Callable[[], None]
    _initialize_visualization: Callable[[], None]

    def __init__(self, *arguments: Any, **choices: Any) -> None:
        self._now: Floats | None = None
        self._held: HeldPoses | None = None
        self._seeing: Floats | None = None  # poses of a step whose distances nobody has read
        self._seen: Floats | None = None  # poses of the distances that were read
        self._has_begun = False
        self.safety = None
        self.stale: set[str] = set()
        self._uncounted: list[Floats] = []
        self._due = 0.0
        self._has_figure_due = choices.get("show_figure") is True and self._defer_figure()
        if not self._has_figure_due:
            super().__init__(*arguments, **choices)
            return
        super().__init__(*arguments, **{**choices, "show_figure": False})
        self.show_figure = True

    # a figure

    def _defer_figure(self) -> bool:
        return self.figures is not None and self.figures.defer(self._draw_figure)

    def _draw_figure(self) -> None:
        """Have `rps` make its figure, if it is due."""
        if self._has_figure_due:
            self._has_figure_due = False
            self._initialize_visualization()

    def __getattr__(self, name: str) -> Any:
        """Make the figure when a script asks for a part of it."""
        if name in FIGURE and vars(self).get("_has_figure_due"):
            self._draw_figure()
            return getattr(self, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # poses

    def read_poses(self) -> Floats | None:
        """Return where the robots are, None before they are put anywhere; `rps` cannot change it in its own step."""
        if self._held is not None:
            return self._held
        return None if self._now is None else self._now.copy()

    def write_poses(self, poses: Floats) -> None:
        """Put the robots somewhere: before the first step, and after the drive to the places that a script skips."""
        self._now, self._has_begun = np.array(poses, np.float64), False

    def get_poses(self) -> Floats:
        """Return where the robots are, shape (3, n), to be read once in a step."""
        if not self.is_known:
            return np.array(super().get_poses())  # type: ignore[misc]  # of the class of rps, which stands behind this one
        assert not self._checked_poses_already, "Can only call get_poses() once per call of step()!"  # noqa: S101 - as rps
        self._called_step_already, self._checked_poses_already = False, True
        assert self._now is not None  # noqa: S101 - rps has put its robots somewhere
        return self._now.copy()

    # a step

    def step(self) -> None:
        """Drive the robots for a step.

        Raises:
            BadArgument: A velocity is no number.
            SimulationEnded: The run is over: its window was closed.
        """
        if self.is_known:
            assert not self._called_step_already, "Make sure you call get_poses before calling step()!"  # noqa: S101 - as rps
        velocities = np.array(getattr(self, self.words.velocities), float)
        if not all_finite(velocities):
            robot = int(np.isfinite(velocities).all(axis=0).argmin())
            raise BadArgument(f"expected finite velocities; those of robot {robot} are {velocities[:, robot].tolist()}")
        if not self._has_begun:
            self._begin()
        safety = self.judge(velocities)
        limited = safety.limits.limited(velocities)
        self._now = self.arena.step(limited)
        is_paced = getattr(self, self.words.is_paced)
        is_drawn = self.is_drawn and self.show_figure
        if self.is_known and not is_drawn and (self._distance_model or not self._distance_sensors_enabled):
            self._note(limited)
        else:
            self._integrate()
        self.stale.update(self.words.lazy)
        if is_paced and self.is_paced:
            self._pace()

    def _note(self, velocities: Floats) -> None:
        """Do what the step of `rps` leaves behind besides poses and sensors, which are simulated when they are read."""
        self._called_step_already, self._checked_poses_already = True, False
        self._errors = _validate(self, {})
        self._iteration += 1
        # a script writes into the first one
        self._velocities, self._velocities_old = velocities.copy(), velocities
        self._uncounted.append(velocities)
        if self._distance_sensors_enabled:
            self._seeing = self._now

    def get_distances(self) -> Floats:
        """Return what the distance sensors say, shape (7, n), simulated for the last step when they are read."""
        if self._seeing is not None and self._distance_model is not None:
            self._distances = simulate_distances(self._seeing, self.obstacles, self._distance_model)
            self._seen, self._seeing = self._seeing, None
        distances: Floats = super().get_distances()  # type: ignore[misc]  # of the class of rps
        return distances

    def get_distance_endpoints(self) -> Floats:
        """Return where the rays of the distance sensors end, shape (2, 7, n)."""
        distances = self.get_distances()
        if self._seen is not None and self._distance_model is not None:
            return endpoints(self._seen, distances, self._distance_model)
        ends: Floats = super().get_distance_endpoints()  # type: ignore[misc]  # as above
        return ends

    def get_encoders(self) -> Any:
        """Return the counts of all wheels, simulated by `rps` for the steps since they were read last."""
        self.count_wheels()
        return super().get_encoders()  # type: ignore[misc]  # of the class of rps

    def count_wheels(self) -> None:
        """Have `rps` simulate the encoders of the steps in which nobody read them: as one step of as many robots."""
        steps, self._uncounted = self._uncounted, []
        if not steps:
            return
        velocities, encoders = self._velocities, self._encoders
        if len(steps) == 1:
            self._velocities = steps[0]
            self.simulate_encoder_readings()
            self._velocities = velocities
            return
        self._velocities = np.concatenate(steps, axis=1)
        self._encoders = np.zeros(self._velocities.shape)
        self.simulate_encoder_readings()
        counted = self._encoders.reshape(2, len(steps), -1).sum(axis=1)
        self._velocities, self._encoders = velocities, encoders + counted

    def _integrate(self) -> None:
        """Have `rps` do its own step, without its waiting; what it integrates is not kept."""
        self.count_wheels()
        self._seeing = self._seen = None
        self._held = None if self._now is None else hold(self._now)
        is_shown, self.show_figure = self.show_figure, self.is_drawn and self.show_figure
        is_paced = getattr(self, self.words.is_paced)
        setattr(self, self.words.is_paced, False)  # rps waits in a loop, which takes the simulation a core
        try:
            super().step()  # type: ignore[misc]  # as above
        finally:
            self._held = None
            self.show_figure = is_shown
            setattr(self, self.words.is_paced, is_paced)

    def _pace(self) -> None:
        now, step = time.monotonic(), self._constants()[0]
        self._due = max(self._due + step, now - step)  # who was late does not hurry afterwards
        if self._due > now:
            time.sleep(self._due - now)

    def _begin(self) -> None:
        assert self._now is not None  # noqa: S101 - rps has put its robots somewhere
        self._has_begun = True
        step, bounds, *_ = self._constants()
        poses, obstacles = self._now, getattr(self, "obstacles", None)
        lines = np.empty((0, 2, 2)) if obstacles is None else np.asarray(obstacles, float)
        lines = lines[np.isfinite(lines).all(axis=(1, 2))]  # before 2.0 a line of NaN says that there is none
        if self.words is _BEFORE:
            lines = lines.transpose(0, 2, 1)
        sees = bool(getattr(self, "_distance_sensors_enabled", False))
        self._now = self.arena.begin(poses, lines, bounds, step, sees=sees)

    def judge(self, velocities: Floats) -> SafetyCounters:
        """Count what is unsafe before a step, but on the way to the first places; return all that was."""
        if self.safety is None:
            _, bounds, *limits = self._constants()
            self.safety = SafetyCounters(SafetyLimits(bounds, *limits))
            self.arena.judged.append(self.safety)
        if not getattr(self, "initializing", False):
            assert self._now is not None  # noqa: S101 - as above
            self.safety.count(self._now, velocities)
        return self.safety

    def _constants(self) -> Any:
        values: list[Any] = [getattr(self, name, None) for name in self.words.constants]
        step, bounds, *limits = values
        if self.words is _BEFORE:  # a corner, a width and a height
            bounds = bounds[0], bounds[0] + bounds[2], bounds[1], bounds[1] + bounds[3]
        return step, tuple(float(bound) for bound in bounds), *(limit for limit in limits if limit is not None)


def served(
    kind: type, arena: ScriptRobots, *, is_drawn: bool, is_paced: bool, figures: DeferredFigures | None = None
) -> type:
    """Return the class that takes the place of `rps.robotarium.Robotarium`.

    Args:
        kind: That class.
        arena: The robots.
        is_drawn: Whether figures of `rps` are drawn in each step, too.
        is_paced: Whether a step takes as long as it simulates, where the script does not say otherwise.
        figures: Those that are made when they are asked for; None = each is made at once.
    """
    words = _NOW if hasattr(kind, _NOW.constants[0]) else _BEFORE
    members: dict[str, Any] = {
        "arena": arena,
        "words": words,
        "is_drawn": is_drawn,
        "is_paced": is_paced,
        "figures": figures,
        "is_known": _digest(kind) in KNOWN_STEPS,
        "_distance_model": distance_model(kind),
        "__doc__": kind.__doc__,
        words.poses: property(ServedRobotarium.read_poses, ServedRobotarium.write_poses),
    }
    for reader, simulated in words.lazy.items():
        members |= _lazy_sensor(kind, reader, simulated)
    if words is _NOW:
        members["_validate"] = _validate
    return type("Robotarium", (ServedRobotarium, kind), members)


def _digest(kind: type) -> str:
    """Return what tells the source of its step and its `get_poses`; "" where that is not there."""
    try:
        text = "".join(inspect.getsource(getattr(kind, name)) for name in ("get_poses", "step"))
    except (OSError, TypeError):  # a class that was compiled, or made by hand
        return ""
    return source_digest(text)


def _lazy_sensor(kind: Any, reader: str, simulated: str) -> dict[str, Any]:
    """Return methods that simulate a sensor when a script reads it, once in a step, and not in each step."""
    simulate, read = getattr(kind, simulated), getattr(kind, reader)

    def read_lazily(robotarium: Any) -> Any:
        if reader in robotarium.stale:
            robotarium.stale.discard(reader)
            simulate(robotarium)
        return read(robotarium)

    return {reader: read_lazily, simulated: lambda _: None}


def _validate(robotarium: Any, _: dict[str, int]) -> dict[str, int]:
    """Return the violations up to this step, as `debug` of `rps` prints them; zeros are left out."""
    safety = robotarium.safety
    counts = (
        ("robots_outside_boundaries", safety.outside),
        ("robots_too_close", safety.close),
        ("exceeded_actuator_limits", safety.fast),
    )
    return {name: count for name, count in counts if count}
