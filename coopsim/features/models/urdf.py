"""URDF models as MuJoCo's reader wants them: meshes by names of their own, masses and inertias that can be.

Source: wiki.ros.org/urdf/XML; MuJoCo's `boundmass`, `boundinertia` and `balanceinertia` say how inertias are mended.
"""

from collections.abc import Iterator

import numpy as np

from coopsim.features.models.inertias import LEAST, LIGHT, possible_inertia
from coopsim.features.models.model_meshes import ModelMeshes
from coopsim.features.models.model_tree import leave_out
from coopsim.features.models.model_xml import expected_numbers
from coopsim.scene import Problems
from coopsim.scene.spans import Span
from coopsim.scene.xml_nodes import XmlNode

_KNOWN = frozenset(
    (
        *("robot", "link", "inertial", "origin", "mass", "inertia", "visual", "collision", "geometry", "box"),
        *("cylinder", "sphere", "capsule", "mesh", "material", "color", "joint", "parent", "child", "axis", "limit"),
        *("dynamics", "mujoco", "compiler", "option", "size"),
    )
)
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
_SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
}
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_MOVING = ("revolute", "continuous", "prismatic")
_ONCE = {
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics"),
}
"""Elements that are in another one once at most."""
_MACROS = ("$(", "${")
_NO_MOTION = ("fixed", "floating", "planar", "spherical")


def prepare_urdf(root: XmlNode, meshes: ModelMeshes, problems: Problems) -> None:
    """Change a URDF model so that MuJoCo reads it; what is left out or mended is warned of, every mistake noted.

    Args:
        root: `<robot>`, which is changed.
        meshes: Takes its meshes.
        problems: Takes the rest.
    """
    # a material may name a picture, which is not drawn; that a joint mimics another one has been read
    for node in root.walk():
        node.children = [child for child in node.children if child.tag not in ("texture", "mimic")]
    leave_out(root, _KNOWN, problems)
    for node in root.walk():
        _drop_repeated(node, problems)
        if node.tag == "color":
            _numbers(node, "rgba", 4, problems, 1.0)
    links = list(root.all("link"))
    _check_names(links, problems)
    for link in links:
        _mend_inertial(link, problems)
        _read_shapes(link, meshes, problems)
    for joint in root.all("joint"):
        _check_joint(joint, {link.get("name") for link in links}, problems)
    if not links:
        problems.add(root.span, "this <robot> has no <link>")
    _check_tree(root, problems)
    _set_compiler(root)


def _drop_repeated(node: XmlNode, problems: Problems) -> None:
    """Keep the first of elements that are there once by the specification, as most readers do."""
    kept: list[XmlNode] = []
    for child in node.children:
        first = next((sibling for sibling in kept if sibling.tag == child.tag), None)
        if child.tag in _ONCE.get(node.tag, ()) and first is not None:
            text = f"<{node.tag}> has a second <{child.tag}>, which is left out; the first is on line {first.span.line}"
            problems.warn(child.span, text)
        else:
            kept.append(child)
    node.children = kept


def _check_names(links: list[XmlNode], problems: Problems) -> None:
    first: dict[str, Span] = {}
    for link in links:
        if not link.get("name"):
            problems.add(link.span, "this <link> has no name")
            continue
        if first.setdefault(link.get("name"), link.span) is not link.span:
            text = f"the link {link.get('name')!r} is there twice"
            problems.add(link.span, f"{text}; it stands on line {first[link.get('name')].line}")


def _numbers(node: XmlNode, name: str, count: int, problems: Problems, otherwise: float) -> list[float]:
    """Return the numbers of an attribute, of which blanks and commas stand between; a wrong one is noted.

    Of too many the first count, as for other readers, which is warned of.
    """
    words = node.get(name).replace(",", " ").split()
    if not words:
        return [otherwise] * count
    _, at = node.places.get(name, (node.span, node.span))
    if any(mark in node.get(name) for mark in _MACROS):
        text = f"{name} of <{node.tag}> is {node.get(name)[:60]!r}, a macro of xacro"
        problems.add(at, f"{text}: expand the file by the command xacro, or let its name end in .urdf.xacro")
        return [otherwise] * count
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) >= count and all(map(np.isfinite, numbers)):
        if len(numbers) > count:
            problems.warn(
                at, f"{name} of <{node.tag}> takes {count} numbers, got {len(numbers)}; the first {count} count"
            )
        node.attributes[name] = " ".join(words[:count])
        return numbers[:count]
    problems.add(at, f"{name} of <{node.tag}> takes {expected_numbers(count)}, got {node.get(name)[:60]!r}")
    return [otherwise] * count


def _mend_inertial(link: XmlNode, problems: Problems) -> None:
    """Give a link a mass and moments of inertia that a body may have."""
    for inertial in link.all("inertial"):
        before = problems.total
        for origin in inertial.all("origin"):
            _numbers(origin, "xyz", 3, problems, 0.0)
            _numbers(origin, "rpy", 3, problems, 0.0)
        mass = next(inertial.all("mass"), None)
        tensor = next(inertial.all("inertia"), None)
        value = _numbers(mass, "value", 1, problems, 0.0)[0] if mass else 0.0
        moments = [_numbers(tensor, key, 1, problems, 0.0)[0] if tensor else 0.0 for key in _MOMENTS]
        if problems.total > before:
            continue  # what would be said of the rest would be about guesses
        mended_mass, mended = possible_inertia(link.get("name"), inertial.span, (value, moments), problems)
        inertial.children = [child for child in inertial.children if child.tag == "origin"]
        inertial.children.append(_child(mass or inertial, "mass", {"value": repr(mended_mass)}))
        words = {key: repr(float(moment)) for key, moment in zip(_MOMENTS, mended, strict=True)}
        inertial.children.append(_child(tensor or inertial, "inertia", words))
    if next(link.all("inertial"), None) is None:
        inertial = _child(link, "inertial", {})
        words = dict.fromkeys(_MOMENTS[:3], repr(LEAST)) | dict.fromkeys(_MOMENTS[3:], "0")
        inertial.children = [
            _child(inertial, "mass", {"value": repr(LIGHT)}),
            _child(inertial, "inertia", words),
        ]
        link.children.insert(0, inertial)


def _child(source: XmlNode, tag: str, attributes: dict[str, str]) -> XmlNode:
    """Return an element of ours with the place of the one that it stems from."""
    return XmlNode(tag, attributes, source.span, source, places=source.places)


def _read_shapes(link: XmlNode, meshes: ModelMeshes, problems: Problems) -> None:
    """Check what a link collides and is drawn with; leave out what is no shape or no mesh that can be read."""
    kept = []
    for node in link.children:
        if node.tag in ("visual", "collision") and not _is_shape(node, meshes, problems):
            continue
        kept.append(node)
    link.children = kept


def _is_shape(node: XmlNode, meshes: ModelMeshes, problems: Problems) -> bool:
    # several of one name are usual, and MuJoCo would tell of each
    node.attributes.pop("name", None)
    for origin in node.all("origin"):
        _numbers(origin, "xyz", 3, problems, 0.0)
        _numbers(origin, "rpy", 3, problems, 0.0)
    shapes = [shape for geometry in node.all("geometry") for shape in geometry.children if shape.tag in _SHAPES]
    if not shapes:
        problems.warn(node.span, f"this <{node.tag}> has no shape and is left out; shapes are {', '.join(_SHAPES)}")
        return False
    mesh = next((shape for shape in shapes if shape.tag == "mesh"), None)
    if mesh is None:
        return all(_has_size(shape, problems, is_seen_only=node.tag == "visual") for shape in shapes)
    # one number for all three directions is usual, too
    words = mesh.get("scale").split()
    mesh.attributes["scale"] = " ".join(words * 3 if len(words) == 1 else words)
    scale = _numbers(mesh, "scale", 3, problems, 1.0)
    mesh.attributes["scale"] = " ".join(map(repr, scale))
    name = meshes.add(mesh.get("filename"), mesh.span, mesh.get("scale"), is_seen_only=node.tag == "visual")
    mesh.attributes["filename"] = name
    return bool(name)


def _has_size(shape: XmlNode, problems: Problems, *, is_seen_only: bool) -> bool:
    """Return whether a shape has lengths above 0; one that is only seen is left out without, else that is noted."""
    for key in _SIZES.get(shape.tag, ()):
        _, at = shape.places.get(key, (shape.span, shape.span))
        before = problems.total
        if min(_numbers(shape, key, 3 if key == "size" else 1, problems, 0.0)) > 0.0 or problems.total > before:
            continue
        text = f"{key} of <{shape.tag}> is {shape.get(key)!r}; expected lengths above 0, in metres"
        if is_seen_only:
            problems.warn(at, f"{text}; the <visual> is left out")
        else:
            problems.add(at, text)
        return False
    return True


def _check_joint(joint: XmlNode, links: set[str], problems: Problems) -> None:
    name, kind = joint.get("name"), joint.get("type")
    if kind not in (*_MOVING, *_NO_MOTION):
        types = ", ".join((*_MOVING, *_NO_MOTION))
        problems.add(joint.span, f"the joint {name!r} has the type {kind!r}; known: {types}")
    for end in ("parent", "child"):
        node = next(joint.all(end), None)
        if node is None or node.get("link") not in links:
            link = node.get("link") if node else ""
            problems.add((node or joint).span, f"<{end}> of the joint {name!r} names the link {link!r}; there is none")
    if kind == "planar":
        problems.warn(joint.span, f"the joint {name!r} is planar; it becomes two slides and a hinge")
    for origin in joint.all("origin"):
        _numbers(origin, "xyz", 3, problems, 0.0)
        _numbers(origin, "rpy", 3, problems, 0.0)
    for axis in joint.all("axis"):
        if not any(_numbers(axis, "xyz", 3, problems, 0.0)):
            axis.attributes["xyz"] = "1 0 0"
    for dynamics in joint.all("dynamics"):
        for key in ("damping", "friction"):
            if _numbers(dynamics, key, 1, problems, 0.0)[0] < 0.0:
                _, at = dynamics.places.get(key, (dynamics.span, dynamics.span))
                problems.add(at, f"{key} of the joint {name!r} is below 0; expected 0 or more")
    for limit in joint.all("limit"):
        _mend_limit(joint, limit, problems)


def _check_tree(root: XmlNode, problems: Problems) -> None:
    """Note joints that hold a link a second time, or that go round in a ring; joints of one name are warned of."""
    holders: dict[str, XmlNode] = {}
    names: dict[str, Span] = {}
    for joint in root.all("joint"):
        name, child = joint.get("name"), _end(joint, "child")
        first = holders.setdefault(child, joint)
        if first is not joint:
            text = f"the link {child!r} is held by the joint {name!r}, and by {first.get('name')!r} on line"
            problems.add(joint.span, f"{text} {first.span.line}: a link has one parent")
        if names.setdefault(name, joint.span) is not joint.span:
            text = f"the joint {name!r} is there twice; the first is on line {names[name].line}"
            problems.warn(joint.span, f"{text}, and joints that mimic it follow that one")
    for link, joint in holders.items():
        above, steps = _end(joint, "parent"), 0
        while above in holders and above != link and steps <= len(holders):
            above, steps = _end(holders[above], "parent"), steps + 1
        if above == link:
            problems.add(
                joint.span, f"the link {link!r} hangs on joints that go round in a ring, {joint.get('name')!r}"
            )
            return


def _end(joint: XmlNode, end: str) -> str:
    return next((node.get("link") for node in joint.all(end)), "")


def _mend_limit(joint: XmlNode, limit: XmlNode, problems: Problems) -> None:
    """Let limits that leave no room be none, as most readers do."""
    for key in ("effort", "velocity"):
        _numbers(limit, key, 1, problems, 0.0)
    low, high = (_numbers(limit, key, 1, problems, 0.0)[0] for key in ("lower", "upper"))
    if joint.get("type") in ("revolute", "prismatic") and low >= high:
        if low > high or low != 0.0:
            text = f"the joint {joint.get('name')!r} has limits from {low:g} to {high:g}; it has none here"
            problems.warn(limit.span, text)
        for key in ("lower", "upper"):
            limit.attributes.pop(key, None)


def _set_compiler(root: XmlNode) -> None:
    """Say what MuJoCo does beyond URDF; of the model's own section `compiler` stays what moves bodies."""
    own = {key: value for node in _compilers(root) for key, value in node.attributes.items() if key in _OWN}
    root.children = [child for child in root.children if child.tag != "mujoco"]
    extension = _child(root, "mujoco", {})
    extension.children = [_child(extension, "compiler", {"fusestatic": "false", "balanceinertia": "true", **own})]
    root.children.insert(0, extension)


_OWN = ("inertiafromgeom", "autolimits", "angle", "eulerseq", "balanceinertia", "settotalmass")


def _compilers(root: XmlNode) -> Iterator[XmlNode]:
    for extension in root.all("mujoco"):
        yield from extension.all("compiler")
