"""URDF, MJCF and SDF models as robots: what MuJoCo makes of them becomes links and joints of ours."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coopsim.errors import BadFile, CoopsimError
from coopsim.features.models.model_bounds import check_bounds
from coopsim.features.models.model_looks import ModelLooks
from coopsim.features.models.sdf import mjcf_of, without_looks
from coopsim.geometry import Floats
from coopsim.interfaces.arms import MOST_JOINTS
from coopsim.robots.frames import angles, quaternion_matrix, three
from coopsim.scene import BASE, DeviceSection, Joint, LinkSpec, Problems, RobotFile, Span, VisualSection
from coopsim.scene.meshes import mesh_suffixes, read_triangles
from coopsim.scene.source import why_not_shown
from coopsim.scene.spans import Entry
from coopsim.scene.stl import stl_of
from coopsim.scene.xml_nodes import read_xml_file

SUFFIXES = (".urdf", ".mjcf", ".sdf")
_KNOWN = {
    *("robot", "link", "inertial", "origin", "mass", "inertia", "visual", "collision", "geometry", "box", "cylinder"),
    *("sphere", "mesh", "material", "color", "joint", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    *("safety_controller", "calibration", "mujoco", "compiler", "worldbody", "body", "geom", "freejoint", "asset"),
    *("default", "option", "size", "site", "light", "camera"),
}
_SMALL, _LIGHT = 0.01, 1e-3  # m, kg; of a body without shape or mass
_ANCHOR = 0.02  # m


def read_model(path: Path, problems: Problems) -> RobotFile:
    """Return a model as a robot of the name of its file; its links hang on a small body `base`, which is bolted down.

    Args:
        path: A `.urdf`, `.mjcf` or `.sdf` file.
        problems: Takes every mistake; and a warning for each kind of element that is left out.
    """
    start, before = Span(str(path), 1, 1), problems.total
    empty = RobotFile(path.stem, shape="box", size=(_ANCHOR, _ANCHOR, _ANCHOR), mass=1.0, file=str(path), span=start)
    text, meshes = _from_sdf(path, problems) if path.suffix == ".sdf" else _looked_over(path, problems)
    if problems.total > before:
        return empty
    try:
        bare = without_looks(text) if path.suffix == ".sdf" else text
        model, seen, files = _compiled(bare, text, {name: mesh.content for name, mesh in meshes.items()})
    except CoopsimError:
        raise
    except Exception as problem:  # it raises whatever C++ throws: no memory, too much of a kind, a bug
        problems.add(start, f"MuJoCo cannot read this model: {_words_of(problem)}")
        return empty
    if isinstance(seen, str):
        problems.warn(start, f"each link is drawn as it collides, since its looks cannot be read: {seen}")
        seen = model
    paths = {number: meshes[name].path for number, name in files.items() if name in meshes}
    return _Converter(model, path, start, problems).robot(ModelLooks(seen, paths, start, problems))


class _MeshFile(NamedTuple):
    """A mesh that a model names.

    Attributes:
        content: What MuJoCo reads.
    """

    path: Path
    content: bytes


def _from_sdf(path: Path, problems: Problems) -> tuple[str, dict[str, _MeshFile]]:
    """Return an SDF model as MJCF, and its meshes by name."""
    root, meshes, before = read_xml_file(path, problems), dict[str, _MeshFile](), problems.total
    if root is not None:
        check_bounds(root, problems)

    def mesh_of(name: str, span: Span) -> str:
        _take_mesh(name, path, span, meshes, problems)
        return Path(name).name

    return (mjcf_of(root, mesh_of, problems) if root and problems.total == before else ""), meshes


def _looked_over(path: Path, problems: Problems) -> tuple[str, dict[str, _MeshFile]]:
    """Note what cannot be read, names no file, or is left out; return the text and its meshes by name."""
    root = read_xml_file(path, problems)
    meshes: dict[str, _MeshFile] = {}
    left_out: dict[str, Span] = {}
    if root is not None:
        check_bounds(root, problems)
    for node in root.walk() if root else ():
        if node.tag not in _KNOWN:
            left_out.setdefault(node.tag, node.span)
        name = next((value for key, value in node.attributes.items() if key.startswith("file") and value), "")
        if name and node.tag != "mesh":
            problems.add(node.span, f"<{node.tag}> names the file {name!r}; only meshes are read from other files")
        elif name:
            _take_mesh(name, path, node.span, meshes, problems)
    for tag, span in left_out.items():
        problems.warn(span, f"the element <{tag}> is left out")
    return (path.read_text("utf-8-sig") if root else ""), meshes


def _take_mesh(name: str, path: Path, span: Span, meshes: dict[str, _MeshFile], problems: Problems) -> None:
    """Read a mesh that a model names; note where that cannot be."""
    mesh = _mesh(name, path)
    reason = why_not_shown(mesh) if mesh is not None else None
    if mesh is None:
        problems.add(span, f"no file {name!r} beside this model; put the mesh there, or correct its name")
    elif reason is not None:
        problems.add(span, f"the mesh {name!r} is not read: {reason}")
    else:
        try:
            meshes[Path(name).name] = _MeshFile(mesh, _content(mesh))
        except BadFile as bad:
            problems.add(span, f"the mesh {name!r} is not read: {bad}")


def _content(path: Path) -> bytes:
    """Return a mesh as MuJoCo reads it; raises `BadFile` where it cannot be shown."""
    suffix = path.suffix.lower()
    if suffix not in mesh_suffixes():
        return path.read_bytes()
    triangles = read_triangles(path)
    return stl_of(triangles) if suffix == ".dae" else path.read_bytes()


def _mesh(name: str, path: Path) -> Path | None:
    """Return the file of a mesh: beside the model, below it, or where its path leads from there."""
    plain = re.sub(r"^(package|file|model)://", "", name)
    for candidate in (path.parent / plain, path.parent / Path(plain).name, path.parent / "meshes" / Path(plain).name):
        if candidate.is_file():
            return candidate
    return None


def _compiled(bare: str, text: str, meshes: dict[str, bytes]) -> tuple[Any, Any, dict[int, str]]:
    """Return MuJoCo's model, the same with all that is only seen, or why there is none, and the files of its meshes.

    Raises:
        Exception: It cannot be made, in most cases a `ValueError`.
        PluginFailed: MuJoCo is not installed.
    """
    # MuJoCo is an extra
    from coopsim.features.space.model_files import compiled_looks, compiled_model

    model = compiled_model(bare, meshes)
    try:
        return (model, *compiled_looks(text, meshes))
    except Exception as problem:  # as above
        return model, _words_of(problem), {}


def _words_of(problem: Exception) -> str:
    text = " ".join(str(problem).split())
    return text if isinstance(problem, ValueError) and text else f"{type(problem).__name__}: {text}"


class _Converter:
    """Makes links and joints of what MuJoCo compiled."""

    def __init__(self, model: Any, path: Path, start: Span, problems: Problems) -> None:
        self._model, self._path, self._start, self._problems = model, path, start, problems
        self._names = {0: BASE}
        self._frames: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(3), np.eye(3))}
        self._own: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(3), np.eye(3))}
        self._efforts: list[float] = []
        self._is_free = False

    def robot(self, looks: ModelLooks) -> RobotFile:
        """Return the robot, given what it looks like."""
        links: list[LinkSpec] = []
        visuals: list[VisualSection] = []
        joints: list[Joint] = []
        for body in range(1, self._model.nbody):
            links.append(self._link(body))
            joints.append(self._joint(body))
            visuals += looks.of(body, self._names[body], self._frames[body], self._own[body])
        moving = [joint.name for joint in joints if joint.kind != "weld"]
        if len(moving) > MOST_JOINTS:
            text = f"this model has {len(moving)} joints, and a module drives up to {MOST_JOINTS}"
            self._problems.add(self._start, f"{text}: write a .robot file with several modules `joints`")
        if self._is_free:  # its own base is where it is put, with the small body in it
            links = [replace(link, position=three(np.subtract(link.position, links[0].position))) for link in links]
        size = (_ANCHOR, _ANCHOR, _ANCHOR)
        return RobotFile(
            self._path.stem,
            summary=f"model {self._path.name}",
            shape="box",
            size=size,
            mass=1.0 if not self._is_free else _LIGHT,
            has_wheels=False,
            devices=tuple(self._devices(moving, links)),
            links=tuple(links),
            joints=tuple(joints),
            visuals=tuple(visuals),
            file=str(self._path),
            span=self._start,
            is_bolted=not self._is_free,
            is_articulated=True,
        )

    def _devices(self, moving: list[str], links: list[LinkSpec]) -> Iterator[DeviceSection]:
        if moving:
            words = tuple(f"{effort:g}" for effort in self._efforts)
            entry = Entry("max_effort", words, self._start, tuple(self._start for _ in words))
            yield DeviceSection("joints", "joints", settings=(entry,), span=self._start)
        if links:
            yield DeviceSection("tool", "pose", span=self._start, body=links[-1].name)

    def _link(self, body: int) -> LinkSpec:
        model = self._model
        place, turn = self._frame(body)
        kind, size, middle, tilt = self._shape(body)
        way = place + turn @ middle
        axes = turn @ tilt
        base = way - axes @ np.array([0.0, 0.0, 0.5 * size[2]])
        self._own[body] = base, axes
        name = self._names[body] = self._name(body)
        mass = float(model.body_mass[body])
        centre = axes.T @ (place + turn @ model.body_ipos[body] - base)
        rotation = axes.T @ turn @ quaternion_matrix(model.body_iquat[body])
        tensor = rotation @ np.diag(model.body_inertia[body]) @ rotation.T
        has_mass = mass > _LIGHT and model.body_inertia[body].min() > 0.0
        return LinkSpec(
            name,
            kind,
            three(size),
            max(mass, _LIGHT),
            three(base),
            angles(axes),
            0.6,
            three(centre) if has_mass else None,
            _moments(tensor) if has_mass else None,
            self._start,
        )

    def _joint(self, body: int) -> Joint:
        model, parent = self._model, int(self._model.body_parentid[body])
        count, first = int(model.body_jntnum[body]), int(model.body_jntadr[body])
        kind = int(model.jnt_type[first]) if count else -1
        base, axes = self._own[parent]
        a, b = self._names[parent], self._names[body]
        if count > 1 or kind == 1:
            text = f"the body {b!r} has {count} joints, or a ball" if count > 1 else f"the body {b!r} has a ball joint"
            self._problems.warn(self._start, f"{text}; it is welded")
        if kind == 0:
            self._is_free = True
        if count != 1 or kind not in (2, 3):
            return Joint(f"weld_{body}", "weld", a, b, span=self._start, a_span=self._start, b_span=self._start)
        place, turn = self._frames[body]
        anchor = axes.T @ (place + turn @ model.jnt_pos[first] - base)
        along = axes.T @ turn @ model.jnt_axis[first]
        limits = tuple(map(float, model.jnt_range[first])) if model.jnt_limited[first] else ()
        if limits and not limits[0] <= 0.0 <= limits[1]:
            self._problems.warn(
                self._start, f"the joint {model.joint(first).name!r} begins beyond its limits; they grow"
            )
            limits = (min(limits[0], 0.0), max(limits[1], 0.0))
        most = float(model.jnt_actfrcrange[first][1])
        self._efforts.append(most if most > 0.0 else 100.0)
        armature = float(model.dof_armature[model.jnt_dofadr[first]]) or _LIGHT
        name = _word(model.joint(first).name, f"joint_{body}")
        return Joint(
            name,
            "hinge" if kind == 3 else "slide",
            a,
            b,
            three(anchor),
            three(along),
            limits,
            armature=armature,
            span=self._start,
            a_span=self._start,
            b_span=self._start,
        )

    def _frame(self, body: int) -> tuple[Floats, Floats]:
        """Return place and orientation of a body of MuJoCo in the frame of the robot, joints at 0."""
        parent = int(self._model.body_parentid[body])
        place, turn = self._frames[parent]
        frame = place + turn @ self._model.body_pos[body], turn @ quaternion_matrix(self._model.body_quat[body])
        self._frames[body] = frame
        return frame

    def _shape(self, body: int) -> tuple[str, Floats, Floats, Floats]:
        """Return kind, bounding box, middle and orientation of the shape of a body, in its frame."""
        model = self._model
        geoms = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
        touching = [geom for geom in geoms if model.geom_contype[geom] or model.geom_conaffinity[geom]]
        if len(touching) > 1:
            self._problems.warn(
                self._start, f"the body {self._name(body)!r} has {len(touching)} shapes; the largest counts"
            )
        if not touching:
            return "box", np.full(3, _SMALL), model.body_ipos[body].copy(), np.eye(3)
        geom = max(touching, key=lambda it: float(np.prod(model.geom_aabb[it][3:])))
        half, kind = model.geom_aabb[geom][3:], int(model.geom_type[geom])
        middle = model.geom_pos[geom] + quaternion_matrix(model.geom_quat[geom]) @ model.geom_aabb[geom][:3]
        named = {2: "sphere", 5: "cylinder", 3: "cylinder"}.get(kind, "box")
        return named, np.maximum(2.0 * half, 1e-4), middle, quaternion_matrix(model.geom_quat[geom])

    def _name(self, body: int) -> str:
        name = _word(self._model.body(body).name, f"link_{body}")
        return f"{name}_link" if name == BASE else name


def _word(name: str, otherwise: str) -> str:
    """Return a name that files may have."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if word and not word[0].isdigit() else otherwise


def _moments(tensor: Floats) -> tuple[float, float, float, float, float, float]:
    """Return xx, yy, zz, xy, xz and yz of a symmetric tensor."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return (xx, yy, zz, xy, xz, yz)
