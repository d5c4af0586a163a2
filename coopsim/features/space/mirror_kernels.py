"""Compiled copies between MuJoCo's arrays and those with a row for each body, where bodies move in chains."""

from coopsim.features.space.frames import to_body, to_world
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled


@compiled
def gather(seen: tuple[Floats, Floats, Floats, Floats], ids: Ints, roots: Ints, qpos: Floats, qvel: Floats) -> None:
    """Write place, quaternion and velocities of each body as `frames` has them.

    Args:
        seen: Of MuJoCo's bodies: places, shape (b, 3) [m]; quaternions, shape (b, 4); angular velocity, and velocity at
            the centre of what hangs together, world frame, shape (b, 6); those centres, by root, shape (b, 3) [m].
        ids: MuJoCo's number of the body of each row, shape (n,).
        roots: That of its root, shape (n,).
        qpos: Written, flat.
        qvel: Written, flat.
    """
    places, turns, motions, centres = seen
    for row in range(ids.size):
        at, root, p, v = ids[row], roots[row], 7 * row, 6 * row
        for k in range(3):
            qpos[p + k] = places[at, k]
        for k in range(4):
            qpos[p + 3 + k] = turns[at, k]
        wx, wy, wz = motions[at, 0], motions[at, 1], motions[at, 2]
        x, y, z = (
            places[at, 0] - centres[root, 0],
            places[at, 1] - centres[root, 1],
            places[at, 2] - centres[root, 2],
        )
        # MuJoCo has velocities at the centre of all that hangs together: moved to that of the body by w x r
        qvel[v] = motions[at, 3] + wy * z - wz * y
        qvel[v + 1] = motions[at, 4] + wz * x - wx * z
        qvel[v + 2] = motions[at, 5] + wx * y - wy * x
        qvel[v + 3], qvel[v + 4], qvel[v + 5] = to_body(qpos, p + 3, wx, wy, wz)


@compiled
def spread(applied: Floats, qpos: Floats, ids: Ints, outer: Floats) -> None:
    """Write the force and torque on each body in the world's frame, shape (b, 6), from those in its own."""
    for row in range(ids.size):
        at, v = ids[row], 6 * row
        for k in range(3):
            outer[at, k] = applied[v + k]
        x, y, z = applied[v + 3], applied[v + 4], applied[v + 5]
        # most bodies are turned by joints alone: no rotation for them
        if x != 0.0 or y != 0.0 or z != 0.0:
            x, y, z = to_world(qpos, 7 * row + 3, x, y, z)
        outer[at, 3], outer[at, 4], outer[at, 5] = x, y, z


@compiled
def gather_free(rows_out: Floats, free: Ints, addresses: Ints, out: Floats) -> None:
    """Write what MuJoCo has of bodies that are free, as velocities or accelerations, into the rows of all bodies, flat.

    Args:
        rows_out: MuJoCo's.
        free: Rows of those that are free, shape (f,).
        addresses: Where each has its first position and velocity, shape (f, 2).
        out: Written, shape (6 n,); links stay as they are.
    """
    for k in range(free.size):
        for axis in range(6):
            out[6 * free[k] + axis] = rows_out[addresses[k, 1] + axis]
