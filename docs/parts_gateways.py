"""Generated parts about gateways: what maps to what."""

from coopsim.features.gateways.lasting import DESCRIPTION_TOPIC, DESCRIPTION_TYPE, STATIC_TOPIC, STATIC_TYPE
from coopsim.features.gateways.ros2.simulation import SIMULATION_SERVICES
from coopsim.features.gateways.services import SERVICES
from coopsim.features.gateways.table import (
    CLOCK_TOPIC,
    CLOCK_TYPE,
    COMMANDS,
    OTHERWISE,
    TOPICS,
    TRANSFORMS_TOPIC,
    TRANSFORMS_TYPE,
)

_LASTING = "once, late readers get it too"


def topics(_: str) -> str:
    """Return a row for each topic that is published."""
    rows = [
        f"| time | `{CLOCK_TOPIC}` | `{CLOCK_TYPE}` | simulated time [s], behind all readings of its tick |",
        f"| all robots | `{TRANSFORMS_TOPIC}` | `{TRANSFORMS_TYPE}` | `world`, `ROBOT/odom`, `ROBOT/base_link` |",
    ]
    rows += [
        f"| {_LASTING} | `{STATIC_TOPIC}` | `{STATIC_TYPE}` | where sensors are, and the optics of cameras |",
        f"| {_LASTING} | `/ROBOT/{DESCRIPTION_TOPIC}` | `{DESCRIPTION_TYPE}` | URDF with the frames as links |",
    ]
    rows += [f"| {_kind(row.kind)} | `/ROBOT/{row.topic}` | `{row.type}` | {row.about} |" for row in TOPICS]
    rows.append(f"| every other module | `/ROBOT/MODULE` | `{OTHERWISE.type}` | {OTHERWISE.about} |")
    return "\n".join(["| reading | topic | type | |", "|---|---|---|---|", *rows])


def commands(_: str) -> str:
    """Return a row for each topic on which robots are commanded."""
    rows = [f"| `/ROBOT/{row.topic}` | `{row.type}` | `{row.kind}` `{row.command}` | {row.about} |" for row in COMMANDS]
    return "\n".join(["| topic | type | module and command | fields |", "|---|---|---|---|", *rows])


def services(_: str) -> str:
    """Return a row for each service."""
    rows = [f"| `{name}` | `{service.type}` | {service.about} |" for name, service in SERVICES.items()]
    return "\n".join(["| service | type | fields |", "|---|---|---|", *rows])


def ros2_services(_: str) -> str:
    """Return a row for each service of simulation_interfaces."""
    rows = [f"| `{service.name}` | `{service.type}` | {service.about} |" for service in SIMULATION_SERVICES]
    return "\n".join(["| service | type | beside the standard |", "|---|---|---|", *rows])


def _kind(kind: str) -> str:
    return f"`{kind}`" if kind else "the robot itself"
