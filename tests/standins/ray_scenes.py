"""Scenes of circles and boxes, and the engines' own answers to what a ray meets."""

import math

import mujoco
import numpy as np
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.geometry import quaternion
from coopsim.sensing.rays import RayCaster

_ANYTHING, _NOTHING = (0, 0xFFFFFFFF, 0xFFFFFFFF), (0, 0, 0)
"""Filters of Chipmunk: group, categories, mask."""


def body(name, x=0.0, y=0.0, yaw=0.0, *, mass=1.0, kind="cylinder", size=(0.5, 0.5, 0.3), z=0.0, tilt=(), part_of=""):
    turn = quaternion(*tilt) if tilt else (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    return BodySpec(name, (x, y, z, *turn), mass, (ShapeSpec(kind, size),), part_of=part_of)


def box(name, x, y, length, width, yaw=0.0, *, mass=0.0, z=0.0, height=0.5):
    return body(name, x, y, yaw, mass=mass, kind="box", size=(length, width, height), z=z)


def tilted(name, position, angles, *, kind="box", size=(0.6, 0.4, 0.2), mass=1.0):
    return BodySpec(name, (*position, *quaternion(*angles)), mass, (ShapeSpec(kind, size),))


def random_body(random, number, heights):
    """One of 12 bodies, 8 of them moving, far enough apart that none lies in another: MuJoCo sees their far side."""
    kind = ("box", "cylinder", "sphere")[random.integers(0, 3)]
    length, width, height = random.uniform(0.3, 1.2, 3)
    size = {"box": (length, width, height), "cylinder": (length, length, height), "sphere": (length,) * 3}[kind]
    x, y, z = 2.2 * (number % 4), 2.2 * (number // 4), random.uniform(*heights)
    angles = tuple(random.uniform(-3.0, 3.0, 3)) if random.random() < 0.6 else (0.0, 0.0, random.uniform(-3, 3))
    return tilted(f"b{number:02}", (x, y, z), angles, kind=kind, size=size, mass=float(number < 8))


def in_mujoco(bodies):
    """Return a model of MuJoCo's own with one shape for each body, and its data where they are."""
    spec = mujoco.MjSpec()
    for body in bodies:
        (shape,) = body.shapes
        a, b, c = (side / 2 for side in shape.size)
        kind, size = {
            "box": (mujoco.mjtGeom.mjGEOM_BOX, [a, b, c]),
            "cylinder": (mujoco.mjtGeom.mjGEOM_CYLINDER, [a, c, 0]),
            "sphere": (mujoco.mjtGeom.mjGEOM_SPHERE, [a, 0, 0]),
        }[shape.kind]
        part = spec.worldbody.add_body(name=body.name, pos=body.pose[:3], quat=body.pose[3:])
        part.add_geom(type=kind, size=size, pos=[0.0, 0.0, c])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


class Scene:
    """An engine and a caster over the same bodies."""

    def __init__(self, *bodies):
        self.bodies = bodies
        self.engine = PymunkEngine(WorldSpec(tuple(bodies)))
        self.caster = RayCaster(bodies, self.engine.names, self.engine.planar)

    def row(self, name):
        return list(self.engine.names).index(name)

    def move(self, name, x, y, yaw=0.0):
        self.engine.set_state(np.array([self.row(name)]), np.array([[x, y, yaw, 0.0, 0.0, 0.0]]))
        self.caster.begin()

    def cast(self, rows, bearings, reach, ring=0.0, columns=0):
        rows, bearings = np.asarray(rows, np.int64), np.asarray(bearings, np.float64)
        out = np.full((rows.size, columns or bearings.size), np.nan)
        reach = np.broadcast_to(np.asarray(reach, np.float64), rows.shape).copy()
        ring = np.broadcast_to(np.float64(ring), rows.shape)
        self.caster.cast(self.engine.planar, self.engine.height, rows, bearings, reach, out, ring)
        return out

    def ranges_of(self, name, bearings, reach, ring=0.0):
        """What one body sees."""
        return self.cast([self.row(name)], bearings, reach, ring)[0].tolist()

    def reference(self, row, bearing, reach):
        """The engine's own segment query, from the middle of the body; 0 from inside a shape."""
        place = self.engine._moving[row]
        space, shape = self.engine._space.pointer, place.shapes[0]
        hull = _hull(place.spec.shapes[0], bearing)
        x, y, yaw = place.body.pose
        length, angle = hull + reach, yaw + bearing
        end = x + length * math.cos(angle), y + length * math.sin(angle)
        kept, point, segment = (
            lib.cpShapeGetFilter(shape),
            ffi.new("cpPointQueryInfo *"),
            ffi.new("cpSegmentQueryInfo *"),
        )
        lib.cpShapeSetFilter(shape, _NOTHING)
        nearest = lib.cpSpacePointQueryNearest(space, (x, y), 0.0, _ANYTHING, point)
        hit = lib.cpSpaceSegmentQueryFirst(space, (x, y), end, 0.0, _ANYTHING, segment)
        lib.cpShapeSetFilter(shape, kept)
        if nearest != ffi.NULL and point.distance < 0.0:
            return 0.0
        return reach if hit == ffi.NULL else min(max(segment.alpha * length - hull, 0.0), reach)


def random_scene(generator):
    """Up to 40 moving and 20 fixed bodies, from far apart to one upon the other."""
    moving, fixed = int(generator.integers(1, 40)), int(generator.integers(0, 20))
    span, largest = generator.uniform(0.5, 15.0), generator.choice([0.3, 1.0, 6.0])
    return Scene(*(_random_body(generator, k, k < moving, span, largest) for k in range(moving + fixed)))


def _random_body(generator, number, moves, span, largest):
    kind = ("box", "cylinder", "sphere")[generator.integers(0, 3)]
    length, width = generator.uniform(0.02, largest, 2)
    size = (length, width if kind == "box" else length, 0.3)
    x, y = generator.uniform(-span, span, 2)
    return body(f"b{number:02}", x, y, generator.uniform(-7, 7), mass=float(moves), kind=kind, size=size)


def _hull(shape, bearing):
    c, s = abs(math.cos(bearing)), abs(math.sin(bearing))
    if shape.kind != "box":
        return shape.size[0] / 2
    return min(shape.size[0] / 2 / c if c else math.inf, shape.size[1] / 2 / s if s else math.inf)
