"""World that sensors measure in a running scene."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.calls import DeviceCalls, motion_calls, says_itself
from coopsim.devices.contract import Bodies, Scanners
from coopsim.engines import BodySpec, Contacts, PhysicsEngine
from coopsim.engines.calls import ContactCalls
from coopsim.geometry import Floats, Ints
from coopsim.kernels.parts import in_parts
from coopsim.kernels.sequence import KernelCall
from coopsim.kernels.threads import THREADS, parts_of
from coopsim.sensing.around_eye import Room, rooms_for
from coopsim.sensing.kept_looks import Kept, no_looks
from coopsim.sensing.line_of_sight import SightLines
from coopsim.sensing.nearest import nearest, nearest_in_space
from coopsim.sensing.nearest_seen import begin_seen, nearest_seen
from coopsim.sensing.ray_tables import owners
from coopsim.sensing.rays import RayCaster
from coopsim.sensing.robot_cells import STALE, empty_cells
from coopsim.sensing.screens import STALE as SCREENS_STALE
from coopsim.sensing.screens import Screens, empty_screens

if TYPE_CHECKING:
    from coopsim.sensing.ray_raised import RaisedRays


_MANY, _MANY_EYES = 512, 128
"""Bodies that look for the nearest, and for the nearest that are seen, from which on several cores are faster.

About as many take 200 and 500 us; to wake a thread takes up to 50.
"""


class EngineSensingWorld:
    """The scene as sensors see it (`devices.SensingWorld`), over any physics engine.

    Made anew whenever a body comes, goes or changes its shape; `begin_tick` forgets what was true in the last tick.

    Source: SwarmSimX, section 2.2 (sensors reach the physics engine and all artifacts through the environment).

    Attributes:
        dt: Length of this tick [s].
        tick: Its number.
        areas: Kind and corners of the areas of the floor.
        floor: A fixed body that only rays which point out of the plane of their ring see, None = there is none.
    """

    floor: BodySpec | None = None
    areas: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def __init__(
        self,
        engine: PhysicsEngine,
        bodies: Sequence[BodySpec],
        target_names: Sequence[str],
        target_positions: Floats,
        robot_names: Sequence[str],
        robot_bodies: Ints,
        robot_radii: Floats,
    ) -> None:
        """Read the scene.

        Args:
            engine: Holds the moving bodies.
            bodies: All bodies, moving and fixed.
            target_names: Names of the coloured targets, in the order of the file.
            target_positions: Where they are, shape (m, 3) [m].
            robot_names: All robots, in the order of the layout.
            robot_bodies: Their body rows, shape (r,).
            robot_radii: Radius of their hulls, shape (r,) [m].
        """
        self.bodies: Bodies = engine
        self._engine = engine
        self.target_names, self.robot_names = tuple(target_names), tuple(robot_names)
        self.target_positions = np.asarray(target_positions, np.float64).reshape(-1, 3)
        self.robot_bodies = np.ascontiguousarray(robot_bodies, np.int64)
        self.robot_radii = np.ascontiguousarray(robot_radii, np.float64)
        self.dt, self.tick = 0.0, 0
        self._is_spatial = "height" in engine.abilities
        self._rays = RayCaster(bodies, engine.names, engine.planar, is_spatial=self._is_spatial)
        self._contacts: Contacts | None = None
        self._everything = bodies
        self._owners = np.array(owners(bodies, engine.names), np.int64)
        self._sight: SightLines | None = None
        self._cells = empty_cells(self.robot_bodies)
        self._screens: Screens | None = None
        self._eye_rooms: Room | None = None
        self._kept_looks: Kept | None = None
        self._raised: RaisedRays | None = None

    def begin_tick(self, tick: int, dt: float) -> None:
        """Handle moved bodies; call it after each step of the engine, or change of a pose."""
        self.tick, self.dt = tick, dt
        self._contacts = None
        self._cells[1][STALE] = 1
        if self._screens is not None:
            self._screens[1][SCREENS_STALE] = 1
        self._rays.begin()
        if self._raised is not None:
            self._raised.begin()
        if self._sight is not None:
            self._sight.begin()

    def cast_rays(self, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats | None = None) -> None:
        """Write the distance from the hull to the first hit of each ray, `reach` where there is none.

        Args:
            rows: Bodies that look, shape (n,); a body sees neither itself nor the others of its robot.
            bearings: Directions in the frame of each body, shape (k,) [rad].
            reach: Largest distance, measured from the hull, shape (n,) [m].
            out: Distances, shape (n, k) [m]; of shape (n, k / m) it gets the least of each m neighbouring rays.
            ring: Where the rays begin above the base of the body, 0 or None = half way up, shape (n,) [m].
        """
        ring = np.zeros(rows.size) if ring is None else ring
        poses = self._engine.poses if self._is_spatial else None
        self._rays.cast(self.bodies.planar, self.bodies.height, rows, bearings, reach, out, ring, poses)

    def ray_calls(self, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats) -> DeviceCalls | None:
        """Return what `cast_rays` comes to, None where kernels alone cannot do it."""
        return self._rays.calls(self.bodies, rows, bearings, (reach, ring), out)

    def nearest_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_robots` comes to, None where kernels alone cannot do it."""
        if not all(array.flags.c_contiguous for array in (rows, reach, out)):
            return None
        scene, owners = (self.bodies.planar, self.robot_bodies), self._owners[rows]

        def part(first: int, last: int) -> tuple[Any, ...]:
            return *scene, rows[first:last], owners[first:last], reach[first:last], out[first:last]

        # each part sorts all robots once more
        return DeviceCalls(in_parts(nearest, rows.size, THREADS.sharing(rows.size, _MANY), part, is_few=True))

    def nearest_seen_calls(self, rows: Ints, limits: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_seen` comes to, None where kernels alone cannot do it."""
        if not all(array.flags.c_contiguous for array in (rows, limits, out)):
            return None
        threads = THREADS.sharing(rows.size, _MANY_EYES)
        begin, look = self._seeing(rows, limits, out, threads)
        return DeviceCalls((KernelCall(begin_seen, begin), KernelCall(nearest_seen, look, helpers=threads - 1)))

    def contact_calls(self) -> ContactCalls | None:
        """Return what `contacts` comes to; None if the engine does not say it."""
        engine: Any = self._engine
        calls: ContactCalls | None = None
        if says_itself(engine, "contacts", "contact_calls"):
            calls = engine.contact_calls()
        return calls

    def nearest_in_space_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_in_space` comes to once poses are up to date, None where kernels alone cannot do it."""
        asked = rows, self._owners[rows], reach, out
        is_dense = all(array.flags.c_contiguous for array in asked)
        call = KernelCall(nearest_in_space, (self.bodies.poses, self.robot_bodies, *asked))
        return DeviceCalls((call,)) if is_dense else None

    def joint_state_calls(self, out: Floats) -> DeviceCalls | None:
        """Return what writes `bodies.joint_state` into `out`, shape (j, 6); None if the engine does not say it."""
        engine: Any = self._engine
        says = says_itself(engine, "joint_state", "joint_state_calls")
        return DeviceCalls(engine.joint_state_calls(out)) if says else None

    def motion_calls(self, accelerations: Floats | None = None) -> DeviceCalls | None:
        """Return what brings poses and twists up to date, None where the engine does not say it."""
        return motion_calls(self.bodies, accelerations)

    def cast_raised_rays(self, rows: Ints, angles: Floats, reach: Floats, out: Floats, ring: Floats) -> None:
        """Write the distance from the hull, along the ray, to the first hit of each, `reach` where there is none.

        Args:
            rows: Bodies that look, shape (n,); a body sees neither itself nor the others of its robot.
            angles: Bearing of each ray in the frame of the body, and how far it points up, shape (2, k) [rad].
            reach: Largest distance, shape (n,) [m].
            out: Distances, shape (n, k) [m]; of shape (n, k / m) it gets the least of each m neighbouring rays.
            ring: Where the rays begin above the base of the body, 0 = half way up, shape (n,) [m].
        """
        if not out.size:
            return
        rows, angles = np.ascontiguousarray(rows), np.ascontiguousarray(angles)
        height, hulls = self._rays.rims(rows, angles[0], ring)
        rays = angles, np.ascontiguousarray(reach), height, hulls
        self._raised_rays().cast_raised(self._engine.poses, rows, rays, out)

    def scan(self, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> None:
        """Write the distance from scanners to the first hit of each ray, the largest distance where there is none.

        Args:
            rows: Bodies that carry one, shape (n,); a scanner sees neither its body nor the others of its robot.
            angles: Bearing of each ray in the frame of the body, and how far it points up, shape (2, k) [rad].
            scanners: How far they see, and where they are.
            out: Distances, shape (n, k) [m].
        """
        if not out.size:
            return
        rows, (reach, ring, mount) = np.ascontiguousarray(rows), scanners
        reach, ring = np.ascontiguousarray(reach), np.ascontiguousarray(ring)
        if not angles[1].any():
            poses = self._engine.poses if self._is_spatial else None
            self._rays.scan(self.bodies, rows, np.ascontiguousarray(angles[0]), (reach, ring, mount), out, poses)
            return
        height, _ = self._rays.rims(rows, angles[0, :1].copy(), ring)
        self._raised_rays().scan_raised(self._engine.poses, rows, angles, (reach, height, mount), out)

    def scan_calls(self, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> DeviceCalls | None:
        """Return what `scan` comes to, None where kernels alone cannot do it."""
        if angles[1].any():
            return None
        return self._rays.scan_calls(self.bodies, rows, np.ascontiguousarray(angles[0]), scanners, out)

    def _raised_rays(self) -> "RaisedRays":
        if self._raised is None:
            from coopsim.sensing.ray_raised import RaisedRays

            self._raised = RaisedRays(self._everything, self._engine.names, self.floor)
        return self._raised

    def contacts(self) -> Contacts:
        """Return what touched in this tick's step; the engine is asked once a tick."""
        if self._contacts is None:
            self._contacts = self._engine.contacts()
        return self._contacts

    def nearest_robots(self, rows: Ints, reach: Floats, out: Ints) -> None:
        """Write the nearest other robots by distance of their centres, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            reach: Farthest distance, shape (n,) [m].
            out: Indices into `robot_names`, nearest first, equally near ones by index, shape (n, slots).
        """
        if not (rows.flags.c_contiguous and reach.flags.c_contiguous and out.flags.c_contiguous):
            dense = np.empty(out.shape, np.int64)
            self.nearest_robots(np.ascontiguousarray(rows), np.ascontiguousarray(reach), dense)
            out[...] = dense
            return
        nearest(self.bodies.planar, self.robot_bodies, rows, self._owners[rows], reach, out)

    def nearest_seen(self, rows: Ints, limits: Floats, out: Ints) -> None:
        """Write the nearest other robots that are seen, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            limits: Reach [m], field of view [rad], whether things hide what is behind them, 0 or 1; shape (3, n).
            out: Indices into `robot_names`, nearest first, equally near ones by index, shape (n, slots).
        """
        begin, look = self._seeing(rows, np.ascontiguousarray(limits), out, 1)
        begin_seen(*begin)
        nearest_seen(*look)

    def _seeing(self, rows: Ints, limits: Floats, out: Ints, threads: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arguments of the kernels `begin_seen` and `nearest_seen`."""
        sight = self._sight_lines()
        if self._screens is None:
            self._screens = empty_screens(sight.moving, self._cells)
        if self._kept_looks is None:
            self._kept_looks = no_looks(len(self.bodies.planar), sight.moving)
        if self._eye_rooms is None or len(self._eye_rooms[0]) < threads:
            self._eye_rooms = rooms_for(threads, self._cells, self._screens)
        claims, parts = np.zeros(2, np.int64), 1 if threads == 1 else len(parts_of(rows.size, threads))
        lookers = rows, self._owners[rows], sight.middles
        scene, place = (
            (self._cells, self._screens, sight.fixed, self._eye_rooms, self._kept_looks),
            (self.bodies.planar, self.bodies.height),
        )
        begin = *place, limits, (self._cells, self._screens, self._kept_looks), claims
        return begin, (*place, lookers, limits, scene, (parts, claims), out)

    def nearest_in_space(self, rows: Ints, reach: Floats, out: Ints) -> None:
        """Write the nearest other robots by distance in space, -1 where there are no more.

        Args:
            rows: Bodies that look, shape (n,).
            reach: Farthest distance, shape (n,) [m].
            out: Indices into `robot_names`, nearest first, equally near ones by index, shape (n, slots).
        """
        nearest_in_space(self.bodies.poses, self.robot_bodies, rows, self._owners[rows], reach, out)

    def sight_lines(self, rows: Ints, places: Floats, others: Ints, seen: NDArray[np.bool_]) -> None:
        """Clear `seen` where a body blocks the line of sight.

        Args:
            rows: Bodies that look, from their middles, shape (n,).
            places: Where they look, shape (n, k, 2) [m].
            others: Body that is looked at, which does not hide itself, -1 = none, shape (n, k).
            seen: What may be seen; becomes False where it is hidden, shape (n, k).
        """
        self._sight_lines().clear_blocked(self.bodies.planar, self.bodies.height, rows, places, others, seen)

    def _sight_lines(self) -> SightLines:
        if self._sight is None:
            self._sight = SightLines(self._everything, self._engine.names)
        return self._sight
