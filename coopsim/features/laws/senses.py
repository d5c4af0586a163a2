"""Shared senses of the control laws besides readings: the robots' make, the time, and rows of commands."""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Stepper
from coopsim.errors import BadArgument, CoopsimError, NoSuchName
from coopsim.features.laws.body import Body, sonar_bearings
from coopsim.geometry import Floats
from coopsim.interfaces import Value
from coopsim.suggest import did_you_mean, listed

_ASK_AGAIN = 100  # calls; a module may come while the law runs, but asking each time would double its requests
_LONGEST = 0.5  # s; after a pause a law goes on as if no more had passed


class Clock:
    """Simulated time between readings, in whatever mode the run is.

    Attributes:
        mode: real-time, lockstep or free, as last heard.
    """

    def __init__(self, sim: Client) -> None:
        self.mode = ""
        self._sim = sim
        self._step = 0.0
        self._calls = 0
        self._tick: int | None = None

    @property
    def time(self) -> float:
        """Simulated time of the last tick [s]."""
        return (self._tick or 0) * self._step

    def elapsed(self, tick: int) -> float:
        """Return the simulated time since the last call, 0 after a reset of the clock, at most half a second [s]."""
        if self._calls % _ASK_AGAIN == 0:
            # mode and step may be changed while we drive
            status = self._sim.clock.status()
            self.mode, self._step = status.mode, status.step
        self._calls += 1
        before, self._tick = self._tick, tick
        return min(max(tick - (tick if before is None else before), 0) * self._step, _LONGEST)


def need_modules(stepper: Stepper, *modules: str) -> None:
    """Check that all robots have the modules that a law needs.

    Raises:
        BadArgument: One has not.
    """
    for robot in stepper.robots:
        kind = stepper.layout.robots[robot]
        rows = stepper.layout.types[kind]
        missing = [name for name in modules if name not in rows.gives.modules and name not in rows.takes.modules]
        if missing:
            raise BadArgument(f"{robot} is a {kind} and has no {', '.join(missing)}: this control law cannot drive it")


def one_type(stepper: Stepper, what: str) -> str:
    """Return the type of all robots of a law that drives them as one array.

    Raises:
        BadArgument: They are of several types; the text is `what`.
    """
    kinds = {stepper.layout.robots[robot] for robot in stepper.robots}
    if len(kinds) > 1:
        raise BadArgument(what)
    return kinds.pop()


def wheel_commands(stepper: Stepper, kind: str, commands: Floats) -> Floats:
    """Return rows of commands for robots of a type: their motors drive, everything else is at rest.

    Args:
        stepper: Of the robots.
        kind: Their type.
        commands: Speed [m/s] and rate of turn [rad/s], shape (n, 2); a third column is the speed to the left [m/s].
    """
    takes = stepper.layout.types[kind].takes
    names = ("v", "w", "u")[: commands.shape[1]]
    return takes.filled(len(commands), motors={name: commands[:, k] for k, name in enumerate(names)})


def target_slot(sim: Client, robot: str, target: str) -> int:
    """Return the number of a coloured target among those that a robot's `target` module gives.

    Raises:
        NoSuchName: There is none of this name.
    """
    module = sim.module(f"/{robot}/target")
    slots, *_ = module.refresh().command("targets").gives[0].shape({})
    labels = list(module.names().names[:slots])
    if target not in labels:
        raise NoSuchName(f"no target {target!r}{did_you_mean(target, labels)}; there are: {listed(labels)}")
    return labels.index(target)


def body_of(sim: Client, robot: str) -> Body:
    """Return the make of a robot, asked from its modules."""
    motors, sonars = sim.module(f"/{robot}/motors").parameters, sim.module(f"/{robot}/sonars").parameters
    length, width, _ = sim.world.get(robot).size
    outline = _outline_of(sim, robot)
    fastest, half_track, sharpest = _number(motors["max_speed"]), 0.0, math.inf
    is_car, slides = "wheelbase" in motors, "max_turn" in motors
    if is_car:
        # a law may ask for all turning that there is at full speed
        sharpest = math.tan(_number(motors["max_steering"])) / _number(motors["wheelbase"])
        half_track = 0.5 / max(sharpest, 1e-9)
    else:
        half_track = fastest / _number(motors["max_turn"]) if slides else _number(motors["half_track"])
    return Body(
        radius=max(length, width) / 2.0 if outline is None else float(np.linalg.norm(outline, axis=1).max()),
        half_track=half_track,
        fastest=fastest,
        sharpest=sharpest,
        slides=slides,
        bearings=sonar_bearings(int(_number(sonars["count"])), math.radians(_number(sonars["sector"]))),
        reach=_number(sonars["reach"]),
        outline=outline,
    )


def _outline_of(sim: Client, robot: str) -> Floats | None:
    """Return the corners of a robot whose body is a polygon, as it is drawn, shape (k, 2) [m]; None of any other."""
    for entity in sim.scene().entities:
        if entity.name == robot:
            body, *_ = *entity.drawn(), None
            if body is None or not body.points or body.body:
                return None
            corners: Floats = np.reshape(body.points, (-1, 2)) + body.pose[:2]
            return corners
    return None


def map_poses(sim: Client, robots: Sequence[str]) -> Floats:
    """Let the odometry of robots count from where they stand in the world; return that, shape (n, 3) [m, m, rad].

    It is what one does with real robots before a run: to say where they stand on the map.
    """
    poses = np.array([_standing(sim.world.get(robot).pose) for robot in robots])
    # all at once: each by itself would make a record of a crowd of its own
    resets = [(f"/{robot}/odometry", "reset", pose) for robot, pose in zip(robots, poses.tolist(), strict=True)]
    refusals = [answer for answer in sim.call_all(resets) if isinstance(answer, CoopsimError)]
    if refusals:
        raise refusals[0]
    return poses


def _standing(pose: Sequence[float]) -> tuple[float, float, float]:
    """Return x, y and heading of a pose x y z w x y z."""
    x, y, _, a, b, c, d = pose
    return x, y, math.atan2(2.0 * (a * d + b * c), 1.0 - 2.0 * (c * c + d * d))


def _number(value: Value) -> float:
    return float(value)
