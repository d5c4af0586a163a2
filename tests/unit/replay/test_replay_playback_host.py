"""A recording through the modules of the host, without sockets."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from replay_scenes import record
from replay_stage import Stage

from coopsim.interfaces import PLAYBACK
from coopsim.message import Message, decode, encode
from coopsim.server import Host, HostOptions
from coopsim.server.lockstep.sessions import Session
from coopsim.state import Record
from coopsim.transport import Channel

Show = Callable[..., Stage]


class Served:
    """A playback and a host in front of it; one client."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._launcher, end = Channel.pair()
        self._ends = [self._launcher, end]
        host = Host(stage.link, end, HostOptions(is_recording=True, info={"scenario": "launched", "seed": 1}))
        self._modules = host._modules
        self._replies: list[bytes] = []
        self._session = Session(self, None, "me")
        self._modules.poll()

    def post(self, _: Session, raw: bytes) -> None:
        """Take a reply that comes later."""
        self._replies.append(raw)

    def ask(self, target: str, command: int, *params: Any, data: Any = ()) -> Message:
        """Send a request and return its reply, now or after the playback worked."""
        raw = self._modules.respond(encode(Message(target, command, params, data, id=5)), self._session)
        if raw is None:
            self.stage.playback.serve()
            self.stage.link.poll()
            self._modules.poll()
            raw = self._replies.pop()
        return decode(raw)

    def playback(self, name: str, *params: Any, data: Any = ()) -> Message:
        """Ask `/sim/playback`; it must not fail."""
        reply = self.ask("/sim/playback", PLAYBACK.command(name).number, *params, data=data)
        assert reply.error == 0, reply.text
        return reply

    def close(self) -> None:
        """Let go of the channel to nobody."""
        for end in self._ends:
            end.close()


@pytest.fixture
def serve(show: Show) -> Iterator[Callable[..., Served]]:
    """Return a starter of hosts with a playback: `serve(file, paused=True)`."""
    servers: list[Served] = []

    def start(*arguments: Any, **options: Any) -> Served:
        servers.append(Served(show(*arguments, **options)))
        return servers[-1]

    yield start
    for served in servers:
        served.close()


def test_the_scene_of_a_recording_looks_as_it_did_then(serve: Callable[..., Served], written: list[Record]) -> None:
    served = serve(paused=True)
    served.playback("seek", data=(written[130].time,))
    scene = json.loads(served.ask("/sim/world", 21).params[0])
    robot = next(entity for entity in scene["entities"] if entity["kind"] == "robot")
    assert [visual["shape"] for visual in scene["looks"][robot["visuals"]]] == ["cylinder", "arrow"]
    assert robot["pose"] == pytest.approx(written[130].poses[robot["body"]].tolist(), abs=1e-6)


def test_the_same_modules_answer_what_they_answered_then(serve: Callable[..., Served], written: list[Record]) -> None:
    """C-77: the robots' readings can be looked at beside the controller's logs."""
    served = serve(paused=True)
    for number in (0, 42, 130, 7):
        served.playback("seek", data=(written[number].time,))
        layout = served.stage.link.now[0]
        for place in layout.robots:
            for module in place.type.modules:
                reply = served.ask(f"/{place.name}/{module.name}", module.interface.commands[-1].number)
                if reply.error == 0:
                    assert reply.tick == written[number].tick
            sonars = place.type.module("sonars")
            begin = place.reading_offset + sonars.reading_offset
            expected = written[number].readings[begin : begin + 11].astype(np.float32)
            assert np.array_equal(np.float32(served.ask(f"/{place.name}/sonars", 10).data), expected)


def test_clock_world_and_names_tell_of_then(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve(record(tmp_path / "a.mcap", 60, mode="lockstep"), paused=True)
    served.playback("seek", data=(0.5,))
    clock = served.ask("/sim/clock", 10)
    assert clock.params == ("lockstep", 1, "{}", "stop")
    assert list(clock.data[:3]) == [50, 0.5, 0.01]
    served.playback("play")
    assert served.ask("/sim/clock", 10).params[1] == 0
    listed = served.ask("/sim/world", 10)
    assert listed.params[0] == 4
    assert served.ask("/sim/world", 15, "robot1").params == ("robot1", "robot", "single")
    assert "/sim/playback" in served.ask("/sim/names", 10).params
    assert served.ask("/robot1/sonars", 0).data[0] == 50


def test_info_tells_of_the_run_that_was_recorded(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve(record(tmp_path / "a.mcap", 3), paused=True)
    record(tmp_path / "b.mcap", 3)
    document = json.loads(served.ask("/sim/info", 10).params[0])
    assert (document["scenario"], document["seed"], document["engine"], document["recording"]) == (
        "pair",
        7,
        "pymunk",
        "a.mcap",
    )
    served.playback("load", "b.mcap")
    assert json.loads(served.ask("/sim/info", 10).params[0])["recording"] == "b.mcap"


@pytest.mark.parametrize("mode", ["real-time", "lockstep"])
@pytest.mark.parametrize(
    ("target", "command", "params", "data"),
    [
        ("/robot1/motors", 10, (), (0.3, 0.0)),
        ("/robot1/motors", 12, (), ()),
        ("/sim/step", 11, (1, "robot1"), (0.3, 0.0)),
        ("/sim/step", 12, ("robot1",), ()),
        ("/sim/step", 13, ("robot1",), ()),
        ("/sim/step", 14, ("token",), ()),
        ("/sim/clock", 11, ("free",), ()),
        ("/sim/clock", 14, (), ()),
        ("/sim/clock", 16, (), ()),
        ("/sim/clock", 3, ("patience", 1.0), ()),
        ("/sim/world", 13, ("robot1",), ()),
        ("/sim/world", 14, (), ()),
        ("/robot1/sonars", 3, ("noise", 0.5), ()),
        ("/robot1/odometry", 12, (), ()),
    ],
)
def test_what_would_change_the_past_is_refused(
    serve: Callable[..., Served], tmp_path: Path, mode: str, target: str, command: int, params: Any, data: Any
) -> None:
    served = serve(record(tmp_path / "a.mcap", 5, mode=mode), paused=True)
    reply = served.ask(target, command, *params, data=data)
    assert (reply.error, reply.text[:19]) == (303, "this is a recording")
    assert served.ask("/robot1/sonars", 10).error == 0


def test_a_parameter_is_read(serve: Callable[..., Served]) -> None:
    served = serve(paused=True)
    served.playback("seek", data=(2.0,))
    assert served.ask("/robot1/sonars", 2, "noise").params == (0.05,)


@pytest.mark.parametrize(
    ("name", "params", "data"),
    [
        ("seek", (), ()),
        ("seek", ("1",), ()),
        ("seek", (), (1.0, 2.0)),
        ("step", ("two",), ()),
        ("step", (1.5,), ()),
        ("step", (2**60,), ()),
        ("load", (), ()),
        ("load", (7,), ()),
        ("speed", (), ()),
        ("play", (1,), ()),
        ("loop", (), (1.0, 2.0, 3.0)),
    ],
)
def test_mistakes_are_refused(serve: Callable[..., Served], name: str, params: Any, data: Any) -> None:
    served = serve(paused=True)
    reply = served.ask("/sim/playback", PLAYBACK.command(name).number, *params, data=data)
    assert reply.error == 203
    assert name in reply.text or params[0] == 7 or "count" in reply.text


def test_every_command_says_where_the_recording_stands(serve: Callable[..., Served]) -> None:
    served = serve(paused=True)
    assert list(served.playback("seek", data=(1.234,)).data) == [pytest.approx(1.23)]
    for name, params, data in (("play", (), ()), ("pause", (), ()), ("speed", (), (2.0,)), ("unloop", (), ())):
        reply = served.playback(name, *params, data=data)
        assert (list(reply.data), reply.tick) == ([pytest.approx(1.23)], 123)
    assert list(served.playback("step").data) == [pytest.approx(1.24)]
    assert list(served.playback("loop", data=(1.0,)).data) == [1.0, 3.0]
    status = served.playback("status")
    assert len(status.params) + len(status.data) == len(PLAYBACK.command("status").gives)


def test_a_live_run_has_no_playback(show: Show) -> None:
    stage = show(paused=True)
    launcher, end = Channel.pair()
    try:
        modules = Host(stage.link, end, HostOptions())._modules
        reply = decode(modules.respond(encode(Message("/sim/playback", 10)), Session(None, None, "me")) or b"")
        assert reply.error == 201
    finally:
        launcher.close()
        end.close()
