"""Duration of a whole tick as a function of the number of quadrotors.

Source: SwarmSimX, section 3.2 and Fig. 5 (quadrotors with flight controllers, range sensors, and formation control with
obstacle avoidance by artificial potentials; steps of 0.02 s; box plots of the time of a step).
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coopsim.features.pictures.palette import LIGHT, SERIES_ON_PAPER
from coopsim.features.pictures.svg import Drawing, color
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.geometry import Floats, Vector3
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation

STEP = 0.02  # s
PAPER_CASES = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100)
CASES = (*PAPER_CASES, 200, 500, 1000, 2000)  # numbers of robots: those of the paper, and beyond
_SPACING, _SETTLED, _PERIOD = 1.2, 50, 250  # m, ticks before measuring, ticks between two formations
_INK, _QUIET, _PAPER, _GRID = (LIGHT[name] for name in ("ink", "quiet", "paper", "line"))
_BOX, _LIMIT, _OUT = (color(SERIES_ON_PAPER[number]) for number in (0, 2, 5))
_WIDTH, _HEIGHT = 760.0, 360.0  # points of the plot


@dataclass(frozen=True, eq=False)
class StepTimes:
    """Times of whole ticks.

    Attributes:
        robots: How many robots there were.
        milliseconds: Of each tick, shape (samples,).
    """

    robots: int
    milliseconds: Floats

    def to_json(self) -> dict[str, float]:
        """Return what a report says of it."""
        low, median, high = np.percentile(self.milliseconds, (25, 50, 75)).tolist()
        return {
            "robots": self.robots,
            "median_ms": round(median, 4),
            "p25_ms": round(low, 4),
            "p75_ms": round(high, 4),
            "max_ms": round(float(self.milliseconds.max()), 4),
            "real_time_factor": round(1e3 * STEP / median, 2),
        }

    def whiskers(self) -> tuple[float, float, Floats]:
        """Return the lowest and the highest time that is no outlier, and the outliers: beyond 1.5 boxes from a box."""
        low, high = np.percentile(self.milliseconds, (25, 75))
        reach = 1.5 * (high - low)
        is_usual = (self.milliseconds >= low - reach) & (self.milliseconds <= high + reach)
        usual = self.milliseconds[is_usual]
        return float(usual.min()), float(usual.max()), self.milliseconds[~is_usual]


def scene(count: int, engine: str, without: Sequence[str] = ()) -> RunSpec:
    """Return quadrotors in a square on the floor, and pillars beside it.

    Args:
        count: How many.
        engine: Name of the engine.
        without: Devices that are left out.
    """
    side = math.ceil(math.sqrt(count))
    half = 0.5 * _SPACING * (side - 1)
    robots = tuple(
        RobotPlacement(f"q{k + 1}", "quadrotor", (_SPACING * (k % side) - half, _SPACING * (k // side) - half, 0.0))
        for k in range(count)
    )
    pillars = tuple(
        Object(f"pillar_{k + 1}", "cylinder", (0.4, 0.4, 4.0), (0.5 * _SPACING * (2 * k - 9), half + 1.5, 0.0))
        for k in range(10)
    )
    size = 4.0 * half + 20.0
    world = World(floor=Floor(size=(size, size, 0.1)), objects=pillars)
    settings = Settings(step=STEP, engine=engine)
    kind = load_type("quadrotor")
    kind = replace(kind, devices=tuple(device for device in kind.devices if device.name not in without))
    return RunSpec(Scenario(world, (), robots, settings=settings), {"quadrotor": kind})


def measure(
    count: int,
    samples: int,
    engine: str = "mujoco",
    without: Sequence[str] = (),
    clock: Callable[[], int] = time.perf_counter_ns,
) -> StepTimes:
    """Return the times of ticks in which quadrotors go from one formation to the next.

    Args:
        count: How many.
        samples: How many ticks.
        engine: Name of the engine.
        without: Devices that are left out.
        clock: What is measured, in nanoseconds.
    """
    simulation = Simulation(scene(count, engine, without))
    places = formations(count)
    _climb(simulation, count)
    milliseconds = np.empty(samples)
    for k in range(samples):
        if k % _PERIOD == 0:
            _order(simulation, next(places))
        before = clock()
        simulation.tick()
        milliseconds[k] = 1e-6 * (clock() - before)
    return StepTimes(count, milliseconds)


def formations(count: int) -> Iterator[list[Vector3]]:
    """Yield places of formations: on a sphere, then in a square, again and again."""
    side = math.ceil(math.sqrt(count))
    half = 0.5 * _SPACING * (side - 1)
    square = [(_SPACING * (k % side) - half, _SPACING * (k // side) - half, 1.5) for k in range(count)]
    while True:
        yield sphere(count, _SPACING)
        yield square


def sphere(count: int, spacing: float) -> list[Vector3]:
    """Return places spread evenly over a sphere above the floor, about `spacing` from each other [m]."""
    radius = max(1.0, 0.5 * spacing * math.sqrt(1.1 * count / math.pi * math.sqrt(3.0) / 1.5))
    golden, places = math.pi * (3.0 - math.sqrt(5.0)), []
    for k in range(count):
        z = 1.0 - (2.0 * k + 1.0) / count
        level = radius * math.sqrt(1.0 - z * z)
        places.append((level * math.cos(golden * k), level * math.sin(golden * k), radius * (z + 1.0) + 1.0))
    return places


def _climb(simulation: Simulation, count: int) -> None:
    take_off = AUTOPILOT.command("take_off").number
    for k in range(count):
        simulation.command(f"q{k + 1}", "autopilot", take_off, (1.5,))
    for _ in range(_SETTLED):
        simulation.tick()


def _order(simulation: Simulation, places: Sequence[Vector3]) -> None:
    keep = POTENTIALS.command("keep").number
    for k, place in enumerate(places):
        simulation.command(f"q{k + 1}", "potentials", keep, place)


def picture(cases: Sequence[StepTimes], engine: str) -> str:
    """Return box plots of the cases as SVG; the times are on a logarithmic axis, the green line is the step."""
    every = np.concatenate([case.milliseconds for case in cases])
    low = math.floor(math.log10(max(float(every.min()), 1e-3)))
    high = math.ceil(math.log10(max(float(every.max()), 1.2e3 * STEP)))
    drawing = Drawing((0.0, 0.0), (_WIDTH, _HEIGHT), 1.0, (70.0, 70.0, 24.0, 56.0))
    drawing.add(f'<rect width="{drawing.width:.0f}" height="{drawing.height:.0f}" fill="{_PAPER}"/>')
    drawing.words((24, 34), "Time of a whole tick", font_size=20, fill=_INK, font_weight="600")
    text = f"quadrotors with sensors, flight control and formation on {engine}; green: the step of {1e3 * STEP:g} ms"
    drawing.words((24, 53), text, fill=_QUIET)

    def level(milliseconds: float) -> float:
        return _HEIGHT * (math.log10(max(milliseconds, 10.0**low)) - low) / (high - low)

    for power in range(low, high + 1):
        y = level(10.0**power)
        drawing.line([(0, y), (_WIDTH, y)], stroke=_GRID, stroke_width=1)
        drawing.text((0, y), f"{10.0**power:g} ms", shift=(-8, 4), text_anchor="end", fill=_INK)
    limit = level(1e3 * STEP)
    drawing.line([(0, limit), (_WIDTH, limit)], stroke=_LIMIT, stroke_width=2, stroke_dasharray="7 5")
    wide = _WIDTH / len(cases)
    for k, case in enumerate(cases):
        _box(drawing, wide * (k + 0.5), 0.3 * wide, [level(mark) for mark in _marks(case)])
        for value in case.whiskers()[2][:200].tolist():
            drawing.text((wide * (k + 0.5), level(value)), "+", shift=(0, 4), text_anchor="middle", fill=_OUT)
        drawing.text((wide * (k + 0.5), 0), str(case.robots), shift=(0, 18), text_anchor="middle", fill=_INK)
    drawing.text((0.5 * _WIDTH, 0), "quadrotors", shift=(0, 40), text_anchor="middle", fill=_INK)
    return drawing.document("Time of a whole tick")


def _marks(case: StepTimes) -> list[float]:
    """Return whisker, quartile, median, quartile and whisker."""
    low, high, _ = case.whiskers()
    first, median, last = np.percentile(case.milliseconds, (25, 50, 75)).tolist()
    return [low, first, median, last, high]


def _box(drawing: Drawing, x: float, half: float, levels: Sequence[float]) -> None:
    low, first, median, last, high = levels
    for begin, end in ((low, first), (last, high)):
        drawing.line([(x, begin), (x, end)], stroke=_INK, stroke_width=1.2)
    corners = [(x - half, first), (x + half, first), (x + half, last), (x - half, last)]
    drawing.polygon(corners, fill="none", stroke=_BOX, stroke_width=1.5)
    drawing.line([(x - half, median), (x + half, median)], stroke=_OUT, stroke_width=2)
