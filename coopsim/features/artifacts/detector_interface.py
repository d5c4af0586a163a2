"""Interface of the sensor of artifacts that have a device of a kind."""

from dataclasses import fields

from coopsim import plugins
from coopsim.errors import BadArgument
from coopsim.interfaces import Command, Field, Interface, Parameter, Value
from coopsim.interfaces.sampling import sampling_parameters
from coopsim.interfaces.target import WHOLE
from coopsim.suggest import hint

SIGHTING = ("distance", "angle", "height", "seen")
"""Numbers of each slot, in this order."""


class DeviceTypeParameter(Parameter):
    """A text that is the type of a device, of a plugin, too.

    It is equal to the plain parameter that a recorded layout says of it.
    """

    __hash__ = Parameter.__hash__

    def __eq__(self, other: object) -> bool:
        """Return whether both say the same."""
        return isinstance(other, Parameter) and all(
            getattr(self, field.name) == getattr(other, field.name) for field in fields(Parameter)
        )

    def check(self, value: Value) -> Value:
        """Return `value`.

        Raises:
            BadArgument: It is no text, or no device is of this type.
        """
        kind, kinds = str(super().check(value)), plugins.registered("devices")
        if kind not in kinds:
            raise BadArgument(f"{self.name}: no device is of the type {kind!r}{hint(kind, kinds)}").bring(self.name)
        return kind


DETECTOR = Interface(
    kind="detector",
    summary="The nearest artifacts that have a device of a kind: where they are, and what that device reads.",
    commands=(
        Command(
            10,
            "detections",
            "Where they are, nearest first. An empty slot is (reach, 0, 0, 0).",
            gives=(
                Field(
                    "detections",
                    "1",
                    "distance [m], angle [rad], height above the own base [m], seen (0 or 1) of each slot",
                    "detections",
                    columns=SIGHTING,
                ),
            ),
        ),
        Command(
            11,
            "names",
            "The artifact in each slot, empty text for an empty slot.",
            gives=(
                Field("names", summary="of artifacts", count=0),
                Field("artifacts", "1", "artifact in each slot, -1 = none", "slots", refers_to="robot"),
            ),
        ),
        Command(
            12,
            "states",
            "What the devices of the kind read, in SI units.",
            gives=(Field("states", "1", "the first `values` readings of each slot, 0 where there are less", "states"),),
        ),
    ),
    parameters=(
        DeviceTypeParameter("kind", str, "lamp", summary="type of the device that is looked for, as in `.robot` files"),
        Parameter("slots", int, 4, "1", 1, 64, "how many artifacts are seen at most", fixed=True),
        Parameter("values", int, 4, "1", 1, 64, "readings of each that are seen", fixed=True),
        Parameter("reach", float, 20.0, "m", 0.1, 1000.0, "farther things are not seen"),
        Parameter("noise_distance", float, 0.0, "m", 0.0, 10.0, "standard deviation of a distance"),
        Parameter("noise_angle", float, 0.0, "rad", 0.0, 1.0, "standard deviation of an angle"),
        Parameter("field", float, WHOLE, "rad", 0.0, WHOLE, "angle of view, half of it to each side of the heading"),
        Parameter("occlusion", int, 1, "1", 0, 1, "1 = what stands behind an object or an artifact is not seen"),
        *sampling_parameters(),
    ),
)
