"""A gateway to ROS 1 whose master ends while it is told of the robots' topics."""

import asyncio
from types import SimpleNamespace
from typing import Any

from coopsim.errors import NoReply
from coopsim.features.gateways.ros1.codec import RosCodec


class NodeOfDyingMaster:
    """A node whose master is gone, until it joins a new one.

    Attributes:
        published: Topics of which a master has heard.
        read: Topics that it reads, by a master that knows of it.
    """

    def __init__(self) -> None:
        self._has_master = False
        self.published: list[str] = []
        self.read: list[str] = []

    def advertise(self, topic: str, _kind: str, *, is_latched: bool) -> Any:
        if not self._has_master:
            raise NoReply("no ROS master answers")
        assert not is_latched
        self.published.append(topic)
        return SimpleNamespace(readers=0)

    def subscribe(self, topic: str, _kind: str, _received: Any) -> None:
        self.read.append(topic)

    def rejoin(self) -> bool:
        self._has_master = True
        return True

    def set_parameter(self, name: str, value: bool) -> None:
        assert (name, value) == ("/use_sim_time", True)


def test_a_new_master_is_told_what_the_old_one_did_not_hear() -> None:
    notes: list[str] = []
    topic = SimpleNamespace(row=SimpleNamespace(type="std_msgs/Bool"))
    codec, node = RosCodec("127.0.0.1", 0), NodeOfDyingMaster()
    run: Any = SimpleNamespace(lasting={}, offered={"/a": topic}, command_topics={"/b": topic}, note=notes.append)
    codec._run, codec._node = run, node  # type: ignore[assignment]

    async def outlive_the_master() -> None:
        codec.changed()
        assert codec._renewing is not None
        await codec._renewing
        assert (node.published, node.read) == ([], [])
        codec.refresh_counts()
        assert codec._rejoining is not None
        await codec._rejoining

    asyncio.run(outlive_the_master())
    assert (node.published, node.read) == (["/a"], ["/b"])
    assert "joined the master that was started anew" in notes[-1]
