"""Interface of the touch sensors."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

BUMPERS = Interface(
    kind="bumpers",
    summary="Touch sensors at the front and the rear half of the hull.",
    commands=(
        Command(
            10,
            "touched",
            "Whether something presses against the hull.",
            gives=(
                Field("front", "1", "1 while the front half is touched, else 0"),
                Field("rear", "1", "1 while the rear half is touched, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("threshold", float, 0.0, "N s", 0.0, 1e6, "smallest impulse of a tick that counts"),
        *sampling_parameters(),
    ),
)
