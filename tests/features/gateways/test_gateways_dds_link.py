"""Cyclone's callbacks for a reader whose object is not known: while it is made, and while it is deleted."""

import queue
from collections.abc import Iterator
from typing import Any

import pytest
from cyclonedds.core import Entity
from ros2_programs import LIMIT, free_domain

from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.ros2.dds_link import DdsLink
from coopsim.features.gateways.ros2.link import USUAL

KIND = "std_msgs/msg/String"


@pytest.fixture
def link() -> Iterator[DdsLink]:
    node = DdsLink("lonely", "127.0.0.1", free_domain(), all_types())
    yield node
    node.close()


def listen(link: DdsLink, topic: str) -> tuple[Any, "queue.Queue[bytes]"]:
    messages: queue.Queue[bytes] = queue.Queue()
    return link.subscription(topic, KIND, messages.put, lambda: None), messages


def text(number: int) -> bytes:
    return b"\0\1\0\0" + b"\2\0\0\0" + bytes((number, 0))


def test_a_message_for_a_reader_that_is_not_known_now_waits_for_the_next(link: DdsLink) -> None:
    publisher = link.publisher("/letters", KIND, USUAL)
    hidden, letters = listen(link, "/letters")
    _, all_letters = listen(link, "/letters")
    while publisher.readers < 2:
        pass
    entity = Entity._entities.pop(hidden._reader._ref)
    publisher.publish(text(65))
    assert all_letters.get(timeout=LIMIT)[8:9] == b"A"
    assert letters.empty()
    Entity._entities[hidden._reader._ref] = entity
    publisher.publish(text(66))
    assert [letters.get(timeout=LIMIT)[8:9] for _ in "AB"] == [b"A", b"B"]
