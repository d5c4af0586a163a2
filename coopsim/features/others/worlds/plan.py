"""Contents of a world of another simulator in the terms of coopsim, before they are written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from coopsim.scene.polygons import polygon
from coopsim.scene.values import Flaw

PlanPoint: TypeAlias = tuple[float, float]
PlanPose: TypeAlias = tuple[float, float, float]
"""x y [m], heading [degrees]."""

DIFFERENTIAL, OMNI, CAR = "differential_drive", "omni_drive", "car_drive"
"""Devices that drive robots."""


GoalRow: TypeAlias = tuple[float, ...]
"""x y [m] and, where it is said, the angle [rad] of a place to go to."""


@dataclass(frozen=True)
class ImportLoss:
    """Part of a file that has no counterpart.

    Attributes:
        place: Where it stands, `file:line`.
        key: What it is called there.
        reason: What becomes of it.
    """

    place: str
    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.key}: {self.reason}"


@dataclass(frozen=True)
class SolidPlan:
    """Object or wall.

    Attributes:
        kind: `box`, `cylinder` or `sphere`; `line` for a wall along points, `polygon` for what has them as corners.
        size: Length, width, height [m]; of a line its thickness and height are the second and the third, of a polygon
            its height is the third.
        pose: Of its middle; of a line or a polygon nothing.
        base: Height of its lowest point [m].
        points: Of a line or a polygon.
        closed: Whether the last point is joined with the first.
        mass: 0 = it stands fast [kg].
        color: In the words of a file of coopsim, empty = as usual.
        parts: Further boxes of the same body, in its frame: size and pose.
    """

    kind: str
    size: tuple[float, float, float] = (1.0, 0.1, 0.5)
    pose: PlanPose = (0.0, 0.0, 0.0)
    base: float = 0.0
    points: tuple[PlanPoint, ...] = ()
    closed: bool = False
    mass: float = 0.0
    color: str = ""
    name: str = ""
    parts: tuple[tuple[tuple[float, float, float], PlanPose], ...] = ()


@dataclass(frozen=True)
class FloorPlan:
    """Picture of walls.

    Attributes:
        image: Its file, as a path from where the world is written.
        resolution: Side of a pixel [m].
        corner: Its lower left corner [m].
        height: Of the walls [m].
        place: Where it stands, `file:line`.
        box: What stands for it beside a larger one; None = nothing.
        losses: Parts of the picture that a map lacks and a box does not.
    """

    image: str
    resolution: float
    corner: PlanPoint
    height: float = 0.5
    place: str = ""
    box: SolidPlan | None = None
    losses: tuple[ImportLoss, ...] = ()


@dataclass(frozen=True)
class SensorPlan:
    """Sensor of a robot.

    Attributes:
        kind: SensorPlan of coopsim.
        name: Of its module.
        settings: YamlKeys of its section.
    """

    kind: str
    name: str
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RobotKind:
    """Robots of one design.

    Attributes:
        name: Of the type that is written.
        summary: One line.
        body: `box` or `cylinder`, around its origin.
        size: Length, width, height [m].
        mass: [kg].
        drive: Of `DIFFERENTIAL`, `OMNI`, `CAR`.
        settings: YamlKeys of the drive's section.
        devices: Its sensors.
        points: Corners of the body, which is a polygon then, around its origin [m].
    """

    name: str
    summary: str
    body: str
    size: tuple[float, float, float]
    mass: float
    drive: str
    settings: tuple[tuple[str, str], ...] = ()
    devices: tuple[SensorPlan, ...] = ()
    points: tuple[PlanPoint, ...] = ()


@dataclass(frozen=True)
class RobotPlan:
    """Robot, or several that are scattered.

    Attributes:
        kind: Name of its type.
        name: Its own.
        pose: Where it begins.
        color: In the words of a file of coopsim, empty = as usual.
        count: How many, if they are scattered.
        scatter: Two corners of where, None = `pose` holds.
    """

    kind: str
    name: str
    pose: PlanPose = (0.0, 0.0, 0.0)
    color: str = ""
    count: int = 1
    scatter: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class LawUse:
    """Control law of some robots.

    Attributes:
        law: Its name.
        robots: Theirs.
        settings: YamlKeys of its section.
    """

    law: str
    robots: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()


class VelocityLimits(NamedTuple):
    """Bounds of a command: two or three values each.

    Attributes:
        slowest: Smallest velocities.
        fastest: Largest velocities.
        change: Largest accelerations.
    """

    slowest: tuple[float, ...]
    fastest: tuple[float, ...]
    change: tuple[float, ...]


@dataclass(frozen=True)
class IrsimAgent:
    """Robot, or obstacle that moves.

    Attributes:
        name: As in the scenario.
        title: Its name in the file, empty = it has none there.
        section: `robot` or `obstacle`.
        kinematics: `diff`, `omni`, `omni_angular` or `acker`.
        shape: `disc`, `box` or `line`.
        size: Of the box around it [m].
        wheelbase: Of a car [m]; 0 = not said.
        behaviour: Its name in the file, empty = none.
        speed: Largest speed of its behaviour [m/s].
        goals: Places to go to, one after the other.
        threshold: Distance from a goal at which it is reached.
        has_angles: Whether the angle counts in that distance, too.
        limits: What bounds its commands.
        ahead: How far the middle of its body is ahead of its state [m].
    """

    name: str
    title: str
    section: str
    kinematics: str
    shape: str
    size: PlanPoint
    wheelbase: float
    behaviour: str
    speed: float
    goals: tuple[GoalRow, ...]
    threshold: float
    has_angles: bool
    limits: VelocityLimits
    ahead: float


@dataclass
class WorldPlan:
    """World, robots and how time passes.

    Attributes:
        origin: Simulator and file that it comes from, for a note in what is written.
        size: Of the floor [m].
        middle: Of the floor in the frame of the other simulator, which is moved to the origin [m].
        solids: Objects and walls.
        floor_plans: Pictures of walls.
        kinds: Types of robots.
        robots: Where they begin.
        laws: What drives them.
        step: Of time [s].
        seed: Of what is drawn.
        duration: Seconds until the end, 0 = none.
        losses: What is left out.
        agents: What loops over robots of IR-SIM ask for.
        step_asked: Of time, as the file says [s]; 0 = it says none.
        stops: Whether what touches anything stays there.
    """

    origin: str
    size: PlanPoint = (20.0, 20.0)
    middle: PlanPoint = (0.0, 0.0)
    solids: list[SolidPlan] = field(default_factory=list)
    floor_plans: list[FloorPlan] = field(default_factory=list)
    kinds: list[RobotKind] = field(default_factory=list)
    robots: list[RobotPlan] = field(default_factory=list)
    laws: list[LawUse] = field(default_factory=list)
    step: float = 0.01
    seed: int = 0
    duration: float = 0.0
    losses: list[ImportLoss] = field(default_factory=list)
    agents: list[IrsimAgent] = field(default_factory=list)
    step_asked: float = 0.0
    stops: bool = True
    _names: dict[str, int] = field(default_factory=lambda: {"floor": 1})
    _noted: set[ImportLoss] = field(default_factory=set)

    def lose(self, place: str, key: str, reason: str) -> None:
        """Note a part of the file that has no counterpart, once."""
        loss = ImportLoss(place, key, reason)
        if loss not in self._noted:
            self._noted.add(loss)
            self.losses.append(loss)

    def kind_of(self, kind: RobotKind) -> str:
        """Return the name of a type with this design, which is added if there is none yet."""
        for known_kind in self.kinds:
            if replace(known_kind, name=kind.name) == kind:
                return known_kind.name
        taken_names = {known_kind.name for known_kind in self.kinds}
        name = next(name for name in _numbered(kind.name) if name not in taken_names)
        self.kinds.append(replace(kind, name=name))
        return name

    def free_name(self, wanted: str) -> str:
        """Return a name that was not given yet, `wanted` if it can be."""
        name = proper_name(wanted)
        while name in self._names:
            self._names[proper_name(wanted)] += 1
            name = f"{proper_name(wanted)}_{self._names[proper_name(wanted)]}"
        self._names[name] = 1
        return name


def why_no_polygon(points: Sequence[PlanPoint]) -> str:
    """Return why points are not the corners of one object, "" if they are."""
    corners = polygon([f"{value:.9f}" for point in points for value in point])
    return corners.text if isinstance(corners, Flaw) else ""


def proper_name(text: str) -> str:
    """Return a text as a name of coopsim: a letter, then letters, digits and `_`."""
    name = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in text) or "unnamed"
    return name if name[0].isalpha() and name != "sim" else f"n_{name}"


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
