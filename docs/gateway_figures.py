"""Makes the picture of each page on a gateway: modules of a robot, and what programs see of them.

python docs/gateway_figures.py    docs/ros1.svg, docs/ros2.svg, docs/yarp.svg, docs/foxglove.svg
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from coopsim.features.gateways.table import (
    CLOCK_TOPIC,
    CLOCK_TYPE,
    COMMANDS,
    OTHERWISE,
    TOPICS,
    TRANSFORMS_TOPIC,
    TRANSFORMS_TYPE,
)
from coopsim.features.pictures.palette import LIGHT
from coopsim.robots import InstalledDevices, load_type

FOLDER = Path(__file__).parent
ROBOT, NAME = "single", "robot1"
_LEFT, _MIDDLE, _RIGHT, _WIDTH = 24, 300, 520, 780
"""Left edges of the modules, of the gateway and of what programs see, and the width of the picture."""
_ROW, _TOP, _BOX = 38, 72, 170  # of a row, above the first, width of boxes of modules and gateway


class Line(NamedTuple):
    """A line between a module and what a program sees.

    Attributes:
        module: Name of the module, "" = of the run.
        name: Of the topic or port.
        kind: Type of its messages.
        is_command: True where the program writes.
    """

    module: str
    name: str
    kind: str
    is_command: bool


def modules() -> dict[str, str]:
    """Return the kind of each module of the robot in the pictures, by name."""
    return {device.name: device.kind for device in load_type(ROBOT).devices}


def topics(type_name: Callable[[str], str]) -> Iterator[Line]:
    """Yield what a program of ROS sees, with the names of types as its ROS has them."""
    yield Line("", CLOCK_TOPIC, type_name(CLOCK_TYPE), is_command=False)
    yield Line("", TRANSFORMS_TOPIC, type_name(TRANSFORMS_TYPE), is_command=False)
    for module, kind in modules().items():
        rows = [row for row in TOPICS if row.kind == kind]
        yield from (Line(module, f"/{NAME}/{row.topic}", type_name(row.type), is_command=False) for row in rows)
        if not rows:
            yield Line(module, f"/{NAME}/{module}", type_name(OTHERWISE.type), is_command=False)
        orders = [row for row in COMMANDS if row.kind == kind]
        yield from (Line(module, f"/{NAME}/{row.topic}", type_name(row.type), is_command=True) for row in orders)


def scene_topics() -> Iterator[Line]:
    """Yield what the app of Foxglove sees: a scene that it draws, beside the topics."""
    yield Line("", "/scene, /trails", "foxglove.SceneUpdate", is_command=False)
    for line in topics(_of_ros2):
        own = {"/robot1/scan": "foxglove.LaserScan", TRANSFORMS_TOPIC: "foxglove.FrameTransforms"}
        yield line._replace(kind=own.get(line.name, line.kind))


def ports() -> Iterator[Line]:
    """Yield the ports of YARP: a stream of each module that has readings, and requests to each that is commanded."""
    installed = InstalledDevices()
    yield Line("", "/clock", "seconds, nanoseconds", is_command=False)
    yield Line("", "/clock/rpc", "stepSimulation 10", is_command=True)
    for module, kind in modules().items():
        interface = installed[kind]
        words = " ".join(reading.name for reading in interface.readings)
        yield Line(module, f"/{NAME}/{module}/data:o", words, is_command=False)
        order = interface.commands[0]
        words = " ".join([order.name, *(value.name for value in order.takes)])
        yield Line(module, f"/{NAME}/{module}/rpc:i", words, is_command=True)


def picture(kind: str, lines: Sequence[Line]) -> str:
    """Return a picture in SVG.

    Args:
        kind: Of the gateway.
        lines: From top to bottom; those of a module stand together.
    """
    height = _TOP + _ROW * len(lines) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13" fill="{LIGHT["ink"]}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="{LIGHT["paper"]}"/>',
        f'<rect x="{_MIDDLE}" y="{_TOP - 12}" width="{_BOX}" height="{height - _TOP}" rx="8" fill="{LIGHT["back"]}" '
        f'stroke="{LIGHT["line"]}"/>',
        _text(_LEFT, 36, "a run, a replay, a real robot", "bold"),
        _text(_MIDDLE + _BOX / 2, 36, "coopsim gateway", "bold", "middle"),
        _text(_MIDDLE + _BOX / 2, height / 2 + 16, kind, "bold", "middle"),
        _text(_RIGHT, 36, "what a program sees", "bold"),
    ]
    parts += [_box(module, first, last) for module, first, last in _groups(lines)]
    parts += [_row(line, _TOP + _ROW * (number + 0.5)) for number, line in enumerate(lines)]
    return "\n".join([*parts, "</svg>", ""])


def _groups(lines: Sequence[Line]) -> Iterator[tuple[str, int, int]]:
    """Yield the modules, each with the numbers of its first line and of the one after its last."""
    first = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or lines[number].module != lines[first].module:
            yield lines[first].module, first, number
            first = number


def _box(module: str, first: int, last: int) -> str:
    top, height = _TOP + _ROW * first + 4, _ROW * (last - first) - 8
    label = f"/{NAME}/{module}" if module else "/sim/clock, /sim/world"
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{_BOX}" height="{height}" rx="8" fill="{LIGHT["floor"]}" '
        f'stroke="{LIGHT["floor-edge"]}"/>' + _text(_LEFT + 12, top + height / 2 + 5, label)
    )


def _row(line: Line, y: float) -> str:
    color = LIGHT["accent"] if line.is_command else LIGHT["quiet"]
    ends = [(_LEFT + _BOX, _MIDDLE), (_MIDDLE + _BOX, _RIGHT - 8)]
    strokes = [_arrow(end, start, y, color) if line.is_command else _arrow(start, end, y, color) for start, end in ends]
    return "".join(
        [
            *strokes,
            _text(_RIGHT, y - 2, line.name),
            f'<text x="{_RIGHT}" y="{y + 13}" font-size="11" fill="{LIGHT["quiet"]}">{escape(line.kind)}</text>',
        ]
    )


def _arrow(start: float, end: float, y: float, color: str) -> str:
    back = end - 8 if end > start else end + 8
    return (
        f'<path d="M{start} {y}H{back}" stroke="{color}" stroke-width="1.5"/>'
        f'<path d="M{end} {y}L{back} {y - 4}V{y + 4}Z" fill="{color}"/>'
    )


def _text(x: float, y: float, words: str, weight: str = "normal", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" font-weight="{weight}" text-anchor="{anchor}">{escape(words)}</text>'


def _of_ros1(name: str) -> str:
    return name


def _of_ros2(name: str) -> str:
    return name.replace("/", "/msg/")


PICTURES: Final[dict[str, Callable[[], Iterator[Line]]]] = {
    "ros1": lambda: topics(_of_ros1),
    "ros2": lambda: topics(_of_ros2),
    "yarp": ports,
    "foxglove": scene_topics,
}
"""Kinds of gateways, with what their programs see."""


def main() -> int:
    """Write all pictures."""
    for kind, lines in PICTURES.items():
        (FOLDER / f"{kind}.svg").write_text(picture(kind, list(lines())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
