"""Contents of files, as data. Lengths in metres, angles in radians (degrees in the text alone), colours 0 to 1."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coopsim.geometry import Vector3
from coopsim.scene.area_spec import Area
from coopsim.scene.joint_spec import Joint
from coopsim.scene.object_part import ObjectPart
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.soft_node import SoftNode
from coopsim.scene.spans import Entry, Span

GREY: Vector3 = (0.6, 0.6, 0.6)  # of what has no colour in its file
ROLLING = 0.01  # resistance of a ball
TEAM = "team2"
"""Type of a placement that stands for a leader, a helper and the bar that they carry."""
BASE = "base"
"""What the joints and devices of a `.robot` file call the body of its section `[BODY]`."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor: centred on the origin, the middle of its top at z = 0.

    Attributes:
        size: Length, width, height.
        orientation: Rotations about the fixed x, y and z axes, in that order, about the origin [rad].
    """

    size: Vector3 = (20.0, 20.0, 0.1)
    color: Vector3 = (0.85, 0.85, 0.85)
    friction: float = 1.0
    texture: str = ""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    name: str = "floor"
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class Object:
    """A wall or an object.

    Attributes:
        shape: "box", "cylinder", "sphere" or "polygon".
        size: Bounding box: length, width, height (a cylinder's length = width = diameter).
        position: The middle of its base; z = 0 stands on the floor.
        orientation: Rotations about the fixed x, y and z axes, in that order, about the base point [rad].
        mass: 0 = fixed.
        restitution: Of what touches, the product of both says how much of the speed it is thrown back with.
        rolling: Rolling resistance of a sphere, as a part of its weight; other shapes slide.
        texture: Path of a picture, "" = none.
        mesh: Path of a mesh that is drawn in place of the shape, "" = none.
        parts: Further shapes, one body with the first; they have the mass in common.
        soft: What it is a node of; None = of nothing.
        points: Corners of a polygon around the middle of their bounding box [m]; other shapes have none.
    """

    name: str
    shape: str
    size: Vector3
    position: Vector3
    orientation: Vector3 = (0.0, 0.0, 0.0)
    mass: float = 0.0
    color: Vector3 = GREY
    friction: float = 0.6
    restitution: float = 0.0
    rolling: float = ROLLING
    texture: str = ""
    is_wall: bool = False
    span: Span = field(default=Span(), compare=False)
    mesh: str = ""
    parts: tuple[ObjectPart, ...] = ()
    soft: SoftNode | None = None
    points: tuple[tuple[float, float], ...] = ()

    @property
    def height(self) -> float:
        """Height of its own shape [m]."""
        return self.size[2]

    @property
    def shapes(self) -> tuple[ObjectPart, ...]:
        """Its own shape, then its parts."""
        corners = tuple(coordinate for point in self.points for coordinate in point)
        return (ObjectPart(self.shape, self.size, points=corners or None), *self.parts)


@dataclass(frozen=True, slots=True)
class World:
    """A `.world` file: floor, walls and objects (CoopDynSim, Fig. 7).

    Attributes:
        objects: Those of lines of points and of pictures among them.
        images: The pictures that it names.
        joints: Between its bodies.
        areas: Parts of its floor with a meaning.
        artifacts: What stands in it with devices; among the robots once it is checked.
        extras: As those of a scenario, which takes them over.
    """

    floor: Floor = Floor()
    objects: tuple[Object, ...] = ()
    file: str = ""
    images: tuple[str, ...] = ()
    joints: tuple[Joint, ...] = ()
    areas: tuple[Area, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict, compare=False)
    artifacts: tuple[RobotPlacement, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """A coloured landmark: no body, not hit by rays. Its key in the file is its name."""

    name: str
    position: Vector3
    color: Vector3 = (1.0, 0.0, 0.0)
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class Controller:
    """A `[CONTROLLER_n]` section: a control law to start as a client process.

    Attributes:
        run: Name of a registered control law, or a command (needs --allow-commands).
        robots: Names of the robots it drives.
        arguments: Every other key (in lower case) with its values as written, in order.
        entries: Its lines as written.
    """

    run: str
    robots: tuple[str, ...]
    arguments: tuple[tuple[str, tuple[str, ...]], ...] = ()
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Event:
    """An `[EVENT_n]` section: something to do at a simulated time.

    Attributes:
        at: When [s].
        set: (`robot1.sonars.noise`, value as written) pairs.
        reset: What is put back first: "poses", "all" or "" for nothing.
        seed: Of the noise from then on, None = as it was.
        entries: All of its lines as written.
    """

    at: float
    set: tuple[tuple[str, str], ...] = ()
    reset: str = ""
    seed: int | None = None
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Goal:
    """A `[GOAL_n]` section: what a run is judged by. It does not change the run.

    Attributes:
        kind: "reach", "keep", "avoid" or "score".
        measure: What is measured: "entity", "point" or "inside" (distance to it, or to an area), "formation",
            "distance", "area" or "polygon" (depth in it), "clearance", "reading"; of a score "value", "below", "above".
        subject: Name of an entity, a reading (`bumpers.front`) or a metric; "" = there is none.
        numbers: Limits and coordinates, as the measure needs them [SI].
        within: When it must be reached at the latest [s]; None = until the run ends.
        until: How long it must be kept [s]; None = until the run ends.
        until_goal: Name of the goal that ends it, "" = none.
        entries: All of its lines as written.
    """

    name: str
    kind: str
    measure: str
    subject: str = ""
    numbers: tuple[float, ...] = ()
    robots: tuple[str, ...] = ()
    within: float | None = None
    until: float | None = None
    until_goal: str = ""
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)


OPTION, MOST_SUBSTEPS = "+", 64
"""Before each option of an engine; parts of a step at most."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The `[SIMULATION]` section; None = not given.

    Attributes:
        step: Length of a tick [s].
        speed: Simulated seconds per second.
        duration: When the run ends [simulated s].
        patience: How long lockstep waits for a robot [s]; 0 = for ever.
        integrator: One of the engine's; None = its usual one.
        substeps: Parts of a step of the engine; None = 1.
        entries: All of its lines as written.
    """

    mode: str = "real-time"
    step: float = 0.01
    speed: float = 1.0
    seed: int = 0
    duration: float | None = None
    patience: float = 0.0
    policy: str = "stop"
    engine: str = "pymunk"
    integrator: str | None = None
    substeps: int | None = None
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)

    @property
    def physics(self) -> str:
        """The engine with what is chosen of it: `mujoco`, `mujoco+rk4+4`."""
        chosen = (self.integrator, str(self.substeps or ""))
        return OPTION.join((self.engine, *(option for option in chosen if option)))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A `.scenario` file with its world (CoopDynSim, Fig. 8).

    Attributes:
        areas: Besides those of its world.
        extras: Content of registered families of sections by their name (`scene.section_families`): what they add to a
            run is on board of its robots once the scenario is checked, so this is no part of what is run.
    """

    world: World = World()
    targets: tuple[TargetSpec, ...] = ()
    robots: tuple[RobotPlacement, ...] = ()
    controllers: tuple[Controller, ...] = ()
    events: tuple[Event, ...] = ()
    settings: Settings = Settings()
    file: str = ""
    joints: tuple[Joint, ...] = ()
    goals: tuple[Goal, ...] = ()
    areas: tuple[Area, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class DeviceSection:
    """A `[DEVICE_n]` section of a `.robot` file.

    Attributes:
        name: Name of its module; without one, its type.
        paces: Whether a command to it makes its robot ready for the next lockstep tick; None = not given.
        settings: Every other line as written.
        body: The link it sits on; `BASE` = that of the robot. `role`: "driver" or "sensor" where the file says so.
    """

    type: str
    name: str
    paces: bool | None = None
    settings: tuple[Entry, ...] = ()
    span: Span = field(default=Span(), compare=False)
    type_span: Span = field(default=Span(), compare=False)
    name_span: Span = field(default=Span(), compare=False)
    paces_span: Span = field(default=Span(), compare=False)
    body: str = BASE
    body_span: Span = field(default=Span(), compare=False)
    role: str = ""


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """A `[LINK_n]` section of a `.robot` file: a body besides that of `[BODY]`.

    Attributes:
        shape: "box", "cylinder" or "sphere".
        size: Bounding box.
        position: The middle of its base, in the frame of the robot's body.
        orientation: Rotations about the x, y and z axes of the robot's body, in that order [rad].
        centre: Centre of mass in the frame of the link [m]; None = the middle of its shape.
        tensor: Of inertia about it: xx yy zz xy xz yz [kg m2]; None = that of its shape.
        parts: Shapes that it collides with, in its frame; None = the one that `shape` and `size` say.
    """

    name: str
    shape: str
    size: Vector3
    mass: float
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Vector3 = (0.0, 0.0, 0.0)
    friction: float = 0.3
    centre: Vector3 | None = None
    tensor: tuple[float, float, float, float, float, float] | None = None
    span: Span = field(default=Span(), compare=False)
    parts: tuple[ObjectPart, ...] | None = None


@dataclass(frozen=True, slots=True)
class VisualSection:
    """A `[VISUAL_n]` section of a `.robot` file.

    Attributes:
        type: A shape, or "mesh".
        size: Bounding box; None = the body's.
        position: The middle of its base, seen from the parent's.
        color: None = the robot's.
        parent: Name of a visual above it, "" = the body.
        body: Name of the body that it sits on, "" = that of its parent, or `BASE`.
        texture: Path of a picture, "" = none; so is `mesh` of a mesh.
    """

    type: str
    name: str
    size: Vector3 | None = None
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Vector3 = (0.0, 0.0, 0.0)
    color: Vector3 | None = None
    parent: str = ""
    texture: str = ""
    mesh: str = ""
    body: str = ""
    span: Span = field(default=Span(), compare=False)
    type_span: Span = field(default=Span(), compare=False)
    parent_span: Span = field(default=Span(), compare=False)
    body_span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A `.robot` file: a body and its devices.

    Attributes:
        shape: "cylinder" or "box".
        size: Bounding box of the chassis, around its origin.
        hull: What it is within that box, a polygon; None = all of it.
        has_wheels: Whether it stands on wheels; None = not given.
        links: Its further bodies; `joints` are between all of them.
        is_bolted: Whether its body stays where it is put.
        is_articulated: Whether its joints give way nowhere, as those of an arm.
        model: The line that names a model, to which this file adds; None = there is none.
        is_free: Whether the base of a model moves; None = as the model says.
    """

    name: str
    summary: str = ""
    shape: str = "cylinder"
    size: Vector3 = (0.5, 0.5, 0.3)
    mass: float = 20.0
    friction: float = 0.3
    devices: tuple[DeviceSection, ...] = ()
    file: str = ""
    has_wheels: bool | None = None
    links: tuple[LinkSpec, ...] = ()
    joints: tuple[Joint, ...] = ()
    span: Span = field(default=Span(), compare=False)
    visuals: tuple[VisualSection, ...] = ()
    is_bolted: bool = False
    is_articulated: bool = False
    model: Entry | None = None
    is_free: bool | None = None
    hull: ObjectPart | None = None
