"""Parts of `coopsim bench window`, one in a process; its arguments are the part and its values."""

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coopsim.errors import NoReply
from coopsim.features.desktop.displays import settle
from coopsim.memory import collect_seldom

if TYPE_CHECKING:
    from coopsim.features.desktop.application import Application
    from coopsim.inprocess import LocalServer

_SIZE, _SMALL = (1280, 800), (320, 240)  # pixels; the size of a first window, and one where drawing costs nothing
_WARM = 30
"""Frames before measuring begins."""
_TURN = 1.0
"""Turn of the camera from frame to frame, as of a mouse that moves so far [pixels]."""
_PATIENCE = 60.0  # s; software rendering is slow to begin
_BOX = "[OBJECT_1]\ntype box\nname box\nsize 1 1 1\nposition 3 3 0\nmass 1\n"


STANDING = "[SIMULATION]\nmode lockstep\n"
"""Section of a scenario whose time stands still where nobody commands its robots."""


def scene(count: int, more: str = "") -> str:
    """Return a scenario of so many robots in a square, and with more sections."""
    columns = math.ceil(count**0.5)
    return f"[ROBOT_1]\ntype single\nname r\ncount {count}\ngrid {columns}x{columns} 0.8\n{more}"


def main(part: str, *values: str) -> None:
    """Measure a part, drawn in memory, and print what was found as JSON."""
    settle()
    sys.stdout.write(json.dumps(_PARTS[part](*values)) + "\n")


def _stream(seconds: str, endpoint: str) -> dict[str, float]:
    """Follow a run with 60 frames per second."""
    with _following(endpoint) as application:
        clocks = _frames(application, float(seconds))
    walls, costs = np.diff(clocks, axis=0).T
    return {"interval": 1000.0 * float(np.percentile(walls, 99)), "cost": 1000.0 * float(np.mean(costs))}


def _idle(seconds: str, _endpoint: str) -> dict[str, float]:
    """Do nothing for as long as `_stream` takes about."""
    time.sleep(float(seconds))
    return {}


def _rate(seconds: str, endpoint: str) -> dict[str, float]:
    """Draw a run as fast as it goes.

    Raises:
        NoReply: The run is not followed: what was drawn is another picture than people see.
    """
    with _following(endpoint) as application:
        application.settings.rate = 100_000
        # a picture that stands is not drawn again
        clocks = _frames(application, float(seconds), lambda: application.session.camera.rotate(_TURN, 0.0))
        facts = application.session.link.facts
        if facts.connection != "live":
            raise NoReply(f"the window lost its run: {facts.problem}")
    intervals = np.diff([clock[0] for clock in clocks])
    return {"rate": 1.0 / float(intervals.mean()), "p99": 1000.0 * float(np.percentile(intervals, 99))}


def _first() -> dict[str, float]:
    """Open a window, and draw until a scene is in it."""
    from coopsim.features.desktop.application import Application
    from coopsim.features.desktop.link import ViewerLink
    from coopsim.inprocess import LocalServer
    from coopsim.robots import load
    from coopsim.simulation import Simulation

    with _file(10) as file:
        server = LocalServer(Simulation(load(file)))
        began = time.perf_counter()
        application = Application(ViewerLink(server), _SIZE)
        _await_scene(application)
        first = time.perf_counter() - began
        application.close()
    return {"first": first}


def _picking(_seconds: str) -> dict[str, float]:
    from coopsim.features.desktop.camera import OrbitCamera
    from coopsim.features.desktop.model import SceneModel
    from coopsim.features.desktop.picking import pick
    from coopsim.robots import load
    from coopsim.robots.entities import rows_of

    with _file(1000) as file:
        model, camera = SceneModel(rows_of(load(file))), OrbitCamera(size=_SIZE)
    camera.fit(model.corners())
    rays = [camera.ray(x, y) for x in range(0, _SIZE[0], 40) for y in range(0, _SIZE[1], 40)]
    times = []
    for ray in rays:
        began = time.perf_counter()
        pick(model, *ray)
        times.append(time.perf_counter() - began)
    return {"picking": 1000.0 * float(np.median(times))}


def _cycles(count: str) -> dict[str, float]:
    """Load, insert and remove again and again, and draw after each; count what is left from the tenth part on."""
    from coopsim.features.desktop.gl.buffers import object_count
    from coopsim.testkit.run import descriptors_of, memory_of

    cycles, own, measured = int(count), os.getpid(), []
    with _window(1, _SMALL) as (application, server, file), server.connect() as client:
        for number in range(cycles + 1):
            client.world.load(file)
            client.world.insert(_BOX)
            client.world.remove("box")
            application.window.switch_to()
            application.window.dispatch_events()
            application.draw()
            application.window.flip()  # what a driver holds until then would count as ours
            if number in (cycles // 10, cycles):
                measured.append((memory_of(own), object_count(), descriptors_of(own)))
    grown = np.subtract(measured[1], measured[0]).tolist()
    return dict(zip(("memory", "objects", "descriptors"), grown, strict=True))


def _frames(
    application: "Application", seconds: float, change: Callable[[], None] = lambda: None
) -> list[tuple[float, float]]:
    """Let a window run; return when each frame began, by the wall and by the processor of this thread [s].

    Args:
        application: The window.
        seconds: How long.
        change: Called before each frame.
    """
    clocks: list[tuple[float, float]] = []
    draw = application.draw

    def timed_draw(*, widgets: bool = True) -> None:
        clocks.append((time.perf_counter(), time.thread_time()))
        change()
        draw(widgets=widgets)
        if len(clocks) > _WARM + 2 and clocks[-1][0] - clocks[_WARM][0] > seconds:
            application.window.has_exit = True

    application.draw = timed_draw  # type: ignore[method-assign]
    collect_seldom()  # as `coopsim view` does
    application.run()
    return clocks[_WARM:]


@contextmanager
def _following(endpoint: str) -> Iterator["Application"]:
    """Yield a window on a run whose scene is in the picture."""
    from coopsim.features.desktop.application import Application
    from coopsim.features.desktop.link import ViewerLink

    application = Application(ViewerLink(endpoint), _SIZE)
    try:
        _await_scene(application)
        yield application
    finally:
        application.close()


@contextmanager
def _window(robots: int, size: tuple[int, int] = _SIZE) -> Iterator[tuple["Application", "LocalServer", str]]:
    """Yield a window on a simulation in this process that stands still, its server, and its file."""
    from coopsim.features.desktop.application import Application
    from coopsim.features.desktop.link import ViewerLink
    from coopsim.inprocess import LocalServer
    from coopsim.robots import load
    from coopsim.simulation import Simulation

    with _file(robots) as file:
        server = LocalServer(Simulation(load(file)))
        application = Application(ViewerLink(server), size)
        try:
            yield application, server, file
        finally:
            application.close()


def _await_scene(application: "Application") -> None:
    """Draw until the scene is in the picture.

    Raises:
        NoReply: It never comes.
    """
    began = time.perf_counter()
    while not application.session.model.entities:
        if time.perf_counter() - began > _PATIENCE:
            raise NoReply(f"no scene within {_PATIENCE:g} s: {application.session.link.facts.problem}")
        application.window.switch_to()
        application.window.dispatch_events()
        application.draw()
        application.window.flip()


@contextmanager
def _file(robots: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="coopsim-window-") as folder:
        file = Path(folder) / "robots.scenario"
        file.write_text(scene(robots, STANDING), encoding="utf-8")
        yield str(file)


_PARTS: dict[str, Callable[..., dict[str, float]]] = {
    "stream": _stream,
    "idle": _idle,
    "rate": _rate,
    "first": _first,
    "picking": _picking,
    "cycles": _cycles,
}


if __name__ == "__main__":
    main(*sys.argv[1:])
