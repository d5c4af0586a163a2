"""Devices of the surroundings of a match, found by what their modules describe: fixed cameras, and automatic doors.

Source: swarm gaming, section 6 (interactions between robots and their environment, as with sensors and cameras).
"""

import math
from collections.abc import Collection, Iterable

import numpy as np

from coopsim.client import Client, Module
from coopsim.errors import NoSuchName
from coopsim.features.games.logic.model import DataModel, RobotState
from coopsim.features.games.logic.roster import abilities_of
from coopsim.geometry import Floats
from coopsim.state import EntityRow

_SEEN = 2
"""Column of what a camera tells of a robot."""
# a second: robots that pass an open door slow down for less
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
        # coloured targets stand in front of the robots
        names = list(self.module.names().names)[-len(rows) :]
        sightings = [(row[0], name) for name, row in zip(names, rows, strict=True) if name and row[_SEEN] > 0.0]
        return [name for _, name in sorted(sightings)]


class WatchedDoor:
    """A door that opens by itself.

    Args:
        module: Tells whether it is open.
        place: Where its post stands [m].
        radius: Of its post, and of what the leaf bars beside that when it is open [m].
    """

    def __init__(self, module: Module, place: tuple[float, float], radius: float) -> None:
        self._module, self.place, self.radius = module, np.array(place), radius

    @property
    def is_open(self) -> bool:
        """Whether it is open, or opens."""
        return bool(self._module.state().open)


def _barred(door: EntityRow, driver: Module) -> float:
    """Return how much of its closed place the leaf of a door still fills when it is open [m]."""
    leaf, opening = str(driver.parameters["leaf"]), float(driver.parameters["opening"])
    lengths = [max(visual.size[:2]) for visual in door.visuals if visual.body == leaf and visual.size is not None]
    return max(0.0, max(lengths, default=0.0) - opening)


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
        self._let_in: dict[str, float] = {}
        self._gone: set[str] = set()
        for entity in sim.scene().entities:
            if entity.kind != "robot" or entity.name in robots:
                continue
            can = abilities_of(sim, entity.name)
            place, radius = (entity.pose[0], entity.pose[1]), 0.5 * math.hypot(*entity.size[:2])
            modules = {module.interface.kind: module for module in map(sim.module, sim.names(f"/{entity.name}/"))}
            if "open" in can:
                radius += _barred(entity, modules["automatic_door"])
                self._doors[entity.name] = WatchedDoor(modules["automatic_door"], place, radius)
            elif "target" in modules and "drive" not in can:
                self.cameras[entity.name] = FixedCamera(modules["target"], place, radius)
            else:
                continue
            self.abilities[entity.name] = can

    @property
    def posts(self) -> list[tuple[float, float, float]]:
        """Circles that are in the way: x, y and radius of each camera, and of each door where it stays barred [m]."""
        devices: list[FixedCamera | WatchedDoor] = [*self.cameras.values(), *self._doors.values()]
        return [(float(device.place[0]), float(device.place[1]), device.radius) for device in devices]

    def log(self, model: DataModel) -> None:
        """Log what was found."""
        for name, can in self.abilities.items():
            model.note(name, "device", f"{name} can {', '.join(sorted(can))}")

    def seen_by(self, name: str, model: DataModel) -> list[RobotState]:
        """Return the robots of the match that a camera sees, nearest first; none where it is gone, which is logged."""
        try:
            names = self.cameras[name].seen()
        except NoSuchName:
            # logged once: a camera that is gone is asked again at each look
            if name not in self._gone:
                self._gone.add(name)
                model.note(name, "device", f"{name} is gone: it sees nobody any more")
            return []
        return [model.robots[name] for name in names if name in model.robots]

    def let_wait(self, stuck: Floats, model: DataModel) -> None:
        """Forget for how long robots are stuck that wait, or waited, before a door that is shut; log who waits.

        Whoever waited counts as stuck only from when the door opened: robots that plan new ways, all at once and around
        each other, would close the passage to themselves.

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
        # those who waited too long are stuck for another reason, and get no new time
        patient = (name for name, (_, since) in self._waiting.items() if model.time - since <= _PATIENCE)
        self._let_in |= {name: model.time for name in patient if name not in waiting}
        self._waiting = waiting
        for name, since in list(self._let_in.items()):
            index = model.robots[name].index
            if stuck[index] <= model.time - since:
                del self._let_in[name]
            else:
                stuck[index] = model.time - since

    def _before_doors(self, stuck: Floats, model: DataModel) -> Iterable[tuple[str, RobotState]]:
        """Yield who stands before which door that is shut; who waited goes on to, until it opens or they leave."""
        robots = model.roster.robots
        for name, door in self._doors.items():
            rows = np.flatnonzero(np.hypot(*(model.positions - door.place).T) < _NEAR_DOOR)
            near = [robots[row] for row in rows if robots[row].is_alive and robots[row].is_own]
            near = [robot for robot in near if robot.name in self._waiting or stuck[robot.index] > _HELD]
            # the door is asked last: a request each look, and mostly nobody is near
            if near and not door.is_open:
                yield from ((name, robot) for robot in near)
