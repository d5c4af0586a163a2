"""Distance sensors of the Robotarium as `rps` 2.1 simulates them, compiled.

Source: `simulate_distance_sensors` of `rps/utilities/sensors.py` and `_calculate_endpoints` of `rps/robotarium_abc.py`
(github.com/robotarium/robotarium_python_simulator, 2.1): the same rays, circles and lines, and the same random numbers
in the same order.
"""

import hashlib
import inspect
import math
import sys
from typing import Any, Final, NamedTuple

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels import compiled

_PARALLEL: Final = 1e-10  # m2, a cross product below which `rps` calls a ray and a line parallel
_NOTHING: Final = -1.0
"""What a sensor says that meets nothing."""
KNOWN_SENSORS: Final = frozenset({"9f2792770f1c0a36"})
"""Sources of the sensors of `rps` that are simulated in its stead, which takes a fiftieth of the time: those of 2.1."""


class DistanceModel(NamedTuple):
    """Figures of the sensors of a class of `rps`.

    Attributes:
        sensors: x, y [m] and heading [rad] of each in the frame of its robot, shape (3, k).
        diameter: Of a robot that a ray meets [m].
        offset: How far ahead of its axle the middle of a robot is [m].
        reach: Largest distance [m].
        error: Standard deviation of the noise, in parts of the distance.
        dropout: Chance that something is not seen.
        outlier: Chance that any distance is told instead.
    """

    sensors: Floats
    diameter: float
    offset: float
    reach: float
    error: float
    dropout: float
    outlier: float


def distance_model(kind: Any) -> DistanceModel | None:
    """Return the figures of a class of `rps` whose sensors are known, None for any other."""
    simulate = getattr(sys.modules.get(kind.__module__), "simulate_distance_sensors", None)
    try:
        text = inspect.getsource(simulate) + inspect.getsource(kind._calculate_endpoints)  # type: ignore[arg-type]  # noqa: SLF001
    except (OSError, TypeError, AttributeError):  # an older one, one that was compiled, or made by hand
        return None
    if source_digest(text) not in KNOWN_SENSORS:
        return None
    return DistanceModel(
        np.array(kind.DISTANCE_SENSORS_ORIENTATION, np.float64),
        kind.ROBOT_DIAMETER,
        kind.CENTER_OFFSET,
        kind.DISTANCE_SENSOR_RANGE,
        kind.DISTANCE_SENSOR_ERROR,
        kind.DISTANCE_SENSOR_DROPOUT_PROB,
        kind.DISTANCE_SENSOR_OUTLIER_PROB,
    )


def source_digest(text: str) -> str:
    """Return what tells a source from any other one."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def simulate_distances(poses: Floats, obstacles: Floats | None, model: DistanceModel) -> Floats:
    """Return what all sensors say, shape (k, n); -1 where one meets nothing.

    Args:
        poses: x, y [m] and heading [rad], shape (3, n).
        obstacles: Lines, shape (m, 2, 2) [m]; None = there is none.
        model: The sensors.
    """
    lines = np.empty((0, 2, 2)) if obstacles is None else np.ascontiguousarray(obstacles, np.float64)
    nearest = np.empty((model.sensors.shape[1], poses.shape[1]))
    write_nearest(poses, lines.reshape(-1, 2, 2), model.sensors, model.diameter, model.offset, model.reach, nearest)
    distances = np.full(nearest.shape, _NOTHING)
    random: Any = np.random  # the generator that rps draws from, and in its order: robot by robot
    for robot, sensor in np.argwhere(model.reach > nearest.T).tolist():
        if random.rand() < model.dropout:
            continue
        if random.rand() < model.outlier:
            distances[sensor, robot] = random.uniform(0, model.reach)
        else:
            distance = nearest[sensor, robot]
            noisy = distance + model.error * distance * random.randn()
            distances[sensor, robot] = min(max(noisy, 0.0), model.reach)
    return distances


def endpoints(poses: Floats, distances: Floats, model: DistanceModel) -> Floats:
    """Return where the rays end, shape (2, k, n); NaN where one meets nothing.

    Args:
        poses: x, y [m] and heading [rad], shape (3, n).
        distances: Of all sensors, shape (k, n).
        model: The sensors.
    """
    x, y, heading = poses
    right, left, bearing = model.sensors[..., np.newaxis]
    sine, cosine = np.sin(heading), np.cos(heading)
    seen = np.where(distances >= 0.0, distances, np.nan)
    return np.stack(
        [
            cosine * right - sine * left + x + seen * np.cos(heading + bearing),
            sine * right + cosine * left + y + seen * np.sin(heading + bearing),
        ]
    )


@compiled
def write_nearest(
    poses: Floats, lines: Floats, sensors: Floats, diameter: float, offset: float, reach: float, out: Floats
) -> None:
    """Write the distance of the nearest line or robot ahead of each sensor, `reach` where there is none.

    Args:
        poses: x, y [m] and heading [rad] of the axles, shape (3, n).
        lines: Shape (m, 2, 2) [m].
        sensors: x, y [m] and heading [rad] in the frame of a robot, shape (3, k).
        diameter: Of a robot [m].
        offset: How far ahead of its axle the middle of a robot is [m].
        reach: Largest distance [m].
        out: Written, shape (k, n).
    """
    n = poses.shape[1]
    square = 0.25 * diameter * diameter
    for i in range(n):
        cosine, sine = math.cos(poses[2, i]), math.sin(poses[2, i])
        middle_x, middle_y = poses[0, i] + offset * cosine, poses[1, i] + offset * sine
        for j in range(sensors.shape[1]):
            x = cosine * sensors[0, j] - sine * sensors[1, j] + middle_x
            y = sine * sensors[0, j] + cosine * sensors[1, j] + middle_y
            ahead, aside = math.cos(poses[2, i] + sensors[2, j]), math.sin(poses[2, i] + sensors[2, j])
            nearest = reach
            for k in range(lines.shape[0]):
                way_x, way_y = lines[k, 1, 0] - lines[k, 0, 0], lines[k, 1, 1] - lines[k, 0, 1]
                cross = reach * (ahead * way_y - aside * way_x)
                if abs(cross) < _PARALLEL:
                    continue
                to_x, to_y = lines[k, 0, 0] - x, lines[k, 0, 1] - y
                part = (to_x * way_y - to_y * way_x) / cross
                along = reach * (to_x * aside - to_y * ahead) / cross
                if 0.0 <= part <= 1.0 and 0.0 <= along <= 1.0:
                    nearest = min(nearest, part * reach)
            for k in range(n):
                if k == i:
                    continue
                to_x = poses[0, k] + offset * math.cos(poses[2, k]) - x
                to_y = poses[1, k] + offset * math.sin(poses[2, k]) - y
                passed = to_x * ahead + to_y * aside
                if 0.0 <= passed <= reach:
                    apart = square - (to_x * aside - to_y * ahead) ** 2
                    if apart >= 0.0 and passed >= math.sqrt(apart):
                        nearest = min(nearest, passed - math.sqrt(apart))
            out[j, i] = nearest
