"""A link to a real simulation in this process: what is asked is done at once, states come when they are fetched."""

import time
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from coopsim.client import Client
from coopsim.client.scene import SceneView
from coopsim.errors import CoopsimError
from coopsim.features.desktop.link import RunFacts, StateSample
from coopsim.features.desktop.served_meshes import ServedMeshes
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


class SimulationLink:
    """Serves a scenario to a viewer, and to other clients.

    Args:
        file: Scenario.
    """

    def __init__(self, file: str) -> None:
        self.simulation = Simulation(load(file))
        self.server = LocalServer(self.simulation)
        self.client: Client = self.server.connect()
        self.endpoint, self.facts = "in this process", RunFacts("live", scenario="test", mode="lockstep")
        self.samples: deque[Any] = deque(maxlen=2)
        self.sensors: dict[str, Any] = {}
        self.names, self.clock = self.client.names(), None
        self.commanded: deque[Any] = deque()
        self.happened: deque[Any] = deque()
        self.meshes = ServedMeshes()
        self.events: deque[Any] = deque()
        self.talk: Any = None
        self.scene: SceneView | None = None
        self._answers: list[Callable[[], None]] = []
        self._now = time.monotonic()

    def call(self, target: str, command: str, *values: Any, then: Any = None) -> None:
        self.ask(
            lambda simulation: getattr(simulation.module(target), command)(*values),
            then=None if then is None else lambda _: then(None),
            failed=then,
        )

    def ask(self, work: Callable[[Client], Any], *, then: Any = None, failed: Any = None) -> None:
        try:
            result = work(self.client)
        except CoopsimError as problem:
            callback, answer = failed, problem
        else:
            callback, answer = then, result
        if callback is not None:
            self._answers.append(lambda: callback(answer))

    def receive_scene(self, simulation: Client) -> None:
        """Keep the facts that tests gave: this run was started by none."""

    def deliver_answers(self) -> None:
        answers, self._answers = self._answers, []
        for answer in answers:
            answer()
        self._fetch()

    def close(self) -> None:
        self.client.close()

    def _fetch(self) -> None:
        """Take over where everything is now."""
        layout = self.simulation.layout
        if self.scene is None or self.scene.generation != layout.generation:
            self.scene = self.client.scene()
        poses, raw = (
            self.simulation.engine.poses.copy(),
            SimpleNamespace(generation=layout.generation, run=1, is_paused=False, flat=np.zeros(0)),
        )
        state = SimpleNamespace(names=layout.bodies, poses=poses, time=0.0, tick=0, raw=raw, readings=None)
        self.samples.clear()
        self.samples.append(StateSample(state, self._now))  # type: ignore[arg-type]
