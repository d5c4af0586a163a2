"""A scenario whose names, types and ranges are all known to be right."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from coopsim.geometry import Vector3, quaternion, turned
from coopsim.interfaces import ROTORS, Value
from coopsim.scene import BASE, Controller, Joint, LinkSpec, ObjectPart, Scenario, Span
from coopsim.state import Visual

_CARRIER = 0.01
"""Share of the mass of a robot below which its body only carries the links."""


@dataclass(frozen=True, slots=True)
class DeviceBlueprint:
    """A device of a robot type.

    Attributes:
        kind: Name it is registered under (`sonars`).
        name: Name of its module (`sonars`).
        settings: Values of all parameters of its interface, defaults filled in.
        paces: Whether a command to it makes its robot ready for the next lockstep tick.
        body: The link it sits on; `BASE` = the body of the robot.
    """

    kind: str
    name: str
    settings: Mapping[str, Value]
    paces: bool = False
    span: Span = field(default=Span(), compare=False)
    body: str = BASE


@dataclass(frozen=True, slots=True)
class RobotBlueprint:
    """A robot type, checked.

    Attributes:
        shape: "cylinder" or "box".
        size: Bounding box of the chassis, around its origin.
        hull: What it is within that box, a polygon; None = all of it.
        visuals: What it looks like; () = as its body.
        has_wheels: Whether its body stands on wheels and is not braked by the floor.
        links: Its further bodies.
        joints: Between its bodies.
        is_bolted: Whether its body stays where it is put.
        is_articulated: Whether its joints give way nowhere, as those of an arm.
    """

    name: str
    summary: str
    shape: str
    size: Vector3
    mass: float
    friction: float
    devices: tuple[DeviceBlueprint, ...]
    span: Span = field(default=Span(), compare=False)
    visuals: tuple[Visual, ...] = ()
    has_wheels: bool = True
    links: tuple[LinkSpec, ...] = ()
    joints: tuple[Joint, ...] = ()
    is_bolted: bool = False
    is_articulated: bool = False
    hull: ObjectPart | None = None

    @property
    def total_mass(self) -> float:
        """Mass of all of its bodies [kg]."""
        return self.mass + sum(link.mass for link in self.links)

    @property
    def extent(self) -> Vector3:
        """Length, width and height: those of its body, or of all links where that only carries them [m].

        Models begin with a body of next to nothing, which people and control laws would take for the whole robot.
        """
        if self.mass >= _CARRIER * self.total_mass:
            return self.size
        corners = [corner for link in self.links for corner in _corners(link)]
        length, width = (2.0 * max(abs(corner[axis]) for corner in corners) for axis in (0, 1))
        return length, width, max(corner[2] for corner in corners)

    @property
    def flies(self) -> bool:
        """Whether it has rotors."""
        return any(device.kind == ROTORS.kind for device in self.devices)

    def size_of(self, body: str) -> Vector3:
        """Return the bounding box of one of its bodies."""
        return next((link.size for link in self.links if link.name == body), self.size)


def _corners(link: LinkSpec) -> list[Vector3]:
    """Return the corners of the boxes around the shapes of a link, in the frame of the robot's body [m]."""
    if link.parts is None:
        return _box_corners(link)
    corners = [corner for part in link.parts for corner in _box_corners(part)]
    return [_placed(corner, link) for corner in corners]


def _box_corners(shape: LinkSpec | ObjectPart) -> list[Vector3]:
    length, width, height = shape.size
    places = product((-0.5 * length, 0.5 * length), (-0.5 * width, 0.5 * width), (0.0, height))
    return [_placed(place, shape) for place in places]


def _placed(place: Vector3, frame: LinkSpec | ObjectPart) -> Vector3:
    """Return a place in the frame of a link or part, in the frame where that is placed [m]."""
    (x, y, z), (ahead, left, up) = frame.position, turned(quaternion(*frame.orientation), place)
    return x + ahead, y + left, z + up


@dataclass(frozen=True)
class RunSpec:
    """Specification that a simulation is built from; it can be pickled.

    Attributes:
        scenario: Teams are taken apart into robots, and the values of its events are SI and radians.
        types: Blueprints of the robot types in use, by name.
        commands: Those of the controllers that are no registered control laws but commands to run.
    """

    scenario: Scenario
    types: Mapping[str, RobotBlueprint] = field(default_factory=dict)
    commands: tuple[Controller, ...] = ()
