"""Displacements of the joints of a pymunk engine in a step, all at once."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

_ON_A_X, _ON_A_Y, _ON_B_X, _ON_B_Y = range(4)


@compiled
def measure(
    ends: Ints,
    grips: Floats,
    states: Floats,
    measured: tuple[Floats, Ints, Floats],
    lines: tuple[Ints, Floats, Floats],
    found: Floats,
) -> None:
    """Write how far b is from where a joint holds it on a, in the frame of a, and the force on b.

    Args:
        ends: Where the engine keeps a and b of each joint, shape (j, 2).
        grips: The anchor in the frame of a, then in that of b, shape (j, 4) [m].
        states: x y yaw vx vy w of the bodies, shape (m, 6).
        measured: Where impulses lie [N s], places of each in it, shape (j, 2), those of springs below 0, and the time
            in which they came, 0 = there are none, shape (1,) [s].
        lines: Which joints are springs, shape (s,), how much higher their second ends are [m], and forces [N].
        found: Displacement and force, x y z each, shape (j, 6) [m, N].
    """
    memory, places, time = measured
    for k in range(ends.shape[0]):
        a, b, grip = states[ends[k, 0]], states[ends[k, 1]], grips[k]
        cos, sin, b_cos, b_sin = math.cos(a[2]), math.sin(a[2]), math.cos(b[2]), math.sin(b[2])
        b_x = b[0] + b_cos * grip[_ON_B_X] - b_sin * grip[_ON_B_Y]
        b_y = b[1] + b_sin * grip[_ON_B_X] + b_cos * grip[_ON_B_Y]
        x = b_x - (a[0] + cos * grip[_ON_A_X] - sin * grip[_ON_A_Y])
        y = b_y - (a[1] + sin * grip[_ON_A_X] + cos * grip[_ON_A_Y])
        found[k, 0], found[k, 1], found[k, 2] = cos * x + sin * y, cos * y - sin * x, 0.0
        found[k, 3], found[k, 4], found[k, 5] = 0.0, 0.0, 0.0
        # impulses of the last part by its length: before the first step there are none
        if time[0] > 0.0 and places[k, 0] >= 0:
            found[k, 3], found[k, 4] = memory[places[k, 0]] / time[0], memory[places[k, 1]] / time[0]
    rows, rises, pulls = lines
    for k in range(rows.size):
        found[rows[k], 2] = rises[k]
        if time[0] > 0.0:
            found[rows[k], 3], found[rows[k], 4] = pulls[k, 0], pulls[k, 1]
