"""SDF models of several files and frames as one: what they include and nest, with all poses in one frame.

Source: sdformat.org, "Pose frame semantics" and "Composition" of SDFormat 1.5 to 1.11. A link of a nested model
is called `model::link`; what is included with `merge` keeps its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coopsim.features.models.model_bounds import check_bounds
from coopsim.features.models.model_paths import find_main_model, find_model_file, searched_in
from coopsim.features.models.model_xml import read_model_xml
from coopsim.features.models.sdf_poses import (
    HERE,
    Place,
    composed,
    inverse,
    inverted,
    numbers_in,
    pose_in,
    seen_from,
    set_place,
    text_in,
)
from coopsim.geometry import turned
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode

AXES_OF_MODELS = ("1.0", "1.2", "1.3", "1.4")
"""Versions in which axes are given in the frame of the model."""
OF_JOINT = "__joint__"
"""Frame of an axis that was turned into that of its joint."""
_MODEL, _WORLD, _BETWEEN = "__model__", "world", "::"
_PARTS = ("inertial", "collision", "visual")
_NAMED = ("link", "joint", "frame")
_DEEPEST = 16
"""Models in each other."""
_MOST_INCLUDES = 100
_TRUE = ("1", "true")
_MOST_NAMES = 12  # in a message


@dataclass(eq=False)
class _Scope:
    """A model, with what its names mean.

    Attributes:
        node: Its element.
        placed: What says where it is: itself, or what includes it.
        prefix: Of the names of what is in it, seen from the outermost model.
        version: Of SDF, in which it is written.
        file: From which names of files are seen.
        parent: The model around it, None of the outermost.
        names: Links, joints and frames by name, each with the model in which it is written.
        nested: Models by name.
    """

    node: XmlNode
    placed: XmlNode
    prefix: str
    version: str
    file: Path
    parent: "_Scope | None" = None
    names: "dict[str, tuple[XmlNode, _Scope]]" = field(default_factory=dict)
    nested: "dict[str, _Scope]" = field(default_factory=dict)

    def within(self, name: str) -> "tuple[_Scope, str] | None":
        """Return the nested model that a name begins with, and the rest of the name; None where it is no such name."""
        first, between, rest = name.partition(_BETWEEN)
        return (self.nested[first], rest) if between and first in self.nested else None


def flat_model(model: XmlNode, version: str, path: Path, problems: Problems) -> XmlNode:
    """Return a model with all links and joints of what it nests and includes; without frames it stays as it is.

    Args:
        model: `<model>`, which is changed.
        version: Of SDF, in which it is written.
        path: Its file.
        problems: Takes every mistake.
    """
    inside = [node for child in model.children for node in child.walk()]
    if any(node.tag in ("include", "frame", "model") or _frame_of(node) for node in inside):
        scopes = _Collector(path, problems)
        scope = _Scope(model, model, "", version, path)
        before = problems.total
        scopes.collect(scope, (path.resolve(),))
        if problems.total == before:
            _Flattener(scopes, problems).flatten(scope)
    return model


def localize(model: XmlNode, file: Path) -> None:
    """Let a model that is included name its meshes as they are found from its own file."""
    for uri in [uri for node in model.walk() if node.tag == "mesh" for uri in node.all("uri")]:
        mesh_file = find_model_file(uri.text.strip(), file)
        uri.text = str(mesh_file) if mesh_file is not None else uri.text


def _frame_of(node: XmlNode) -> str:
    """Return the frame that the pose of an element is relative to, "" where it does not say."""
    pose = next(node.all("pose"), None)
    return pose.get("relative_to") if pose is not None else ""


class _Collector:
    """Finds all that is in a model, and in those that it nests and includes."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self.links: list[tuple[XmlNode, _Scope]] = []
        self.joints: list[tuple[XmlNode, _Scope]] = []
        self._path, self._problems = path, problems
        self._includes = 0

    def collect(self, scope: _Scope, chain: tuple[Path, ...], depth: int = 1) -> None:
        """Find what is in a model.

        Args:
            scope: The model.
            chain: Files that include each other on the way to it.
            depth: Count of models around it, itself included.
        """
        if depth > _DEEPEST:
            self._problems.add(scope.node.span, f"more than {_DEEPEST} models are in each other")
            return
        for node in scope.node.children:
            if node.tag in _NAMED:
                self._add(node, scope)
            elif node.tag == "model":
                inner = self._nested(node, node, scope, scope.version, scope.file)
                self.collect(inner, chain, depth + 1)
            elif node.tag == "include":
                included = self._included(node, scope, chain)
                if included is not None:
                    self.collect(included, (*chain, included.file.resolve()), depth + 1)

    def _add(self, node: XmlNode, scope: _Scope) -> None:
        name = node.get("name")
        first, _ = scope.names.setdefault(name, (node, scope))
        if first is not node and node.tag == first.tag:
            text = f"the {node.tag} {name!r} is there twice; the first stands at {first.span}"
            self._problems.add(node.span, f"{text}: give one another name")
        if node.tag != "frame":
            (self.links if node.tag == "link" else self.joints).append((node, scope))

    def _included(self, include: XmlNode, scope: _Scope, chain: tuple[Path, ...]) -> _Scope | None:
        """Return the model of another file, None where it cannot be had, which is noted."""
        uri = text_in(include, "uri")
        file = find_main_model(uri, scope.file) or find_model_file(uri, scope.file)
        self._includes += 1
        if file is None or file.resolve() in chain or self._includes > _MOST_INCLUDES:
            self._problems.add(include.span, self._why_not_included(uri, file))
            return None
        root = read_model_xml(file, self._problems)
        if root is None:
            return None
        model = next(root.all("model"), None)
        if model is None:
            self._problems.add(include.span, f"<include> names {uri!r}; {file} has no <model>")
            return None
        check_bounds(root, self._problems)
        localize(model, file)
        model.attributes["name"] = text_in(include, "name") or model.get("name")
        if next(include.all("pose"), None) is None:
            include.children += list(model.all("pose"))
        return self._nested(model, include, scope, root.get("version"), file)

    def _why_not_included(self, uri: str, file: Path | None) -> str:
        if file is None:
            return f"<include> names {uri!r}; there is no such model beside this file, nor in {searched_in()}"
        if self._includes > _MOST_INCLUDES:
            return f"more than {_MOST_INCLUDES} models are included"
        return f"<include> names {uri!r}, which includes this file: a model cannot be in itself"

    def _nested(self, model: XmlNode, placed: XmlNode, scope: _Scope, version: str, file: Path) -> _Scope:
        """Return a model in another one; it has names of its own unless it is merged."""
        name, is_merged = model.get("name"), placed.tag == "include" and placed.get("merge") in _TRUE
        prefix = scope.prefix if is_merged else f"{scope.prefix}{name}{_BETWEEN}"
        inner = _Scope(model, placed, prefix, version, file, scope)
        if is_merged:
            inner.names, inner.nested = scope.names, scope.nested
        elif scope.nested.setdefault(name, inner) is not inner:
            self._problems.add(placed.span, f"the model {name!r} is there twice: give one another name")
        return inner


class _Flattener:
    """Says where all frames are, and writes links and joints anew."""

    def __init__(self, collected: _Collector, problems: Problems) -> None:
        self._links, self._joints, self._problems = collected.links, collected.joints, problems
        self._active: set[int] = set()  # frames whose places are being found: one that is met again hangs on itself
        self._places: dict[int, Place] = {}

    def flatten(self, root: _Scope) -> None:
        """Put all links and joints into the outermost model, with poses that are relative to nothing else."""
        # first all is read, then changed: frames hang on each other
        changes: list[tuple[XmlNode, Place]] = []
        ends: list[tuple[XmlNode, str]] = []
        for node, scope in self._links:
            changes += self._link_changes(node, scope)
        for node, scope in self._joints:
            changes += self._joint_changes(node, scope, ends)
        for node, place in changes:
            set_place(node, place)
        for node, text in ends:
            node.text = text
        for node, scope in (*self._links, *self._joints):
            node.attributes["name"] = scope.prefix + node.get("name")
        dropped = (*_NAMED, "include", "model")
        kept = [child for child in root.node.children if child.tag not in dropped]
        root.node.children = kept + [node for node, _ in (*self._links, *self._joints)]
        check_bounds(root.node, self._problems)

    def _link_changes(self, link: XmlNode, scope: _Scope) -> Iterator[tuple[XmlNode, Place]]:
        place = self._pose(link, scope)
        if scope.parent is not None or _frame_of(link):
            yield link, place
        for part in link.children:
            frame = _frame_of(part)
            if part.tag in _PARTS and frame:
                base = self._frame(frame, scope, part)
                yield part, seen_from(place, composed(base, pose_in(part, self._problems)))

    def _joint_changes(
        self, joint: XmlNode, scope: _Scope, ends: list[tuple[XmlNode, str]]
    ) -> Iterator[tuple[XmlNode, Place]]:
        """Yield a joint whose pose is not relative to its link; note the links that it holds, and turn its axes."""
        names = {end: text_in(joint, end) for end in ("parent", "child")}
        linked = {end: self._link_named(name, scope) if name else None for end, name in names.items()}
        for end, entry in linked.items():
            name = names[end]
            full = _WORLD if name == _WORLD and entry is None else scope.prefix + name
            full = entry[1].prefix + entry[0].get("name") if entry is not None else full
            ends += [(node, full) for node in joint.all(end)]
        ends += [(node, scope.prefix + node.text.strip()) for node in joint.all("gearbox_reference_body")]
        for mimic in (node for node in joint.walk() if node.tag == "mimic"):
            mimic.attributes["joint"] = scope.prefix + mimic.get("joint")
        child = linked["child"]
        if child is None:
            return
        place = self._pose(joint, scope)
        for axis in (node for node in joint.children if node.tag in ("axis", "axis2")):
            self._turn_axis(axis, place, scope)
        if _frame_of(joint) or child[0].get("name") != names["child"].rpartition(_BETWEEN)[2]:
            yield joint, seen_from(self._pose(*child), place)

    def _turn_axis(self, axis: XmlNode, place: Place, scope: _Scope) -> None:
        """Let an axis be in the frame of its joint, unless it is in one of the outermost model."""
        xyz = next(axis.all("xyz"), None)
        if xyz is None:
            return
        frame, is_old = xyz.get("expressed_in"), text_in(axis, "use_parent_model_frame")
        if not frame and (is_old in _TRUE or (not is_old and scope.version in AXES_OF_MODELS)):
            frame = _MODEL
        if scope.parent is None and frame in ("", _MODEL):
            return
        if frame:
            _, turn = self._frame(frame, scope, axis)
            x, y, z = numbers_in(xyz.text, 3, xyz, self._problems)
            xyz.text = " ".join(map(repr, turned(inverse(place[1]), turned(turn, (x, y, z)))))
        xyz.attributes["expressed_in"] = OF_JOINT

    def _frame(self, name: str, scope: _Scope, asking: XmlNode) -> Place:
        """Return where a frame is, in the outermost model; one that is not there is noted."""
        if name in ("", _MODEL):
            return self._model_place(scope)
        if name in scope.names:
            return self._pose(*scope.names[name])
        if name in scope.nested:
            return self._model_place(scope.nested[name])
        inner = scope.within(name)
        if inner is not None:
            return self._frame(inner[1], inner[0], asking)
        names = ", ".join([*scope.names, *scope.nested][:_MOST_NAMES])
        text = f"this <{asking.tag}> is relative to {name!r}; there is no such frame in the model: {names}"
        self._problems.add(asking.span, text)
        return HERE

    def _pose(self, node: XmlNode, scope: _Scope) -> Place:
        """Return where a link, a joint or a frame is, in the outermost model."""
        if id(node) in self._places:
            return self._places[id(node)]
        if id(node) in self._active:
            self._problems.add(node.span, f"the pose of {node.get('name')!r} is relative to itself, over other frames")
            return HERE
        self._active.add(id(node))
        usual_frame = {"frame": node.get("attached_to"), "joint": text_in(node, "child")}.get(node.tag, "")
        base = self._frame(_frame_of(node) or usual_frame, scope, node)
        self._active.discard(id(node))
        self._places[id(node)] = composed(base, pose_in(node, self._problems))
        return self._places[id(node)]

    def _model_place(self, scope: _Scope) -> Place:
        """Return where the frame of a model is, in the outermost one."""
        if scope.parent is None:
            return HERE
        if id(scope) in self._places:
            return self._places[id(scope)]
        if id(scope) in self._active:
            self._problems.add(scope.placed.span, "the pose of this model is relative to itself, over other frames")
            return HERE
        self._active.add(id(scope))
        base = self._frame(_frame_of(scope.placed), scope.parent, scope.placed)
        place = composed(base, pose_in(scope.placed, self._problems))
        frame = text_in(scope.placed, "placement_frame") or scope.node.get("placement_frame")
        if frame:
            # where that frame is in this model alone
            places, active = self._places, self._active
            self._places, self._active = {id(scope): HERE}, set()
            place = composed(place, inverted(self._frame(frame, scope, scope.placed)))
            self._places, self._active = places, active
        self._active.discard(id(scope))
        self._places[id(scope)] = place
        return place

    def _link_named(self, name: str, scope: _Scope, depth: int = 0) -> "tuple[XmlNode, _Scope] | None":
        """Return the link that a name means, None where there is none: a frame stands for what it is attached to."""
        if depth > _DEEPEST * _DEEPEST:
            return None
        if name in ("", _MODEL):
            links = [named for named in scope.names.values() if named[0].tag == "link"]
            chosen = scope.node.get("canonical_link")
            if chosen or links:
                return self._link_named(chosen, scope, depth + 1) if chosen else links[0]
            inner = next(iter(scope.nested.values()), None)
            return self._link_named("", inner, depth + 1) if inner is not None else None
        if name in scope.names:
            node, home = scope.names[name]
            if node.tag == "link":
                return node, home
            attached = node.get("attached_to") if node.tag == "frame" else text_in(node, "child")
            return self._link_named(attached, home, depth + 1)
        if name in scope.nested:
            return self._link_named("", scope.nested[name], depth + 1)
        within = scope.within(name)
        return self._link_named(within[1], within[0], depth + 1) if within is not None else None
