"""Orders of a host; nothing here draws."""

import base64
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from camera_scenes import Ticking, scene

from coopsim.errors import CannotDraw, InternalError, NoImage, NoSuchName
from coopsim.features.desktop.cameras.service import ImageService
from coopsim.features.desktop.cameras.states import RingStates
from coopsim.interfaces.camera import DEPTH
from coopsim.state import RecordHeader
from coopsim.transport import Channel, Ring, packed_layout
from coopsim.transport.control import CameraImage, CameraOrder

ORDER = CameraOrder(3, "robot1", "camera", 0, "rgb8")


class Painted:
    """Paints by numbers; tells what it did."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem, self.done = problem, list[str]()

    def begin(self, _state: Any, _robot: str, module: str, encoding: str) -> Callable[[], np.ndarray]:
        if self.problem:
            raise self.problem
        self.done.append(f"begin {module}")
        pixels = np.array([[1, 256]], ">u2") if encoding == DEPTH else np.full((250, 400), 0xFF030201, "<u4")

        def read() -> np.ndarray:
            self.done.append(f"read {module}")
            return pixels

        return read


def service(painter: Any) -> ImageService:
    return ImageService(Ticking(scene()), painter)


def test_an_image_is_texts_that_can_be_put_together() -> None:
    answer = service(Painted()).answer(ORDER)
    assert isinstance(answer, CameraImage)
    assert (answer.id, answer.tick, answer.width, answer.height, len(answer.texts)) == (3, 0, 400, 250, 2)
    assert base64.b64decode("".join(answer.texts)) == 400 * 250 * b"\1\2\3"


def test_depths_are_little_endian_words() -> None:
    answer = service(Painted()).answer(CameraOrder(1, "robot1", "camera", 0, "depth16"))
    assert base64.b64decode(answer.texts[0]) == b"\1\0\0\1"


@pytest.mark.parametrize(
    ("problem", "code", "text"),
    [
        (NoSuchName("there is none"), 201, "there is none"),
        (ZeroDivisionError("oh"), InternalError.code, "/robot1/camera cannot be drawn: ZeroDivisionError: oh"),
    ],
)
def test_what_goes_wrong_with_one_image_is_told(problem: Exception, code: int, text: str) -> None:
    answer = service(Painted(problem)).answer(ORDER)
    assert (answer.id, answer.error, answer.text) == (3, code, text)


def test_where_nothing_can_draw_each_order_is_told_why() -> None:
    answer = service(CannotDraw("OpenGL is missing")).answer(ORDER)
    assert (answer.error, answer.text) == (CannotDraw.code, "OpenGL is missing")


def test_orders_are_carried_out_until_the_host_is_gone_each_drawn_while_the_one_before_is_read() -> None:
    host, painter_end = Channel.pair()
    for number in (1, 2):
        host.send(CameraOrder(number, "robot1", f"eye{number}", 0, "depth16"))
    painter = Painted()
    serving = threading.Thread(target=service(painter).serve, args=(painter_end,))
    serving.start()
    answers = [*host.wait(10.0)]
    answers += host.wait(10.0) if len(answers) < 2 else []
    host.close()
    serving.join(10.0)
    assert [answer.id for answer in answers] == [1, 2]
    assert painter.done == ["begin eye1", "begin eye2", "read eye1", "read eye2"]
    assert not serving.is_alive()
    painter_end.close()


def test_states_are_found_in_the_ring_by_their_tick() -> None:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=100)
    states = RingStates(ring)
    with pytest.raises(NoImage, match="has made no record yet"):
        states.at(0)
    ticking = Ticking(scene())
    ring.announce(1, packed_layout(ticking.simulation.layout))
    for tick in range(3000):
        ring.append(RecordHeader(tick=tick, revision=tick, generation=1), ())
    ring.append(RecordHeader(tick=2999, revision=3000, generation=1), ())  # an edit while time stands still
    assert states.at(2990).record.tick == 2990
    assert states.at(2999).record.header.revision == 3000
    assert states.at(5).record.tick == 2999  # long gone: the newest one, which says its own tick
    assert states.at(2990).layout is states.at(2999).layout
    ring.unlink()


def test_a_ring_of_a_few_records_gives_the_newest_for_those_that_are_overwritten() -> None:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=100)
    ring.announce(1, packed_layout(Ticking(scene()).simulation.layout))
    readings = np.zeros(16_000)
    for tick in range(20):
        ring.append(RecordHeader(tick=tick, revision=tick, generation=1, readings=readings.size), (readings,))
    assert RingStates(ring).at(3).record.tick == 19
    assert RingStates(ring).at(17).record.tick == 17
    ring.unlink()
