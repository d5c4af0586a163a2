"""Renderers: the contract of what draws a scene, the choice of one by name, and the built-in one."""

from coopsim.features.desktop.rendering.choosing import (
    BUILT_IN,
    VARIABLE,
    check_name,
    choose,
    chosen_name,
    open_renderer,
    renderer_names,
    wanted_name,
)
from coopsim.features.desktop.rendering.contract import ABILITIES, PictureKind, PictureOrder, SceneRenderer

__all__ = [
    "ABILITIES",
    "BUILT_IN",
    "VARIABLE",
    "PictureKind",
    "PictureOrder",
    "SceneRenderer",
    "check_name",
    "choose",
    "chosen_name",
    "open_renderer",
    "renderer_names",
    "wanted_name",
]
