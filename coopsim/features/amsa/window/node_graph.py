"""A graph of nodes with ports, drawn by imgui's node editor: what it shows, and what a person does to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from imgui_bundle import ImVec2, ImVec4, imgui
from imgui_bundle import imgui_node_editor as ed

from coopsim.features.desktop.ui.style import BAD, GOOD
from coopsim.features.desktop.ui.widgets import PLACES

PortKey: TypeAlias = tuple[str, str, bool]
"""Node, port, whether it is an input."""
Color: TypeAlias = tuple[float, float, float]
# points; the editor draws nodes itself, their size has to be known before that
_ROW, _HEAD, _GAP_X, _GAP_Y, _WIDTH = 22.0, 56.0, 80.0, 30.0, 150.0
_PADDING, _BETWEEN = 20.0, 24.0  # points; by the editor's style, left and right of a node's text
_LATE: Final = (0.84, 0.29, 0.43)  # a link that is a tick late stands out from grey ones
_LEGIBLE = 0.45
"""Zoom below which values on links are left out."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node.

    Attributes:
        title: Its first line.
        subtitle: Its second line.
        color: As red, green, blue from 0 to 1.
        column: Where it stands at first.
    """

    name: str
    title: str
    subtitle: str
    color: Color
    column: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphLink:
    """A link from an output to an input.

    Attributes:
        label: At its end.
        is_late: Whether what it carries arrives a step later.
    """

    begin: PortKey
    end: PortKey
    label: str
    is_late: bool


@dataclass(frozen=True, slots=True)
class GraphActions:
    """Actions that a person may take on a graph.

    Attributes:
        why_not: Returns why an output may not be linked to an input, "" = it may.
        connect: Links an output to an input.
        disconnect: Takes the link of an input away.
        remove: Takes a node away.
    """

    why_not: Callable[[PortKey, PortKey], str]
    connect: Callable[[PortKey, PortKey], None]
    disconnect: Callable[[PortKey], None]
    remove: Callable[[str], None]


class NodeGraph:
    """Draws nodes and links into the window that is begun.

    Args:
        name: Of the graph, for `PLACES`.

    Attributes:
        selected: Name of the node that was clicked, "" = none.
    """

    def __init__(self, name: str) -> None:
        self.name, self.selected = name, ""
        self._editor: Any = None
        self._ids: dict[object, int] = {}
        self._placed: dict[str, int] = {}
        self._pins: dict[PortKey, ImVec2] = {}
        self._unseen = 0

    def show_all(self) -> None:
        """Place all nodes anew, and show all of them."""
        self._placed, self._unseen = {}, 3

    def draw(self, nodes: Sequence[GraphNode], links: Sequence[GraphLink], actions: GraphActions | None) -> None:
        """Draw one frame.

        Args:
            nodes: All of them.
            links: All of them.
            actions: None = nothing may be changed.
        """
        self._begin()
        self._arrange(nodes)
        self._pins = {}
        for node in nodes:
            self._node(node)
        for link in links:
            color = ImVec4(*(_LATE if link.is_late else (0.55, 0.60, 0.68)), 1.0)
            start, end = ed.PinId(self._id(link.begin)), ed.PinId(self._id(link.end))
            ed.link(ed.LinkId(self._id(("link", link.end))), start, end, color, 1.6)
        if actions is not None:
            self._created(actions)
            self._deleted(links, actions)
        ed.end()
        self._labels(links)
        self._unseen -= self._unseen > 0
        if self._unseen == 1:
            ed.navigate_to_content(0.0)
        chosen = {node.id() for node in ed.get_selected_nodes()}
        self.selected = next((node.name for node in nodes if self._id(node.name) in chosen), "")

    def select(self, node: str) -> None:
        """Choose a node."""
        if self._editor is not None:
            ed.set_current_editor(self._editor)
            ed.select_node(ed.NodeId(self._id(node)), False)

    def close(self) -> None:
        """Give the editor back; before imgui's context goes."""
        if self._editor is not None:
            ed.destroy_editor(self._editor)
            self._editor = None

    def _begin(self) -> None:
        if self._editor is None:
            config = ed.Config()
            config.settings_file = ""
            self._editor = ed.create_editor(config)
        ed.set_current_editor(self._editor)
        ed.begin(f"##{self.name}")

    def _id(self, thing: object) -> int:
        return self._ids.setdefault(thing, len(self._ids) + 1)

    def _arrange(self, nodes: Sequence[GraphNode]) -> None:
        """Place nodes that are new: below all others of their column."""
        bottoms: dict[int, float] = {}
        lefts = _lefts(nodes)
        for node in nodes:
            top = bottoms.get(node.column, 0.0)
            if node.name not in self._placed:
                at = ImVec2(lefts[node.column], top)
                ed.set_node_position(ed.NodeId(self._id(node.name)), at)
                self._placed[node.name] = node.column
            rows = max(len(node.inputs), len(node.outputs), 1)
            bottoms[node.column] = top + _HEAD + _ROW * rows + _GAP_Y

    def _node(self, node: GraphNode) -> None:
        color = ImVec4(*node.color, 1.0)
        ed.push_style_color(ed.StyleColor.node_border, color)
        ed.push_style_color(ed.StyleColor.node_bg, _darkened(node.color))
        ed.push_style_var(ed.StyleVar.pivot_size, ImVec2(0.0, 0.0))
        ed.begin_node(ed.NodeId(self._id(node.name)))
        imgui.text_colored(_lightened(node.color), node.title)
        imgui.text_disabled(node.subtitle)
        self._remember(node.name)
        width = _inner_width(node)
        for row in range(max(len(node.inputs), len(node.outputs))):
            start = imgui.get_cursor_pos_x()
            if row < len(node.inputs):
                self._port((node.name, node.inputs[row], True))
            if row < len(node.outputs):
                text = node.outputs[row]
                if row < len(node.inputs):
                    imgui.same_line()
                imgui.set_cursor_pos_x(start + width - imgui.calc_text_size(text).x)
                self._port((node.name, text, False))
        ed.end_node()
        ed.pop_style_var()
        ed.pop_style_color(2)

    def _port(self, key: PortKey) -> None:
        name, port, is_input = key
        kind = ed.PinKind.input if is_input else ed.PinKind.output
        ed.push_style_var(ed.StyleVar.pivot_alignment, ImVec2(0.0 if is_input else 1.0, 0.5))
        ed.begin_pin(ed.PinId(self._id(key)), kind)
        imgui.text(port)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        ed.end_pin()
        ed.pop_style_var()
        self._pins[key] = ImVec2(low.x if is_input else high.x, (low.y + high.y) / 2.0)
        self._remember(f"{name}.{port}")

    def _remember(self, what: str) -> None:
        """Take down where the last widget is, in units of the window."""
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        place = ed.canvas_to_screen(ImVec2((low.x + high.x) / 2.0, (low.y + high.y) / 2.0))
        PLACES[f"{self.name}.{what}"] = place.x, place.y

    def _labels(self, links: Sequence[GraphLink]) -> None:
        """Draw the values on the ends of links, over everything else."""
        zoom = 1.0 / ed.get_current_zoom()
        if zoom < _LEGIBLE:
            return
        drawn, size = imgui.get_window_draw_list(), imgui.get_font_size() * min(1.0, zoom)
        for link in links:
            if link.label and link.end in self._pins:
                self._label(drawn, ed.canvas_to_screen(self._pins[link.end]), link.label, size)

    @staticmethod
    def _label(drawn: imgui.ImDrawList, end: ImVec2, text: str, size: float) -> None:
        """Draw a value left of an input."""
        share = size / imgui.get_font_size()
        width, high = imgui.calc_text_size(text).x * share, imgui.calc_text_size(text).y * share
        low = ImVec2(end.x - width - 14.0 * share, end.y - high / 2.0)
        corners = ImVec2(low.x - 3.0, low.y), ImVec2(low.x + width + 3.0, low.y + high)
        drawn.add_rect_filled(*corners, imgui.get_color_u32(imgui.Col_.popup_bg, 0.85), 3.0)
        drawn.add_text(imgui.get_font(), size, low, imgui.get_color_u32(imgui.Col_.text), text)

    def _created(self, actions: GraphActions) -> None:
        """Link two ports that a hand connects, and say why where it may not."""
        if ed.begin_create(ImVec4(*GOOD, 1.0), 2.0):
            first, second = ed.PinId(), ed.PinId()
            if ed.query_new_link(first, second) and first and second:
                ends = self._ends(first.id(), second.id())
                reason = actions.why_not(*ends) if ends else "a link goes from an output to an input"
                if reason:
                    ed.reject_new_item(ImVec4(*BAD, 1.0), 2.0)
                    ed.suspend()
                    imgui.set_tooltip(reason)
                    ed.resume()
                elif ends and ed.accept_new_item():
                    actions.connect(*ends)
        ed.end_create()

    def _ends(self, first: int, second: int) -> tuple[PortKey, PortKey] | None:
        """Return the output and the input of two pins, in whichever direction the hand went."""
        keys = {self._id(key): key for key in self._pins}
        ends = sorted((keys[number] for number in (first, second) if number in keys), key=lambda end: end[2])
        return (ends[0], ends[1]) if [end[2] for end in ends] == [False, True] else None

    def _deleted(self, links: Sequence[GraphLink], actions: GraphActions) -> None:
        if ed.begin_delete():
            of_link = {self._id(("link", link.end)): link.end for link in links}
            link_id, node_id = ed.LinkId(), ed.NodeId()
            while ed.query_deleted_link(link_id):
                if link_id.id() in of_link and ed.accept_deleted_item():
                    actions.disconnect(of_link[link_id.id()])
            keys = {number: key for key, number in self._ids.items()}
            while ed.query_deleted_node(node_id):
                if ed.accept_deleted_item():
                    actions.remove(str(keys[node_id.id()]))
        ed.end_delete()


def _inner_width(node: GraphNode) -> float:
    """Return the width at which no text of a node touches another one."""
    rows = zip_longest(node.inputs, node.outputs, fillvalue="")
    ports = [imgui.calc_text_size(before).x + imgui.calc_text_size(behind).x + _BETWEEN for before, behind in rows]
    return max(_WIDTH - _PADDING, *(imgui.calc_text_size(text).x for text in (node.title, node.subtitle)), *ports)


def _lefts(nodes: Sequence[GraphNode]) -> dict[int, float]:
    """Return where each column begins."""
    lefts, left = {}, 0.0
    for column in range(max((node.column for node in nodes), default=0) + 1):
        lefts[column] = left
        widths = [_inner_width(node) + _PADDING for node in nodes if node.column == column]
        left += max(widths, default=_WIDTH) + _GAP_X
    return lefts


def _darkened(color: Color) -> ImVec4:
    behind = imgui.get_style_color_vec4(imgui.Col_.window_bg)
    return _mixed((behind.x, behind.y, behind.z), color, 0.12)


def _lightened(color: Color) -> ImVec4:
    ink = imgui.get_style_color_vec4(imgui.Col_.text)
    return _mixed((ink.x, ink.y, ink.z), color, 0.55)


def _mixed(first: Color, second: Color, share: float) -> ImVec4:
    red, green, blue = ((1.0 - share) * a + share * b for a, b in zip(first, second, strict=True))
    return ImVec4(red, green, blue, 1.0)
