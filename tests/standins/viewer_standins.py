"""A run that exists in this process alone, for windows."""

from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np
from viewer_scenes import BLUE, floor, row

from coopsim.client.scene import SceneView
from coopsim.errors import CoopsimError
from coopsim.features.desktop.link import RunFacts, StateSample
from coopsim.features.desktop.live_arrays import RunExtras
from coopsim.features.desktop.served_meshes import ServedMeshes

NAMES = ("box1", "robot1")


class StandinLink:
    """Takes requests down; states are put in by the test."""

    endpoint = "tcp://nowhere:5570"

    def __init__(self) -> None:
        self.facts, self.samples = RunFacts("live", scenario="test", mode="real-time"), deque[Any](maxlen=16)
        robot = row("robot1", "robot", "cylinder", body=1, color=BLUE, size=(0.5, 0.5, 0.3))
        box = row("box1", body=0)
        wall = row("wall1", at=(0.0, 4.0, 0.0), size=(8.0, 0.2, 1.0), is_wall=True, color=(0.5, 0.5, 0.5))
        self.scene: SceneView | None = SceneView(1, 0, (floor(), box, wall, robot))
        self.sensors: dict[str, Any] = {}
        self.names: tuple[str, ...] = ("/robot1/motors", "/robot1/sonars", "/sim/clock")
        self.clock: Any = None
        self.extras = RunExtras({})
        self.commanded: deque[Any] = deque()
        self.happened: deque[Any] = deque()
        self.events: deque[Any] = deque()
        self.talk: Any = None
        self.meshes = ServedMeshes()
        self.asked: list[tuple[Any, ...]] = []
        self.refusal: CoopsimError | None = None
        self._answers: list[Any] = []
        self.stand((0.0, 0.0), (2.0, -1.0))

    def stand(
        self, *places: tuple[float, float], time: float = 0.0, arrived: float = 0.0, run: int = 1, tick: int = -1
    ) -> None:
        tick = round(100 * time) if tick < 0 else tick
        poses = np.array([[x, y, 0.0, 1.0, 0.0, 0.0, 0.0] for x, y in places])
        raw = SimpleNamespace(generation=1, run=run, is_paused=False, flat=np.zeros(0), robots=(), widths=())
        state = SimpleNamespace(names=NAMES, poses=poses, time=time, tick=tick, raw=raw, readings=None)
        self.samples.append(StateSample(state, arrived))  # type: ignore[arg-type]

    def call(self, target: str, command: str, *values: Any, then: Any = None) -> None:
        self.asked.append((target, command, *values))
        if then is not None:
            self._answers.append(then)

    def ask(self, work: Any, *, then: Any = None, failed: Any = None) -> None:
        """Nobody answers questions here."""

    def deliver_answers(self) -> None:
        answers, self._answers = self._answers, []
        for answer in answers:
            answer(self.refusal)

    def close(self) -> None:
        pass
