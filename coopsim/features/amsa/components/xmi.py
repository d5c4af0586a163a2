"""Models of AMSA's own editor, files `.amsacore` in EMF's XMI, as a text of ours.

Their format says everything but the kind of each leaf: who imports says that. What is missing is named, never guessed.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coopsim.errors import BadFile, NoSuchFile
from coopsim.features.amsa.components.files import mistakes_in
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.scene import Problems, why_unreadable
from coopsim.scene.xml_nodes import XmlNode, read_xml
from coopsim.suggest import did_you_mean

_INDENT = "    "
_ORDER = (
    LeafKind.ENVIRONMENT,
    LeafKind.SENSOR,
    LeafKind.CONTROL,
    LeafKind.ACTUATOR,
    LeafKind.CONTROLLED,
    LeafKind.OBSERVER,
)
_SEGMENT = re.compile(r"@(\w+)(?:\.(\d+))?")


@dataclass
class ImportedModel:
    """A system as text.

    Attributes:
        text: Of a file `.amsa`.
        notes: What the file left open, for people.
    """

    text: str = ""
    notes: list[str] = field(default_factory=list)


def import_xmi(path: Path, kinds: Mapping[str, LeafKind], folder: Path | None = None) -> ImportedModel:
    """Return what a file `.amsacore` says as a text of ours.

    Args:
        path: Of the file.
        kinds: Of leaves by their names, or by those of their templates.
        folder: Where the text will lie: files of templates are named from there; None = beside the file.

    Raises:
        NoSuchFile: It cannot be read.
        BadFile: It is no such model, is cut, or a part is missing; every such place is named.
    """
    reason = why_unreadable(path)
    if reason is not None:
        raise NoSuchFile(f"{path}: {reason}")
    problems = Problems()
    raw = path.read_bytes()
    problems.learn(str(path), raw.decode("utf-8", "replace").splitlines())
    root = read_xml(raw, str(path), problems)
    model = ImportedModel()
    if root is not None:
        model.text = "\n".join(_Importer(root, kinds, problems, model.notes, _away(path, folder)).lines()) + "\n"
    if problems.total:
        raise BadFile(str(problems), tuple(problems)).advise("")
    return model


def _away(path: Path, folder: Path | None) -> str:
    """Return the way from a folder to the files beside a path, "" where it is the same folder."""
    if folder is None or folder.resolve() == path.parent.resolve():
        return ""
    return f"{Path(os.path.relpath(path.parent.resolve(), folder.resolve())).as_posix()}/"


class _Importer:
    def __init__(
        self, root: XmlNode, kinds: Mapping[str, LeafKind], problems: Problems, notes: list[str], away: str
    ) -> None:
        self._away = away
        self._root, self._kinds, self._problems, self._notes = root, kinds, problems, notes
        self._data: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        """Go through the lines of the text."""
        system = next(self._root.all("rootComponent"), None)
        if system is None:
            self._problems.add(self._root.span, "no rootComponent: this is no model of AMSA")
            return
        for container in self._root.all("templatesContainers"):
            yield f'templates "{self._away}{container.get("href").partition("#")[0]}";'
        self._count()
        self._check_kinds()
        self._name_data(system)
        yield from ("", f"System {self._name(system)} {{")
        yield from self._interfaces(system, _INDENT)
        yield from self._parts(system, _INDENT)
        yield "}"

    def _check_kinds(self) -> None:
        """Note kinds that are given to nobody."""
        names = {component.get("name") for component in _components(self._root)}
        names |= {
            leafTemplate.get("href").partition("#")[2]
            for leaf in _components(self._root)
            for leafTemplate in leaf.all("leafTemplate")
        }
        for name in self._kinds:
            if name not in names:
                text = f"--kind {name}: no component and no template is called so{did_you_mean(name, sorted(names))}"
                self._problems.add(self._root.span, text)

    def _count(self) -> None:
        wanted = self._root.get("instancesCount")
        count = sum(1 for _ in _components(self._root))
        if wanted.isdigit() and int(wanted) not in (count, count + 1):
            self._notes.append(f"instancesCount says {wanted}, and there are {count} components besides the root")

    def _name_data(self, composite: XmlNode) -> None:
        """Note which output produces which data, in all composites."""
        for data in composite.all("data"):
            output = self._end(data)
            if output is not None:
                self._data[id(output)] = self._name(data)
        for part in composite.all("components"):
            self._name_data(part)

    def _end(self, node: XmlNode) -> XmlNode | None:
        """Return the port of a leaf at the end of a chain of `source`, through data and ports of composites."""
        seen = set()
        while not _is_port_of_leaf(node) or node.tag == "inputs":
            path = node.get("source")
            following = referred(self._root, path) if path else None
            if following is None or id(following) in seen:
                what = f"refers to {path!r}, which is not there" if path else "has no source"
                self._problems.add(node.span, f"{node.tag} {node.get('name')!r} {what}")
                return None
            seen.add(id(following))
            node = following
        return node

    def _parts(self, composite: XmlNode, indent: str) -> Iterator[str]:
        if composite.get("autoScheduling") == "false":
            yield f"{indent}auto_scheduling no;"
        for part in composite.all("components"):
            if part.kind == "LeafComponent":
                yield from self._leaf(part, indent)
            elif part.kind == "CompositeComponent":
                yield f"{indent}composite {self._name(part)} {{"
                yield from self._priority(part, indent + _INDENT)
                yield from self._interfaces(part, indent + _INDENT)
                yield from self._parts(part, indent + _INDENT)
                yield f"{indent}}}"
            else:
                self._problems.add(part.span, f"expected a LeafComponent or CompositeComponent, got {part.kind!r}")

    def _leaf(self, leaf: XmlNode, indent: str) -> Iterator[str]:
        name, inner = self._name(leaf), indent + _INDENT
        template = next((leafTemplate.get("href").partition("#")[2] for leafTemplate in leaf.all("leafTemplate")), "")
        if not template.isidentifier():
            self._problems.add(leaf.span, f"{name} has no template by name, got {template!r}")
        kind = self._kinds.get(name) or self._kinds.get(template)
        if kind is None:
            self._problems.add(leaf.span, f"the file says no kind of {name}; say --kind {name}=KIND or {template}=KIND")
        yield f"{indent}{kind.value if kind else '?'} {name} : {template} @ {leaf.get('freq', '10')} Hz {{"
        yield from self._priority(leaf, inner)
        for port in leaf.all("inputs"):
            output = self._end(port)
            if output is not None:
                yield f"{inner}{self._name(port)} <- {self._data_of(output)};"
        for port in leaf.all("outputs"):
            yield f"{inner}{self._name(port)} -> {self._data_of(port)};"
        for parameter in leaf.all("parameters"):
            yield from self._parameter(name, parameter, inner)
        yield from self._interfaces(leaf, inner)
        yield f"{indent}}}"

    def _interfaces(self, component: XmlNode, indent: str) -> Iterator[str]:
        """Go through the statements on the interfaces that a component provides and requires."""
        for port in component.all("interfacesProvided"):
            yield f"{indent}provides {self._interface(port)};"
        for port in component.all("interfacesRequired"):
            name, path = self._interface(port), port.get("link")
            provider = referred(self._root, path) if path else None
            if path and (provider is None or provider.tag != "interfacesProvided" or provider.parent is None):
                self._problems.add(port.span, f"{port.tag} {name} refers to {path!r}, which is no provided interface")
            elif provider is None:
                self._notes.append(f"{component.get('name')} requires {name}, and the file says of nobody")
            source = f" from {provider.parent.get('name')}" if provider and provider.parent else ""
            yield f"{indent}requires {name}{source};"

    def _interface(self, port: XmlNode) -> str:
        """Return the name of the interface of a port, which stands in another file."""
        inside = next((interface.get("href") for interface in port.all("interface")), port.get("interface"))
        name = inside.partition("#")[2]
        if not name.isidentifier():
            self._problems.add(port.span, f"{port.tag} has no interface by name, got {inside!r}")
        return name

    def _data_of(self, output: XmlNode) -> str:
        """Return the data of an output; an input may refer to an output itself, whose data then have no name."""
        leaf = output.parent.get("name") if output.parent else ""
        return self._data.get(id(output), f"{leaf}_{output.get('name')}")

    def _parameter(self, leaf: str, parameter: XmlNode, indent: str) -> Iterator[str]:
        name, value = self._name(parameter), parameter.get("value")
        if value:
            yield f"{indent}{name} = {value};"
        else:
            self._notes.append(f"{leaf}.{name} has no value: the default of the template holds")

    def _priority(self, node: XmlNode, indent: str) -> Iterator[str]:
        if node.get("schedulingPriority", "0") != "0":
            yield f"{indent}priority {node.get('schedulingPriority')};"

    def _name(self, node: XmlNode) -> str:
        if not node.get("name").isidentifier():
            self._problems.add(node.span, f"{node.tag} needs a name, got {node.get('name')!r}")
        return node.get("name")


def with_order(text: str, path: Path) -> str | None:
    """Return a text whose data run in a circle with an order that ends it: sense, decide, act.

    Args:
        text: Of a system.
        path: Where it will lie.

    Returns:
        None where an order is not what it lacks.
    """
    document, problems = mistakes_in(text, path)
    if not problems.total or len(document.systems) != 1:
        return None
    (model,) = document.systems.values()
    leaves = sorted(model.root.leaves(), key=lambda leaf: _ORDER.index(leaf.kind))
    head = f"System {model.name} {{\n"
    order = (
        f"{_INDENT}order {' '.join(leaf.name for leaf in leaves)};  // the data run in a circle: sense, decide, act\n"
    )
    ordered = text.replace(head, head + order, 1)
    return ordered if not mistakes_in(ordered, path)[1].total else None


def _components(node: XmlNode) -> Iterator[XmlNode]:
    for child in node.children:
        if child.tag == "components":
            yield child
        yield from _components(child)


def _is_port_of_leaf(node: XmlNode) -> bool:
    return node.tag in ("inputs", "outputs") and node.parent is not None and node.parent.kind == "LeafComponent"


def referred(root: XmlNode, path: str) -> XmlNode | None:
    """Return the element that a path such as `//@rootComponent/@components.7/@outputs.0` means, None if none."""
    node = root
    for segment in path.removeprefix("//").split("/"):
        match = _SEGMENT.fullmatch(segment)
        inside = list(node.all(match[1])) if match else []
        index = int(match[2] or 0) if match else 0
        if index >= len(inside):
            return None
        node = inside[index]
    return node
