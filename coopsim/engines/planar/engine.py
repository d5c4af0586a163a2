"""The pymunk engine: rigid bodies on a flat floor, seen from above.

Source: measured on pymunk 7.3 (Munk2D 2.0); forces by batch follow SwarmSimX, section 2.1.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from pymunk import batch
from pymunk._chipmunk_cffi import lib

from coopsim.engines.base import no_body, sorted_rows, wild_effort
from coopsim.engines.calls import ContactCalls
from coopsim.engines.contract import BodySpec, Contacts, JointSpec, StepCalls, WorldSpec
from coopsim.engines.joint_checks import check_joint, check_joints, check_planar_joint
from coopsim.engines.planar.bodies import BodyShapes, add_body, put_body, remove_body, rows_of_bodies
from coopsim.engines.planar.contacts import ContactReader, rows_by_name
from coopsim.engines.planar.joined_stepping import JoinedStepper, blamed
from coopsim.engines.planar.joints import Joints
from coopsim.engines.planar.snapshot import PYMUNK, describe, describe_joints, pack, unpack
from coopsim.engines.planar.space import PlanarSpace
from coopsim.engines.planar.stepping import ALL_RIGHT, SpaceStepper, sort_states
from coopsim.engines.plane.checks import MOST_BODIES, check_world, checked_state
from coopsim.engines.plane.engine import PlaneEngine
from coopsim.engines.plane.footprints import grip
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Ints, Vector3
from coopsim.kernels.sequence import KernelCall, make_ready
from coopsim.scene import by_name

SLOP = 0.001  # m; resting contacts keep this overlap, so they last from step to step


class PymunkEngine(PlaneEngine):
    """Moves bodies in the plane (`engines.PhysicsEngine`).

    Nothing falls: a body keeps its height and its upright posture. Bodies collide where their heights meet, in
    layers of 0.1 m. The floor brakes a body by its `rolling` coefficient, as a joint that the solver weighs against
    pushes, so what is pushed too softly stands still. A ball rolls: pushes meet 7/5 of its mass. Velocities and forces
    belong to the centre of mass.

    Joints: all kinds; a hinge is upright, a slide level, and a support travels `limit` in any direction; springs lift
    nothing. Where springs are too stiff for a step, it is cut into parts. Forces are those of the last part.
    """

    kind = "pymunk"
    abilities = frozenset({"dynamics", "joints", "springs", "motors"})
    most_bodies = MOST_BODIES
    position_lag = 1  # Chipmunk moves bodies first and looks at forces then

    _space: PlanarSpace
    _joints: Joints
    _places: dict[str, BodyShapes]
    _order: Ints
    _stepper: SpaceStepper
    _joined: JoinedStepper | None

    def __init__(self, world: WorldSpec) -> None:
        # pymunk never frees the memory behind a buffer, so these serve every world this engine holds
        self._notes, self._contacts = batch.Buffer(), ContactReader()
        super().__init__(world)

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies or joints have one name, or a joint has a number out of range.
            NoSuchName: A joint joins a body that is not there.
        """
        bodies = [world.bodies[row] for row in sorted_rows([body.name for body in world.bodies])]
        joints = [world.joints[row] for row in sorted_rows([joint.name for joint in world.joints])]
        check_world(world, bodies, self.kind)
        check_joints(joints, {body.name: body for body in bodies})
        for joint in joints:
            check_planar_joint(joint, "pymunk")
        self._build(world.floor, bodies)
        for joint in joints:
            self._joints.add(joint, *self._ends(joint))
        self._renew(tuple(place for place in self._places.values() if place.moves))

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large, or springs are too stiff for this step.
        """
        try:
            call = self._step_call(dt, substeps)
        except EngineCannot:
            self.wrench[:] = 0.0  # used up by the refused step: the next one must not be refused for them, too
            self.joint_effort[:] = 0.0
            raise
        wrong = call.kernel(*call.arguments)
        if wrong != ALL_RIGHT:
            raise self._refusal(wrong)
        self._note(dt)
        if self._is_shuffled:
            self._sort()

    def step_calls(self, dt: float) -> StepCalls | None:
        """Return what `step` comes to while no body or joint comes or goes; None where springs are too stiff."""
        try:
            calls: tuple[KernelCall, ...] = (self._step_call(dt, 1),)
        except EngineCannot:
            return None
        if self._is_shuffled:
            calls = (*calls, KernelCall(sort_states, (self._stepper.states, self._order, self.planar)))
        return StepCalls(calls, partial(self._note, dt), self._refusal)

    def _step_call(self, dt: float, substeps: int) -> KernelCall:
        """Return the call that a step of `dt` [s] in `substeps` parts is, springs may need more.

        Raises:
            EngineCannot: Springs are too stiff for it.
        """
        if self._joined is None:
            motion = self.planar, self._before
            return self._stepper.step_call(self.wrench, self._order, motion, dt / substeps, substeps)
        parts = substeps * self._joints.parts(dt / substeps)  # stiff springs cut each part once more
        moved = self.wrench, self._order, self.planar, self._before
        return self._joined.step_call(moved, self.joint_effort, self._part, dt / parts, parts)

    def _note(self, dt: float) -> None:
        """Note that a step of `dt` [s] was made."""
        self._elapsed, self._is_stale = dt, True

    def _refusal(self, code: int) -> EngineCannot:
        """Return why a step was not made."""
        is_joint, place = blamed(code)
        return wild_effort(f"effort of joint {self.joints[place]!r}", "its") if is_joint else self._wild_force(place)

    @property
    def places(self) -> tuple[BodyShapes, ...]:
        """Bodies in pymunk, in the order in which they were added."""
        return tuple(self._places.values())

    def check_step(self, dt: float) -> None:
        """Refuse a step of `dt` [s] that the springs are too stiff for.

        Raises:
            EngineCannot: They are.
        """
        self._joints.parts(dt)

    def contacts(self) -> Contacts:
        """Return what touched in the last step, sorted by rows; a fixed body is always the second."""
        return self._contacts.read(self._space, self._rows_by_name)

    def contact_calls(self) -> ContactCalls:
        """Return what `contacts` comes to."""
        return self._contacts.calls(self._space, self._rows_by_name)

    def joint_state(self) -> Floats:
        """Return what the joints did in the last step, shape (j, 6); see `engines.PhysicsEngine`."""
        states = np.empty((len(self.joints), 6))
        (call,) = self.joint_state_calls(states)
        call.kernel(*call.arguments)
        return states

    def joint_state_calls(self, states: Floats) -> tuple[KernelCall, ...]:
        """Return what `joint_state` comes to, written into `states`, shape (j, 6)."""
        return (self._joints.state_call(self._stepper.states, self._part, states),)

    @property
    def joint_position(self) -> Floats:
        """Angles of hinges, ways of slides since they were made, 0 for other kinds, shape (j,) [rad, m]."""
        return self._joints.positions(self._stepper.states)

    @property
    def joint_velocity(self) -> Floats:
        """Change of `joint_position`, shape (j,) [rad/s, m/s]."""
        return self._joints.velocities(self._stepper.states)

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere; the carriages of supports come along.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        self._put(*checked_state(rows, planar, len(self.names)))

    def _put(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere, as far as they may have come by themselves."""
        before = self.planar[rows, :3].tolist() if self.joints else []  # carriages of supports need it alone
        for row, values in zip(rows.tolist(), planar.tolist(), strict=True):
            put_body(self._space, self._moving[row].body, values)
        self._elapsed = 0.0
        if self.joints:
            self._joints.carry_along([self._moving[row].body for row in rows.tolist()], before)
        self._read()

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """
        self._check_all(bodies, set(self._places))
        self._described = b""
        added = [add_body(self._space, body) for body in bodies]
        self._places.update((place.spec.name, place) for place in added)
        self._renew((*self._moving, *(place for place in added if place.moves)))

    def remove(self, name: str) -> None:
        """Remove a body and its joints; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        place = self._places.pop(name, None)
        if place is None:
            raise no_body(name)
        self._described = b""
        self._joints.remove_of(name)
        remove_body(self._space, place)
        self._renew(tuple(row_place for row_place in self._moving if row_place is not place))

    def add_joint(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; it gets the last row of `joint_state`.

        Raises:
            EngineCannot: An unknown kind, or a joint that would tilt or lift a body.
            BadArgument: A joint of this name is there, or a number is out of range.
            NoSuchName: It joins a body that is not there.
        """
        check_joint(joint, {name: place.spec for name, place in self._places.items()}, self._joints.held)
        check_planar_joint(joint, "pymunk")
        self._joints.add(joint, *self._ends(joint))
        self._connect()
        self._read()

    def remove_joint(self, name: str) -> None:
        """Let two bodies go.

        Raises:
            NoSuchName: There is no joint of this name.
        """
        self._joints.remove(name)
        self._connect()
        self._read()

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        if not self._described:
            self._described = describe(place.spec for place in self._places.values())
        joints = describe_joints(self._joints.described()) if self.joints else b""
        return pack(PYMUNK, self._described, self._floor, self.names, self.planar, self.wrench, joints)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, names, planar, wrench, joints = unpack(PYMUNK, snapshot)
        self.rebuild(world)
        order = np.array(sorted_rows(names), np.int64)
        # not `set_state`: a body may have flown farther than anybody may put it
        self._put(np.arange(len(names)), planar[order])
        for joint, hold, state in sorted(joints, key=lambda held: by_name(held[0].name)):
            self._joints.put_back(joint, *self._ends(joint), hold, state)
        if joints:
            self._connect()
            self._read()
        self.wrench[:] = wrench[order]

    def _build(self, floor: Vector3, bodies: Sequence[BodySpec]) -> None:
        self._floor = floor
        self._described = b""
        self._part = np.zeros(1)  # an array, since the compiled step writes into it
        self._space = PlanarSpace(SLOP)
        self._joints = Joints(self._space)
        self._places = {body.name: add_body(self._space, body) for body in bodies}

    def _ends(self, joint: JointSpec) -> tuple[BodyShapes, BodyShapes]:
        """Return the places of the two bodies, giving fixed ones a body of Chipmunk of their own."""
        for name in (joint.a, joint.b):
            place = self._places[name]
            if place.body is self._space.walls:
                remove_body(self._space, place)
                self._places[name] = add_body(self._space, place.spec, for_joints=True)
        return self._places[joint.a], self._places[joint.b]

    def _renew(self, moving: tuple[BodyShapes, ...]) -> None:
        """Make the arrays for these bodies; row k is the k-th of them."""
        count = len(moving)
        self._moving = moving
        self.names = tuple(place.spec.name for place in moving)
        self.height = np.array([place.spec.pose[2] for place in moving], np.float64)
        self.mass = np.array([place.spec.mass for place in moving], np.float64)
        self.inertia = np.array([lib.cpBodyGetMoment(place.body.pointer) for place in moving], np.float64)
        self.floor_grip = np.array([grip(place.spec) for place in moving], np.float64)
        self._poses, self._twists, self.wrench = np.zeros((count, 7)), np.zeros((count, 6)), np.zeros((count, 6))
        self._ids = np.array([place.body.address for place in moving], np.uintp)
        self._rows_by_name = rows_by_name(self._ids)  # contacts name bodies by address
        self._connect()
        self._read()
        self.fill()

    def _connect(self) -> None:
        """Find where pymunk keeps each row (removal moves its last body into the hole) and lend it our memory."""
        listed = self._space.listed(self._notes)
        order = np.argsort(listed)
        self._order = order[np.searchsorted(listed, self._ids, sorter=order)].astype(np.int64)
        self._stepper = SpaceStepper(self._space, listed)
        self.joints = tuple(self._joints.held)
        self._joints.connect(lambda bodies: rows_of_bodies(bodies, listed, order))
        self.joint_effort = np.zeros(len(self.joints))
        self._joined = self._joints.stepper(self._stepper) if self.joints else None
        self.joint_limits, self.joint_inertia = self._joints.limits(), self._joints.inertias()
        self._is_shuffled = not np.array_equal(self._order, np.arange(self._ids.size))
        self._before, self._elapsed = np.zeros((self._ids.size, 3)), 0.0
        # mostly in our order: then the states are read in place, and a tick copies nothing
        self.planar = np.zeros((self._ids.size, 6)) if self._is_shuffled else self._stepper.states[: self._ids.size]
        make_ready(KernelCall(sort_states, (self._stepper.states, self._order, self.planar)))  # pymunk may list anew
        if self._joined is not None:
            moved = self.wrench, self._order, self.planar, self._before
            make_ready(self._joined.step_call(moved, self.joint_effort, self._part, 0.0, 0))

    def _read(self) -> None:
        """Bring `planar` up to date."""
        self._is_stale = True
        self._stepper.read()
        if self._is_shuffled:
            self._sort()

    def _sort(self) -> None:
        """Bring the states into the order of the rows."""
        sort_states(self._stepper.states, self._order, self.planar)
