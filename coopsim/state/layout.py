"""The rows and columns of robots and modules, for one generation of the simulation.

Commands and readings of all robots are one flat vector each: block after block per robot type (types by name),
in a block row after row per robot. Whenever robots, devices or targets come or go, the generation grows.
"""

from dataclasses import dataclass, field
from functools import cached_property

from coopsim.geometry import Pose, Vector3
from coopsim.interfaces import Field, Interface, count
from coopsim.state.visuals import PlacedVisual, Visual, default_visuals, positioned

# the stamp counts, so that a command that is sent twice in a tick is seen as new though its values are equal
STAMP, NUMBER, VALUES = 0, 1, 2
"""Columns of a command slot: how many commands came (a count), the command's number, then its values."""

LAYOUT_BYTES = 64
"""An entity's part of a layout on its way between processes, generously."""


@dataclass(frozen=True, slots=True)
class ModuleLayout:
    """A module of a robot type.

    Attributes:
        name: `motors`.
        counts: Numbers for fields whose count is given by name.
        labels: Fixed names of what the readings speak of (the coloured targets).
        command_offset: First column of its slot in the robot's command row, -1 for a pure sensor.
            A slot is stamp, number, values (see `STAMP`, `NUMBER`, `VALUES`).
        reading_offset: First column of its readings in the robot's readings row.
        reading_width: How many readings it has.
        paces: Whether a command to it makes its robot ready for the next lockstep tick.
        body: Name of the link of the robot that it sits on, "" = its first body.
    """

    name: str
    interface: Interface
    counts: dict[str, int]
    labels: tuple[str, ...]
    command_offset: int
    reading_offset: int
    reading_width: int
    paces: bool
    body: str = ""

    def columns(self, wanted: Field) -> tuple[int, int]:
        """Return offset and length of a reading field in the robot's readings row."""
        offset = self.reading_offset
        for reading in self.interface.readings:
            length = count(reading, self.counts)
            if reading is wanted or reading == wanted:
                return offset, length
            offset += length
        raise KeyError(wanted.name)


@dataclass(frozen=True, slots=True)
class TypeLayout:
    """A robot type: its modules in the order of the `.robot` file and the widths of its rows."""

    name: str
    modules: tuple[ModuleLayout, ...]
    command_width: int
    reading_width: int

    @property
    def slots(self) -> tuple[str, tuple[tuple[str, int], ...]]:
        """Slots of commands: if they are equal, a command row keeps its meaning. Type, and where each module begins."""
        return self.name, tuple((module.name, module.command_offset) for module in self.modules)

    @property
    def is_unpaced(self) -> bool:
        """Whether it takes commands and none of them makes a robot ready for the next step, as things of a world."""
        takes = [module for module in self.modules if module.command_offset >= 0]
        return bool(takes) and not any(module.paces for module in takes)

    def module(self, name: str) -> ModuleLayout | None:
        """Return the module of this name, None if there is none."""
        return next((module for module in self.modules if module.name == name), None)


@dataclass(frozen=True, slots=True)
class RobotPlace:
    """First rows of a robot in the flat vectors, and its rows among the bodies.

    Attributes:
        body: Row of its body.
        links: Rows of its further bodies, in the order of its file.
    """

    name: str
    type: TypeLayout
    command_offset: int
    reading_offset: int
    body: int
    links: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityRow:
    """Row of an entity: floor, object, target, robot, area.

    Attributes:
        kind: "floor", "object", "target", "robot" or "area" (of the floor; it has no body).
        type: Shape of an object, colour name of a target, type of a robot, kind of an area.
        body: Row in the record's poses; -1 = does not move, see `pose`.
        pose: x y z of the middle of its base, quaternion w x y z; of a moving entity the one it started from.
        size: Length, width, height [m].
        color: Red, green, blue, 0 to 1.
        is_wall: Whether its file calls it a wall.
        visuals: What it looks like; none in old recordings.
        whole: Name of the cloth or soft body that it is a node of, "" = of none.
        cell: Column and row of a node of a cloth, then the layer of one of a soft body, from 1.
    """

    name: str
    kind: str
    type: str
    body: int
    pose: Pose
    size: Vector3
    mass: float
    color: Vector3
    friction: float
    is_wall: bool = False
    visuals: tuple[Visual, ...] = ()
    whole: str = ""
    cell: tuple[int, ...] = ()

    def body_name(self, body: str) -> str:
        """Return what a body of its visuals is called among all bodies: `robot1`, `robot1.arm`."""
        return f"{self.name}.{body}" if body else self.name

    def drawn(self, color: Vector3 | None = None) -> tuple[PlacedVisual, ...]:
        """Return its visuals with sizes and colours of their own, their poses relative to their bodies.

        Args:
            color: For visuals that have none, instead of the entity's.
        """
        visuals = self.visuals or default_visuals(self.kind, self.type, self.size)
        return positioned(visuals, self.size, color or self.color)


@dataclass(frozen=True, slots=True)
class JointRow:
    """A joint.

    Attributes:
        kind: "hinge", "slide", "weld", "pivot", "support" or "spring".
        a: Name of the body that carries it.
        b: Name of the other one.
        anchor: Where a spring begins, in the frame of a [m]; None of other kinds, and in old recordings.
        far_anchor: Where it ends, in the frame of b [m].
    """

    name: str
    kind: str
    a: str
    b: str
    anchor: Vector3 | None = None
    far_anchor: Vector3 | None = None


@dataclass(frozen=True)
class Layout:
    """Rows and columns of one generation."""

    generation: int
    types: tuple[TypeLayout, ...]
    robots: tuple[RobotPlace, ...]
    entities: tuple[EntityRow, ...]
    bodies: tuple[str, ...] = field(default=())
    command_size: int = 0
    reading_size: int = 0
    joints: tuple[JointRow, ...] = ()

    @cached_property
    def robot(self) -> dict[str, RobotPlace]:
        """Robots by name."""
        return {place.name: place for place in self.robots}

    @cached_property
    def entity(self) -> dict[str, EntityRow]:
        """Entities by name."""
        return {row.name: row for row in self.entities}

    @cached_property
    def counting_columns(self) -> list[int]:
        """Columns of the commands that hold whole numbers: stamp and number of every slot."""
        return [
            place.command_offset + module.command_offset + column
            for place in self.robots
            for module in place.type.modules
            if module.command_offset >= 0
            for column in (STAMP, NUMBER)
        ]
