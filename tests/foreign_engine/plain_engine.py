"""A physics engine in one file: bodies are the circles around them, and stop at what they meet."""

import json
import math
from dataclasses import asdict, replace

import numpy as np

from coopsim.engines import BodySpec, Contacts, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.plane.checks import check_added, check_world, checked_state
from coopsim.engines.plane.footprints import check_planar, footprints, friction_arm, inertia, located, planar_pose
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.scene import Span, by_name

TOUCH = 2e-3  # m
GRAVITY = 9.81


class PlainEngine:
    """Moves circles in the plane; there are no joints, and nothing pushes."""

    abilities = frozenset()
    position_lag = 0
    joints = ()

    def __init__(self, world):
        self.rebuild(world)

    def rebuild(self, world):
        bodies = sorted(world.bodies, key=lambda body: by_name(body.name))
        check_world(world, bodies, "plain")
        for joint in world.joints:
            self.add_joint(joint)
        self.bodies = {body.name: body for body in bodies}
        self._renew({})

    def step(self, dt, substeps=1):
        force = self.wrench[:, [0, 1, 5]].copy()
        self.wrench[:] = 0.0
        wild = [name for name, row in zip(self.names, force, strict=True) if not (np.abs(row) < 1e9).all()]
        force[~np.isfinite(force)] = 0.0
        scale = np.column_stack([self.mass, self.mass, self.inertia])
        self.stopped = np.zeros((len(self.names), 2))
        for _ in range(substeps):
            self.planar[:, 3:] += force / scale * (dt / substeps)
            for row in range(len(self.names)):
                self._brake(row, dt / substeps)
                self._move(row, dt / substeps)
        self._fill()
        if wild:
            raise EngineCannot(f"the force on body {wild[0]!r} is not a finite number")

    def check_step(self, dt):
        """Every step can be made."""

    def _fill(self):
        half = self.planar[:, 2] / 2.0
        self.poses[:, :2], self.poses[:, 2] = self.planar[:, :2], self.height
        self.poses[:, 3], self.poses[:, 6] = np.cos(half), np.sin(half)
        self.twists[:, [0, 1, 5]] = self.planar[:, 3:]

    def contacts(self):
        touches = []
        for row in range(len(self.names)):
            for neighbour, (gap, normal) in self._neighbours(row):
                if gap <= TOUCH and not 0 <= neighbour < row:
                    point = self.planar[row, :2] + (self.radii[row] + gap / 2.0) * normal
                    touches.append((row, neighbour, *point, *normal, max(0.0, self.stopped[row] @ normal)))
        touches.sort()
        table = np.array(touches, np.float64).reshape(-1, 7)
        return Contacts(table[:, :2].astype(np.int64), table[:, 2:])

    def joint_state(self):
        return np.zeros((0, 6))

    def set_state(self, rows, planar):
        rows, planar = checked_state(rows, planar, len(self.names))
        self.planar[rows] = planar
        self._fill()

    def check(self, body):
        check_planar(body, "plain")

    def add(self, body):
        self.add_all((body,))

    def add_all(self, bodies):
        all_bodies = dict(self.bodies)
        for body in bodies:
            check_added(body, body.name in all_bodies, len(all_bodies), "plain")
            all_bodies[body.name] = body
        self.bodies = all_bodies
        self._renew(dict(zip(self.names, self.planar, strict=True)))

    def remove(self, name):
        if name not in self.bodies:
            raise NoSuchName(f"there is no body named {name!r}")
        del self.bodies[name]
        self._renew(dict(zip(self.names, self.planar, strict=True)))

    def add_joint(self, joint: JointSpec):
        raise EngineCannot(f"{located(joint.span)}the plain engine has no joints; {joint.name!r} is one")

    def remove_joint(self, name):
        raise NoSuchName(f"there is no joint named {name!r}")

    def snapshot(self):
        bodies = [asdict(replace(body)) for body in self.bodies.values()]
        rows = [list(self.names), self.planar.tolist(), self.wrench.tolist()]
        return json.dumps(["plain", bodies, *rows]).encode()

    def restore(self, snapshot):
        try:
            mark, bodies, names, planar, wrench = json.loads(snapshot)
            world = WorldSpec(tuple(_body(**body) for body in bodies))
        except (ValueError, TypeError) as problem:
            raise EngineCannot(f"no snapshot of the plain engine: {problem}") from None
        if mark != "plain":
            raise EngineCannot(f"expected a snapshot of the plain engine, got {mark!r}")
        self.rebuild(world)
        rows = [names.index(name) for name in self.names]
        self.planar[:] = np.array(planar).reshape(-1, 6)[rows]
        self.wrench[:] = np.array(wrench).reshape(-1, 6)[rows]
        self._fill()

    def _renew(self, states):
        moving = [body for body in self.bodies.values() if body.mass > 0.0]
        self.fixed = [body for body in self.bodies.values() if body.mass == 0.0]
        prints = [footprints(body) for body in moving]
        self.names = tuple(body.name for body in moving)
        self.planar = np.array(
            [states.get(body.name, (*planar_pose(body), 0.0, 0.0, 0.0)) for body in moving], np.float64
        ).reshape(-1, 6)
        self.height = np.array([body.pose[2] for body in moving], np.float64)
        self.mass = np.array([body.mass for body in moving], np.float64)
        self.inertia = np.array([inertia(body.mass, seen) for body, seen in zip(moving, prints, strict=True)])
        self.grip = [body.rolling * GRAVITY for body in moving]
        self.arms = [friction_arm(seen) for seen in prints]
        self.radii = [max(math.hypot(part.x, part.y) + part.bound for part in seen) for seen in prints]
        self.tall = [_tall(body) for body in moving]
        count = len(moving)
        self.poses, self.twists, self.wrench = np.zeros((count, 7)), np.zeros((count, 6)), np.zeros((count, 6))
        self.stopped = np.zeros((count, 2))
        self._fill()

    def _brake(self, row, dt):
        velocity, grip = self.planar[row, 3:], self.grip[row]
        velocity[:2] *= _kept(math.hypot(velocity[0], velocity[1]), grip * dt)
        turn_grip = grip * self.mass[row] * self.arms[row] / self.inertia[row]
        velocity[2] *= _kept(abs(velocity[2]), turn_grip * dt)

    def _move(self, row, dt):
        before, start = self._neighbours(row), self.planar[row, :2].copy()
        self.planar[row, :2] += self.planar[row, 3:5] * dt
        self.planar[row, 2] += self.planar[row, 5] * dt
        gaps = zip(before, self._neighbours(row), strict=True)
        if any(gap < 0.0 and gap < earlier for (_, (earlier, _)), (_, (gap, _)) in gaps):
            self.planar[row, :2] = start
            self.stopped[row] += self.mass[row] * self.planar[row, 3:5]
            self.planar[row, 3:5] = 0.0

    def _neighbours(self, row):
        """Return (row of the other, (gap, normal)) for all bodies at this one's height, fixed ones as -1."""
        place, radius, tall = self.planar[row, :2], self.radii[row], self.tall[row]
        near_bodies = [
            (neighbour, _from_circle(place, self.planar[neighbour, :2], radius + self.radii[neighbour]))
            for neighbour in range(len(self.names))
            if neighbour != row and _meet(tall, self.tall[neighbour])
        ]
        standing = [body for body in self.fixed if _meet(tall, _tall(body))]
        return near_bodies + [
            (-1, _from_fixed(place, body, footprint, radius)) for body in standing for footprint in footprints(body)
        ]


def _from_circle(place, other, radii):
    way = other - place
    distance = math.hypot(*way)
    return distance - radii, way / distance if distance > 0.0 else np.array([1.0, 0.0])


def _from_fixed(place, body, seen, radius):
    x, y, yaw = planar_pose(body)
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    middle = np.array([x, y]) + turn @ (seen.x, seen.y)
    if seen.half_width == 0.0:
        return _from_circle(place, middle, radius + seen.half_length)
    half = np.array([seen.half_length, seen.half_width])
    nearest = middle + turn @ np.clip(turn.T @ (place - middle), -half, half)
    return _from_circle(place, nearest, radius)


def _kept(speed, braked):
    return 0.0 if speed <= braked else 1.0 - braked / speed


def _tall(body):
    prints = footprints(body)
    return body.pose[2] + min(part.low for part in prints), body.pose[2] + max(part.high for part in prints)


def _meet(first, second):
    return first[0] < second[1] and second[0] < first[1]


def _body(shapes, span, pose, **values):
    specs = tuple(ShapeSpec(**{name: _tupled(value) for name, value in shape.items()}) for shape in shapes)
    return BodySpec(shapes=specs, span=Span(**span), pose=tuple(pose), **values)


def _tupled(value):
    return tuple(value) if isinstance(value, list) else value
