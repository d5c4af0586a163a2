"""`seek`: robots wander until they see a coloured target, drive to it, and wait there for the others.

python -m coopsim.features.laws.seek --robots robot1 robot2 --target red
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
from coopsim.features.laws.senses import Clock, body_of, need_modules, one_type, target_slot, wheel_commands
from coopsim.features.laws.speeds import drivable
from coopsim.features.laws.steering import avoid, head_for, steer
from coopsim.features.laws.wander import WanderParameters
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Robots wander until they see a coloured target, drive to it, and wait there for the others."
_APPROACH = 0.5  # 1/s; as a formation's


@dataclass(frozen=True, slots=True)
class SeekParameters(WanderParameters):
    """Parameters of the law `seek`."""

    target: str = setting("red", "1", summary="name of the coloured target to look for")
    tolerance: float = setting(1.0, "m", 0.05, 50.0, "a robot is there when it is so near to the target")
    attraction: float = setting(1.6, "rad/s", 0.1, 20.0, "strength of the attractor of the heading")
    finders: int = setting(0, "1", 0, 10_000, "robots that must be there, 0 = all")


PARAMETERS = parameters_of(SeekParameters)


@dataclass(frozen=True)
class Search:
    """Decision of the law.

    Attributes:
        commands: Speed [m/s] and rate of turn [rad/s], shape (n, 2).
        is_there: Which robots are at the target, shape (n,).
    """

    commands: Floats
    is_there: "np.ndarray[tuple[int], np.dtype[np.bool_]]"


def seek(
    ranges: Floats,
    measured: Floats,
    goals: Floats,
    *,
    time: float,
    dt: float,
    body: Body,
    law: SeekParameters,
    escapes: Escapes,
) -> tuple[Search, Escapes]:
    """Return what n robots do next and how their escapes go on.

    Args:
        ranges: What the sonars read, shape (n, m) [m].
        measured: Speeds of the robots, shape (n,) [m/s].
        goals: Distance [m], angle [rad] and whether the target is seen, shape (n, 3).
        time: Simulated time [s].
        dt: Simulated time since the last call [s].
        body: The robots.
        law: The parameters.
        escapes: As returned the last time.
    """
    distance, angle, is_seen = goals[:, 0], goals[:, 1], goals[:, 2] > 0.5
    is_there = is_seen & (distance <= law.tolerance)
    gaps = body.gaps(ranges)
    way = speeds.free_way(gaps, body.bearings, radius=body.radius, margin=law.margin, hulls=body.hulls)
    escapes = escaping.advance(
        escapes, speeds=measured, wants=~is_there, gaps=gaps, bearings=body.bearings, way=way, dt=dt
    )
    # robots that start together must not turn together
    phase = 2.0 * np.pi * (time / law.period + np.arange(len(ranges)) * 0.381966)
    goal = head_for(angle, gaps, escapes, body=body, strength=law.attraction, enough=2.0 * law.range)
    wanted = np.where(escapes.active, 0.0, np.where(is_seen, goal, law.drift * np.sin(phase)))
    away = avoid(gaps, body, law.avoidance, law.range, np.where(is_seen, angle, wanted))
    approach = np.minimum(law.speed, (distance - 0.8 * law.tolerance + 0.1) * _APPROACH)
    pace = np.where(is_seen & ~escapes.active, np.maximum(approach, 0.0), law.speed)
    commands = steer(pace, wanted + away, way, escapes, body)
    commands[is_there] = 0.0
    return Search(commands, is_there), escapes


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their target; return the exit code: 0 = they are there, or the run has ended."""
    chosen = options.parser("seek", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, SeekParameters, PARAMETERS)
    return drive("seek", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: SeekParameters) -> Law:
    need_modules(stepper, *NEEDS["seek"].modules)
    kind = one_type(stepper, "a search needs robots of one type")
    clock, body, count = Clock(sim), body_of(sim, stepper.robots[0]), len(stepper.robots)
    generation, slot = stepper.layout.generation, target_slot(sim, stepper.robots[0], law.target)
    escapes, wanted = escaping.calm(count), min(law.finders or count, count)
    before = np.zeros(count, np.bool_)

    def decide(seen: Readings) -> Floats | None:
        nonlocal escapes, before, generation, slot
        if stepper.layout.generation != generation:
            generation, slot = stepper.layout.generation, target_slot(sim, stepper.robots[0], law.target)
        dt, goals = clock.elapsed(seen.tick), seen.target.table("targets")[:, slot]
        ranges, speeds, time = seen.sonars.ranges, seen.motors.v, clock.time
        search, escapes = seek(ranges, speeds, goals, time=time, dt=dt, body=body, law=law, escapes=escapes)
        for robot in np.flatnonzero(search.is_there & ~before):
            sys.stdout.write(f"{stepper.robots[robot]} is at {law.target}, tick {seen.tick}\n")
        before = before | search.is_there
        if search.is_there.sum() >= wanted:
            return None
        return wheel_commands(stepper, kind, drivable(search.commands, body.gaps(ranges), body))

    return decide


if __name__ == "__main__":
    sys.exit(main())
