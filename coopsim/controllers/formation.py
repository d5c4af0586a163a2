"""`formation`: robots drive to a coloured target in formation, break it at obstacles and form it again.

python -m coopsim.controllers.formation --robots robot1 robot2 robot3 --shape triangle --target red
"""

import sys
from collections.abc import Mapping, Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import escaping, options
from coopsim.controllers.marching import PARAMETERS, Marching, Perception, march, places_seen
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, body_of, need_modules, one_type, target_slot, wheel_commands
from coopsim.controllers.shapes import CUSTOM, DIRECT, NAMES, Shape, shape
from coopsim.geometry import Floats
from coopsim.suggest import did_you_mean

__all__ = ["PARAMETERS", "main", "places"]

_UNSEEN = np.full(2, np.nan)
_SUMMARY = "Robots drive to a coloured target in formation; the first one leads."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their target; return the exit code: 0 = they are there, or the run has ended."""
    parser = options.parser("formation", _SUMMARY, PARAMETERS)
    chosen = parser.parse_args(arguments)
    law = options.chosen(chosen, Marching, PARAMETERS)
    known = (*NAMES, CUSTOM)
    if law.shape not in known:
        parser.error(f"argument --shape: {law.shape!r} is none of {', '.join(known)}{did_you_mean(law.shape, known)}")
    return drive("formation", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def places(robots: int, settings: Mapping[str, str]) -> Floats:
    """Return the places that the law's robots keep, in any common frame, shape (n, 2) [m]; studies measure by them.

    Args:
        robots: How many there are.
        settings: Keys of its `[CONTROLLER_n]` section.
    """
    law = Marching()
    name, offsets = settings.get("shape", law.shape), settings.get("offsets", law.offsets)
    return shape(name, robots, float(settings.get("spacing", law.spacing)), offsets).places


def _begin(sim: Client, stepper: Stepper, law: Marching) -> Law:
    need_modules(stepper, "motors", "sonars", "target")
    kind = one_type(stepper, "a formation needs robots of one type")
    formation = shape(law.shape, len(stepper.robots), law.spacing, law.offsets)
    clock, body, eyes = Clock(sim), body_of(sim, stepper.robots[0]), Eyes(sim, stepper, formation, law.target)
    escapes = escaping.calm(len(stepper.robots))

    def decide(seen: Readings) -> Floats | None:
        nonlocal escapes
        dt = clock.elapsed(seen.tick)
        decision, escapes = march(eyes.view(seen), body=body, law=law, shape=formation, escapes=escapes, dt=dt)
        if decision.is_done:
            robots, metres = len(stepper.robots), decision.distance
            sys.stdout.write(
                f"{law.shape} of {robots} at {law.target}: {metres:.2f} m from it, tick {seen.tick},"
                f" places kept within {decision.disorder.max():.2f} m\n"
            )
            return None
        return wheel_commands(stepper, kind, decision.commands)

    return decide


class Eyes:
    """What the robots see of the target and of one another, out of their `target` modules.

    Args:
        sim: The simulation.
        stepper: The robots.
        formation: Which robots must see each other.
        target: Name of the coloured target, or of a robot to go after, which the leader watches.
    """

    def __init__(self, sim: Client, stepper: Stepper, formation: Shape, target: str) -> None:
        self._sim, self._stepper, self._target = sim, stepper, target
        self._generation, self._slot, self._robot, self._kind = -1, 0, -1, ""
        for robot, watched in zip(stepper.robots, watch_lists(formation), strict=True):
            names = [stepper.robots[other] for other in watched]
            if robot == stepper.robots[0] and target in stepper.layout.robots:
                names = [target, *names][:DIRECT]
            sim.module(f"/{robot}/target").parameters["robots"] = " ".join(names)

    def view(self, seen: Readings) -> Perception:
        """Return what the robots perceive in `seen`."""
        if self._stepper.layout.generation != self._generation:
            self._look_up()
        rows, columns = seen.of(self._kind).table, self._columns
        return Perception(
            ranges=rows[:, columns["sonars", "ranges"]],
            goal=self._goal(rows[0]),
            mates=places_seen(
                rows[:, columns["target", "robots"]], rows[:, columns["target", "occupants"]], self._members
            ),
            motion=rows[:, self._motion],
        )

    def _goal(self, row: Floats) -> Floats:
        """Return distance [m] and angle [rad] at which the leader sees what it goes after, NaN = not, shape (2,)."""
        field, slot = "targets", self._slot
        if self._robot >= 0:
            numbers = row[self._columns["target", "occupants"]].tolist()
            if self._robot not in numbers:
                return _UNSEEN
            field, slot = "robots", numbers.index(self._robot)
        sighting = row[self._columns["target", field]][3 * slot : 3 * slot + 3]
        return sighting[:2] if sighting[2] > 0.5 else _UNSEEN

    def _look_up(self) -> None:
        """Find the target's slot and the numbers of the team's robots: both may change with the layout."""
        stepper, robots = self._stepper, list(self._stepper.layout.robots)
        self._robot = robots.index(self._target) if self._target in robots else -1
        if self._robot < 0:
            self._slot = target_slot(self._sim, stepper.robots[0], self._target)
        places = {robot: place for place, robot in enumerate(stepper.robots)}
        self._members = np.array([*(places.get(robot, -1) for robot in stepper.layout.robots), -1], np.int64)
        self._kind = stepper.layout.robots[stepper.robots[0]]
        self._columns = {
            (each.module, each.field): slice(each.offset, each.offset + each.length)
            for each in stepper.layout.types[self._kind].gives.columns
        }
        self._motion = slice(self._columns["motors", "v"].start, self._columns["motors", "w"].stop)
        self._generation = stepper.layout.generation


def watch_lists(formation: Shape) -> list[list[int]]:
    """Return the robots that each robot observes, at most 8: its leader, its followers, then the nearest places."""
    return [_watched_by(robot, formation)[:DIRECT] for robot in range(len(formation.parents))]


def _watched_by(robot: int, formation: Shape) -> list[int]:
    away = np.hypot(*(formation.places - formation.places[robot]).T)
    related = (formation.parents == robot) | (np.arange(len(away)) == formation.parents[robot])
    order = np.lexsort((away, ~related)).tolist()
    return [other for other in order if other != robot]


if __name__ == "__main__":
    sys.exit(main())
