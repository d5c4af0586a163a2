"""The node editor: the system of components on board of a robot, live, and its file while it is edited."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

from imgui_bundle import ImVec2, ImVec4, imgui
from imgui_bundle import icons_fontawesome_6 as icons

from coopsim.errors import BadFile, CoopsimError
from coopsim.features.amsa.components import LeafKind, SystemModel
from coopsim.features.amsa.components.draft import SystemDraft
from coopsim.features.amsa.components.files import BUILT_IN
from coopsim.features.amsa.components.graph_layout import KIND_COLORS, columns, composite_paths
from coopsim.features.amsa.components.order import delayed
from coopsim.features.amsa.window.node_graph import GraphActions, GraphLink, GraphNode, NodeGraph, PortKey
from coopsim.features.amsa.window.run_systems import RunSystems, unstarted
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.panel_list import Panel, WindowContext
from coopsim.features.desktop.ui.parameter_sliders import ParameterSliders
from coopsim.features.desktop.ui.style import BAD
from coopsim.features.desktop.ui.widgets import button, choice, plus, remember
from coopsim.interfaces import Value

_NAME = "components"
_SIDE = 270.0  # points; the longest name of a built-in component fits
_KINDS = tuple(kind.value for kind in LeafKind)


class ComponentPanel:
    """Shows systems of a run, changes parameters there, and edits their files.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
    """

    def __init__(self, session: ViewerSession, fonts: SimpleNamespace) -> None:
        self._session, self._fonts = session, fonts
        self.systems, self.graph = RunSystems(session), NodeGraph(_NAME)
        self.draft: SystemDraft | None = None
        self._robot, self._text, self._file = "", "", ""
        self._new_name, self._new_template, self._new_kind, self._new_rate = "leaf1", "", _KINDS[2], "10"
        self._inside = ""
        self._sliders = ParameterSliders(session, self._set)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        self.systems.update()
        texts = sorted(self.systems.texts)
        if not texts:
            imgui.text_wrapped("No robot of this run has a system of components on board ([SYSTEM_1] of a scenario).")
            return
        if self._robot not in texts or self.systems.texts[self._robot] != self._text:
            self._show_robot(self._robot if self._robot in texts else texts[0])
        imgui.begin_child("##side", ImVec2(_SIDE, 0.0), imgui.ChildFlags_.nav_flattened)
        self._controls(texts)
        self._leaf()
        self._mistakes()
        imgui.end_child()
        imgui.same_line()
        nodes, links = self.drawn()
        self.graph.draw(nodes, links, self._actions() if self.draft is not None else None)

    @property
    def model(self) -> SystemModel:
        """Model that is shown: the file as it is edited, or the system of the run where there is no file."""
        return self.draft.model if self.draft is not None else self.systems.model(self._robot)

    def _show_robot(self, robot: str) -> None:
        self._robot, self._text, self.draft = robot, self.systems.texts[robot], None
        path = self.systems.file_of(robot)
        if path is not None:
            self.open(path)
        self.graph.show_all()

    def open(self, path: Path) -> None:
        """Edit a file; one that cannot be read is noted."""
        self._try(lambda: self._open(path))

    def _open(self, path: Path) -> None:
        self.draft = SystemDraft(path)
        # what comes with coopsim stays as it is: changes go into a file of one's own
        self._file = path.name if path.parent.resolve() == BUILT_IN.resolve() else str(path)

    # beside the graph

    def _controls(self, names: list[str]) -> None:
        robot = choice(f"{_NAME}.robot", "", self._robot, names)
        if robot != self._robot:
            self._show_robot(robot)
        imgui.same_line()
        if button(f"{_NAME}.plot", icons.ICON_FA_CHART_LINE, strong=self.systems.is_plotted(self._robot)):
            self.systems.plot(self._robot)
        if imgui.is_item_hovered():
            imgui.set_tooltip("Plot what the system evaluates, with its reference")
        imgui.set_next_item_width(-1.0)
        self._file = imgui.input_text(f"##{_NAME}.file", self._file)[1]
        remember(f"{_NAME}.file")
        draft = self.draft
        if button(f"{_NAME}.open", "Open"):
            self.open(Path(self._file))
        imgui.same_line()
        if button(f"{_NAME}.save", "Save", enabled=draft is not None):
            self._try(self._save)
        imgui.same_line()
        if button(f"{_NAME}.undo", icons.ICON_FA_ROTATE_LEFT, enabled=draft is not None and draft.can_undo):
            self._change(SystemDraft.undo)
        if draft is None:
            imgui.text_wrapped("The file of this system is not here: give its path to edit it.")
            return
        if not self.systems.runs(self._robot, draft.model):
            imgui.text_wrapped("The run still has the structure of before.")
            if button(f"{_NAME}.run", "Save and run", enabled=not draft.mistakes):
                self._try(self._run)
        self._new(draft)

    def _save(self) -> None:
        if self.draft is not None:
            self.draft.save(Path(self._file) if self._file else None)
            self._session.note(f"saved: {self.draft.path}")

    def _run(self) -> None:
        self._save()
        if self.draft is not None:
            self.systems.reload(self.draft.path)

    def _new(self, draft: SystemDraft) -> None:
        imgui.separator_text("New component")
        imgui.set_next_item_width(110.0)
        self._new_name = imgui.input_text(f"name##{_NAME}.new", self._new_name)[1]
        remember(f"{_NAME}.new")
        imgui.set_next_item_width(150.0)
        templates = sorted(draft.templates)
        self._new_template = self._new_template if self._new_template in templates else templates[0]
        self._new_template = choice(f"{_NAME}.template", "template", self._new_template, templates)
        imgui.set_next_item_width(110.0)
        self._new_kind = choice(f"{_NAME}.kind", "kind", self._new_kind, _KINDS)
        imgui.set_next_item_width(150.0)
        self._inside = self._inside if self._inside in draft.composites else draft.model.name
        self._inside = choice(f"{_NAME}.inside", "in", self._inside, draft.composites)
        imgui.set_next_item_width(60.0)
        self._new_rate = imgui.input_text(f"Hz##{_NAME}.rate", self._new_rate)[1]
        imgui.same_line()
        if plus(f"{_NAME}.add", "Add"):
            self._add()
        imgui.same_line()
        if plus(f"{_NAME}.add_composite", "Composite"):
            self._change(lambda draft: draft.add_composite(self._new_name, self._inside))
        if imgui.is_item_hovered():
            imgui.set_tooltip("A composite of this name, for components that belong together")

    def _add(self) -> None:
        name, template, kind = self._new_name, self._new_template, LeafKind(self._new_kind)
        try:
            rate = Fraction(self._new_rate)
        except (ValueError, ZeroDivisionError):
            self._session.note(f"a frequency is a number, or one divided by another, got {self._new_rate!r}")
            return
        self._change(lambda draft: draft.add(name, template, kind, rate, self._inside))

    def _leaf(self) -> None:
        """Draw the parameters of the leaf that is selected."""
        name = self.graph.selected
        if name not in self.model.leaves:
            return
        leaf = self.model.leaves[name]
        imgui.separator_text(f"{name}  \N{MIDDLE DOT}  {leaf.kind.value}")
        self._standing(name)
        self.systems.watch(self._robot, name)
        is_running = name in self.systems.model(self._robot).leaves
        module = self.systems.module if is_running else unstarted(self.model, name)
        if module is None:
            imgui.text_disabled("asks for its parameters")
        elif module.parameters:
            self._sliders.draw(module)
        else:
            imgui.text_disabled("no parameters")

    def _standing(self, leaf: str) -> None:
        """Draw in which composite a leaf stands, and let it run earlier."""
        draft = self.draft
        if draft is None or leaf not in draft.model.leaves:
            return
        now = draft.composite_of(leaf).name
        imgui.set_next_item_width(150.0)
        wanted = choice(f"{_NAME}.stands", "in", now, draft.composites)
        if wanted != now:
            self._change(lambda draft: draft.move(leaf, wanted))
        imgui.same_line()
        if button(f"{_NAME}.earlier", icons.ICON_FA_ARROW_UP):
            self._change(lambda draft: draft.run_earlier(leaf))
        if imgui.is_item_hovered():
            imgui.set_tooltip("Run one place earlier in its composite")

    def _set(self, target: str, name: str, before: Value, after: Value) -> None:
        """Set a parameter in the run, and in the file."""
        leaf = target.rpartition("/")[2]
        if target.count("/") > 1:
            self._session.editor.set_parameter(target, name, before, after)
        if self.draft is not None and leaf in self.draft.model.leaves:
            self._change(lambda draft: draft.set_parameter(leaf, name, after))

    def _mistakes(self) -> None:
        for text in self.draft.mistakes if self.draft is not None else ():
            imgui.push_style_color(imgui.Col_.text, ImVec4(*BAD, 1.0))
            imgui.text_wrapped(text)
            imgui.pop_style_color()

    # the graph

    def drawn(self) -> tuple[list[GraphNode], list[GraphLink]]:
        """Return what is drawn now."""
        model = self.model
        try:
            places, late = columns(model), delayed(model)
        except BadFile:  # a loop whose order is not chosen yet, which is among the mistakes
            places, late = {name: number // 3 for number, name in enumerate(model.leaves)}, set()
        nodes, inside = [], {leaf.name: path for path, leaf in composite_paths(model.root)}
        for number, (name, column) in enumerate(places.items(), 1):
            leaf = model.leaves[name]
            inputs, outputs = (
                tuple(port.name for port in ports) for ports in (leaf.template.inputs, leaf.template.outputs)
            )
            subtitle = f"{leaf.template.name}  {float(leaf.rate):g} Hz"
            subtitle += f"  in {' / '.join(inside[name])}" if inside[name] else ""
            color = KIND_COLORS[leaf.kind]
            nodes.append(GraphNode(name, f"{number}  {name}", subtitle, color, column, inputs, outputs))
        return nodes, [link for name in places for link in self._links(name, late)]

    def _links(self, name: str, late: set[tuple[str, str]]) -> list[GraphLink]:
        model, tables = self.model, []
        producers = model.producers()
        for link in model.leaves[name].reads:
            if link.data in producers:
                producer, output = producers[link.data]
                value = self.systems.value(self._robot, link.data)
                label = "" if value is None else f"{value:.4g}"
                ends = (producer.name, output.name, False), (name, link.port, True)
                tables.append(GraphLink(*ends, label, (producer.name, name) in late))
        return tables

    def _actions(self) -> GraphActions:
        def why_not(begin: PortKey, end: PortKey) -> str:
            return self.draft.why_not(*begin[:2], *end[:2]) if self.draft is not None else ""

        return GraphActions(
            why_not,
            lambda begin, end: self._change(lambda draft: draft.connect(*begin[:2], *end[:2])),
            lambda end: self._change(lambda draft: draft.disconnect(*end[:2])),
            lambda name: self._change(lambda draft: draft.remove(name)),
        )

    def _change(self, change: Callable[[SystemDraft], None]) -> None:
        if self.draft is not None:
            draft = self.draft
            self._try(lambda: change(draft))

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except CoopsimError as problem:
            self._session.note(str(problem).partition("\n")[0])


def component_panels(context: WindowContext) -> tuple[Panel, ...]:
    """Return the node editor as a panel of the window."""
    return (Panel("Components", "apart", ComponentPanel(context.session, context.fonts).draw),)
