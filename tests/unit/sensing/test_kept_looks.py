"""What eyes saw last, over many ticks of one table, against a look at every robot past every shape."""

import math

import numpy as np
import pytest
from test_nearest_seen import SLOTS, expected, scene

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.sensing.line_of_sight import SightLines
from coopsim.sensing.world import EngineSensingWorld

TICKS = 40


def move(engine, generator, velocity):
    """Move everything by its velocity, and now and then let something jump, vanish, rise, or turn to the same."""
    pose = engine.planar
    pose[:, :3] += velocity
    event = int(generator.integers(60))
    chosen = int(generator.integers(len(pose)))
    if event == 0:
        pose[chosen, :2] = generator.uniform(-3.0, 3.0, 2)
    elif event == 1:
        pose[chosen, :2] = 7e5 + chosen
    elif event == 2:
        engine.height[chosen] += generator.choice([0.0, 0.2, -0.2])
    elif event == 3:
        pose[:, 2] = (pose[:, 2] + math.pi) % (2 * math.pi) - math.pi
    elif event == 4:  # from here on it stands still, or goes on elsewhere
        velocity[chosen] *= generator.choice([0.0, -1.0])


@pytest.mark.parametrize("seed", range(60))
def test_what_was_seen_last_is_looked_at_anew_wherever_that_may_change(seed) -> None:
    generator = np.random.default_rng(seed)
    count = int(generator.choice([3, 30, 60]))
    bodies, names = scene(generator, count, float(generator.choice([1.0, 3.0, 6.0])))
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    rows = np.array([list(engine.names).index(name) for name in names], np.int64)
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), tuple(names), rows, np.full(len(names), 0.2))
    limits = np.stack(
        [
            generator.choice([0.9, 2.0, 12.0], rows.size),
            generator.choice([0.4, 2.1, 3.5, 6.2, 2 * math.pi], rows.size),
            generator.choice([0.0, 1.0, 1.0], rows.size),
        ]
    )
    speed = float(generator.choice([2e-4, 1e-3, 2e-3, 6e-3]))
    # they drive in curves, or turn where they stand
    ways = [1.0, 1.0, 3.0] if generator.random() < 0.5 else [0.0, 0.0, 8.0]
    velocity = generator.uniform(-speed, speed, (len(engine.names), 3)) * ways
    velocity[list(engine.names).index("cart"), 2] = 0.0  # its ends would sweep too far for any list
    out = np.full((rows.size, SLOTS), -1, np.int64)
    for tick in range(TICKS):
        move(engine, generator, velocity)
        if generator.random() < 0.1:
            limits[:, int(generator.integers(rows.size))] = 3.0, 2.0, generator.choice([0.0, 1.0])
        world.begin_tick(tick, 0.01)
        if generator.random() < 0.1:  # nobody looks in this tick, or few do
            continue
        some = np.flatnonzero(generator.random(rows.size) < generator.choice([0.3, 1.0, 1.0]))
        seen = out[some]
        world.nearest_seen(rows[some], limits[:, some], seen)
        out[some] = seen
        right = expected(world, SightLines(bodies, engine.names), rows[some], limits[:, some], rows.size)
        assert seen.tolist() == right, tick
