"""Devices of the surroundings of a match, found by what their modules describe: fixed cameras, and automatic doors.

Source: swarm gaming, section 6 (interactions between robots and their environment, as with sensors and cameras).
"""

import math
from collections.abc import Collection, Iterable

import numpy as np

from coopsim.client import Client, Module
from coopsim.errors import NoSuchName
from coopsim.games.model import DataModel, RobotState
from coopsim.games.roster import abilities_of
from coopsim.geometry import Floats

_SEEN = 2
"""Column of what a camera tells of a robot."""
_NEAR_DOOR, _HELD = 2.0, 1.0
"""Who is so near to the post of a door that is shut [m], and for so long comes no nearer to its goal [s], waits."""
_PATIENCE = 30.0
"""Who waits longer is stuck [s]."""


class FixedCamera:
    """A camera that belongs to no robot.

    Args:
        module: Tells which robots it sees.
        place: Where it stands [m].
        radius: Of its body [m].
    """

    def __init__(self, module: Module, place: tuple[float, float], radius: float) -> None:
        self.module, self.place, self.radius = module, place, radius

    def seen(self) -> list[str]:
        """Return the robots that it sees now, nearest first.

        Raises:
            NoSuchName: It is gone.
        """
        rows = self.module.targets().robots
        rows = np.reshape(rows, (-1, _SEEN + 1))
        names = list(self.module.names().names)[-len(rows) :]
        found = [(row[0], name) for name, row in zip(names, rows, strict=True) if name and row[_SEEN] > 0.0]
        return [name for _, name in sorted(found)]


class WatchedDoor:
    """A door that opens by itself.

    Args:
        module: Tells whether it is open.
        place: Where its post stands [m].
    """

    def __init__(self, module: Module, place: tuple[float, float]) -> None:
        self._module, self.place = module, np.array(place)

    @property
    def is_open(self) -> bool:
        """Whether it is open, or opens."""
        return bool(self._module.state().open)


class Surroundings:
    """Finds devices that belong to no squad, and asks them.

    Args:
        sim: The run.
        robots: Those of the match.

    Attributes:
        cameras: By name.
        abilities: What each device can do, by name.
    """

    def __init__(self, sim: Client, robots: Collection[str]) -> None:
        self.cameras: dict[str, FixedCamera] = {}
        self.abilities: dict[str, frozenset[str]] = {}
        self._doors: dict[str, WatchedDoor] = {}
        self._waiting: dict[str, tuple[str, float]] = {}
        self._gone: set[str] = set()
        for entity in sim.scene().entities:
            if entity.kind != "robot" or entity.name in robots:
                continue
            can = abilities_of(sim, entity.name)
            place = entity.pose[0], entity.pose[1]
            modules = {it.interface.kind: it for it in map(sim.module, sim.names(f"/{entity.name}/"))}
            if "open" in can:
                self._doors[entity.name] = WatchedDoor(modules["automatic_door"], place)
            elif "target" in modules and "drive" not in can:
                self.cameras[entity.name] = FixedCamera(modules["target"], place, 0.5 * math.hypot(*entity.size[:2]))
            else:
                continue
            self.abilities[entity.name] = can

    @property
    def posts(self) -> list[tuple[float, float, float]]:
        """Circles that are in the way: x, y and radius of each camera [m]."""
        return [(*it.place, it.radius) for it in self.cameras.values()]

    def tell(self, model: DataModel) -> None:
        """Log what was found."""
        for name, can in self.abilities.items():
            model.note(name, "device", f"{name} can {', '.join(sorted(can))}")

    def seen_by(self, name: str, model: DataModel) -> list[RobotState]:
        """Return the robots of the match that a camera sees, nearest first; none where it is gone, which is logged."""
        try:
            names = self.cameras[name].seen()
        except NoSuchName:
            if name not in self._gone:
                self._gone.add(name)
                model.note(name, "device", f"{name} is gone: it sees nobody any more")
            return []
        return [model.robots[each] for each in names if each in model.robots]

    def let_wait(self, stuck: Floats, model: DataModel) -> None:
        """Forget for how long robots are stuck that wait before a door that is shut, and log who waits.

        Args:
            stuck: Time since each came nearer to where it goes, shape (n,) [s]; written.
            model: Says where they are, and takes the log.
        """
        waiting: dict[str, tuple[str, float]] = {}
        for name, robot in self._before_doors(stuck, model):
            if robot.name not in self._waiting:
                model.note(robot.name, "waits", f"{robot.name} waits for {name} to open")
            door, since = waiting[robot.name] = self._waiting.get(robot.name, (name, model.time))
            if door == name and model.time - since <= _PATIENCE:
                stuck[robot.index] = 0.0
        self._waiting = waiting

    def _before_doors(self, stuck: Floats, model: DataModel) -> Iterable[tuple[str, RobotState]]:
        """Yield who stands before which door that is shut; who waited goes on to, until it opens or they leave."""
        robots = model.roster.robots
        for name, door in self._doors.items():
            rows = np.flatnonzero(np.hypot(*(model.positions - door.place).T) < _NEAR_DOOR)
            near = [robots[row] for row in rows if robots[row].is_alive and robots[row].is_own]
            near = [it for it in near if it.name in self._waiting or stuck[it.index] > _HELD]
            if near and not door.is_open:
                yield from ((name, robot) for robot in near)
