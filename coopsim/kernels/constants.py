"""Numbers that kernels of several rooms use."""

GRAVITY = 9.81  # m/s2
FASTEST = 1e5  # m/s or rad/s; a body beyond it has gone astray
STRONGEST = 1e9  # N or N m; anything above, and what is not a number, is a mistake of a device
