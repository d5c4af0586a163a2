"""Numbers that kernels of several rooms use."""

GRAVITY = 9.81  # m/s2
STRONGEST = 1e9  # N or N m; anything above, and what is not a number, is a mistake of a device
