"""The six kinds of leaves, and which of them may feed which."""

from enum import Enum


class LeafKind(Enum):
    """Part of a control loop that a leaf is; the value is its word in files.

    Source: AMSA, section 2.1 (architectural style).
    """

    CONTROLLED = "controlled"
    ENVIRONMENT = "environment"
    SENSOR = "sensor"
    ACTUATOR = "actuator"
    CONTROL = "control"
    OBSERVER = "observer"


_RULES: dict[LeafKind, tuple[tuple[LeafKind, ...], str]] = {
    LeafKind.CONTROLLED: (
        (LeafKind.SENSOR, LeafKind.ENVIRONMENT, LeafKind.OBSERVER),
        "what the controlled system does is sensed, or acts on its environment",
    ),
    LeafKind.ENVIRONMENT: (
        (LeafKind.SENSOR, LeafKind.CONTROLLED, LeafKind.ENVIRONMENT, LeafKind.OBSERVER),
        "the environment is sensed, or acts on the controlled system",
    ),
    LeafKind.SENSOR: (
        (LeafKind.CONTROL, LeafKind.OBSERVER),
        "a sensor produces data only for the control law or observers",
    ),
    LeafKind.CONTROL: (
        (LeafKind.ACTUATOR, LeafKind.CONTROL, LeafKind.OBSERVER),
        "a control law commands actuators, or another control law below it",
    ),
    LeafKind.ACTUATOR: (
        (LeafKind.CONTROLLED, LeafKind.OBSERVER),
        "an actuator drives the controlled system",
    ),
    LeafKind.OBSERVER: ((LeafKind.OBSERVER,), "observers watch and never act on the loop"),
}


def may_feed(producer: LeafKind, consumer: LeafKind) -> bool:
    """Return whether data of one kind may be read by another."""
    return consumer in _RULES[producer][0]


def consumers_of(producer: LeafKind) -> tuple[LeafKind, ...]:
    """Return the kinds that may read what `producer` writes."""
    return _RULES[producer][0]


def reason(producer: LeafKind) -> str:
    """Return why others may not read it."""
    return _RULES[producer][1]
