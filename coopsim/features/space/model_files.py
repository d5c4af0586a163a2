"""Models of robots in formats that MuJoCo reads."""

from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import SubElement, fromstring, tostring

from coopsim.features.space.binding import mujoco


def compiled_model(text: str, meshes: Mapping[str, bytes]) -> mujoco.MjModel:
    """Return a URDF or MJCF text compiled, with all of its bodies.

    Args:
        text: The model.
        meshes: Its files, by name; what stands in a `.dae` file as STL.

    Raises:
        ValueError: MuJoCo cannot read it.
    """
    return _spec(text, meshes).compile()


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
    # MuJoCo names meshes by their files, and a `.dae` went in as STL
    spec = _spec(tostring(root, "unicode"), meshes)
    names = {mesh.name: Path(mesh.file).name.removesuffix(_AS_STL) for mesh in spec.meshes}
    for mesh in spec.meshes:  # only places count, and what is seen may enclose nothing
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    model = spec.compile()
    return model, {number: names[model.mesh(number).name] for number in range(model.nmesh)}


_AS_STL = ".as.stl"


def _spec(text: str, meshes: Mapping[str, bytes]) -> mujoco.MjSpec:
    given = {name + _AS_STL if name.lower().endswith(".dae") else name: mesh for name, mesh in meshes.items()}
    spec = mujoco.MjSpec.from_string(text, assets=given)
    for mesh in spec.meshes:
        if mesh.file.lower().endswith(".dae"):
            mesh.file = Path(mesh.file).name + _AS_STL
    # links that are fixed to each other stay links: devices and messages name them
    spec.compiler.fusestatic = False
    return spec
