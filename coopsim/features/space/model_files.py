"""Models of robots in formats that MuJoCo reads."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import SubElement, fromstring, tostring

from coopsim.features.space.binding import mujoco


def compiled_model(text: str, meshes: Mapping[str, bytes], *, are_shells: bool = False) -> mujoco.MjModel:
    """Return a URDF or MJCF text compiled, with all of its bodies.

    Args:
        text: The model.
        meshes: Its files, by name.
        are_shells: Whether meshes may enclose nothing, since masses and inertias are said otherwise.

    Raises:
        ValueError: MuJoCo cannot read it.
    """
    spec = _spec(text, meshes)
    if are_shells:
        _let_be_shells(spec)
    return _quietly_compiled(spec)


def _quietly_compiled(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Return a compiled model; what MuJoCo calls out of date in the models of others is nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return spec.compile()


def _let_be_shells(spec: mujoco.MjSpec) -> None:
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL


def compiled_looks(text: str, meshes: Mapping[str, bytes]) -> tuple[mujoco.MjModel, dict[int, str]]:
    """Return the same with all that is only seen, which URDF readers leave out, and the file names of its meshes.

    Args:
        text: As `compiled_model` could read it.
        meshes: Its files, by name.

    Raises:
        ValueError: MuJoCo cannot read what is only seen.
    """
    root = fromstring(text)  # noqa: S314 - it has been looked over: no document type, no entities
    if root.tag == "robot":
        extension = root.find("mujoco")
        extension = SubElement(root, "mujoco") if extension is None else extension
        compiler = extension.find("compiler")
        compiler = SubElement(extension, "compiler") if compiler is None else compiler
        compiler.set("discardvisual", "false")
    # MuJoCo names meshes by their files
    spec = _spec(tostring(root, "unicode"), meshes)
    names = {mesh.name: Path(mesh.file).name for mesh in spec.meshes}
    _let_be_shells(spec)  # only places count, and what is seen may enclose nothing
    model = _quietly_compiled(spec)
    return model, {number: names[model.mesh(number).name] for number in range(model.nmesh)}


def _spec(text: str, meshes: Mapping[str, bytes]) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(text, assets=dict(meshes))
    # links that are fixed to each other stay links: devices and messages name them
    spec.compiler.fusestatic = False
    return spec
