"""Questions of sensors about the motion of bodies of a MuJoCo engine, as calls of kernels."""

import numpy as np

from coopsim.features.space.kernels import to_poses
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall


def motion_calls_of(
    numbers: tuple[Floats, Floats, Ints],
    centres: Floats,
    motion: tuple[Floats, Floats],
    step: tuple[tuple[Floats, Floats], Floats],
    accelerations: Floats | None,
) -> tuple[KernelCall, ...]:
    """Return what brings poses and twists up to date, then what writes accelerations, if they are asked for.

    Args:
        numbers: Positions, velocities and where each body's begin.
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        motion: Poses and twists, shape (n, 7) and (n, 6).
        step: Positions and velocities before the last step, and its length, shape (1,) [s].
        accelerations: Written, shape (n, 6).
    """
    fill = KernelCall(to_poses, (*numbers, centres, *motion))
    if accelerations is None:
        return (fill,)
    before, dt = step
    poses, twists = np.empty_like(motion[0]), np.empty_like(motion[1])
    return (
        fill,
        KernelCall(to_poses, (*before, numbers[2], centres, poses, twists)),
        KernelCall(_differ, (motion[1], twists, dt, accelerations)),
    )


@compiled
def _differ(after: Floats, before: Floats, dt: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = (after[i, k] - before[i, k]) / dt[0]
