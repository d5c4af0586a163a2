"""Images of cameras for a gateway: fetched when a new one is there and somebody reads its topic."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.gateways import messages
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.robots import OfferedTopic

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client

Publish = Callable[[str, str, Words], None]


class ImageFetcher:
    """Asks cameras for images that are new; of a topic one request is under way at a time.

    Args:
        publish: Called with topic, type and message.
    """

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._fetching: dict[str, asyncio.Task[None]] = {}
        self._newest: dict[str, float] = {}

    def refresh(self, sim: "Client", state: "State", topics: Iterable[OfferedTopic]) -> None:
        """Ask for the images of topics that are newer than those that came."""
        for topic in topics:
            tick = float(getattr(state.readings[topic.robot], topic.module).image)
            if topic.name in self._fetching or self._newest.get(topic.name) == tick:
                continue
            self._newest[topic.name] = tick
            task = asyncio.create_task(self._fetch(sim, topic))
            self._fetching[topic.name] = task
            task.add_done_callback(partial(self._forget, topic.name))

    def _forget(self, topic: str, _: asyncio.Task[None]) -> None:
        self._fetching.pop(topic, None)

    async def close(self) -> None:
        """Wait for no image any more."""
        tasks = list(self._fetching.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._newest.clear()

    async def _fetch(self, sim: "Client", topic: OfferedTopic) -> None:
        # nobody draws in a replay, and a camera that is gone meanwhile has no image: its topic stays silent
        with contextlib.suppress(CoopsimError):
            image: Any = await sim.module(f"/{topic.robot}/{topic.module}").call(topic.row.fetched)
            frame = f"{topic.robot}/{topic.module}_optical"
            self._publish(topic.name, topic.row.type, image_message(image, frame))


def image_message(image: Any, frame: str) -> Words:
    """Return a `sensor_msgs/Image` of colours, of labels, or of depths [m]; nothing within range is infinite.

    Source: REP 118 (depth images).
    """
    is_depth = image.ndim == 2 and image.dtype.kind == "f"
    pixels = np.where(image > 0.0, image, np.inf).astype("<f4") if is_depth else image
    return {
        "header": messages.header(image.time, frame),
        "height": image.shape[0],
        "width": image.shape[1],
        "encoding": "32FC1" if is_depth else "rgb8" if image.ndim > 2 else "mono16",
        "is_bigendian": 0,
        "step": pixels.strides[0],
        "data": np.ascontiguousarray(pixels).tobytes(),
    }
