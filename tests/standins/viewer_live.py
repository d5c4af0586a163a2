"""A simulation in this process, and a window that is attached to it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from coopsim.client import Client
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.keeping_time import FramePacer
from coopsim.features.desktop.link import ViewerLink
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

DEADLINE = 60.0
_RATE = 20.0
"""Of frames while something is awaited [Hz]; a processor draws them here, which the run that is awaited needs, too."""


@contextmanager
def live(scene: str) -> Iterator[tuple[Client, ViewerLink]]:
    """Yield a client that steps a scene, and a link that follows it."""
    server = LocalServer(Simulation(load(scene)))
    with server.connect() as client:
        link = ViewerLink(server)
        try:
            yield client, link
        finally:
            link.close()


def frames(application: Application, count: int = 3, *, widgets: bool = True) -> None:
    """Draw some frames."""
    for _ in range(count):
        application.window.switch_to()
        application.window.dispatch_events()
        application.draw(widgets=widgets)


def window_picture(application: Application, count: int = 3, *, widgets: bool = True) -> np.ndarray:
    """Draw some frames; return the whole window as the last one left it."""
    frames(application, count, widgets=widgets)
    return application.screenshot()


def draw_until(application: Application, holds: Callable[[], bool]) -> None:
    """Draw frames until something holds."""
    end, pacer = time.monotonic() + DEADLINE, FramePacer()
    while not holds():
        assert time.monotonic() < end, (application.session.link.facts, list(application.session.notes))
        frames(application, 1)
        pacer.wait(_RATE)
