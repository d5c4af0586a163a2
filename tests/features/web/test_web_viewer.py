"""One viewer of a page and frames without a network: what is sent in what order, what is replaced, what is refused."""

import asyncio
import json
import math
import struct
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.errors import NoReply, NoSuchName
from coopsim.features.artifacts.detector_interface import DETECTOR
from coopsim.features.pictures.drawn_sensors import drawn_sensors
from coopsim.features.web import viewer
from coopsim.features.web.frames import FrameParts
from coopsim.features.web.links import Permission
from coopsim.features.web.scene_facts import SIGHTINGS, SceneRows, SensorGroup, groups_of_type, scene_facts
from coopsim.features.web.viewer import WebViewer
from coopsim.interfaces import EVENTS, TARGET

HEAD = struct.Struct("<dd6I")
RANGES = SensorGroup(SIGHTINGS, "scout", "sonars", "ranges", ("robot1", "robot2"), width=2)


def state(*, mode: str = "real-time", paused: bool = False, ended: bool = False, tick: int = 7) -> Any:
    raw = SimpleNamespace(
        time=0.01 * tick, tick=tick, generation=2**32 + 3, mode=mode, names=("robot1", "robot2"), is_paused=paused,
        is_ended=ended,
    )  # fmt: skip
    rows = SimpleNamespace(sonars=SimpleNamespace(ranges=np.array([[1.0, np.inf], [0.5, 2.0]])))
    poses = np.arange(14, dtype=float).reshape(2, 7)
    return SimpleNamespace(raw=raw, time=raw.time, poses=poses, readings=SimpleNamespace(of=lambda _: rows))


def test_pages_are_told_how_a_detector_says_where_things_are() -> None:
    """Tables of targets have three numbers a row, those of artifacts a height before the last one, too."""
    modules = {"detector": DETECTOR, "target": TARGET}
    sensors = drawn_sensors(modules, lambda module, name: modules[module].parameter(name).default)
    groups = [*groups_of_type("scout", sensors, ("robot1",))]
    facts = scene_facts(SceneRows(1, ("robot1",), {}, (), ()), groups)["sensors"]
    assert [(group["kind"], group["columns"], group["raised"]) for group in facts] == [
        ("sightings", 4, True),
        ("sightings", 3, False),
        ("sightings", 3, False),
    ]


def frame(**facts: Any) -> FrameParts:
    return FrameParts(state(**facts), [RANGES])


class Socket:
    """A browser's connection, which takes texts when it is let."""

    def __init__(self, *requests: str | bytes) -> None:
        self.sent: list[dict[str, Any]] = []
        self.takes = asyncio.Event()
        self.takes.set()
        self.transport = SimpleNamespace(get_write_buffer_size=lambda: 0, abort=lambda: None)
        self._requests = requests

    async def send(self, text: str) -> None:
        await self.takes.wait()
        self.sent.append(json.loads(text))

    async def __aiter__(self) -> Any:
        for words in self._requests:
            yield words
            await asyncio.sleep(0)


class Follower:
    """A run as viewers see it."""

    patience, endpoint, keys, names = 3.0, None, None, frozenset({"robot1"})

    def __init__(self) -> None:
        self.viewers: set[Any] = set()
        self.again: list[Any] = []

    @property
    def sim(self) -> Any:
        raise NoReply("no simulation answers now")

    def welcome(self, new: Any) -> None:
        self.viewers.add(new)

    def show_again(self, shown: Any) -> None:
        self.again.append(shown)

    def inspected(self, robot: str) -> tuple[list[dict[str, Any]], Any]:
        if robot != "robot1":
            return [], np.zeros(0)
        return [{"robot": robot, "module": "odometry", "field": "x", "length": 1}], np.array([2.5])


def viewing(socket: Socket, follower: Follower, role: str = "edit") -> WebViewer:
    return WebViewer(socket, follower, Permission(role))  # type: ignore[arg-type]  # stand-ins


def answers(*requests: str | bytes, role: str = "edit") -> list[dict[str, Any]]:
    """Return what a browser is told that asks for these."""

    async def talk() -> list[dict[str, Any]]:
        socket, follower = Socket(*requests), Follower()
        new = viewing(socket, follower, role)
        writing = asyncio.create_task(new._write())
        async for words in socket:
            new.send_line(json.dumps(await new._answer(words)))
        await new.flushed()
        await asyncio.sleep(0)
        writing.cancel()
        return socket.sent

    return asyncio.run(talk())


class Teller(Follower):
    """A run with a match whose logic tells its key when it was looked for a few times, or never; notes what is told."""

    match_key = "0123456789abcdef" * 4

    def __init__(self, looks: float) -> None:
        super().__init__()
        self.looks, self.told = looks, list[tuple[str, str]]()

    @property
    def is_match_key_told(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    @property
    def sim(self) -> Any:
        async def interface() -> Any:
            return EVENTS

        async def publish_all(events: list[tuple[str, str, tuple[()]]]) -> None:
            self.told += [(topic, text) for topic, text, _ in events]

        return SimpleNamespace(module=lambda _: SimpleNamespace(interface=interface()), publish_all=publish_all)


@pytest.mark.parametrize(("looks", "is_given"), [(2, True), (math.inf, False)])
def test_an_order_waits_for_the_key_of_the_match_and_is_never_given_in_clear(
    monkeypatch: pytest.MonkeyPatch, looks: float, is_given: bool
) -> None:
    monkeypatch.setattr(viewer, "_KEY_WITHIN", 0.05)
    follower = Teller(looks)

    async def ask() -> dict[str, Any]:
        new = viewing(Socket(), follower)
        monkeypatch.setattr(new, "_own_client", lambda: asyncio.sleep(0, follower.sim))
        values = ["/game/orders/east", "b attack a", []]
        request = {"id": 1, "do": "call", "target": "/sim/events", "command": "publish", "values": values}
        return await new._answer(json.dumps(request))

    answer = asyncio.run(ask())
    assert "attack" not in str(follower.told)
    if is_given:
        assert "error" not in answer
        assert [topic for topic, _ in follower.told] == ["/game/seats/east", "/game/orders/east"]
    else:
        assert follower.told == []
        assert "no logic of a match said within 0.05 s how it hears orders in secret" in answer["error"]


@pytest.mark.parametrize(
    ("facts", "flags"),
    [
        ({}, 1 << 8),
        ({"mode": "lockstep", "paused": True}, 2 << 8 | 1),
        ({"mode": "free", "ended": True}, 3 << 8 | 2),
        ({"mode": "of another time", "paused": True, "ended": True}, 3),
    ],
)
def test_the_head_of_a_frame_tells_time_mode_and_how_much_follows(facts: dict[str, Any], flags: int) -> None:
    packed = frame(**facts).packed(rays=True, readings=np.array([1.5, 2.5, 3.5]))
    time, tick, generation, said, poses, ranges, readings, rest = HEAD.unpack_from(packed)
    assert (time, tick, generation, said) == (pytest.approx(0.07), 7.0, 3, flags)
    assert (poses, ranges, readings, rest) == (2, 4, 3, 0)
    numbers = np.frombuffer(packed, "<f4", offset=HEAD.size)
    assert numbers[:14].tolist() == list(range(14))
    assert numbers[14:18].tolist() == [1.0, np.inf, 0.5, 2.0]
    assert numbers[18:].tolist() == [1.5, 2.5, 3.5]


def test_what_is_alike_for_all_viewers_is_packed_once() -> None:
    parts = frame()
    assert parts.time == pytest.approx(0.07)
    plain = parts.packed(rays=False, readings=np.zeros(0))
    assert parts.packed(rays=False, readings=np.zeros(0)) is plain
    with_rays = parts.packed(rays=True, readings=np.zeros(0))
    assert len(with_rays) == len(plain) + 4 * 4
    assert parts.packed(rays=True, readings=np.zeros(0)) is with_rays
    assert (
        parts.packed(rays=False, readings=np.ones(1))[HEAD.size :] == plain[HEAD.size :] + np.ones(1, "<f4").tobytes()
    )


def test_a_newer_text_replaces_one_of_its_kind_that_waits_and_lines_come_last_in_their_order() -> None:
    async def slow() -> list[Any]:
        socket = Socket()
        new = viewing(socket, Follower())
        new.send("run", '{"run": 1}')
        new.send("clock", '{"clock": 1}')
        new.send_line('{"line": 1}')
        new.send("run", '{"run": 2}')
        new.send_line('{"line": 2}')
        writing = asyncio.create_task(new._write())
        await new.flushed()
        await asyncio.sleep(0)
        writing.cancel()
        return socket.sent

    assert asyncio.run(slow()) == [{"clock": 1}, {"run": 2}, {"line": 1}, {"line": 2}]


def test_of_lines_that_nobody_reads_the_newest_are_kept() -> None:
    new = viewing(Socket.__new__(Socket), Follower())
    for number in range(viewer._MOST_LINES + 5):
        new.send_line(str(number))
    assert list(new._lines) == [str(number) for number in range(5, viewer._MOST_LINES + 5)]


def test_frames_wait_for_facts_and_for_a_browser_that_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[bytes] = []
    monkeypatch.setattr(viewer, "broadcast", lambda _, packed: frames.append(packed))

    async def watch() -> None:
        socket = Socket()
        new = viewing(socket, Follower())
        new.send("scene", "{}")
        new.show(frame(tick=1))
        new._send_frame()
        assert frames == [], "facts come before the frames that they explain"
        writing = asyncio.create_task(new._write())
        while not frames:  # texts are followed by the frame
            await asyncio.sleep(0)
        waiting = [1000]
        socket.transport.get_write_buffer_size = lambda: waiting[0]
        new.show(frame(tick=2))
        new._send_frame()
        assert len(frames) == 1, "it has not read the one before"
        waiting[0] = 0
        new.show(frame(tick=3))
        new._send_frame()
        new._send_frame()
        writing.cancel()
        if new._timer is not None:
            new._timer.cancel()

    asyncio.run(watch())
    assert [HEAD.unpack_from(packed)[1] for packed in frames] == [1.0, 3.0], "the newest one, once"


def test_no_frame_overtakes_a_text_that_is_being_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(viewer, "broadcast", lambda *_: sent.append("frame"))

    async def watch() -> None:
        socket = Socket()
        socket.sent = sent
        socket.takes.clear()
        new = viewing(socket, Follower())
        new.send("scene", '"scene"')
        writing = asyncio.create_task(new._write())
        while new._texts:
            await asyncio.sleep(0)
        new.show(frame())
        new._send_frame()
        socket.takes.set()
        while len(sent) < 2:
            await asyncio.sleep(0)
        writing.cancel()

    asyncio.run(watch())
    assert sent == ["scene", "frame"]


def test_what_a_robot_reads_is_explained_before_its_first_frame_and_once() -> None:
    async def watch() -> tuple[list[str], list[Any]]:
        new, texts = viewing(Socket(), Follower()), []
        new._watch({"do": "watch", "robots": ["robot1", "robot1", "nobody"]})
        values = [new._readings().tolist()]
        texts += [new._texts.pop("fields", "")]
        values += [new._readings().tolist()]
        texts += [new._texts.pop("fields", "")]
        new._watch({"do": "watch", "robots": []})
        return texts, [*values, new._readings().tolist()]

    texts, values = asyncio.run(watch())
    assert json.loads(texts[0])["fields"] == [{"robot": "robot1", "module": "odometry", "field": "x", "length": 1}]
    assert texts[1] == ""
    assert values == [[2.5], [2.5], []]


def test_a_rate_is_kept_and_the_newest_frame_is_shown_again() -> None:
    follower = Follower()
    new = viewing(Socket.__new__(Socket), follower)
    new._watch({"do": "watch", "rate": 20, "rays": 1})
    assert (new.pause, follower.again) == (0.05, [new])


@pytest.mark.parametrize(
    ("request_of_page", "said"),
    [
        ({"do": "watch", "rate": 61}, "frames per second lie above 0 and within 60, got 61"),
        ({"do": "watch", "rate": 0}, "frames per second lie above 0"),
        ({"do": "watch", "robots": "robot1"}, "a list of at most 8 robots"),
        ({"do": "watch", "robots": [str(number) for number in range(9)]}, "a list of at most 8 robots"),
        ({"do": "dance"}, "not for 'dance'"),
        ({"do": "set", "target": "/robot1/sonars"}, "KeyError: 'name'"),
        ({"do": "call", "target": "/sim/clock", "command": "pause", "values": []}, "no simulation answers now"),
        ({"do": "section", "kind": "object", "name": "castle", "place": [0, 0, 0]}, "a page inserts what is offered"),
        ({"do": "section", "kind": "object", "name": "box", "place": [0, 0]}, "a place is x y z, got"),
        ({"do": "section", "kind": "object", "name": "box", "place": [0, 0, 1e7]}, "a place lies within 1e+06 m"),
    ],
)
def test_requests_that_cannot_be_are_answered_with_their_number(request_of_page: dict[str, Any], said: str) -> None:
    (reply,) = answers(json.dumps({"id": 41, **request_of_page}))
    assert (reply["what"], reply["id"]) == ("reply", 41)
    assert said in reply["error"]


def test_each_request_has_one_answer_whatever_it_holds() -> None:
    replies = answers("[]", b"\xff", '{"id": 1}', '{"id": 2, "do": "watch"}', "7", role="watch")
    assert [reply["id"] for reply in replies] == [None, None, 1, 2, None]
    assert ["values" in reply for reply in replies] == [False, False, False, True, False]
    assert all(len(reply.get("error", "")) <= 500 for reply in replies)


@pytest.mark.parametrize(("role", "said"), [("watch", "this link may watch alone"), ("drive", "no simulation answers")])
def test_who_may_not_drive_is_refused_before_the_run_is_asked(role: str, said: str) -> None:
    (reply,) = answers('{"id": 1, "do": "claim", "robot": "robot1"}', role=role)
    assert said in reply["error"]
    assert ("ask whoever runs the simulation" in reply["cure"]) == (role == "watch")


def test_a_run_that_does_not_answer_in_time_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(WebViewer, "_do", never)
    (reply,) = answers('{"id": 5, "do": "watch"}')
    assert (reply["id"], reply["error"]) == (5, "the run did not answer in time")


def test_an_error_of_the_run_keeps_its_number_and_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise NoSuchName("there is no robot7").advise("`coopsim ls` lists all")

    monkeypatch.setattr(WebViewer, "_do", refuse)
    (reply,) = answers('{"id": 6, "do": "modules", "robot": "robot7"}')
    assert (reply["code"], reply["error"], reply["cure"]) == (
        NoSuchName.code,
        "there is no robot7",
        "`coopsim ls` lists all",
    )


def test_who_goes_is_told_nothing_more() -> None:
    async def come_and_go() -> Follower:
        follower = Follower()
        new = viewing(Socket('{"id": 1, "do": "watch"}'), follower)
        await new.serve()
        return follower

    assert asyncio.run(come_and_go()).viewers == set()
