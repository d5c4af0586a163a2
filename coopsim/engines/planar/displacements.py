"""What the joints of a pymunk engine did in a step, all at once."""

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

_ON_A_X, _ON_A_Y, _ON_B_X, _ON_B_Y = range(4)


@compiled
def displace(ends: Ints, grips: Floats, states: Floats, cosines: Floats, sines: Floats, found: Floats) -> None:
    """Write how far b is from where a joint holds it on a, in the frame of a, into the first two columns of `found`.

    Args:
        ends: Where the engine keeps a and b of each joint, shape (j, 2).
        grips: The anchor in the frame of a, then in that of b, shape (j, 4) [m].
        states: x y yaw vx vy w of the bodies, shape (m, 6).
        cosines: Of their headings, shape (m,).
        sines: Of their headings, shape (m,).
        found: Shape (j, 6).
    """
    for k in range(ends.shape[0]):
        a, b, grip = ends[k, 0], ends[k, 1], grips[k]
        cos, sin, b_cos, b_sin = cosines[a], sines[a], cosines[b], sines[b]
        b_x = states[b, 0] + b_cos * grip[_ON_B_X] - b_sin * grip[_ON_B_Y]
        b_y = states[b, 1] + b_sin * grip[_ON_B_X] + b_cos * grip[_ON_B_Y]
        x = b_x - (states[a, 0] + cos * grip[_ON_A_X] - sin * grip[_ON_A_Y])
        y = b_y - (states[a, 1] + sin * grip[_ON_A_X] + cos * grip[_ON_A_Y])
        found[k, 0], found[k, 1] = cos * x + sin * y, cos * y - sin * x


@compiled
def press(memory: Floats, places: Ints, dt: float, found: Floats) -> None:
    """Write the forces behind impulses into columns 3 and 4 of `found`; arguments as of `displace`.

    Args:
        memory: Where the impulses lie [N s].
        places: Of each in it, shape (j, 2).
        dt: Length of the step [s].
        found: Shape (j, 6).
    """
    for k in range(places.shape[0]):
        found[k, 3], found[k, 4] = memory[places[k, 0]] / dt, memory[places[k, 1]] / dt
