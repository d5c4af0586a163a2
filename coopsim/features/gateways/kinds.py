"""Kinds of gateways by name: what each one needs, and what makes its codec."""

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from coopsim.errors import BadArgument, NoSuchPlugin
from coopsim.interpreter import extra_command

if TYPE_CHECKING:  # every scenario asks for the names alone
    from coopsim.features.gateways.codec import Codec


class GatewayKind(NamedTuple):
    """A middleware.

    Attributes:
        about: A line of help.
        port: That it listens at unless another one is named.
        place: `module:class` of the codec; it is imported when it is wanted.
        extra: Extra that brings the packages it needs, "" = none.
        settings: Settings of this kind alone.
    """

    about: str
    port: int
    place: str
    extra: str = ""
    settings: tuple[str, ...] = ()


_HERE = "coopsim.features.gateways"
KINDS: Mapping[str, GatewayKind] = {
    "rosbridge": GatewayKind(
        "JSON over WebSockets, for web pages, roslibpy, roslibjs, MATLAB.",
        9090,
        f"{_HERE}.rosbridge.codec:RosbridgeCodec",
        "gateways",
    ),
    "ros1": GatewayKind(
        "A node of ROS 1: `rostopic`, `rosservice`, rviz, nodes in C++ and Python.",
        11311,
        f"{_HERE}.ros1.codec:RosCodec",
    ),
    "ros2": GatewayKind(
        "A node of ROS 2, over DDS or Zenoh: `ros2 topic`, rviz2, Nav2, nodes in C++ and Python.",
        7447,
        f"{_HERE}.ros2.codec:Ros2Codec",
        "ros2",
        ("rmw", "domain"),
    ),
    "foxglove": GatewayKind(
        "The app of Foxglove: scene, scans, plots, teleoperation, its time line over a replay.",
        8765,
        f"{_HERE}.foxglove.codec:FoxgloveCodec",
        "foxglove",
    ),
    "yarp": GatewayKind(
        "Ports of YARP: `yarp read`, `yarp rpc`, modules in C++; the network clock.",
        10000,
        f"{_HERE}.yarp.codec:YarpCodec",
    ),
}
"""Gateways by kind."""

OWN_SETTINGS = frozenset(name for kind in KINDS.values() for name in kind.settings)
"""Settings that some kinds alone have."""


def codec_of(kind: str, **settings: Any) -> "Codec":
    """Return the codec of a kind; settings that are None are as usual.

    Raises:
        BadArgument: It has no such setting.
        NoSuchPlugin: A package that it needs is not installed.
    """
    entry = KINDS[kind]
    for name in [name for name in OWN_SETTINGS if settings.get(name) is None]:
        settings.pop(name, None)
    for name in OWN_SETTINGS & settings.keys() - set(entry.settings):
        raise BadArgument(f"--{name} is no setting of the gateway {kind}")
    module, _, name = entry.place.partition(":")
    try:
        maker: Callable[..., Codec] = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as problem:
        if (problem.name or "").startswith("coopsim"):
            raise
        raise NoSuchPlugin(
            f"the gateway {kind} needs {problem.name}, which is not installed: {extra_command(entry.extra)}"
        ).advise("") from None
    return maker(**settings)
