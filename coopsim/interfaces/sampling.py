"""Shared parts of the interfaces of sensors: when they measure, and what becomes of a measurement."""

from coopsim.interfaces._interface import Field, Parameter

# at 10 Hz they bridge a delay of 1.6 s; more is memory of each robot
BUFFER = 16
"""Default for the number of measurements that can be under way."""
TIMING = ("rate", "delay", "loss")
"""Parameters that give a measurement a time of its own, in this order."""
FIX_FIELDS = (
    Field("valid", "1", "1 while the newest measurement due by now has come, 0 if it was lost or none is due yet"),
    Field("age", "s", "time since the values were measured, 0 before the first"),
)
_EACH = "one each tick"
_BUFFER = "measurements that can be under way; a longer delay lowers the rate"
_NO_BUFFER = f"{_BUFFER}; 0 = {BUFFER} where the .robot file gives rate, delay or loss, else none of these can be set"


def receiver_parameters(*, rate: float) -> tuple[Parameter, ...]:
    """Return the parameters of a sensor whose measurements always have a time of their own.

    Args:
        rate: Default of the parameter of this name [Hz].
    """
    return (*_timing(rate, _EACH), Parameter("buffer", int, BUFFER, "1", 1, 1000, _BUFFER, fixed=True))


def sampling_parameters(*, otherwise: str = _EACH) -> tuple[Parameter, ...]:
    """Return the parameters of a sensor that measures in each tick unless its `.robot` file says otherwise.

    Args:
        otherwise: How often it measures without a rate.
    """
    return (*_timing(0.0, otherwise), Parameter("buffer", int, 0, "1", 0, 1000, _NO_BUFFER, fixed=True))


def _timing(rate: float, otherwise: str) -> tuple[Parameter, ...]:
    """Return the parameters named in TIMING.

    Source: AMSA, section 3.2 (loss of position data as a parameter of a component, changed while it runs).
    """
    return (
        Parameter("rate", float, rate, "Hz", 0.0, 10_000.0, f"measurements per second, 0 = {otherwise}"),
        Parameter("delay", float, 0.0, "s", 0.0, 60.0, "time from a measurement until it can be read"),
        Parameter("loss", float, 0.0, "1", 0.0, 1.0, "probability that a measurement never comes"),
    )
