"""Costs of batches of worlds, and of the peers that learners use, each in a process of its own.

python -m coopsim.testkit.own_bench.measuring.many_worlds ours
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from coopsim.features.learning import Worlds
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.encoding_kernels import lengths_of
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.geometry import Bools, Floats
from coopsim.kernels import compiled
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.workload import SET_VELOCITY, Avoidance, avoid, cost_of_tick, crowd
from coopsim.testkit.run import memory_of

WORLDS, ROBOTS = 256, 4
_TICKS = 100
"""Ticks of a repeat: long enough for the clock, short enough to take turns."""
_REPEATS = 7
PRESSING, FREE = (0.5, 0.5), (-0.9, 0.5)
"""Actions of robots that drive on until walls and others stop them, and of robots that turn where they stand.

The agents of VMAS are all pushed the same way, without walls, and meet nobody."""
_UNTIL_ALL_TOUCH = 400
"""Ticks after which robots of every world have met a wall or each other."""
_MANY = 2048
"""Worlds whose memory is measured: what they use again of that which was free counts little then."""


class Driving(LearningTask):
    """Four robots with 11 rays each drive on: what a step of a learner costs besides its ticks.

    Args:
        every: Ticks of an action.
    """

    name, summary = "Driving", "robots with rays drive on"
    observed = (Observed("sonars", scale=2.0), Observed("motors", columns=(0, 1)))
    acting = Acting("motors", "set_velocity", (0.0, -1.0), (0.5, 1.0))
    limit = 1 << 30

    def __init__(self, every: int) -> None:
        self.scenario: RunSpec = crowd(ROBOTS)
        self.every = every

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far each robot is from the middle [m]."""
        distances: Floats = lengths_of(places.robots)
        return distances

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way that each came away from there."""
        return scene.now - scene.before

    def is_over(self, scene: StepScene) -> Bools:
        """Return that no episode ends."""
        return np.zeros(len(scene.now), np.bool_)


def best_of(clock: Callable[[], float], work: Callable[[], object], repeats: int = _REPEATS) -> float:
    """Return the least time of some repeats [s]: whatever else the machine does only adds to it."""
    times = []
    for _ in range(repeats):
        begun = clock()
        work()
        times.append(clock() - begun)
    return min(times)


@compiled
def _avoid_everywhere(ranges: Floats, slots: Floats) -> None:
    for world in range(ranges.shape[0]):
        avoid(ranges[world], slots[world])


def _avoiding(worlds: Worlds, ticks: int) -> Callable[[], None]:
    """Return a hundred ticks of robots that avoid each other by the law of the crowd, asked every few ticks."""
    ranges, slots = worlds.readings("sonars"), worlds.slots("motors")

    def work() -> None:
        for _ in range(_TICKS // ticks):
            _avoid_everywhere(ranges, slots)
            worlds.step(ticks)

    work()
    return work


def ours() -> dict[str, float]:
    """Return costs of a batch on one core, beside one world of 1000 robots by turns, in CPU time."""
    worlds = Worlds(crowd(ROBOTS), WORLDS)
    work = _avoiding(worlds, 1)
    whole = Simulation(crowd(1000), programs=[Avoidance()])
    cost_of_tick(whole, _TICKS, time.thread_time)
    batch, crowded = [], []
    for _ in range(_REPEATS):
        batch.append(best_of(time.thread_time, work, 1))
        crowded.append(cost_of_tick(whole, _TICKS // 5, time.thread_time))
    seldom = best_of(time.thread_time, _avoiding(worlds, 10))
    pressing = best_of(time.thread_time, lambda: _press(worlds))
    mask = np.arange(WORLDS) == 1
    worlds.reset(mask)
    single = Worlds(crowd(ROBOTS), 1)
    single.step(_TICKS)

    def step_by_step() -> None:
        for _ in range(_TICKS):
            single.step(1)

    one_by_one = best_of(time.thread_time, step_by_step)
    at_once = best_of(time.thread_time, lambda: single.step(_TICKS))
    return {
        "rate": WORLDS * ROBOTS * _TICKS / min(batch),
        "crowd": 1000 / min(crowded),
        "seldom": WORLDS * ROBOTS * _TICKS / seldom,
        "pressing": WORLDS * ROBOTS * _TICKS / pressing,
        "step": (one_by_one - at_once) / _TICKS,
        "reset": best_of(time.thread_time, lambda: worlds.reset(mask), 50),
    }


def memory() -> dict[str, float]:
    """Return the memory that a world adds to what all share, before and after anything has touched [kB]."""
    Worlds(crowd(ROBOTS), 1).step(1)
    before = memory_of(os.getpid())
    with Worlds(crowd(ROBOTS), _MANY) as worlds:
        worlds.step(1)
        megabytes = [memory_of(os.getpid())]
        worlds.command("motors", SET_VELOCITY, (0.4, 0.3))
        worlds.step(_UNTIL_ALL_TOUCH)
        megabytes.append(memory_of(os.getpid()))
    names = "kilobytes", "pressing"
    return {name: (now - before) * 1000.0 / _MANY for name, now in zip(names, megabytes, strict=True)}


def _press(worlds: Worlds) -> None:
    """Make a hundred ticks of robots that drive on, each with its rays."""
    worlds.command("motors", SET_VELOCITY, (0.4, 0.3))
    for _ in range(_TICKS):
        worlds.step(1)


def two_cores() -> dict[str, float]:
    """Return how much faster two cores are, in real time, by turns."""
    serial, parallel = (Worlds(crowd(ROBOTS), WORLDS, threads=threads) for threads in (1, 2))
    times: dict[int, list[float]] = {1: [], 2: []}
    for worlds in (serial, parallel):
        worlds.command("motors", SET_VELOCITY, (0.4, 0.3))
        worlds.step(_TICKS)
    for _ in range(_REPEATS):
        for threads, worlds in ((1, serial), (2, parallel)):
            times[threads].append(best_of(time.perf_counter, lambda batch=worlds: batch.step(_TICKS), 1))  # type: ignore[misc]
    return {"ratio": min(times[1]) / min(times[2])}


def learners() -> dict[str, float]:
    """Return robots that get observations, rewards and ends a second, in CPU time.

    By worlds, ticks of an action, and whether robots are free or press against walls and each other.
    """
    rates = {}
    for count in (64, 8192):
        for ticks in (1, 10):
            batch, steps = LearningBatch(Driving(ticks), count), max(2, 2048 // count // ticks)
            for name, action in (("free", FREE), ("pressing", PRESSING)):
                actions = np.tile(action, (count, ROBOTS, 1))
                for _ in range(_TICKS // ticks):
                    batch.step(actions)
                seconds = best_of(time.thread_time, partial(_step, batch, steps, actions), 3)
                rates[f"{count} {ticks} {name}"] = count * ROBOTS * steps / seconds
            batch.close()
    return rates


def _step(batch: LearningBatch, count: int, actions: Floats) -> None:
    for _ in range(count):
        batch.step(actions)


MEASURES = {measure.__name__: measure for measure in (ours, two_cores, memory, learners)}


def main(arguments: Sequence[str]) -> int:
    """Print what was measured as JSON."""
    print(json.dumps(MEASURES[arguments[0]]()))  # noqa: T201 - for the process that asked
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
