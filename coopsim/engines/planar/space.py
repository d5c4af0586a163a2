"""Spaces and bodies of Chipmunk by their addresses alone.

pymunk keeps six objects of Python for each body, shape and joint, mostly to free it by itself: 100 MB for ten thousand
robots, and half of the time in which they are made. A space of ours frees all at once what is left in it.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib


class PlanarBody:
    """A body of Chipmunk.

    Args:
        pointer: What Chipmunk made; whoever adds it to a space leaves the freeing to that.
    """

    __slots__ = ("pointer",)

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        lib.cpBodySetUserData(pointer, pointer)  # contacts name bodies by this

    @property
    def address(self) -> int:
        """Place in memory, which is its name in lists of Chipmunk."""
        return int(ffi.cast("uintptr_t", self.pointer))

    @property
    def pose(self) -> tuple[float, float, float]:
        """x, y and yaw [m, rad]."""
        return *_pair(lib.cpBodyGetPosition(self.pointer)), lib.cpBodyGetAngle(self.pointer)

    @property
    def twist(self) -> tuple[float, float, float]:
        """Velocity of the centre of mass along x and y, and of the turn [m/s, rad/s]."""
        return *_pair(lib.cpBodyGetVelocity(self.pointer)), lib.cpBodyGetAngularVelocity(self.pointer)

    @property
    def centre(self) -> tuple[float, float]:
        """Centre of mass in the frame of the body [m]."""
        return _pair(lib.cpBodyGetCenterOfGravity(self.pointer))

    @property
    def mass(self) -> float:
        """Its mass [kg]."""
        return float(lib.cpBodyGetMass(self.pointer))

    @property
    def moment(self) -> float:
        """Its moment of inertia about the centre of mass [kg m2]."""
        return float(lib.cpBodyGetMoment(self.pointer))

    def put(self, pose: tuple[float, float, float], twist: tuple[float, float, float]) -> None:
        """Put it elsewhere, with x, y, yaw [m, rad] and their rates [m/s, rad/s]."""
        # the position follows from the angle where the centre of mass is off the origin
        lib.cpBodySetAngle(self.pointer, pose[2])
        lib.cpBodySetPosition(self.pointer, pose[:2])
        lib.cpBodySetVelocity(self.pointer, twist[:2])
        lib.cpBodySetAngularVelocity(self.pointer, twist[2])

    def ride(self, carrier: "PlanarBody", point: tuple[float, float], yaw: float) -> None:
        """Put it on another body, at rest there: at a point in the frame of that one [m], turned by `yaw` [rad]."""
        x, y = _pair(lib.cpBodyLocalToWorld(carrier.pointer, point))
        vx, vy = _pair(lib.cpBodyGetVelocityAtWorldPoint(carrier.pointer, (x, y)))
        self.put((x, y, yaw), (vx, vy, carrier.twist[2]))


class WallBody(PlanarBody):
    """The body that all shapes share which stand fast and hold no joints."""

    __slots__ = ()


class PlanarSpace:
    """A space of Chipmunk, which frees what is left in it.

    Args:
        slop: Overlap that resting contacts keep [m].

    Attributes:
        pointer: The space.
        walls: Body of what stands fast.
        floor: A fixed body without shapes, on which the floor brakes all others. Chipmunk looks at all joints of a body
            when one of its shapes meets another: on `walls` they would be looked at by each robot beside a wall.
    """

    def __init__(self, slop: float) -> None:
        self.pointer = ffi.gc(lib.cpSpaceNew(), _free)
        lib.cpSpaceSetCollisionSlop(self.pointer, slop)
        self.walls, self.floor = WallBody(lib.cpBodyNewStatic()), PlanarBody(lib.cpBodyNewStatic())
        for body in (self.walls, self.floor):
            self.add_body(body)

    def add_body(self, body: PlanarBody) -> None:
        """Add a body, before its shapes and joints."""
        lib.cpSpaceAddBody(self.pointer, body.pointer)

    def remove_body(self, body: PlanarBody) -> None:
        """Remove and free a body that has no shapes and joints any more."""
        lib.cpSpaceRemoveBody(self.pointer, body.pointer)
        lib.cpBodyFree(body.pointer)

    def add_shapes(self, shapes: Iterable[Any]) -> None:
        """Add shapes, in their order."""
        for shape in shapes:
            lib.cpSpaceAddShape(self.pointer, shape)

    def remove_shapes(self, shapes: Iterable[Any]) -> None:
        """Remove and free shapes."""
        for shape in shapes:
            lib.cpSpaceRemoveShape(self.pointer, shape)
            lib.cpShapeFree(shape)

    def add_joints(self, joints: Iterable[Any]) -> None:
        """Add joints, in their order."""
        for joint in joints:
            lib.cpSpaceAddConstraint(self.pointer, joint)

    def remove_joints(self, joints: Iterable[Any]) -> None:
        """Remove and free joints."""
        for joint in joints:
            lib.cpSpaceRemoveConstraint(self.pointer, joint)
            lib.cpConstraintFree(joint)

    def listed(self, notes: batch.Buffer) -> NDArray[np.uintp]:
        """Return the addresses of all bodies in the order in which Chipmunk visits them.

        Args:
            notes: Memory for that; pymunk never frees it, so the same is lent each time.
        """
        notes.clear()
        fields = ffi.new("pmBatchedData *")
        fields.fields = batch.BodyFields.BODY_ID.value
        fields.floatArray, fields.intArray = notes._float_arr, notes._int_arr  # noqa: SLF001 - as `batch` does it
        lib.cpSpaceEachBody(self.pointer, ffi.addressof(lib, "pmSpaceBodyGetIteratorFuncBatched"), fields)
        return np.frombuffer(notes.int_buf(), np.uintp).copy()


def _free(space: Any) -> None:
    """Free a space and all that is in it, the space first: it wakes its bodies while it goes."""
    content = list[tuple[Any, list[Any]]]()
    for each, collect, free in (
        (lib.cpSpaceEachConstraint, lib.ext_cpSpaceConstraintIteratorFunc, lib.cpConstraintFree),
        (lib.cpSpaceEachShape, lib.ext_cpSpaceShapeIteratorFunc, lib.cpShapeFree),
        (lib.cpSpaceEachBody, lib.ext_cpSpaceBodyIteratorFunc, lib.cpBodyFree),
    ):
        content.append((free, []))
        handle = ffi.new_handle(content[-1][1])
        each(space, collect, handle)
    lib.cpSpaceFree(space)
    for free, pieces in content:
        for piece in pieces:
            free(piece)


def _pair(vector: Any) -> tuple[float, float]:
    """Return a vector of Chipmunk as numbers."""
    return vector.x, vector.y
