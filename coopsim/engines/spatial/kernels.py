"""Compiled parts of the MuJoCo engine.

MuJoCo keeps position, quaternion, velocity in the world's frame and angular velocity in the body's frame of each centre
of mass in flat arrays; `places` says where: columns are the first number of a body in `qpos` and in `qvel`, shape
(n, 2).
"""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.engines.compiled import compiled
from coopsim.geometry import Floats, Ints

STRONGEST = 1e9  # N or N m; anything above, and what is not a number, is a mistake of a device
FASTEST, FARTHEST = 1e5, 2e6  # m/s or rad/s, m; beyond it a body has gone astray
QUIET = 10  # steps after which a robot that stands still rests
NEVER = -1
LEAST_FRICTION = 1e-5  # MuJoCo's own bound
SOLID, PLANE, SLAB = 1, 2, 4  # who meets whom; the floor is a plane, and for cylinders a slab
FLOORS = 2  # the floor's geoms come first
WEAKEST_BOUNCE = 0.14  # what a spring just throws back that is damped so that it does not swing
SETTLING = 0.02  # s; in which a contact pushes out what has sunk in
_SLOWLY, _GENTLY = 0.03, 3.0  # m/s, 1/s; but no faster than the one, or this part of the depth
_BOUNCE = 0.35  # radians of a bounce that pass in a step
_STOP = 100.0  # 1/s; how hard MuJoCo brakes what slides slowly
_SPARE = 0.3
_YIELD, _GRAVITY = 20.0, 9.81
_RELAXED, _AGREED = 0.7, 0.03
_SLOW, _LEVEL = 1e-4, 1e-3  # m/s, rad/s

Ints32 = NDArray[np.int32]


@compiled
def _axes(q: Floats, at: int) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return the rotation matrix of the quaternion that begins at `at`, row by row."""
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@compiled
def rouse(wrench: Floats, rest: Ints) -> int:
    """Wake robots that are lifted or tilted, and return the first row whose wrench is no sensible number, else -1.

    Args:
        wrench: Shape (n, 6) [N, N m].
        rest: Steps for which each has stood still, shape (n,).
    """
    wrong = -1
    for row in range(rest.size):
        size = 0.0
        for column in range(6):
            size += abs(wrench[row, column])
        if not size <= STRONGEST:
            wrong = row if wrong < 0 else wrong
        elif rest[row] > 0 and (wrench[row, 2] != 0.0 or wrench[row, 3] != 0.0 or wrench[row, 4] != 0.0):
            rest[row] = 0
    return wrong


@compiled
def stray(qpos: Floats, qvel: Floats, places: Ints, before: Floats) -> int:
    """Return the row of the body that went most astray in a step, -1 if none did.

    Args:
        qpos: Positions.
        qvel: Velocities.
        places: Shape (n, 2).
        before: Velocities before the step.
    """
    worst, most, is_any = -1, -1.0, False
    for row in range(places.shape[0]):
        p, v, gained = places[row, 0], places[row, 1], 0.0
        for k in range(6):
            gained = max(gained, abs(qvel[v + k] - before[v + k]))
            if not abs(qvel[v + k]) <= FASTEST:
                is_any, gained = True, math.inf
        for k in range(3):
            if not abs(qpos[p + k]) <= FARTHEST:
                is_any, gained = True, math.inf
        if gained > most:
            worst, most = row, gained
    return worst if is_any else -1


@compiled
def switch(rest: Ints, spans: Ints, meets: Ints32, now: Ints32) -> None:
    """Let the robots that rest go through the floor: it holds them anyway, and contacts cost time.

    Args:
        rest: Shape (n,).
        spans: First and last geom but one of each body, shape (n, 2).
        meets: What each geom meets, shape (g,).
        now: What it meets in the next step, shape (g,).
    """
    for row in range(rest.size):
        if rest[row] != NEVER:
            for geom in range(spans[row, 0], spans[row, 1]):
                now[geom] = SOLID if rest[row] == QUIET else meets[geom]


@compiled
def touch(geoms: Ints32, rows: Ints, is_foot: NDArray[np.bool_], rest: Ints, down: Ints) -> int:
    """Count the feet that are on the floor, -1 for a body that touches anything else; wake those that rest.

    Args:
        geoms: The two geoms of each contact, shape (k, 2).
        rows: Row of the body of each geom, -1 = fixed, shape (g,).
        is_foot: Shape (g,).
        rest: Shape (n,).
        down: Written: shape (n,).

    Returns:
        How many were woken.
    """
    down[:] = 0
    woken = 0
    for k in range(geoms.shape[0]):
        first, second = geoms[k, 0], geoms[k, 1]
        if first < FLOORS and is_foot[second]:
            if down[rows[second]] >= 0:
                down[rows[second]] += 1
            continue
        for side in range(2):
            row = rows[geoms[k, side]]
            if row >= 0:
                down[row] = -1
                if rest[row] == QUIET:
                    rest[row] = 0
                    woken += 1
    return woken


@compiled
def mix(
    geoms: Ints32,
    kinds: Ints32,
    gaps: Floats,
    spots: Floats,
    frames: Floats,
    rows: Ints,
    surfaces: Floats,
    qpos: Floats,
    qvel: Floats,
    places: Ints,
    step: float,
    friction: Floats,
    hardness: Floats,
    hold: Floats,
    slips: Floats,
) -> bool:
    """Write the friction of each contact, the product of both, its bounce, and how hard it brakes what slides.

    MuJoCo lifts what slides, the more the harder it would like to stop it: what slides fast has no friction here, and
    is braked by `rub` when the forces are known; else it need not like to stop it at once.

    Args:
        geoms: Shape (k, 2).
        kinds: How many directions of force each contact has, 1 = no friction, shape (k,).
        gaps: Distances, shape (k,) [m].
        spots: Shape (k, 3) [m].
        frames: Normal and two tangents, shape (k, 9).
        rows: Row of the body of each geom, -1 = fixed, shape (g,).
        surfaces: Friction, radius of the patch that it touches with, restitution, lever of rolling resistance, by geom,
            shape (g, 4).
        qpos: Positions.
        qvel: Velocities.
        places: Shape (n, 2).
        step: [s].
        friction: Written: shape (k, 5).
        hardness: MuJoCo's `solref`, written for contacts that bounce or are deep, shape (k, 2).
        hold: MuJoCo's `solreffriction`, written for contacts that slide, shape (k, 2).
        slips: Written: of what slides fast the velocity at which the second body slides on the first [m/s], and
            the friction, shape (k, 5).

    Returns:
        Whether anything slides fast.
    """
    is_any = False
    slips[:] = 0.0
    for k in range(kinds.size):
        first, second = geoms[k, 0], geoms[k, 1]
        restitution = surfaces[first, 2] * surfaces[second, 2]
        if restitution > WEAKEST_BOUNCE:
            omega = _BOUNCE / step
            hardness[k, 0], hardness[k, 1] = -omega * omega, -2.0 * _damping(restitution) * omega
        else:
            # what has run into something comes out slowly: there is nothing to stop it again
            depth, settling = -gaps[k], max(SETTLING, 2.0 * step)
            if depth > 0.0 and depth * step > _SLOWLY * settling * settling:
                hardness[k, 0] = -max(_SLOWLY / depth, _GENTLY) / step
                hardness[k, 1] = -2.0 / settling
        if kinds[k] == 1:
            continue
        slide = max(surfaces[first, 0] * surfaces[second, 0], LEAST_FRICTION)
        spin = max(slide * max(surfaces[first, 1], surfaces[second, 1]), LEAST_FRICTION)
        friction[k, 0] = friction[k, 1] = slide
        friction[k, 2] = spin
        friction[k, 3] = friction[k, 4] = max(surfaces[first, 3], surfaces[second, 3], LEAST_FRICTION)
        x, y, z = _speed(rows[second], spots[k], qpos, qvel, places)
        u, v, w = _speed(rows[first], spots[k], qpos, qvel, places)
        x, y, z = x - u, y - v, z - w
        normal = x * frames[k, 0] + y * frames[k, 1] + z * frames[k, 2]
        sliding = math.sqrt(max(0.0, x * x + y * y + z * z - normal * normal))
        if sliding > slide * _GRAVITY * step:
            is_any = True
            friction[k, 0] = friction[k, 1] = LEAST_FRICTION
            slips[k, 0], slips[k, 1] = x - normal * frames[k, 0], y - normal * frames[k, 1]
            slips[k, 2], slips[k, 3] = z - normal * frames[k, 2], slide
            continue
        brake = (slide + _SPARE / slide) * (_GRAVITY + _YIELD * max(0.0, -normal))
        if sliding * _STOP > brake:
            hold[k, 0], hold[k, 1] = -1.0, -brake / sliding
    return is_any


@compiled
def rub(
    geoms: Ints32,
    starts: Ints32,
    spots: Floats,
    slips: Floats,
    forces: Floats,
    rows: Ints,
    qpos: Floats,
    places: Ints,
    masses: Floats,
    inverses: Floats,
    step: float,
    applied: Floats,
) -> bool:
    """Brake what slides fast by its friction times the force that presses it on, but never back.

    Friction changes what presses, so this is asked again with the forces that follow, until they agree.

    Args:
        geoms: Shape (k, 2).
        starts: Where the forces of each contact begin, -1 = it has none, shape (k,).
        spots: Shape (k, 3) [m].
        slips: As `mix` wrote them, shape (k, 5); the last column is how much brakes already [N], written.
        forces: Of all constraints, flat [N].
        rows: Row of the body of each geom, -1 = fixed, shape (g,).
        qpos: Positions.
        places: Shape (n, 2).
        masses: Shape (n,) [kg].
        inverses: Of the tensors of inertia in the frames of the bodies, shape (n, 3, 3) [1/(kg m2)].
        step: [s].
        applied: Added to, flat.

    Returns:
        Whether that changed so much that the forces are to be found again.
    """
    changed, most = 0.0, 0.0
    for k in range(starts.size):
        if slips[k, 3] == 0.0 or starts[k] < 0:
            continue
        first, second = rows[geoms[k, 0]], rows[geoms[k, 1]]
        speed = math.sqrt(slips[k, 0] ** 2 + slips[k, 1] ** 2 + slips[k, 2] ** 2)
        x, y, z = slips[k, 0] / speed, slips[k, 1] / speed, slips[k, 2] / speed
        ease = _ease(first, spots[k], x, y, z, qpos, places, masses, inverses)
        ease += _ease(second, spots[k], x, y, z, qpos, places, masses, inverses)
        stopping = speed / (ease * step * _together(k, geoms, slips, rows))
        wanted = min(slips[k, 3] * forces[starts[k]], stopping)
        force = _RELAXED * (wanted - slips[k, 4]) if slips[k, 4] > 0.0 else wanted
        slips[k, 4] += force
        changed, most = changed + abs(force), most + slips[k, 4]
        _press(first, spots[k], force * x, force * y, force * z, qpos, places, applied)
        _press(second, spots[k], -force * x, -force * y, -force * z, qpos, places, applied)
    return changed > _AGREED * most


@compiled
def _together(k: int, geoms: Ints32, slips: Floats, rows: Ints) -> int:
    """Return at how many spots the bodies of a contact slide on each other."""
    count = 0
    for j in range(slips.shape[0]):
        is_same = rows[geoms[j, 0]] == rows[geoms[k, 0]] and rows[geoms[j, 1]] == rows[geoms[k, 1]]
        count += is_same and slips[j, 3] != 0.0
    return count


@compiled
def _ease(
    row: int,
    spot: Floats,
    x: float,
    y: float,
    z: float,
    qpos: Floats,
    places: Ints,
    masses: Floats,
    inverses: Floats,
) -> float:
    """Return how fast an impulse of 1 N s along a direction makes a spot of a body in this direction [1/kg]."""
    if row < 0:
        return 0.0
    p = places[row, 0]
    u, v, w = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    u, v, w = _turned_back(qpos, p + 3, v * z - w * y, w * x - u * z, u * y - v * x)
    m = inverses[row]
    return float(
        1.0 / masses[row]
        + u * (m[0, 0] * u + m[0, 1] * v + m[0, 2] * w)
        + v * (m[1, 0] * u + m[1, 1] * v + m[1, 2] * w)
        + w * (m[2, 0] * u + m[2, 1] * v + m[2, 2] * w)
    )


@compiled
def _press(row: int, spot: Floats, x: float, y: float, z: float, qpos: Floats, places: Ints, applied: Floats) -> None:
    """Add a force at a spot of a body."""
    if row < 0:
        return
    p, at = places[row, 0], places[row, 1]
    u, v, w = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    u, v, w = _turned_back(qpos, p + 3, v * z - w * y, w * x - u * z, u * y - v * x)
    applied[at], applied[at + 1], applied[at + 2] = applied[at] + x, applied[at + 1] + y, applied[at + 2] + z
    applied[at + 3], applied[at + 4], applied[at + 5] = applied[at + 3] + u, applied[at + 4] + v, applied[at + 5] + w


@compiled
def _turned_back(q: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a vector of the world in the frame of a body."""
    a, b, c, d, e, f, g, h, i = _axes(q, at)
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


@compiled
def _speed(row: int, spot: Floats, qpos: Floats, qvel: Floats, places: Ints) -> tuple[float, float, float]:
    """Return the velocity of a body at a spot, world frame."""
    if row < 0:
        return 0.0, 0.0, 0.0
    p, q = places[row, 0], places[row, 1]
    a, b, c, d, e, f, g, h, i = _axes(qpos, p + 3)
    u, v, w = qvel[q + 3], qvel[q + 4], qvel[q + 5]
    u, v, w = a * u + b * v + c * w, d * u + e * v + f * w, g * u + h * v + i * w
    x, y, z = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    return qvel[q] + v * z - w * y, qvel[q + 1] + w * x - u * z, qvel[q + 2] + u * y - v * x


@compiled
def _damping(restitution: float) -> float:
    """Return the damping ratio of a spring that throws back with this restitution.

    It pushes until its force is nought, not its length.
    Source: Schwager and Poeschel, "Coefficient of restitution and linear-dashpot model revisited", Granular Matter
    (2007).
    """
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        phase = math.pi - 2.0 * math.asin(middle)
        if math.exp(-middle * phase / math.sqrt(1.0 - middle * middle)) > restitution:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def load(wrench: Floats, qpos: Floats, places: Ints, rest: Ints, weight: Floats, applied: Floats) -> None:
    """Write the wrench of each body as MuJoCo wants it, torque in the frame of the body.

    Args:
        wrench: World frame, shape (n, 6) [N, N m].
        qpos: Positions.
        places: Shape (n, 2).
        rest: Those that rest are held by their weight, shape (n,).
        weight: Shape (n,) [N].
        applied: Written, flat.
    """
    for row in range(rest.size):
        at = places[row, 1]
        applied[at], applied[at + 1], applied[at + 2] = wrench[row, 0], wrench[row, 1], wrench[row, 2]
        if rest[row] == QUIET:
            applied[at + 2] = weight[row]
        x, y, z = wrench[row, 3], wrench[row, 4], wrench[row, 5]
        if x == 0.0 and y == 0.0 and z == 0.0:
            applied[at + 3] = applied[at + 4] = applied[at + 5] = 0.0
            continue
        a, b, c, d, e, f, g, h, i = _axes(qpos, places[row, 0] + 3)
        applied[at + 3] = a * x + d * y + g * z
        applied[at + 4] = b * x + e * y + h * z
        applied[at + 5] = c * x + f * y + i * z


@compiled
def settle(qvel: Floats, places: Ints, down: Ints, rest: Ints) -> None:
    """Count how long each robot has stood still on its three feet; one that rests neither falls nor tilts.

    Args:
        qvel: Velocities.
        places: Shape (n, 2).
        down: How many feet are on the floor, -1 where anything else is touched, shape (n,).
        rest: Shape (n,).
    """
    for row in range(rest.size):
        if rest[row] == NEVER:
            continue
        at = places[row, 1]
        if rest[row] != QUIET:
            still = abs(qvel[at + 2]) < _SLOW and abs(qvel[at + 3]) < _LEVEL and abs(qvel[at + 4]) < _LEVEL
            rest[row] = rest[row] + 1 if still and down[row] == 3 else 0
        if rest[row] == QUIET:
            qvel[at + 2] = qvel[at + 3] = qvel[at + 4] = 0.0


@compiled
def look(qpos: Floats, qvel: Floats, places: Ints, centres: Floats, planar: Floats, height: Floats) -> None:
    """Write how bodies are seen from above: place and heading of the base, velocity of the centre of mass.

    Args:
        qpos: Positions.
        qvel: Velocities.
        places: Shape (n, 2).
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        planar: Written: x y yaw vx vy w, shape (n, 6).
        height: Written: z of the base, shape (n,) [m].
    """
    for row in range(height.size):
        p, v = places[row, 0], places[row, 1]
        a, b, c, d, e, f, g, h, i = _axes(qpos, p + 3)
        x, y, z = centres[row, 0], centres[row, 1], centres[row, 2]
        planar[row, 0] = qpos[p] - (a * x + b * y + c * z)
        planar[row, 1] = qpos[p + 1] - (d * x + e * y + f * z)
        height[row] = qpos[p + 2] - (g * x + h * y + i * z)
        planar[row, 2] = math.atan2(d, a)
        planar[row, 3], planar[row, 4] = qvel[v], qvel[v + 1]
        planar[row, 5] = g * qvel[v + 3] + h * qvel[v + 4] + i * qvel[v + 5]


@compiled
def lift(qpos: Floats, qvel: Floats, places: Ints, centres: Floats, poses: Floats, twists: Floats) -> None:
    """Write poses of the bases, shape (n, 7), and velocities of the centres of mass in the world's frame, (n, 6)."""
    for row in range(centres.shape[0]):
        p, v = places[row, 0], places[row, 1]
        a, b, c, d, e, f, g, h, i = _axes(qpos, p + 3)
        x, y, z = centres[row, 0], centres[row, 1], centres[row, 2]
        poses[row, 0] = qpos[p] - (a * x + b * y + c * z)
        poses[row, 1] = qpos[p + 1] - (d * x + e * y + f * z)
        poses[row, 2] = qpos[p + 2] - (g * x + h * y + i * z)
        for k in range(4):
            poses[row, 3 + k] = qpos[p + 3 + k]
        for k in range(3):
            twists[row, k] = qvel[v + k]
        x, y, z = qvel[v + 3], qvel[v + 4], qvel[v + 5]
        twists[row, 3] = a * x + b * y + c * z
        twists[row, 4] = d * x + e * y + f * z
        twists[row, 5] = g * x + h * y + i * z


def warm() -> None:
    """Compile the kernels, for one contact (whose numbers are contiguous in memory) and for several."""
    places, rest, spans = np.zeros((1, 2), np.int64), np.zeros(1, np.int64), np.array([[2, 3]])
    qpos, qvel, three, six = np.zeros(7), np.zeros(6), np.zeros((1, 3)), np.zeros((1, 6))
    meets, rows, is_foot = np.full(3, SOLID, np.int32), np.array([-1, -1, 0]), np.array([False, False, True])
    rouse(six, rest)
    stray(qpos, qvel, places, qvel)
    switch(rest, spans, meets, meets.copy())
    for count in (1, 2):
        geoms = np.zeros((count, 20), np.int32)[:, :2]
        touch(geoms, rows, is_foot, rest, np.zeros(1, np.int64))
        kinds, whole = np.zeros((count, 20), np.int32)[:, 0], np.zeros((count, 30))
        contact = geoms, kinds, whole[:, 29], whole[:, :3], whole[:, 3:12]
        out, slips = (whole[:, 12:17], whole[:, 17:19], whole[:, 19:21]), np.zeros((count, 5))
        mix(*contact, rows, np.zeros((3, 4)), qpos, qvel, places, 0.01, *out, slips)
        starts, forces = np.zeros((count, 20), np.int32)[:, 0], np.zeros(3)
        inverses = np.zeros((1, 3, 3))
        rub(geoms, starts, whole[:, :3], slips, forces, rows, qpos, places, np.ones(1), inverses, 0.01, np.zeros(6))
    load(six, qpos, places, rest, np.zeros(1), np.zeros(6))
    settle(qvel, places, rest, rest)
    look(qpos, qvel, places, three, six, np.zeros(1))
    lift(qpos, qvel, places, three, np.zeros((1, 7)), six)
