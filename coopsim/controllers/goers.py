"""Driving robots to places of their own by a law that decides velocities: `orca`, `social_force`, `potential`."""

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client import Law as Deciding
from coopsim.controllers import options
from coopsim.controllers.going import Going, Situation, are_there, commands, places, situation
from coopsim.controllers.process import drive
from coopsim.controllers.senses import body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.controllers.speeds import within_wheels
from coopsim.controllers.tuned import Tuned
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter

Law = TypeVar("Law", bound=Going)


def run(
    name: str,
    summary: str,
    law: type[Law],
    parameters: Sequence[Parameter],
    decide: Callable[[Situation, Law], Floats],
    arguments: Sequence[str] | None,
) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended.

    Args:
        name: Of the law.
        summary: One sentence.
        law: Class of its parameters.
        parameters: As it declares them.
        decide: Returns the velocities of the robots.
        arguments: Of the command line.
    """
    chosen = options.parser(name, summary, parameters).parse_args(arguments)
    tuned = Tuned(name, options.chosen(chosen, law, parameters), parameters)
    return drive(name, chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, name, tuned, decide))


def _begin(
    sim: Client, stepper: Stepper, name: str, tuned: Tuned[Law], choose: Callable[[Situation, Law], Floats]
) -> Deciding:
    need_modules(stepper, "motors", "sonars", "odometry")
    kind = one_type(stepper, "robots that go to places of their own must be of one type")
    body, starts = body_of(sim, stepper.robots[0]), map_poses(sim, stepper.robots)
    tuned.offer(sim, stepper.robots)
    goals = places(tuned.at(0).goals, starts[:, :2])

    def decide(seen: Readings) -> Floats | None:
        law = tuned.at(seen.tick)
        poses = np.column_stack([seen.odometry.x, seen.odometry.y, seen.odometry.heading])
        motion = np.column_stack([seen.motors.v, seen.motors.w])
        now = situation(poses, motion, seen.sonars.ranges, goals, body, law)
        there = are_there(now, goals, law.tolerance)
        if there.all():
            sys.stdout.write(f"{name}: {len(goals)} at their goals, tick {seen.tick}\n")
            return None
        v, w = commands(choose(now, law), poses, law).T
        within = within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
        return wheel_commands(stepper, kind, within)

    return decide
