"""Choice of a renderer by its name: on the command line, in the environment, in a window."""

import os
from collections.abc import Callable, MutableMapping

from coopsim import plugins
from coopsim.errors import BadArgument, CannotDraw
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.rendering.contract import SceneRenderer
from coopsim.interpreter import install_command
from coopsim.suggest import choices, did_you_mean, quoted

GROUP, BUILT_IN = "renderers", "opengl"
VARIABLE = "COOPSIM_RENDERER"
"""Environment variable that names a renderer: processes that draw for a run inherit it."""


def renderer_names() -> list[str]:
    """Return the names of all renderers, the built-in one first."""
    return sorted(plugins.registered(GROUP), key=lambda name: (name != BUILT_IN, name))


def check_name(name: str) -> str:
    """Return the name of a renderer.

    Raises:
        BadArgument: There is none of this name.
    """
    names = renderer_names()
    if name not in names:
        near = did_you_mean(name, names)
        problem = BadArgument(f"there is no renderer {quoted(name)}; known: {choices(names)}{near}")
        raise problem.advise("`coopsim renderers` lists what can draw here.")
    return name


def chosen_name(environment: MutableMapping[str, str] = os.environ) -> str:
    """Return the renderer that the environment names, or the built-in one.

    Raises:
        BadArgument: There is none of this name.
    """
    name = environment.get(VARIABLE, "")
    if not name:
        return BUILT_IN
    try:
        return check_name(name)
    except BadArgument as problem:
        raise BadArgument(f"{VARIABLE}: {problem}").advise(problem.cure) from None


def wanted_name(asked: str, scene: str, environment: MutableMapping[str, str] = os.environ) -> str:
    """Return the renderer that is to draw: a message counts most, then the environment, then the file of the scene.

    Args:
        asked: Name that a client asked for, "" = none did.
        scene: Name that the file of the scene says, "" = none.
        environment: Of this process.

    Raises:
        BadArgument: There is none of this name.
    """
    return check_name(asked or environment.get(VARIABLE, "") or scene or BUILT_IN)


def choose(name: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Have this process, and those that it starts, draw with a renderer.

    Raises:
        BadArgument: There is none of this name.
    """
    environment[VARIABLE] = check_name(name)


def renderer_class(name: str) -> type[SceneRenderer]:
    """Return the class of a renderer.

    Raises:
        BadArgument: There is none of this name.
        CannotDraw: A package is missing.
        PluginFailed: It cannot be imported.
    """
    try:
        kind: type[SceneRenderer] = plugins.load(GROUP, check_name(name))
    except ImportError as problem:
        raise _missing(name, problem) from None
    return kind


def open_renderer(
    name: str = "", tell: Callable[[str], object] = print, source: MeshSource | None = None
) -> SceneRenderer:
    """Return a renderer that is ready to draw.

    Args:
        name: "" = the one that the environment names, or the built-in one.
        tell: Takes what could not be drawn as it should.
        source: Of meshes; None = files of this machine.

    Raises:
        BadArgument: There is none of this name.
        CannotDraw: It cannot be used here; the text says why, and what to install.
        PluginFailed: It raised something else; the text says where.
    """
    name = name or chosen_name()
    kind = renderer_class(name)
    with plugins.blamed(f"renderer {name}"):
        try:
            return kind(tell, source)
        except ImportError as problem:
            raise _missing(name, problem) from None


def _missing(name: str, problem: ImportError) -> CannotDraw:
    package = (problem.name or "").partition(".")[0]
    cure = f": {install_command(package)}" if package else ""
    return CannotDraw(f"the renderer {name} lacks a package ({problem}){cure}").advise("")
