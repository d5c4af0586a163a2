"""Images come from a process of their own: ordered, answered, refused, and the process started anew."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from server_fakes import FakeSource, Mailbox, ask, make_type

from coopsim.errors import CannotDraw, NoImage
from coopsim.interfaces import CAMERA, INFO, MOTORS, RENDERER
from coopsim.interfaces.rights import Right, right_of
from coopsim.message import Message, decode, encode
from coopsim.server import Host, HostOptions
from coopsim.server.cameras import PATIENCE
from coopsim.server.lockstep.sessions import Session
from coopsim.transport import Channel
from coopsim.transport.control import OWN_STARTS, CameraImage, CameraOrder, CameraRefusal, RendererOrder, StartCameras

EYE = make_type("eye", ("motors", MOTORS, {}), ("camera", CAMERA, {}))
IMAGE, PNG = CAMERA.command("image").number, CAMERA.command("png").number
SET = RENDERER.command("set").number


class Desk:
    """A host whose launcher and camera processes are in our hands; time is `now`."""

    def __init__(self, *robots: str, starts: int = 2, mode: str = "real-time") -> None:
        self.source = FakeSource(dict.fromkeys(robots, EYE), mode)
        pairs = [Channel.pair() for _ in range(starts)]
        self.processes = [process for process, _ in pairs]
        self.host = Host(self.source.link, self.source.host_launcher, HostOptions(), cameras=[end for _, end in pairs])
        self.host._cameras._clock = lambda: self.now
        self.now, self.mail = 0.0, Mailbox()
        self.session = Session(self.mail, None, "a")
        self.host._poller.__enter__()
        self.host._cameras.register(self.host._poller)
        self.source.link.poll()
        self.host._modules.poll()

    def ask(self, command: int = IMAGE, target: str = "/robot1/camera", *params: str) -> Message | None:
        raw = self.host._modules.respond(encode(ask(target, command, *params)), self.session)
        return None if raw is None else decode(raw)

    def info(self) -> dict[str, Any]:
        reply = self.ask(INFO.command("info").number, "/sim/info")
        assert reply is not None
        return dict(json.loads(str(reply.params[0])))

    def turn(self) -> list[Message]:
        """Let the host take in what came; return the replies that it sent."""
        for descriptor, events in self.host._poller.poll(0.0):
            self.host._poller.handlers[descriptor](descriptor, events)
        self.host._cameras.turn(self.now)
        return [decode(raw) for raw in self.mail.replies.pop("a", [])]

    @property
    def starts(self) -> int:
        """How often the launcher was asked for a process since the last call."""
        return sum(isinstance(order, StartCameras) for order in self.source.launcher.receive())

    def close(self) -> None:
        self.host._cameras.close()
        for process in self.processes:
            process.close()
        self.host._poller.close()
        self.source.close()


@pytest.fixture
def desk() -> Iterator[Any]:
    desks: list[Desk] = []

    def make(*robots: str, **more: Any) -> Desk:
        desks.append(Desk(*robots, **more))
        return desks[-1]

    yield make
    for desk_ in desks:
        desk_.close()


def test_the_process_is_started_when_a_robot_has_a_camera_and_once_only(desk: Any) -> None:
    host_desk = desk("robot1", "robot2")
    host_desk.turn()
    host_desk.turn()
    assert host_desk.starts == 1


def test_without_a_camera_no_process_is_started(desk: Any) -> None:
    host_desk = desk()
    host_desk.turn()
    assert host_desk.starts == 0


def test_an_image_is_ordered_for_its_tick_and_the_reply_speaks_of_that(desk: Any) -> None:
    host_desk = desk("robot1")
    assert host_desk.ask(PNG) is None
    (order,) = host_desk.processes[0].receive()
    assert order == CameraOrder(1, "robot1", "camera", 0, "png")
    host_desk.processes[0].send(CameraImage(1, 7, 0.07, 320, 240, ("QUJD", "REVG")))
    (reply,) = host_desk.turn()
    assert (reply.error, reply.tick, reply.params, tuple(reply.data)) == (0, 7, (320, 240, "QUJD", "REVG"), (0.07,))
    assert host_desk.session.waiting == 0


def test_what_the_process_cannot_draw_is_refused_in_its_words(desk: Any) -> None:
    host_desk = desk("robot1")
    host_desk.ask()
    host_desk.processes[0].send(CameraRefusal(CannotDraw.code, "OpenGL is too old", 1))
    (reply,) = host_desk.turn()
    assert (reply.error, reply.text) == (CannotDraw.code, "OpenGL is too old")


def test_a_process_that_dies_is_told_and_the_next_one_gets_the_next_order(desk: Any) -> None:
    host_desk = desk("robot1")
    host_desk.ask()
    host_desk.ask()
    host_desk.processes[0].close()
    replies = host_desk.turn()
    assert [reply.error for reply in replies] == [NoImage.code] * 2
    assert "ended before it had drawn the image" in replies[0].text
    assert host_desk.starts == 2
    assert host_desk.ask() is None
    (order,) = host_desk.processes[1].receive()
    host_desk.processes[1].send(CameraImage(order.id, 0, 0.0, 1, 1, ()))
    assert [reply.error for reply in host_desk.turn()] == [0]


def test_after_the_last_start_requests_are_refused_at_once(desk: Any) -> None:
    host_desk = desk("robot1", starts=1)
    host_desk.turn()
    host_desk.processes[0].close()
    host_desk.turn()
    assert host_desk.ask() is None
    (reply,) = host_desk.turn()
    assert (reply.error, "has ended 1 times" in reply.text) == (NoImage.code, True)


def test_after_three_ends_it_is_said_everywhere_and_a_renderer_that_is_asked_for_starts_another_one(desk: Any) -> None:
    """S-76."""
    host_desk = desk("robot1", starts=5)
    host_desk.turn()
    for process in host_desk.processes[:OWN_STARTS]:
        assert "cameras" not in host_desk.info()
        process.close()
        host_desk.turn()
    assert host_desk.starts == OWN_STARTS
    assert host_desk.ask() is None
    (reply,) = host_desk.turn()
    assert (reply.error, reply.params) == (NoImage.code, (OWN_STARTS,))
    assert reply.text == host_desk.info()["cameras"]
    assert "has ended 3 times and is not started again by itself" in reply.text
    assert host_desk.ask(SET, "/sim/renderer", "mujoco") is None
    assert ([reply.error for reply in host_desk.turn()], host_desk.starts) == ([0], 1)
    assert "cameras" not in host_desk.info()
    assert host_desk.ask() is None
    renderer, order = host_desk.processes[OWN_STARTS].receive()
    assert renderer == RendererOrder(0, "mujoco", "")
    host_desk.processes[OWN_STARTS].send(CameraImage(order.id, 0, 0.0, 1, 1, ()))
    assert [reply.error for reply in host_desk.turn()] == [0]
    host_desk.processes[OWN_STARTS].close()
    host_desk.turn()
    assert host_desk.starts == 0
    assert "has ended 4 times" in host_desk.info()["cameras"]


def test_where_no_process_is_left_a_renderer_is_refused_with_that(desk: Any) -> None:
    host_desk = desk("robot1", starts=1)
    host_desk.turn()
    host_desk.processes[0].close()
    host_desk.turn()
    assert host_desk.ask(SET, "/sim/renderer", "mujoco") is None
    (reply,) = host_desk.turn()
    assert (reply.error, "is not started again in this run" in reply.text) == (NoImage.code, True)


def test_a_renderer_that_is_asked_for_starts_no_process_where_none_was_needed(desk: Any) -> None:
    host_desk = desk()
    host_desk.turn()
    assert host_desk.ask(SET, "/sim/renderer", "mujoco") is None
    assert ([reply.error for reply in host_desk.turn()], host_desk.starts) == ([0], 0)


def test_a_process_that_hangs_holds_nobody_up_for_ever(desk: Any) -> None:
    host_desk = desk("robot1")
    host_desk.ask()
    host_desk.now = PATIENCE - 1.0
    assert host_desk.turn() == []
    host_desk.now = PATIENCE + 1.0
    (reply,) = host_desk.turn()
    assert (reply.error, f"within {PATIENCE:g} s" in reply.text) == (NoImage.code, True)
    host_desk.processes[0].send(CameraImage(1, 0, 0.0, 1, 1, ()))
    assert host_desk.turn() == []  # too late


def test_the_end_of_the_run_answers_who_waits(desk: Any) -> None:
    host_desk = desk("robot1")
    host_desk.ask()
    host_desk.host._modules.refuse_all()
    assert [reply.error for reply in host_desk.turn()] == [501]


def test_a_look_through_a_camera_changes_nothing_and_takes_no_right() -> None:
    assert {right_of(CAMERA, command, of_robot=True) for command in CAMERA.commands} == {Right.WATCH}
