"""Rows of robots that the logics of one match send each other: events that the channel carries."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.features.games.logic.logics import MODULES, Logics
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.rows import WIDTH, row_at
from coopsim.geometry import Floats
from coopsim.message import check_event


class Channel:
    """An event channel that brings back what was published, and knows no other logic."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.sent: list[tuple[str, str, tuple[float, ...]]] = []

    def listen(self, *_patterns: str) -> "Channel":
        return self

    def offer(self, *_about: Any, **_more: Any) -> Any:
        return SimpleNamespace(write=lambda *_: None)

    def publish(self, topic: str, text: str, data: Any = ()) -> None:
        self.waiting.append(SimpleNamespace(topic=topic, text=text, data=data, source="me", tick=0))

    def publish_all(self, events: Any) -> None:
        self.sent += [(topic, text, tuple(data)) for topic, text, data in events]

    def hear(self, timeout: float | None = None) -> Any:
        return self.waiting.pop(0) if self.waiting else None

    next = receive = hear


def orders_of(count: int) -> list[tuple[str, str, tuple[float, ...]]]:
    """Return the events of a logic that tells of so many robots in tick 20."""
    channel = Channel()
    model = DataModel({}, {}, {}, {}, np.zeros((0, 2)))
    logics = Logics(channel, ("south", "north"), ("south",), model, lambda: 0.0)  # type: ignore[arg-type]
    own: dict[str, Floats] = {f"a{number}": row_at(float(number), 0.5) for number in range(count)}
    logics._publish(20, own)
    return channel.sent


@pytest.mark.parametrize("count", [1, 7, 8, 20])
def test_every_robot_is_told_of_once_in_events_that_the_channel_carries(count: int) -> None:
    names: list[str] = []
    for topic, text, data in orders_of(count):
        check_event(topic, text, data)
        assert topic == f"{MODULES}south"
        assert data[0] == 20.0
        rows = np.reshape(data[1:], (-1, WIDTH))
        assert rows[:, 0].tolist() == [float(name[1:]) for name in text.split()]
        names += text.split()
    assert names == [f"a{number}" for number in range(count)]
