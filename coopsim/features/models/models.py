"""URDF, MJCF and SDF models as robots: what MuJoCo makes of them becomes links and joints of ours."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coopsim.errors import CoopsimError
from coopsim.features.models.joint_facts import JointFacts
from coopsim.features.models.mjcf import prepare_mjcf, whole_mjcf
from coopsim.features.models.model_bounds import check_bounds, check_figures
from coopsim.features.models.model_converter import ANCHOR, ModelConverter
from coopsim.features.models.model_looks import ModelLooks
from coopsim.features.models.model_meshes import ModelMeshes
from coopsim.features.models.model_tree import text_of
from coopsim.features.models.model_xml import read_model_xml
from coopsim.features.models.sdf import mjcf_of, without_looks
from coopsim.features.models.urdf import prepare_urdf
from coopsim.scene import Problems, RobotFile, Span
from coopsim.scene.xml_nodes import XmlNode

_LINE = re.compile(r",? line (\d+)(?:, column \d+)?")


def read_model(path: Path, problems: Problems) -> RobotFile:
    """Return a model as a robot of the name of its file; its links hang on a small body `base`, which is bolted down.

    Args:
        path: A URDF, MJCF or SDF file; its root says which.
        problems: Takes every mistake; and a warning for each kind of element that is left out.
    """
    return model_of(read_model_xml(path, problems), path, problems)


def model_of(root: XmlNode | None, path: Path, problems: Problems) -> RobotFile:
    """Return what `read_model` returns, of the first element of a file; None where its text could not be read."""
    start, before = Span(str(path), 1, 1), problems.total
    empty = RobotFile(path.stem, shape="box", size=(ANCHOR, ANCHOR, ANCHOR), mass=1.0, file=str(path), span=start)
    meshes = ModelMeshes(path, problems)
    facts = JointFacts()
    text, spans = _text(root, path, meshes, facts, problems) if root is not None else ("", [])
    if problems.total > before or root is None:
        return empty
    try:
        bare = without_looks(text) if root.tag == "sdf" else text
        model, seen, files = _compiled(bare, text, meshes.contents, has_inertials=root.tag != "mujoco")
    except CoopsimError:
        raise
    except Exception as problem:  # it raises whatever C++ throws: no memory, too much of a kind, a bug
        words, span = _words_and_place(_words_of(problem), spans, start)
        problems.add(span, f"MuJoCo cannot read this model: {words}")
        return empty
    if not check_figures(model, root, problems):
        return empty
    if isinstance(seen, str):
        problems.warn(start, f"each link is drawn as it collides, since its looks cannot be read: {seen}")
        seen = model
    paths = {number: meshes.paths[name] for number, name in files.items() if name in meshes.paths}
    converter = ModelConverter(model, path, start, facts, problems, pushes_back=root.tag == "mujoco")
    robot = converter.robot(ModelLooks(seen, paths, start, problems))
    _warn_of_names(converter.renamed, root, start, problems)
    return robot


def _warn_of_names(renamed: Mapping[str, str], root: XmlNode, start: Span, problems: Problems) -> None:
    """Warn of links whose names something else has here: a device that names one would sit elsewhere."""
    spans = {node.get("name"): node.span for node in root.walk() if node.tag in ("link", "body")}
    for name, own in renamed.items():
        problems.warn(
            spans.get(name, start), f"the link {name!r} is called {own!r} here, as {name!r} is something else"
        )


def _text(
    root: XmlNode, path: Path, meshes: ModelMeshes, facts: JointFacts, problems: Problems
) -> tuple[str, list[Span]]:
    """Return a model as MuJoCo reads it, "" where that cannot be, which is noted, and where its lines are from."""
    before = problems.total
    if root.tag == "mujoco":
        whole_mjcf(root, path, problems)
    check_bounds(root, problems)
    if problems.total > before:
        return "", []
    if root.tag == "sdf":
        return mjcf_of(root, path, meshes, facts, problems), []
    facts.read(root, problems)
    if root.tag == "mujoco":
        prepare_mjcf(root, meshes, problems)
    elif root.tag == "robot":
        prepare_urdf(root, meshes, problems)
    else:
        problems.add(root.span, f"expected <robot> (URDF), <mujoco> (MJCF) or <sdf>, got <{root.tag}>")
    return text_of(root) if problems.total == before else ("", [])


def _compiled(
    bare: str, text: str, meshes: dict[str, bytes], *, has_inertials: bool
) -> tuple[Any, Any, dict[int, str]]:
    """Return MuJoCo's model, the same with all that is only seen, or why there is none, and the files of its meshes.

    Args:
        bare: The model without what is only seen.
        text: The model.
        meshes: Its files, by name.
        has_inertials: Whether each link says its mass and inertia, so that meshes need enclose nothing.

    Raises:
        Exception: It cannot be made, in most cases a `ValueError`.
        PluginFailed: MuJoCo is not installed.
    """
    # MuJoCo is an extra
    from coopsim.features.space.model_files import compiled_looks, compiled_model

    model = compiled_model(bare, meshes, are_shells=has_inertials)
    try:
        return (model, *compiled_looks(text, meshes))
    except Exception as problem:  # as above
        return model, _words_of(problem), {}


def _words_and_place(words: str, spans: list[Span], start: Span) -> tuple[str, Span]:
    """Return what MuJoCo says without the line in our text, and where that line is from."""
    match = _LINE.search(words)
    if match is None or not 0 < int(match[1]) <= len(spans):
        return words, start
    return words[: match.start()] + words[match.end() :], spans[int(match[1]) - 1]


def _words_of(problem: Exception) -> str:
    text = " ".join(str(problem).split())
    return text if isinstance(problem, ValueError) and text else f"{type(problem).__name__}: {text}"
