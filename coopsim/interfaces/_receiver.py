"""What interfaces of sensors share whose measurements come late, or never."""

from coopsim.interfaces._interface import Field, Parameter

FIX_FIELDS = (
    Field("valid", "1", "1 while the newest measurement due by now has come, 0 if it was lost or none is due yet"),
    Field("age", "s", "time since the values were measured, 0 before the first"),
)


def receiver_parameters(*, rate: float) -> tuple[Parameter, ...]:
    """Return the parameters that say when measurements are made and what becomes of them.

    Source: AMSA, section 3.2 (loss of position data as a parameter of a component, changed while it runs).

    Args:
        rate: Default of the parameter of this name [Hz].
    """
    return (
        Parameter("rate", float, rate, "Hz", 0.0, 10_000.0, "measurements per second, 0 = one each tick"),
        Parameter("delay", float, 0.0, "s", 0.0, 60.0, "time from a measurement until it can be read"),
        Parameter("loss", float, 0.0, "1", 0.0, 1.0, "probability that a measurement never comes"),
        Parameter(
            "buffer",
            int,
            16,
            "1",
            1,
            1000,
            "measurements that can be under way; a longer delay lowers the rate",
            fixed=True,
        ),
    )
