"""MJCF models from several files as one: includes, meshes by names of their own, without what is no part of a robot.

Source: MuJoCo's XML reference, sections "include", "compiler" and "asset".
"""

from pathlib import Path

from coopsim.features.models.model_meshes import ModelMeshes
from coopsim.features.models.model_tree import leave_out
from coopsim.features.models.model_xml import read_model_xml
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode

_KNOWN = frozenset(
    (
        *("mujoco", "mujocoinclude", "compiler", "option", "size", "default", "asset", "mesh", "material", "texture"),
        *("worldbody", "body", "inertial", "joint", "freejoint", "geom", "site", "frame", "replicate", "attach"),
        *("composite", "camera", "light", "flexcomp", "hfield", "equality", "connect", "weld", "distance"),
        *("actuator", "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle"),
        *("adhesion", "dcmotor", "tendon", "fixed", "spatial", "flag", "lengthrange", "contact", "pair", "exclude"),
        *("pulley", "model", "pin", "edge", "elasticity", "layer"),
    )
)
_MOST_INCLUDES = 100
_SECTIONS_UNREAD = ("contact",)
"""Sections that are compiled, since others name what is in them, and change nothing: links pass through each other."""
_FILES = ("file", "fileup", "fileback", "filedown", "filefront", "fileleft", "fileright")


def whole_mjcf(root: XmlNode, path: Path, problems: Problems) -> None:
    """Put in place of each `<include>` what its file has.

    Args:
        root: Of the main file, which is changed.
        path: That file: names of files are relative to its folder.
        problems: Takes every mistake.
    """
    seen = {path.resolve()}
    _expand(root, path, path, seen, problems)


def _expand(node: XmlNode, main: Path, within: Path, seen: set[Path], problems: Problems) -> None:
    children = []
    for child in node.children:
        if child.tag != "include":
            _expand(child, main, within, seen, problems)
            children.append(child)
            continue
        file = _included(child, main, within, seen, problems)
        root = read_model_xml(file, problems) if file is not None else None
        if root is not None and file is not None:
            _expand(root, main, file, seen, problems)
            children += root.children
    node.children = children


def _included(node: XmlNode, main: Path, within: Path, seen: set[Path], problems: Problems) -> Path | None:
    """Return the file that an element includes, None where it cannot be, which is noted."""
    name = node.get("file")
    paths = [folder / name for folder in (main.parent, within.parent)]
    file = next((path for path in paths if name and not Path(name).is_absolute() and path.is_file()), None)
    if file is None:
        text = f"<include> names the file {name!r}; there is none, seen from the folder of the model"
        problems.add(node.span, f"{text}: correct its name, which is relative to that")
    elif file.resolve() in seen:
        problems.add(node.span, f"<include> names the file {name!r}, which is included already")
        return None
    elif len(seen) > _MOST_INCLUDES:
        problems.add(node.span, f"more than {_MOST_INCLUDES} files are included")
        return None
    if file is not None:
        seen.add(file.resolve())
    return file


def prepare_mjcf(root: XmlNode, meshes: ModelMeshes, problems: Problems) -> None:
    """Change a model so that it can be compiled from memory; what is left out is warned of, every mistake noted.

    Args:
        root: `<mujoco>`, whole, which is changed.
        meshes: Takes its meshes.
        problems: Takes the rest.
    """
    leave_out(root, _KNOWN, problems)
    for tag in _SECTIONS_UNREAD:
        for section in root.all(tag):
            if section.children:
                problems.warn(section.span, f"the section <{tag}> is left out")
    folder = _mesh_folder(root)
    for asset in root.all("asset"):
        asset.children = [child for child in asset.children if _is_asset(child, folder, meshes, problems)]
    _forget_textures(root)


def _mesh_folder(root: XmlNode) -> str:
    """Return the folder in which meshes are, and let no section say another one."""
    folder = ""
    for compiler in root.all("compiler"):
        folder = compiler.get("meshdir") or compiler.get("assetdir") or folder
        for name in ("meshdir", "assetdir", "texturedir", "strippath", "fusestatic"):
            compiler.attributes.pop(name, None)
    return folder


def _is_asset(node: XmlNode, folder: str, meshes: ModelMeshes, problems: Problems) -> bool:
    """Return whether an asset is read; files of meshes get names of their own."""
    file = next((node.get(key) for key in _FILES if node.get(key)), "")
    if node.tag in ("texture", "model"):
        if node.tag == "model":
            problems.warn(
                node.span, f"the model {node.get('name')!r} is left out: models that are attached are not read"
            )
        return False
    if not file:
        return True
    if node.tag != "mesh":
        problems.add(node.span, f"<{node.tag}> names the file {file!r}; only meshes are read from other files")
        return False
    node.attributes.setdefault("name", Path(file).stem)
    node.attributes["file"] = meshes.add(str(Path(folder) / file), node.span, node.get("name"))
    return bool(node.get("file"))


def _forget_textures(root: XmlNode) -> None:
    """Leave pictures out: what is drawn has colours alone."""
    for node in root.walk():
        if node.tag == "material":
            node.attributes.pop("texture", None)
            node.children = []
        elif node.tag == "default":
            node.children = [child for child in node.children if child.tag != "texture"]
