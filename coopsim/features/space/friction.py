"""Compiled contact parameters of the MuJoCo engine: bounce, separation, and friction of what slides.

MuJoCo lifts what slides, the more the harder it would like to stop it: what slides fast has no friction here, and is
braked by `brake` when the forces are known; else it need not like to stop it at once.

Arrays come one by one, since tuples of them would cost several microseconds a call. Of k contacts:
    geoms: Shape (k, 2).
    kinds: How many directions of force each contact has, 1 = no friction, shape (k,).
    gaps: Distances, shape (k,) [m].
    spots: Shape (k, 3) [m].
    frames: Normal and two tangents, shape (k, 9).
    starts: Where the forces of each contact begin, -1 = it has none, shape (k,).
    forces: Of all constraints, flat [N].
    friction, hardness, hold: Shapes (k, 5), (k, 2), (k, 2): `hardness` (MuJoCo's `solref`) of contacts that bounce or
        are deep, `hold` (MuJoCo's `solreffriction`) of those that slide.
    slips: Of what slides fast the velocity at which the second body slides on the first [m/s], the friction, how
        much brakes it already [N], and the normal, shape (k, SLIP_WIDTH).

Of g geoms and n bodies, whose `qpos`, `qvel` and `places` are those of `frames`:
    rows: Row of the body of each geom, -1 = fixed, shape (g,).
    surfaces: Friction, radius of the patch that it touches with, restitution, lever of rolling resistance, 1 where it
        is of a link, `LEGGED` where it is of a robot on a free base, and `CATCHING` or 0, of links 0, shape (g, 6).
    masses: Shape (n,) [kg].
    inverses: Of the tensors of inertia in the frames of the bodies, shape (n, 3, 3) [1/(kg m2)].
    accelerations: As `qvel`, of the forces found last; 0 where they are not known, flat.
    applied: Forces and torques, flat [N, N m].
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.space.frames import Vector, moving, to_body, turning_moment, velocity_at
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.constants import GRAVITY

SLIP_WIDTH = 8  # columns of `slips`
LEAST_FRICTION = 1e-5  # MuJoCo's own bound
LEGGED = 2.0
"""In `surfaces`, of what MuJoCo brakes at any speed. `brake` knows the mass of a foot alone, and a thousandth of the
friction of a robot that stands on it."""
LINK, CATCH = 4, 5  # columns of `surfaces`
CATCHING = 0.005
"""What falls is caught as in steps of at least that [s]. MuJoCo's own spring throws back 0.14 of a speed where it is
made of many steps; in longer ones what has sunk in is met by a damper before it is thrown. Links land as at home."""
WEAKEST_BOUNCE = 0.14  # what a spring just throws back that is damped so that it does not swing
SETTLING = 0.02  # s; in which a contact pushes out what has sunk in
_SLOWLY, _GENTLY = 0.03, 3.0  # m/s, 1/s; but no faster than the one, or this part of the depth
_BOUNCE = 0.35  # radians of a bounce that pass in a step
_STOP = 100.0  # 1/s; how hard MuJoCo brakes what slides slowly
_PATCH = 3  # spots from which on a body stands on them: it does not tip when it is braked
_SPARE = 0.02
"""Part of Coulomb's deceleration with which MuJoCo stops what slides slowly, beside what holds it against a push: with
more it lifts what a push near the limit acts on, which then hops on for ever."""
_GRASP = 0.3
"""The same where a link is one of both, as a multiple of 1 / friction, beside all of Coulomb's: fingers press harder
than weight does, so nothing is lifted, and what they hold must not creep out of them."""
_YIELD = 20.0  # 1/s; of the speed of a fall: what is pressed on harder may be held harder
_RELAXED, _AGREED = 0.7, 0.03  # of each change; of all forces: below it another round changes no digit that is seen

Ints32 = NDArray[np.int32]
Bodies: TypeAlias = tuple[Ints, Floats, Floats, Ints]
"""Row of the body of each geom; positions; velocities; `places`, as `contact_params` takes them."""
Masses: TypeAlias = tuple[Floats, Ints, Floats, Floats]
"""Positions; `places`; masses; inverse tensors of inertia, as `brake` takes them."""


@compiled
def contact_params(
    geoms: Ints32, kinds: Ints32, gaps: Floats, spots: Floats, frames: Floats, rows: Ints, surfaces: Floats,
    qpos: Floats, qvel: Floats, places: Ints, step: float, friction: Floats, hardness: Floats, hold: Floats,
    slips: Floats,
) -> bool:  # fmt: skip
    """Write friction, bounce, and how hard each contact brakes what slides; return whether anything slides fast."""
    is_any = False
    slips[:] = 0.0  # of the contacts before: memory of a step is used again
    # helpers get numbers, not arrays: to count who holds an array takes longer than they do
    for k in range(kinds.size):
        first, second = geoms[k, 0], geoms[k, 1]
        caught = max(step, min(surfaces[first, CATCH], surfaces[second, CATCH]))
        stiffness, damping = _spring(surfaces[first, 2] * surfaces[second, 2], -gaps[k], (step, caught))
        if stiffness != 0.0:
            hardness[k, 0], hardness[k, 1] = stiffness, damping
        if kinds[k] == 1:
            continue
        slide = max(surfaces[first, 0] * surfaces[second, 0], LEAST_FRICTION)
        # MuJoCo's five: two tangents, one about the normal, two that resist rolling
        friction[k, 0] = friction[k, 1] = slide
        friction[k, 2] = max(slide * max(surfaces[first, 1], surfaces[second, 1]), LEAST_FRICTION)
        friction[k, 3] = friction[k, 4] = max(surfaces[first, 3], surfaces[second, 3], LEAST_FRICTION)
        spot, axis = (spots[k, 0], spots[k, 1], spots[k, 2]), (frames[k, 0], frames[k, 1], frames[k, 2])
        velocity = 0.0, 0.0, 0.0
        for side in range(2):
            row = rows[geoms[k, side]]
            if row >= 0:
                p, q = places[row, 0], places[row, 1]
                place, turn = (qpos[p], qpos[p + 1], qpos[p + 2]), (qpos[p + 3], qpos[p + 4], qpos[p + 5], qpos[p + 6])
                motion = qvel[q], qvel[q + 1], qvel[q + 2], qvel[q + 3], qvel[q + 4], qvel[q + 5]
                velocity = _added(velocity, 2.0 * side - 1.0, moving(place, turn, motion, spot))
        x, y, z, speed, approach = _sliding(velocity, axis)
        # what slides faster than friction stops in a step, mu g dt, is left to `brake`
        if speed > slide * GRAVITY * step and max(surfaces[first, LINK], surfaces[second, LINK]) < LEGGED:
            friction[k, 0] = friction[k, 1] = LEAST_FRICTION
            slips[k, 0], slips[k, 1], slips[k, 2], slips[k, 3] = x, y, z, slide
            slips[k, 5], slips[k, 6], slips[k, 7] = axis
            is_any = True
            continue
        most = _braking(slide, surfaces[first, LINK] + surfaces[second, LINK], approach)
        if speed * _STOP > most:
            hold[k, 0], hold[k, 1] = -1.0, -most / speed
    return is_any


@inlined
def _braking(slide: float, links: float, approach: float) -> float:
    """Return the deceleration with which what slides slowly is braked at most [m/s2]."""
    spare = slide + _GRASP / slide if links > 0.0 else _SPARE * slide
    return spare * (GRAVITY + _YIELD * max(0.0, -approach))


@inlined
def _spring(restitution: float, depth: float, steps: tuple[float, float]) -> tuple[float, float]:
    """Return stiffness and damping of a contact that bounces or is deep, 0 where MuJoCo's own do.

    Of the steps the second is the one in which what does not bounce is caught.
    """
    # a spring that just does not swing throws that much back: for less nothing is needed
    return _bounce(restitution, steps[0]) if restitution > WEAKEST_BOUNCE else _separate(depth, steps[1])


@inlined
def _bounce(restitution: float, step: float) -> tuple[float, float]:
    """Return stiffness -w^2 and damping -2 z w of a spring that throws back with this restitution."""
    omega = _BOUNCE / step
    return -omega * omega, -2.0 * _damping(restitution) * omega


@inlined
def _separate(depth: float, step: float) -> tuple[float, float]:
    """Return those with which what has run into something comes out slowly, 0 where MuJoCo's own do.

    There is nothing to stop it again.
    """
    # MuJoCo's own bound: a spring that is faster than two steps is not stable
    settling = max(SETTLING, 2.0 * step)
    if depth > 0.0 and depth * step > _SLOWLY * settling * settling:
        return -max(_SLOWLY / depth, _GENTLY) / step, -2.0 / settling
    return 0.0, 0.0


@inlined
def _added(total: Vector, sign: float, vector: Vector) -> Vector:
    return total[0] + sign * vector[0], total[1] + sign * vector[1], total[2] + sign * vector[2]


@inlined
def _sliding(velocity: Vector, axis: Vector) -> tuple[float, float, float, float, float]:
    """Return v - (v n) n of the second body against the first, its size, and v n."""
    x, y, z = velocity
    normal = x * axis[0] + y * axis[1] + z * axis[2]
    # rounding may make it negative where all of the velocity is along the normal
    speed = math.sqrt(max(0.0, x * x + y * y + z * z - normal * normal))
    return x - normal * axis[0], y - normal * axis[1], z - normal * axis[2], speed, normal


@compiled
def brake(
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
    accelerations: Floats,
    step: float,
    applied: Floats,
) -> bool:
    """Brake what slides fast by its friction times the force that presses it on, but never back.

    What would stop it at the end of the step holds it against all that pushes it, too. Friction changes what presses,
    so this is asked again with the forces that follow, until they agree.

    Args: see the head of this file; what brakes already, in `slips`, and `applied` are added to.

    Returns:
        Whether that changed enough to find the forces again.
    """
    changed, most, bodies = 0.0, 0.0, (qpos, places, masses, inverses)
    for k in range(starts.size):
        if slips[k, 3] == 0.0 or starts[k] < 0:
            continue
        first, second = rows[geoms[k, 0]], rows[geoms[k, 1]]
        speed = math.sqrt(slips[k, 0] ** 2 + slips[k, 1] ** 2 + slips[k, 2] ** 2)
        x, y, z = slips[k, 0] / speed, slips[k, 1] / speed, slips[k, 2] / speed
        spot = spots[k, 0], spots[k, 1], spots[k, 2]
        yielding = _yields(first, second, spot, slips[k], _together(k, geoms, slips, rows), bodies)
        gain = _gain(first, second, spot, (x, y, z), (qpos, accelerations, places))
        stopping = slips[k, 4] + (speed + step * gain) / (yielding * step)
        # the first force of a contact is that along its normal
        wanted = max(0.0, min(slips[k, 3] * forces[starts[k]], stopping))
        # from the second round on only a part of the change: whole ones swing between two answers
        force = _RELAXED * (wanted - slips[k, 4]) if slips[k, 4] > 0.0 else wanted
        slips[k, 4] += force
        changed, most = changed + abs(force), most + slips[k, 4]
        _push(first, spot, (force * x, force * y, force * z), bodies, applied)
        _push(second, spot, (-force * x, -force * y, -force * z), bodies, applied)
    return changed > _AGREED * most


@compiled
def _gain(first: int, second: int, spot: Vector, direction: Vector, motion: tuple[Floats, Floats, Ints]) -> float:
    """Return how fast the second body is accelerated against the first in a direction by the forces found last."""
    qpos, accelerations, places = motion
    x, y, z = velocity_at(second, spot, qpos, accelerations, places)
    u, v, w = velocity_at(first, spot, qpos, accelerations, places)
    return float((x - u) * direction[0] + (y - v) * direction[1] + (z - w) * direction[2])


@compiled
def _together(k: int, geoms: Ints32, slips: Floats, rows: Ints) -> int:
    """Return at how many spots the bodies of a contact slide on each other."""
    count = 0
    for j in range(slips.shape[0]):
        is_same = rows[geoms[j, 0]] == rows[geoms[k, 0]] and rows[geoms[j, 1]] == rows[geoms[k, 1]]
        count += is_same and slips[j, 3] != 0.0
    return count


@compiled
def _yields(first: int, second: int, spot: Vector, slip: Floats, count: int, bodies: Masses) -> float:
    """Return by how much 1 N s at a spot changes the sliding there, of what stops by several spots as often [1/kg]."""
    speed = math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
    way = slip[0] / speed, slip[1] / speed, slip[2] / speed
    together = _yielding(first, spot, way, slip, count, bodies) + _yielding(second, spot, way, slip, count, bodies)
    # divided among the spots, since each of them stops the same body
    return together * count


@compiled
def _yielding(row: int, spot: Vector, direction: Vector, slip: Floats, count: int, bodies: Masses) -> float:
    """Return by how much 1 N s at one of several spots changes the velocity there [1/kg].

    A body that stands on several spots does not tip, and turns about the normal alone: either it slides or it turns,
    and the larger of both never pushes it back.
    """
    if count < _PATCH or row < 0:
        return _inverse_mass(row, spot, direction, bodies)
    qpos, places, masses, inverses = bodies
    x, y, z = to_body(qpos, places[row, 0] + 3, slip[5], slip[6], slip[7])
    u, v, w = turning_moment(row, spot, direction, qpos, places)
    m, moment = inverses[row], u * x + v * y + w * z
    turning = x * (m[0, 0] * x + m[0, 1] * y + m[0, 2] * z) + y * (m[1, 0] * x + m[1, 1] * y + m[1, 2] * z)
    turning += z * (m[2, 0] * x + m[2, 1] * y + m[2, 2] * z)
    return float(max(1.0 / masses[row], moment * moment * turning))


@compiled
def _inverse_mass(row: int, spot: Vector, direction: Vector, bodies: Masses) -> float:
    """Return 1/m + m_b I^-1 m_b, m_b = r x d: by how much 1 N s at a spot changes the velocity there [1/kg]."""
    if row < 0:
        return 0.0
    qpos, places, masses, inverses = bodies
    u, v, w = turning_moment(row, spot, direction, qpos, places)
    m = inverses[row]
    return float(
        1.0 / masses[row]
        + u * (m[0, 0] * u + m[0, 1] * v + m[0, 2] * w)
        + v * (m[1, 0] * u + m[1, 1] * v + m[1, 2] * w)
        + w * (m[2, 0] * u + m[2, 1] * v + m[2, 2] * w)
    )


@compiled
def _push(row: int, spot: Vector, force: Vector, bodies: Masses, applied: Floats) -> None:
    """Add a force at a spot of a body."""
    if row < 0:
        return
    qpos, places, _, _ = bodies
    at, (x, y, z) = places[row, 1], force
    u, v, w = turning_moment(row, spot, force, qpos, places)
    applied[at], applied[at + 1], applied[at + 2] = applied[at] + x, applied[at + 1] + y, applied[at + 2] + z
    applied[at + 3], applied[at + 4], applied[at + 5] = applied[at + 3] + u, applied[at + 4] + v, applied[at + 5] + w


@compiled
def _damping(restitution: float) -> float:
    """Return the damping ratio of a spring that throws back with this restitution.

    It pushes until its force is nought, not its length.
    Source: Schwager and Poeschel, "Coefficient of restitution and linear-dashpot model revisited", Granular Matter
    (2007).
    """
    low, high = 0.0, 1.0
    # halved forty times: 1e-12, below all that a restitution is known to
    for _ in range(40):
        middle = 0.5 * (low + high)
        phase = math.pi - 2.0 * math.asin(middle)
        if math.exp(-middle * phase / math.sqrt(1.0 - middle * middle)) > restitution:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
