"""A scenario whose names, types and ranges are all known to be right."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from coopsim.geometry import Vector3
from coopsim.interfaces import ROTORS, Value
from coopsim.scene import BASE, Controller, Joint, LinkSpec, ObjectPart, Scenario, Span
from coopsim.state import Visual


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
    def flies(self) -> bool:
        """Whether it has rotors."""
        return any(device.kind == ROTORS.kind for device in self.devices)

    def size_of(self, body: str) -> Vector3:
        """Return the bounding box of one of its bodies."""
        return next((link.size for link in self.links if link.name == body), self.size)


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
