"""Spaces and bodies of Chipmunk by their addresses: objects of pymunk for all parts of 10 000 robots take 100 MB."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

_COLLECT = ffi.addressof(lib, "pmSpaceBodyGetIteratorFuncBatched")


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
        self.add(self.walls)
        self.add(self.floor)

    def add(self, body: PlanarBody | None, shapes: Iterable[Any] = (), joints: Iterable[Any] = ()) -> None:
        """Add a body, shapes and joints, in this order."""
        if body is not None:
            lib.cpSpaceAddBody(self.pointer, body.pointer)
        for shape in shapes:
            lib.cpSpaceAddShape(self.pointer, shape)
        for joint in joints:
            lib.cpSpaceAddConstraint(self.pointer, joint)

    def remove(self, body: PlanarBody | None, shapes: Iterable[Any] = (), joints: Iterable[Any] = ()) -> None:
        """Remove and free joints, shapes and a body that has no others."""
        for joint in joints:
            lib.cpSpaceRemoveConstraint(self.pointer, joint)
            lib.cpConstraintFree(joint)
        for shape in shapes:
            lib.cpSpaceRemoveShape(self.pointer, shape)
            lib.cpShapeFree(shape)
        if body is not None:
            lib.cpSpaceRemoveBody(self.pointer, body.pointer)
            lib.cpBodyFree(body.pointer)

    def listed(self, notes: batch.Buffer) -> NDArray[np.uintp]:
        """Return the addresses of all bodies in the order in which Chipmunk visits them.

        Args:
            notes: Memory for that; pymunk never frees it, so the same is lent each time.
        """
        notes.clear()
        fields = ffi.new("pmBatchedData *")
        fields.fields = batch.BodyFields.BODY_ID.value
        fields.floatArray, fields.intArray = notes._float_arr, notes._int_arr  # noqa: SLF001 - as `batch` does it
        lib.cpSpaceEachBody(self.pointer, _COLLECT, fields)
        return np.frombuffer(notes.int_buf(), np.uintp).copy()


def _free(space: Any) -> None:
    """Free a space and all that is in it, the space first: it wakes its bodies while it goes."""
    joints, shapes, bodies = list[Any](), list[Any](), list[Any]()
    content = [(joints, lib.cpConstraintFree), (shapes, lib.cpShapeFree), (bodies, lib.cpBodyFree)]
    handles = [ffi.new_handle(pieces) for pieces, _ in content]
    lib.cpSpaceEachConstraint(space, lib.ext_cpSpaceConstraintIteratorFunc, handles[0])
    lib.cpSpaceEachShape(space, lib.ext_cpSpaceShapeIteratorFunc, handles[1])
    lib.cpSpaceEachBody(space, lib.ext_cpSpaceBodyIteratorFunc, handles[2])
    lib.cpSpaceFree(space)
    for pieces, free in content:
        for piece in pieces:
            free(piece)


def _pair(vector: Any) -> tuple[float, float]:
    """Return a vector of Chipmunk as numbers."""
    return vector.x, vector.y
