"""Models of robots in formats that MuJoCo reads."""

from collections.abc import Mapping

from coopsim.engines.spatial.binding import mujoco


def compiled_model(text: str, meshes: Mapping[str, bytes]) -> mujoco.MjModel:
    """Return a URDF or MJCF text compiled, with all of its bodies.

    Args:
        text: The model.
        meshes: Its files, by name.

    Raises:
        ValueError: MuJoCo cannot read it.
    """
    spec = mujoco.MjSpec.from_string(text, assets=dict(meshes))
    spec.compiler.fusestatic = False
    return spec.compile()
