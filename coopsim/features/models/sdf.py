"""SDF models as MJCF, which MuJoCo reads: links in a tree by their joints, collision shapes, inertias.

Source: the SDFormat specification 1.9, sdformat.org/spec.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import numpy as np

from coopsim.features.models.inertias import possible_inertia
from coopsim.features.models.joint_facts import JointFacts
from coopsim.features.models.model_bounds import DEEPEST_CHAIN, check_bounds
from coopsim.features.models.model_meshes import ModelMeshes
from coopsim.features.models.model_paths import find_main_model, find_model_file, searched_in
from coopsim.features.models.model_xml import read_model_xml
from coopsim.features.models.sdf_couplings import GEARBOX, SCREW, SdfCouplings
from coopsim.features.models.sdf_joints import SdfJoints
from coopsim.features.models.sdf_nesting import flat_model, localize
from coopsim.features.models.sdf_poses import (
    HERE,
    Place,
    number_in,
    numbers_in,
    pose_in,
    seen_from,
    text_in,
    turn_of,
    words_of,
)
from coopsim.geometry import Vector3, turned
from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode

_KNOWN = {
    *(
        "sdf",
        "model",
        "world",
        "include",
        "name",
        "static",
        "pose",
        "link",
        "inertial",
        "mass",
        "inertia",
        "collision",
        "visual",
        "geometry",
        "box",
    ),
    *("size", "cylinder", "radius", "length", "sphere", "mesh", "uri", "scale", "joint", "parent", "child", "axis"),
    *("axis2", "xyz", "limit", "lower", "upper", "effort", "velocity", "dynamics", "mimic"),
    *("frame", "placement_frame", "capsule", "ellipsoid", "radii", "empty", "plane", "heightmap", "image", "polyline"),
    *("ixx", "iyy", "izz", "ixy", "ixz", "iyz", "material", "self_collide", "gravity", "use_parent_model_frame"),
    *("thread_pitch", "screw_thread_pitch", "gearbox_ratio", "gearbox_reference_body"),
}
_CLOSED = {
    "material",
    "dynamics",
    "mimic",
    "plane",
    "heightmap",
    "image",
    "polyline",
}  # what is inside is known, and not used
_ONLY_SEEN = {"contype": "0", "conaffinity": "0", "mass": "0"}
_WORLD = "world"
_OF_WORLDS = ("plane", "heightmap", "image", "polyline")  # shapes of grounds and walls, not of robots


def mjcf_of(root: XmlNode, path: Path, meshes: ModelMeshes, facts: JointFacts, problems: Problems) -> str:
    """Return the model of an SDF file as MJCF; what is left out is warned of, mistakes are noted, joints in `facts`."""
    for tag, span in dict(reversed(list(_left_out(root)))).items():
        problems.warn(span, f"the element <{tag}> is left out")
    model, version = _chosen_model(root, path, problems)
    if model is None:
        return ""
    before = problems.total
    model = flat_model(model, version, path, problems)
    if problems.total > before:
        return ""
    facts.read(model, problems)
    return _MjcfWriter(model, SdfJoints(version, problems), meshes, problems).text()


def _chosen_model(root: XmlNode, path: Path, problems: Problems) -> tuple[XmlNode | None, str]:
    """Return the model of a file, and the version of SDF that it is written in.

    Of a world with several it is the first that moves; the others are warned of.
    """
    version = root.get("version")
    versions: list[tuple[XmlNode, str]] = []
    missing: list[tuple[Span, str]] = []
    before = problems.total
    for scope in (root, *root.all("world")):
        versions += [(model, version) for model in scope.all("model")]
        versions += _included(scope, path, problems, missing)
    models = [model for model, _ in versions]
    moving = [model for model in models if text_in(model, "static") not in ("1", "true") and _has_parts(model)]
    for span, text in missing:
        # a ground or a sun that is not there takes nothing from the robot
        (problems.warn if moving else problems.add)(span, text)
    if problems.total > before:
        return None, ""
    if not models:
        problems.add(root.span, f"expected <sdf> with a <model>, got <{root.tag}> without one")
        return None, ""
    chosen = next(iter((*moving, *models)))
    for model in models:
        if model is not chosen:
            text = f"the model {model.get('name')!r} is left out: a robot is one, here {chosen.get('name')!r}"
            problems.warn(model.span, text)
    return chosen, next(written for model, written in versions if model is chosen)


def _has_parts(model: XmlNode) -> bool:
    return any(child.tag in ("link", "model", "include") for child in model.children)


def _included(
    scope: XmlNode, path: Path, problems: Problems, missing: list[tuple[Span, str]]
) -> Iterator[tuple[XmlNode, str]]:
    """Yield the models that a world includes, each with the version of SDF of its file; `missing` takes others."""
    for include in scope.all("include"):
        uri = text_in(include, "uri")
        file = find_main_model(uri, path) or find_model_file(uri, path)
        if file is None:
            text = f"<include> names {uri!r}; there is no such model beside this file, nor in {searched_in()}"
            missing.append((include.span, text))
            continue
        root = read_model_xml(file, problems)
        if root is not None:
            check_bounds(root, problems)
            for model in root.all("model"):
                localize(model, file)
                yield model, root.get("version")


def without_looks(mjcf: str) -> str:
    """Return what `mjcf_of` returned without what is only seen."""
    root = fromstring(mjcf)  # noqa: S314 - made here
    for body in list(root.iter("body")):
        for geom in [geom for geom in body.findall("geom") if geom.get("contype") == _ONLY_SEEN["contype"]]:
            body.remove(geom)
    used = {geom.get("mesh") for geom in root.iter("geom")}
    for assets in root.findall("asset"):
        for mesh in [asset for asset in assets if asset.get("name") not in used]:
            assets.remove(mesh)
    return tostring(root, "unicode")


def _left_out(node: XmlNode) -> Iterator[tuple[str, Span]]:
    """Yield elements that are not known; what is in them is not looked at."""
    for child in node.children:
        if child.tag not in _KNOWN:
            yield child.tag, child.span
        elif child.tag not in _CLOSED:
            yield from _left_out(child)


class _MjcfWriter:
    def __init__(self, model: XmlNode, moving: SdfJoints, meshes: ModelMeshes, problems: Problems) -> None:
        self._moving, self._meshes, self._problems, self._model = moving, meshes, problems, model
        self._links: dict[str, XmlNode] = {}
        for node in model.all("link"):
            first = self._links.setdefault(node.get("name"), node)
            if first is not node:
                text = f"the link {node.get('name')!r} is there twice; the first stands at {first.span}"
                problems.add(node.span, f"{text}: give one another name")
        self._joints: dict[str, XmlNode] = {}
        self._closing: list[XmlNode] = []
        # a gearbox couples joints; it holds a link that nothing else holds
        for node in sorted(model.all("joint"), key=lambda joint: joint.get("type") == GEARBOX):
            self._add_joint(node)
        self._couplings = SdfCouplings(self._joints, self._axis_of, problems)
        self._held: dict[str, list[str]] = {}
        for child, joint in self._joints.items():
            self._held.setdefault(text_in(joint, "parent"), []).append(child)
        self._mjcf = Element("mujoco")
        SubElement(self._mjcf, "compiler", angle="radian")
        self._assets = SubElement(self._mjcf, "asset")

    def text(self) -> str:
        """Return the model."""
        if not self._links:
            self._problems.add(self._model.span, "this <model> has no <link>")
        if not self._is_shallow():
            return ""
        written: set[str] = set()
        world, is_static = SubElement(self._mjcf, "worldbody"), text_in(self._model, "static") in ("1", "true")
        for name in self._links:
            parent = self._parent(name)
            if self._is_root(name):
                body = self._body(name, None, world, written)
                if not parent and not is_static and not self._is_held(name):
                    body.insert(0, Element("freejoint"))
        self._close_loops()
        for name in self._links.keys() - written:
            self._problems.add(self._links[name].span, f"the link {name!r} hangs on joints that go round in a ring")
        return tostring(self._mjcf, "unicode")

    def _add_joint(self, node: XmlNode) -> None:
        child, parent = text_in(node, "child"), text_in(node, "parent")
        for link in (child, parent):
            if link not in self._links and not (link == _WORLD and link is parent):
                self._problems.add(node.span, f"the joint {node.get('name')!r} names the link {link!r}; there is none")
        if child in self._joints:
            self._closing.append(node)
        self._joints.setdefault(child, node)

    def _close_loops(self) -> None:
        """Add an equality for each further joint of a link."""
        equality = SubElement(self._mjcf, "equality")
        for node in self._closing:
            link = self._links.get(text_in(node, "child"))
            if link is not None and not self._couplings.add_closing(node):
                self._moving.close(node, self._frame(link)[1], equality)
        self._couplings.write(equality)

    def _axis_of(self, joint: XmlNode, axis: str) -> Vector3:
        """Return the direction of an axis of a joint in the model."""
        link = self._links.get(text_in(joint, "child"))
        turn = self._frame(link)[1] if link is not None else HERE[1]
        return turned(turn, self._moving.along(joint, next(joint.all(axis), None), turn))

    def _is_shallow(self) -> bool:
        """Note a chain of too many links, through which what writes and reads them calls itself."""
        waiting = [(name, 1) for name in self._links if self._is_root(name)]
        while waiting:
            name, depth = waiting.pop()
            if depth > DEEPEST_CHAIN:
                self._problems.add(self._links[name].span, f"more than {DEEPEST_CHAIN} links hang on each other")
                return False
            waiting += [(child, depth + 1) for child in self._held.get(name, ()) if child in self._links]
        return True

    def _is_root(self, name: str) -> bool:
        """Return whether a link hangs on no other one; a model may have a link that it calls world."""
        parent = self._parent(name)
        return not parent or (parent == _WORLD and _WORLD not in self._links)

    def _is_held(self, name: str) -> bool:
        """Return whether a link stays where it is put: it stands for the world, or has no mass, as in Bullet."""
        inertial = next(self._links[name].all("inertial"), None)
        if inertial is None or self._number(inertial, "mass", 1.0) != 0.0:
            return name == _WORLD and inertial is None
        self._problems.warn(inertial.span, f"the link {name!r} carries the model and has the mass 0: it is held")
        return True

    def _parent(self, name: str) -> str:
        return text_in(self._joints[name], "parent") if name in self._joints else ""

    def _body(self, name: str, frame: Place | None, within: Element, written: set[str]) -> Element:
        written.add(name)
        link, place = self._links[name], self._frame(self._links[name])
        body = SubElement(
            # the name of MuJoCo's own body
            within,
            "body",
            {
                "name": f"{name}_link" if name == _WORLD else name,
                **_posed(place if frame is None else seen_from(frame, place)),
            },
        )
        if name in self._joints:
            self._moving.add(self._joints[name], place[1], body)
            if self._joints[name].get("type") == SCREW:
                self._couplings.add_screw(self._joints[name])
        self._inertial(link, body)
        for node in link.all("collision"):
            self._geom(node, body, {})
        for node in link.all("visual"):
            self._geom(node, body, {**_ONLY_SEEN, **self._color(node)})
        for child in self._held.get(name, ()):
            if child in self._links and child not in written:
                self._body(child, place, body, written)
        return body

    def _inertial(self, link: XmlNode, body: Element) -> None:
        node = next(link.all("inertial"), None)
        if node is None:  # the specification's defaults; in URDF and MJCF it would have no mass
            SubElement(body, "inertial", pos="0 0 0", mass="1", diaginertia="1 1 1")
            return
        at, _ = self._frame(node)
        tensor, keys = next(node.all("inertia"), None), ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        values = (self._number(tensor, key, float(key[1] == key[2])) for key in keys)
        mass = self._number(node, "mass", 1.0)
        mass, moments = possible_inertia(link.get("name"), node.span, (mass, list(values)), self._problems)
        xx, yy, zz, xy, xz, yz = moments
        turn = turn_of(node, self._problems)
        inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
        full = (inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2])
        SubElement(body, "inertial", pos=words_of(at), mass=f"{mass:.12g}", fullinertia=words_of(full))

    def _color(self, node: XmlNode) -> dict[str, str]:
        """Return the colour of a visual, as MJCF says it."""
        said = next((diffuse for material in node.all("material") for diffuse in material.all("diffuse")), None)
        words = said.text.split() if said else []
        if said is None or len(words) not in (3, 4):
            return {}
        return {"rgba": words_of([*numbers_in(" ".join(words[:3]), 3, said, self._problems), 1.0])}

    def _geom(self, node: XmlNode, body: Element, looks: dict[str, str]) -> None:
        shape = next((child for geometry in node.all("geometry") for child in geometry.children), None)
        more = {**_posed(self._frame(node)), **looks}
        if shape is None:
            self._problems.add(node.span, f"this <{node.tag}> has no <geometry> with a shape")
        elif shape.tag == "empty":
            return
        elif shape.tag == "box":
            size = self._three(text_in(shape, "size"), shape)
            SubElement(body, "geom", {**more, "type": "box", "size": words_of([0.5 * length for length in size])})
        elif shape.tag == "cylinder":
            both = self._number(shape, "radius", 1.0), 0.5 * self._number(shape, "length", 1.0)
            SubElement(body, "geom", {**more, "type": "cylinder", "size": words_of(both)})
        elif shape.tag == "sphere":
            SubElement(body, "geom", {**more, "type": "sphere", "size": words_of([self._number(shape, "radius", 1.0)])})
        elif shape.tag == "capsule":
            both = self._number(shape, "radius", 0.5), 0.5 * self._number(shape, "length", 1.0)
            SubElement(body, "geom", {**more, "type": "capsule", "size": words_of(both)})
        elif shape.tag == "ellipsoid":
            radii = self._three(text_in(shape, "radii") or "1 1 1", shape)
            SubElement(body, "geom", {**more, "type": "ellipsoid", "size": words_of(radii)})
        elif shape.tag == "mesh":
            name, scale = f"mesh_{len(self._assets)}", self._three(text_in(shape, "scale") or "1 1 1", shape)
            file = self._meshes.add(text_in(shape, "uri"), shape.span, is_seen_only=bool(looks))
            if not file:
                return
            SubElement(self._assets, "mesh", name=name, file=file, scale=words_of(scale))
            SubElement(body, "geom", {**more, "type": "mesh", "mesh": name})
        else:
            say = self._problems.warn if looks or shape.tag in _OF_WORLDS else self._problems.add
            shapes = "box, capsule, cylinder, ellipsoid, sphere, mesh"
            say(shape.span, f"this <{node.tag}> is left out: <{shape.tag}> is no shape that is read: {shapes}")

    def _frame(self, node: XmlNode) -> Place:
        return pose_in(node, self._problems)

    def _number(self, node: XmlNode | None, tag: str, otherwise: float) -> float:
        return number_in(node, tag, otherwise, self._problems)

    def _three(self, text: str, node: XmlNode) -> Vector3:
        x, y, z = numbers_in(text, 3, node, self._problems)
        return (x, y, z)


def _posed(place: Place) -> dict[str, str]:
    return {"pos": words_of(place[0]), "quat": words_of(place[1])}
