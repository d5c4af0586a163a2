"""Choice of a window's renderer by others: by a message to the run, or by the file of its scene."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from coopsim.errors import BadArgument
from coopsim.features.desktop.rendering import wanted_name

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.features.desktop.screen import ScreenSettings

MODULE = "/sim/renderer"
Renderers: TypeAlias = tuple[str, str]
"""Renderer that a client asked for, and the one that the file of the scene says; "" = none."""
NONE: Renderers = ("", "")


def asked_renderers(simulation: "Client") -> Renderers:
    """Return what a run says of renderers; those of older versions say nothing."""
    if MODULE not in simulation.names(MODULE):
        return NONE
    status = simulation.module(MODULE).status()
    return str(status.asked), str(status.scene)


class RendererChoice:
    """Takes over a renderer that a message or a scene asks for; a person may choose another one afterwards.

    Args:
        settings: What is chosen.
        note: Takes notes for people.
    """

    def __init__(self, settings: "ScreenSettings", note: Callable[[str], object]) -> None:
        self._settings, self._note, self._followed = settings, note, NONE

    def follow(self, renderers: Renderers) -> None:
        """Choose anew where the run says something else than before."""
        if renderers == self._followed:
            return
        self._followed = renderers
        try:
            self._settings.renderer = wanted_name(*renderers)
        except BadArgument as problem:  # of a package that this machine lacks
            self._note(str(problem))
