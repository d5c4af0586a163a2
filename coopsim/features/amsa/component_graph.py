"""A system of components as SVG: leaves in the order of execution, composites, data between them, loops marked."""

from collections.abc import Iterator, Mapping
from html import escape

from coopsim.features.amsa.components import DataLink, Leaf, LeafKind, SystemModel
from coopsim.features.amsa.components.graph_layout import KIND_COLORS, columns, composite_paths
from coopsim.features.amsa.components.order import delayed
from coopsim.features.pictures.palette import LIGHT, SERIES_ON_PAPER
from coopsim.features.pictures.svg import FONT, Point, color

_INK, _QUIET, _PAPER, _FRAME = (LIGHT[name] for name in ("ink", "quiet", "paper", "back"))
_LOOP = color(SERIES_ON_PAPER[1])
# points; a lane is as wide as a line and the room to its neighbour
_WIDTH, _ROW, _HEAD, _GAP_X, _GAP_Y, _MARGIN, _TOP, _LANE = 230.0, 18.0, 44.0, 110.0, 26.0, 24.0, 92.0, 7.0

_BEND, _CLEAR, _SAMPLES = 55.0, 4.0, 60


class _Box:
    """Box of a leaf in the drawing."""

    def __init__(self, leaf: Leaf, number: int, x: float, y: float) -> None:
        self.leaf, self.number, self.x, self.y = leaf, number, x, y
        rows = max(len(leaf.template.inputs), len(leaf.template.outputs))
        self.height = _HEAD + _ROW * rows + 8.0

    def port(self, name: str, *, is_input: bool) -> tuple[float, float]:
        ports = self.leaf.template.inputs if is_input else self.leaf.template.outputs
        row = [port.name for port in ports].index(name)
        return self.x if is_input else self.x + _WIDTH, self.y + _HEAD + _ROW * row + _ROW / 2


def component_graph(model: SystemModel) -> str:
    """Return an SVG of a system: kinds by colour, ports, frequencies, the order as numbers, late data dashed."""
    boxes = _columns(model)
    width = max((box.x for box in boxes.values()), default=0.0) + _WIDTH + 3 * _MARGIN
    bottom = max((box.y + box.height for box in boxes.values()), default=_TOP) + _MARGIN
    late = delayed(model)
    producers = model.producers()
    lanes = sum(
        (producers[link.data][0].name, leaf.name) in late or _meets_a_box(*_ends(model, boxes, leaf, link), boxes)
        for leaf in model.leaves.values()
        for link in leaf.reads
    )
    height = bottom + _LANE * lanes + (_MARGIN if lanes else 0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}">',
        f"<title>{escape(model.name)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{_PAPER}"/>',
        _words(_MARGIN, 32, model.name, 20, _INK, weight="600"),
        *_legend(model),
        *_composites(model, boxes),
        *_links(model, boxes, bottom),
        *(part for box in boxes.values() for part in _drawn(box)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _columns(model: SystemModel) -> dict[str, _Box]:
    """Return where each leaf stands: in a column behind all whose data it gets at the same instant."""
    bottoms: dict[int, float] = {}
    boxes: dict[str, _Box] = {}
    for number, (name, place) in enumerate(columns(model).items()):
        leaf, y = model.leaves[name], bottoms.get(place, _TOP)
        boxes[name] = box = _Box(leaf, number + 1, 2 * _MARGIN + place * (_WIDTH + _GAP_X), y)
        bottoms[place] = y + box.height + _GAP_Y
    return boxes


def _legend(model: SystemModel) -> Iterator[str]:
    x = _MARGIN
    for kind in LeafKind:
        if any(leaf.kind is kind for leaf in model.leaves.values()):
            yield f'<rect x="{x:.0f}" y="50" width="12" height="12" rx="3" fill="{color(KIND_COLORS[kind])}"/>'
            yield _words(x + 18, 60, kind.value, 12, _QUIET)
            x += 34 + 7 * len(kind.value)
    if delayed(model):
        yield f'<line x1="{x:.0f}" y1="56" x2="{x + 24:.0f}" y2="56" stroke="{_LOOP}" stroke-dasharray="5 4"/>'
        yield _words(x + 30, 60, "against the order: arrives a step later", 12, _QUIET)


def _drawn(box: _Box) -> Iterator[str]:
    paint, leaf = color(KIND_COLORS[box.leaf.kind]), box.leaf
    yield (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{_WIDTH:.0f}" height="{box.height:.0f}" rx="7" '
        f'fill="{_PAPER}" stroke="{paint}" stroke-width="1.6"/>'
    )
    yield f'<circle cx="{box.x + 18:.0f}" cy="{box.y + 20:.0f}" r="11" fill="{paint}"/>'
    yield _words(box.x + 18, box.y + 24, str(box.number), 11, _PAPER, anchor="middle", weight="600")
    yield _words(box.x + 36, box.y + 18, leaf.name, 13, _INK, weight="600")
    yield _words(box.x + 36, box.y + 33, f"{leaf.template.name}, {float(leaf.rate):g} Hz", 11, _QUIET)
    for port in leaf.template.inputs:
        x, y = box.port(port.name, is_input=True)
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.5" fill="{paint}"/>'
        yield _words(x + 9, y + 4, port.name, 11, _INK)
    for port in leaf.template.outputs:
        x, y = box.port(port.name, is_input=False)
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.5" fill="{paint}"/>'
        yield _words(x - 9, y + 4, port.name, 11, _INK, anchor="end")


def _links(model: SystemModel, boxes: dict[str, _Box], bottom: float) -> Iterator[str]:
    """Draw the data; what arrives a step later, or would pass behind a leaf, runs below all, each in its own lane."""
    producers, lane = model.producers(), 0
    for leaf in model.leaves.values():
        for link in leaf.reads:
            producer, _ = producers[link.data]
            begin, end = _ends(model, boxes, leaf, link)
            is_late = boxes[producer.name].number >= boxes[leaf.name].number
            runs_below = is_late or _meets_a_box(begin, end, boxes)
            path = _back(begin, end, bottom + _LANE * lane, lane) if runs_below else _forth(begin, end)
            lane += runs_below
            style = f'stroke="{_LOOP}" stroke-dasharray="5 4"' if is_late else f'stroke="{_QUIET}"'
            title = f"<title>{escape(link.data)}: {escape(producer.name)} to {escape(leaf.name)}</title>"
            yield f'<path d="{path}" fill="none" stroke-width="1.3" stroke-linejoin="round" {style}>{title}</path>'


def _ends(model: SystemModel, boxes: Mapping[str, _Box], leaf: Leaf, link: DataLink) -> tuple[Point, Point]:
    """Return where a link begins and ends."""
    producer, port = model.producers()[link.data]
    return boxes[producer.name].port(port.name, is_input=False), boxes[leaf.name].port(link.port, is_input=True)


def _meets_a_box(begin: Point, end: Point, boxes: Mapping[str, _Box]) -> bool:
    """Return whether a link from left to right would pass behind a leaf that stands between its ends."""
    return any(
        box.x - _CLEAR < x < box.x + _WIDTH + _CLEAR and box.y - _CLEAR < y < box.y + box.height + _CLEAR
        for x, y in _points(begin, end)
        for box in boxes.values()
        if begin[0] + _CLEAR < box.x + _WIDTH and box.x < end[0] - _CLEAR
    )


def _points(begin: Point, end: Point) -> Iterator[Point]:
    """Go through points of the curve that `_forth` draws."""
    (x1, y1), (x2, y2) = begin, end
    for number in range(_SAMPLES + 1):
        t = number / _SAMPLES
        a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
        yield a * x1 + b * (x1 + _BEND) + c * (x2 - _BEND) + d * x2, (a + b) * y1 + (c + d) * y2


def _composites(model: SystemModel, boxes: Mapping[str, _Box]) -> Iterator[str]:
    """Name, above each leaf, the composites that it is in, from the outermost to its own; the root is the title."""
    for path, leaf in composite_paths(model.root):
        if path:
            box = boxes[leaf.name]
            frame = f'x="{box.x - 5:.0f}" y="{box.y - 15:.0f}" width="{_WIDTH + 10:.0f}" height="{box.height + 20:.0f}"'
            yield f'<rect {frame} rx="9" fill="{_FRAME}" stroke="{_QUIET}" stroke-width="0.8" stroke-dasharray="2 3"/>'
            yield _words(box.x + 4, box.y - 4, " / ".join(path), 10, _QUIET)


def _forth(begin: Point, end: Point) -> str:
    (x1, y1), (x2, y2) = begin, end
    return f"M {x1:.0f} {y1:.0f} C {x1 + _BEND:.0f} {y1:.0f}, {x2 - _BEND:.0f} {y2:.0f}, {x2:.0f} {y2:.0f}"


def _back(begin: Point, end: Point, y: float, lane: int) -> str:
    (x1, y1), (x2, y2) = begin, end
    right, left = x1 + 8 + 4 * (lane % 10), x2 - 8 - 4 * (lane % 10)
    return f"M {x1:.0f} {y1:.0f} H {right:.0f} V {y:.0f} H {left:.0f} V {y2:.0f} H {x2:.0f}"


def _words(x: float, y: float, text: str, size: int, fill: str, *, anchor: str = "start", weight: str = "400") -> str:
    style = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{escape(text)}</text>'
