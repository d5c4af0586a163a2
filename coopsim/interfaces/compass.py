"""Interface of the compass."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import FIX_FIELDS, receiver_parameters

COMPASS = Interface(
    kind="compass",
    summary="Heading by the direction of the magnetic field.",
    commands=(
        Command(
            10,
            "heading",
            "The last heading that came.",
            gives=(
                Field("heading", "rad", "counter-clockwise from where the needle points, within -pi and pi"),
                *FIX_FIELDS,
            ),
        ),
    ),
    parameters=(
        Parameter("noise", float, 0.0, "rad", 0.0, 1.0, "standard deviation of a heading"),
        Parameter("bias", float, 0.0, "rad", -3.2, 3.2, "constant error of the instrument, added"),
        Parameter("declination", float, 0.0, "rad", -3.2, 3.2, "where the needle points, from the x axis"),
        *receiver_parameters(rate=0.0),
    ),
)
