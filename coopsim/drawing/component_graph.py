"""A system of components as SVG: leaves in the order of execution, data between them, loops marked."""

from collections.abc import Iterator
from html import escape

from coopsim.components import Leaf, LeafKind, SystemModel
from coopsim.components.graph_layout import KIND_COLORS, columns
from coopsim.components.order import delayed
from coopsim.drawing.svg import FONT, Point

_INK, _QUIET, _PAPER, _LOOP = "#2b3240", "#7d8592", "#ffffff", "#d64a6e"
_WIDTH, _ROW, _HEAD, _GAP_X, _GAP_Y, _MARGIN, _TOP, _LANE = 230.0, 18.0, 44.0, 110.0, 26.0, 24.0, 92.0, 7.0


class _Box:
    """Where a leaf is drawn."""

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
    boxes = _placed(model)
    width = max((box.x for box in boxes.values()), default=0.0) + _WIDTH + 3 * _MARGIN
    bottom = max((box.y + box.height for box in boxes.values()), default=_TOP) + _MARGIN
    late = delayed(model)
    producers = model.producers()
    lanes = sum(
        (producers[link.data][0].name, leaf.name) in late for leaf in model.leaves.values() for link in leaf.reads
    )
    height = bottom + _LANE * lanes + (_MARGIN if lanes else 0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}">',
        f"<title>{escape(model.name)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{_PAPER}"/>',
        _words(_MARGIN, 32, model.name, 20, _INK, weight="600"),
        *_legend(model),
        *_links(model, boxes, bottom),
        *(part for box in boxes.values() for part in _drawn(box)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _placed(model: SystemModel) -> dict[str, _Box]:
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
            yield f'<rect x="{x:.0f}" y="50" width="12" height="12" rx="3" fill="{KIND_COLORS[kind]}"/>'
            yield _words(x + 18, 60, kind.value, 12, _QUIET)
            x += 34 + 7 * len(kind.value)
    if delayed(model):
        yield f'<line x1="{x:.0f}" y1="56" x2="{x + 24:.0f}" y2="56" stroke="{_LOOP}" stroke-dasharray="5 4"/>'
        yield _words(x + 30, 60, "against the order: arrives a step later", 12, _QUIET)


def _drawn(box: _Box) -> Iterator[str]:
    color, leaf = KIND_COLORS[box.leaf.kind], box.leaf
    yield (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{_WIDTH:.0f}" height="{box.height:.0f}" rx="7" '
        f'fill="{_PAPER}" stroke="{color}" stroke-width="1.6"/>'
    )
    yield f'<circle cx="{box.x + 18:.0f}" cy="{box.y + 20:.0f}" r="11" fill="{color}"/>'
    yield _words(box.x + 18, box.y + 24, str(box.number), 11, _PAPER, anchor="middle", weight="600")
    yield _words(box.x + 36, box.y + 18, leaf.name, 13, _INK, weight="600")
    yield _words(box.x + 36, box.y + 33, f"{leaf.template.name}, {float(leaf.rate):g} Hz", 11, _QUIET)
    for port in leaf.template.inputs:
        x, y = box.port(port.name, is_input=True)
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.5" fill="{color}"/>'
        yield _words(x + 9, y + 4, port.name, 11, _INK)
    for port in leaf.template.outputs:
        x, y = box.port(port.name, is_input=False)
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.5" fill="{color}"/>'
        yield _words(x - 9, y + 4, port.name, 11, _INK, anchor="end")


def _links(model: SystemModel, boxes: dict[str, _Box], bottom: float) -> Iterator[str]:
    """Draw the data; those that arrive a step later run back below all leaves, each in its own lane."""
    producers, lane = model.producers(), 0
    for leaf in model.leaves.values():
        for link in leaf.reads:
            producer, port = producers[link.data]
            begin = boxes[producer.name].port(port.name, is_input=False)
            end = boxes[leaf.name].port(link.port, is_input=True)
            is_late = boxes[producer.name].number >= boxes[leaf.name].number
            path = _back(begin, end, bottom + _LANE * lane, lane) if is_late else _forth(begin, end)
            lane += is_late
            style = f'stroke="{_LOOP}" stroke-dasharray="5 4"' if is_late else f'stroke="{_QUIET}"'
            title = f"<title>{escape(link.data)}: {escape(producer.name)} to {escape(leaf.name)}</title>"
            yield f'<path d="{path}" fill="none" stroke-width="1.3" stroke-linejoin="round" {style}>{title}</path>'


def _forth(begin: Point, end: Point) -> str:
    (x1, y1), (x2, y2) = begin, end
    return f"M {x1:.0f} {y1:.0f} C {x1 + 55:.0f} {y1:.0f}, {x2 - 55:.0f} {y2:.0f}, {x2:.0f} {y2:.0f}"


def _back(begin: Point, end: Point, y: float, lane: int) -> str:
    (x1, y1), (x2, y2) = begin, end
    right, left = x1 + 8 + 4 * (lane % 10), x2 - 8 - 4 * (lane % 10)
    return f"M {x1:.0f} {y1:.0f} H {right:.0f} V {y:.0f} H {left:.0f} V {y2:.0f} H {x2:.0f}"


def _words(x: float, y: float, text: str, size: int, fill: str, *, anchor: str = "start", weight: str = "400") -> str:
    style = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{escape(text)}</text>'
