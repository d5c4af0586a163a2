"""The pymunk engine: rigid bodies on a flat floor, seen from above.

Source: measured on pymunk 7.3 (Munk2D 2.0); forces by batch follow SwarmSimX, section 2.1.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pymunk
from pymunk import batch

from coopsim.engines.contract import BodySpec, Contacts, ShapeSpec, WorldSpec
from coopsim.engines.footprints import FARTHEST, check_planar, located
from coopsim.engines.planar_bodies import Place, add_body, remove_body
from coopsim.engines.planar_contacts import touching
from coopsim.engines.planar_kernels import STRONGEST, lift, spread
from coopsim.engines.planar_snapshot import describe, pack, unpack
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.geometry import Floats, Ints
from coopsim.scene import by_name

MOST_BODIES = 100_000
_SLOP = 0.001  # m; resting contacts keep this overlap, so they last from step to step
_SPARE = 16  # numbers; pymunk moves a buffer to other memory when it is almost full
_STATE = (
    batch.BodyFields.POSITION | batch.BodyFields.ANGLE | batch.BodyFields.VELOCITY | batch.BodyFields.ANGULAR_VELOCITY
)
_WRENCH = batch.BodyFields.FORCE | batch.BodyFields.TORQUE


class PymunkEngine:
    """Moves bodies in the plane (`engines.PhysicsEngine`).

    Nothing falls: a body keeps its height and its upright posture. Bodies collide where their heights meet, in
    layers of 0.1 m. The floor brakes a body by its `rolling` coefficient, as a joint that the solver weighs against
    pushes, so what is pushed too softly stands still. Velocities and forces belong to the centre of mass.
    """

    position_lag = 1

    names: Sequence[str]
    planar: Floats
    height: Floats
    poses: Floats
    twists: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats

    def __init__(self, world: WorldSpec) -> None:
        # pymunk never frees the memory behind a buffer, so these serve every world this engine holds
        self._reader, self._writer, self._notes = batch.Buffer(), batch.Buffer(), batch.Buffer()
        self.rebuild(world)

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies have one name.
        """
        bodies = sorted(world.bodies, key=lambda body: by_name(body.name))
        _check(world, bodies)
        self._floor = world.floor
        self._described = b""
        self._space = pymunk.Space()
        self._space.collision_slop = _SLOP
        self._places = {body.name: add_body(self._space, body) for body in bodies}
        self._renew(tuple(place for place in self._places.values() if place.moves))

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large.
        """
        wrong = spread(self.wrench, self._order, self._forces)
        if wrong >= 0:
            raise EngineCannot(
                f"the force on body {self.names[wrong]!r} is not a finite number below {STRONGEST:g}; "
                "one of the devices of this robot wrote it"
            )
        for _ in range(substeps):
            batch.set_space_bodies(self._space, _WRENCH, self._writer)
            self._space.step(dt / substeps)
        self._read()

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date."""
        lift(self.planar, self.height, self.poses, self.twists)

    def contacts(self) -> Contacts:
        """Return what touched in the last step, sorted by rows; a fixed body is always the second."""
        return touching(self._space, self._sorted_ids, self._sorted_rows, self._notes)

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = np.asarray(rows, np.int64), np.asarray(planar, np.float64)
        if planar.shape != (rows.size, 6) or rows.ndim != 1:
            raise BadArgument(f"expected k rows and planar of shape (k, 6), got {rows.shape} and {planar.shape}")
        if rows.size and not (rows.min() >= 0 and rows.max() < len(self.names)):
            raise BadArgument(f"rows are 0 to {len(self.names) - 1}, got {rows.min()} to {rows.max()}")
        if not (np.abs(planar) <= FARTHEST).all():
            raise BadArgument(f"a body can be put within {FARTHEST:g} m of the origin, got {planar.tolist()}")
        for row, values in zip(rows.tolist(), planar.tolist(), strict=True):
            _put(self._space, self._moving[row].body, values)
        self._read()

    def add(self, body: BodySpec) -> None:
        """Add a body; it gets the last row.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
            BadArgument: There is a body of this name.
        """
        check_planar(body)
        if body.name in self._places:
            raise BadArgument(f"{located(body.span)}there is already a body named {body.name!r}")
        if len(self._places) >= MOST_BODIES:
            raise EngineCannot(f"{located(body.span)}the pymunk engine holds at most {MOST_BODIES} bodies")
        self._described = b""
        place = self._places[body.name] = add_body(self._space, body)
        self._renew((*self._moving, place) if place.moves else self._moving)

    def remove(self, name: str) -> None:
        """Remove a body; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        place = self._places.pop(name, None)
        if place is None:
            raise NoSuchName(f"there is no body named {name!r}")
        self._described = b""
        remove_body(self._space, place)
        self._renew(tuple(other for other in self._moving if other is not place))

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        if not self._described:
            self._described = describe(place.spec for place in self._places.values())
        return pack(self._described, self._floor, self.names, self.planar, self.wrench)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, names, planar, wrench = unpack(snapshot)
        self.rebuild(world)
        order = np.array(sorted(range(len(names)), key=lambda row: by_name(names[row])), np.int64)
        self.set_state(np.arange(len(names)), planar[order])
        self.wrench[:] = wrench[order]

    def _renew(self, moving: tuple[Place, ...]) -> None:
        """Make the arrays for these bodies; row k is the k-th of them."""
        count = len(moving)
        self._moving = moving
        self.names = tuple(place.spec.name for place in moving)
        self.height = np.array([place.spec.pose[2] for place in moving], np.float64)
        self.mass = np.array([place.spec.mass for place in moving], np.float64)
        self.inertia = np.array([place.body.moment for place in moving], np.float64)
        self.poses, self.twists, self.wrench = np.zeros((count, 7)), np.zeros((count, 6)), np.zeros((count, 6))
        self._ids = np.array([place.body.id for place in moving], np.uintp)
        self._sorted_rows = np.argsort(self._ids)
        self._sorted_ids = self._ids[self._sorted_rows]
        self._connect()
        self._read()
        self.fill()

    def _connect(self) -> None:
        """Find where pymunk keeps each row (removal moves its last body into the hole) and lend it our memory."""
        self._notes.clear()
        batch.get_space_bodies(self._space, batch.BodyFields.BODY_ID, self._notes)
        listed = np.frombuffer(self._notes.int_buf(), np.uintp).copy()
        order = np.argsort(listed)
        self._order = order[np.searchsorted(listed, self._ids, sorter=order)].astype(np.int64)
        self._forces = np.zeros((listed.size, 3))
        self._writer.set_float_buf(self._forces)
        memory = np.zeros(6 * listed.size + _SPARE)
        self._reader.set_float_buf(memory)
        self._states = memory[: 6 * listed.size].reshape(-1, 6)
        self._is_shuffled = not np.array_equal(self._order, np.arange(self._ids.size))
        self.planar = np.zeros((self._ids.size, 6)) if self._is_shuffled else self._states[: self._ids.size]

    def _read(self) -> None:
        """Bring `planar` up to date: pymunk writes into the memory we lent it."""
        self._reader.clear()
        batch.get_space_bodies(self._space, _STATE, self._reader)
        if self._is_shuffled:
            np.take(self._states, self._order, axis=0, out=self.planar, mode="clip")


def _check(world: WorldSpec, bodies: Sequence[BodySpec]) -> None:
    for joint in world.joints:
        raise EngineCannot(
            f"{located(joint.span)}the pymunk engine has no joints yet; {joint.name!r} is a {joint.kind}"
        )
    if len(bodies) > MOST_BODIES:
        raise EngineCannot(f"the pymunk engine holds at most {MOST_BODIES} bodies, got {len(bodies)}")
    for body, following in pairwise(bodies):
        if body.name == following.name:
            raise BadArgument(f"{located(following.span)}there is already a body named {body.name!r}")
    for body in bodies:
        check_planar(body)


def _put(space: pymunk.Space, body: pymunk.Body, values: Sequence[float]) -> None:
    x, y, yaw, vx, vy, w = values
    # the position follows from the angle where the centre of mass is off the origin
    body.angle = yaw
    body.position = x, y
    body.velocity = vx, vy
    body.angular_velocity = w
    space.reindex_shapes_for_body(body)


def warm() -> None:
    """Compile the kernels with two bodies that touch."""
    shape = ShapeSpec("cylinder", (1.0, 1.0, 1.0))
    bodies = [BodySpec(name, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 1.0, (shape,)) for name in ("one", "two")]
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    engine.step(0.01)
    engine.contacts()
