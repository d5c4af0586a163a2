"""The contract between the simulation and a device.

One instance serves every robot of one type that has the device; a row of its arrays is a robot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.engines import Contacts
from coopsim.errors import BadFile
from coopsim.geometry import Floats, Ints, Vector3
from coopsim.interfaces import Interface, Value
from coopsim.scene import BASE

Scanners: TypeAlias = tuple[Floats, Floats, tuple[float, float]]
"""Largest distance of each, and its height above the base, 0 = half way up, shape (n,) each; then where all of them are
on their bodies, forward and to the left of the middle [m]."""


class Notice(Exception):
    """Notice about single robots for people; a device raises it at the end of a tick's work.

    The device goes on. Each text is said once, up to its first colon, until a reset.
    """


class Bodies(Protocol):
    """The moving bodies and their joints, as an engine keeps them (see `engines.PhysicsEngine` for shapes and units).

    `joint_effort` is written by actuators, as the wrench is; everything else is read.
    """

    names: Sequence[str]
    planar: Floats
    height: Floats
    mass: Floats
    inertia: Floats
    joint_effort: Floats
    joint_limits: Floats
    joint_inertia: Floats
    position_lag: int

    @property
    def poses(self) -> Floats:
        """Positions of the bases and quaternions w x y z, shape (m, 7)."""
        ...

    @property
    def twists(self) -> Floats:
        """Velocities of the centres of mass and angular velocities, world frame, shape (m, 6)."""
        ...

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, shape (m, 6) [m/s2, rad/s2]."""
        ...

    @property
    def joint_position(self) -> Floats:
        """Angles of hinges and ways of slides, shape (j,) [rad, m]."""
        ...

    @property
    def joint_velocity(self) -> Floats:
        """Change of `joint_position`, shape (j,) [rad/s, m/s]."""
        ...

    def joint_state(self) -> Floats:
        """Return displacements and forces of the joints in the last step, shape (j, 6) [m, N]."""
        ...


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads that n robots carry on joints of kind `support`, the first by name of each.

    Attributes:
        joints: Rows of the joints in the engine's arrays, -1 = the robot carries nothing, shape (n,).
        bodies: Rows of what lies on them, shape (n,).
        anchors: Where the joints are on the robots, x and y in the frame of each, shape (n, 2) [m].
    """

    joints: Ints
    bodies: Ints
    anchors: Floats

    @classmethod
    def none(cls, n: int) -> Self:
        """Return that `n` robots carry nothing."""
        return cls(np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros((n, 2)))


class SensingWorld(Protocol):
    """The part of a simulation that a sensor may read.

    Attributes:
        bodies: The moving bodies after this tick's step.
        target_names: Names of the coloured targets, in the order of the file.
        target_positions: Where they are, shape (m, 3) [m].
        robot_names: All robots, in the order of the layout (`Layout.robots`).
        robot_bodies: Their body rows, shape (r,).
        robot_radii: Radius of their hulls, shape (r,) [m].
        areas: Kind and corners of the areas of the floor, numbers x and y of each corner back to back [m].
        dt: Length of this tick [s].
    """

    bodies: Bodies
    target_names: tuple[str, ...]
    target_positions: Floats
    robot_names: tuple[str, ...]
    robot_bodies: Ints
    robot_radii: Floats
    areas: tuple[tuple[str, tuple[float, ...]], ...]
    dt: float

    def cast_rays(self, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats | None = None) -> None:
        """Write the distance from the hull to the first hit of each ray, `reach` where there is none.

        Args:
            rows: Bodies that look, shape (n,); a body sees neither itself nor the others of its robot.
            bearings: Directions in the frame of each body, shape (k,) [rad].
            reach: Largest distance, measured from the hull, shape (n,) [m].
            out: Distances, shape (n, k) [m]; of shape (n, k / m) it gets the least of each m neighbouring rays.
            ring: Where the rays begin above the base of the body, 0 or None = half way up, shape (n,) [m].
        """

    def cast_raised_rays(self, rows: Ints, angles: Floats, reach: Floats, out: Floats, ring: Floats) -> None:
        """Do the same for rays that point up or down, which see the floor too.

        Args:
            rows: Bodies that look, shape (n,).
            angles: Bearing of each ray in the frame of the body, and how far it points up, shape (2, k) [rad].
            reach: Largest distance, measured along the ray from where it leaves the hull, shape (n,) [m].
            out: Distances, shape (n, k) [m]; of shape (n, k / m) it gets the least of each m neighbouring rays.
            ring: Where the rays begin above the base of the body, 0 = half way up, shape (n,) [m].
        """

    def scan(self, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> None:
        """Write the distance from scanners to the first hit of each ray, the largest distance where there is none.

        Args:
            rows: Bodies that carry one, shape (n,); a scanner sees neither its body nor the others of its robot.
            angles: Bearing of each ray in the frame of the body, and how far it points up, shape (2, k) [rad].
            scanners: How far they see, and where they are.
            out: Distances, shape (n, k) [m].
        """

    def contacts(self) -> Contacts:
        """Return what touched in this tick's step."""
        ...

    def nearest_robots(self, rows: Ints, reach: Floats, out: Ints) -> None:
        """Write the nearest other robots by distance of their centres, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            reach: Farthest distance, shape (n,) [m].
            out: Indices into `robot_names`, nearest first, shape (n, slots).
        """

    def nearest_seen(self, rows: Ints, limits: Floats, out: Ints) -> None:
        """Write the nearest other robots that are seen, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            limits: Reach [m], field of view [rad], whether things hide what is behind them, 0 or 1; shape (3, n).
            out: Indices into `robot_names`, nearest first, shape (n, slots).
        """

    def nearest_in_space(self, rows: Ints, reach: Floats, out: Ints) -> None:
        """Write the nearest other robots by distance in space, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            reach: Farthest distance, shape (n,) [m].
            out: Indices into `robot_names`, nearest first, shape (n, slots).
        """

    def sight_lines(self, rows: Ints, places: Floats, others: Ints, seen: NDArray[np.bool_]) -> None:
        """Clear `seen` where a body blocks the line of sight.

        Args:
            rows: Bodies that look, from their middles, shape (n,).
            places: Where they look, shape (n, k, 2) [m].
            others: Body that is looked at, which does not hide itself, -1 = none, shape (n, k).
            seen: What may be seen; becomes False where it is hidden, shape (n, k).
        """


@dataclass(frozen=True)
class DeviceContext:
    """The n robots that carry a device, and its settings.

    Attributes:
        robots: Their names.
        rows: Rows of the bodies that it sits on, shape (n,).
        keys: What makes each one's noise its own, uint64, shape (n,); a hash of seed, robot and device.
        settings: Values of all parameters of the interface, defaults filled in.
        radius: Radius of the hull [m].
        targets: Names of the coloured targets.
        siblings: The devices of the same robots that stand above it in the `.robot` file, by module name.
        body: Name of the link that it sits on; `BASE` = the body of the robot.
        joints: Rows of the robots' joints in the engine's arrays, by name in the `.robot` file, shape (n,) each.
        loads: What the bodies that it sits on carry.
        size: Length, width and height of the box around the body that it sits on [m].
    """

    robots: tuple[str, ...]
    rows: Ints
    keys: NDArray[np.uint64]
    settings: Mapping[str, Value]
    radius: float
    targets: tuple[str, ...] = ()
    siblings: Mapping[str, "Device"] = field(default_factory=dict)
    body: str = BASE
    joints: Mapping[str, Ints] = field(default_factory=dict)
    loads: Loads = field(default_factory=lambda: Loads.none(0))
    size: Vector3 = (0.0, 0.0, 0.0)

    def signal(self, name: str) -> Floats:
        """Return a signal of the first sibling above that has it: an array that this device may read and not change.

        Raises:
            BadFile: None has.
        """
        for sibling in self.siblings.values():
            signals: Mapping[str, Floats] = getattr(sibling, "signals", {})
            if name in signals:
                return signals[name]
        above = ", ".join(self.siblings) or "nothing"
        raise BadFile(
            f"nothing gives {name}: put a device that does, such as differential_drive, above the one that needs it "
            f"in the .robot file; above it stands: {above}"
        )


class Device(Protocol):
    """A kind of sensor, actuator or on-board program.

    The simulation makes a new instance whenever robots or targets come or go, and copies `memory` and `parameters`
    of the robots that stay into it.

    Attributes:
        interface: Its network face.
        parameters: Every changeable parameter as one column, shape (n,): float64, or object for text.
        memory: What it remembers between ticks, float64, uint64 or int64 arrays whose first axis is the robots;
            the simulation hashes, saves and restores it. A device whose first columns of an array tell of messages
            alone (how many came, how long ago) names how many in `message_columns`; they are not hashed.
        counts: Numbers for the counts that the interface gives by name.
        labels: What its readings speak of, where the interface says so.

    A device whose interface declares signals has them in `signals`, arrays by name. One that has `is_off` finds there
    whether it is switched off, which its siblings may ask.
    """

    interface: ClassVar[Interface]
    parameters: dict[str, NDArray[np.float64] | NDArray[np.object_]]
    memory: dict[str, NDArray[np.float64] | NDArray[np.int64] | NDArray[np.uint64]]
    counts: dict[str, int]
    labels: tuple[str, ...]

    def __init__(self, context: DeviceContext) -> None: ...

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Turn the latched commands into forces; sensors leave it empty.

        Args:
            commands: Stamp, number and values of each robot's slot, shape (n, 2 + width).
            bodies: The moving bodies before the step.
            wrench: Force and torque to add to, world frame, rows as `bodies`, shape (m, 6) [N, N m].
            dt: Length of the tick [s].
        """

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the readings after the step.

        Args:
            world: What can be sensed.
            tick: Number of the tick, for noise and intervals.
            out: In the order of the interface's READ commands, shape (n, width).
        """

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:
        """Carry out an EDIT command of the interface for one robot."""

    def changed(self, row: int, name: str) -> None:
        """Handle a changed parameter of one robot (its column is already written)."""
