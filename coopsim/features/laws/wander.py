"""`wander`: robots drive about without touching anything, each on its own.

python -m coopsim.features.laws.wander --robots robot1 robot2
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import escaping, options, speeds
from coopsim.features.laws.body import Body
from coopsim.features.laws.escaping import Escapes
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, body_of, need_modules, wheel_commands
from coopsim.features.laws.steering import avoid, steer
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting


@dataclass(frozen=True, slots=True)
class WanderParameters:
    """Parameters of the law `wander`."""

    speed: float = setting(0.35, "m/s", 0.05, 5.0, "speed where nothing is near")
    drift: float = setting(0.25, "rad/s", 0.0, 3.0, "largest turn for no reason, so that it gets about")
    period: float = setting(17.0, "s", 1.0, 1000.0, "time from one turn to the left to the next")
    avoidance: float = setting(5.0, "1/s", 0.1, 100.0, "strength of the repellers")
    range: float = setting(0.45, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.08, "m", 0.0, 2.0, "distance kept from whatever is ahead")


PARAMETERS = parameters_of(WanderParameters)


def wander(
    ranges: Floats, measured: Floats, *, time: float, dt: float, body: Body, law: WanderParameters, escapes: Escapes
) -> tuple[Floats, Escapes]:
    """Return the commands (v, w) of n robots, shape (n, 2), and how their escapes go on.

    Args:
        ranges: What the sonars read, shape (n, m) [m].
        measured: Speeds of the robots, shape (n,) [m/s].
        time: Simulated time [s].
        dt: Simulated time since the last call [s].
        body: The robots.
        law: The parameters.
        escapes: As returned the last time.
    """
    gaps = body.gaps(ranges)
    way = speeds.free_way(gaps, body.bearings, radius=body.radius, margin=law.margin, hulls=body.hulls)
    wants = np.ones(len(ranges), np.bool_)
    escapes = escaping.advance(escapes, speeds=measured, wants=wants, gaps=gaps, bearings=body.bearings, way=way, dt=dt)
    # robots that start together must not turn together
    phase = 2.0 * np.pi * (time / law.period + np.arange(len(ranges)) * 0.381966)
    drift = np.where(escapes.active, 0.0, law.drift * np.sin(phase))
    away = avoid(gaps, body, law.avoidance, law.range, drift)
    return steer(np.full(len(ranges), law.speed), drift + away, way, escapes, body), escapes


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots about until the run ends; return the exit code."""
    chosen = options.parser("wander", "Robots drive about without touching anything.", PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, WanderParameters, PARAMETERS)
    return drive("wander", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: WanderParameters) -> Law:
    need_modules(stepper, *NEEDS["wander"].modules)
    clock = Clock(sim)
    makes = {kind: body_of(sim, stepper.readings.of(kind).robots[0]) for kind in stepper.readings.types}
    states = {kind: escaping.calm(len(stepper.readings.of(kind).robots)) for kind in makes}

    def decide(seen: Readings) -> Floats:
        dt = clock.elapsed(seen.tick)
        commands: list[Floats] = []
        for kind, body in makes.items():
            rows = seen.of(kind)
            given, states[kind] = wander(
                rows.sonars.ranges,
                rows.motors.v,
                time=clock.time,
                dt=dt,
                body=body,
                law=law,
                escapes=states[kind],
            )
            within = speeds.drivable(given, body.gaps(rows.sonars.ranges), body)
            commands.append(wheel_commands(stepper, kind, within).ravel())
        return np.concatenate(commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
