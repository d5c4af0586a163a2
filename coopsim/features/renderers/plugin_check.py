"""Check of a renderer that a plugin brings, before anything is drawn with it."""

import inspect
from typing import Any

from coopsim.devices.checking import check_method, code_location
from coopsim.errors import PluginFailed
from coopsim.features.desktop.rendering.contract import ABILITIES, SceneRenderer
from coopsim.suggest import did_you_mean


def check_renderer_class(name: str, thing: Any) -> None:
    """Check that `thing` can be a renderer.

    Raises:
        PluginFailed: It cannot; the text says where and why.
    """
    what = f"renderer {name}"
    if not inspect.isclass(thing):
        raise PluginFailed(f"{what}: expected a class that derives from SceneRenderer, got {thing!r}")
    if not issubclass(thing, SceneRenderer):
        text = f"{thing.__name__} must derive from coopsim.features.desktop.rendering.SceneRenderer"
        raise PluginFailed(f"{code_location(thing)}: {what}: {text}")
    missing = sorted(thing.__abstractmethods__)
    if missing:
        raise PluginFailed(f"{code_location(thing)}: {what}: {thing.__name__} lacks {', '.join(missing)}")
    for method in ("__init__", "begin", "close"):
        check_method(what, thing, SceneRenderer, method)
    unknown = next((ability for ability in thing.abilities if ability not in ABILITIES), None)
    if unknown is not None:
        text = f"abilities has no {unknown!r}{did_you_mean(unknown, ABILITIES)}; known: {', '.join(ABILITIES)}"
        raise PluginFailed(f"{code_location(thing)}: {what}: {text}")
