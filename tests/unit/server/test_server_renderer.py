"""What draws is exchanged by a message: the process that draws is told, and refuses what it cannot use."""

from collections.abc import Iterator
from typing import Any

import pytest
from server_fakes import FakeSource, Mailbox, ask, make_type

from coopsim.errors import BadArgument, CannotDraw, NoImage
from coopsim.interfaces import CAMERA, MOTORS, RENDERER
from coopsim.interfaces.rights import Right, right_of
from coopsim.message import Message, decode, encode
from coopsim.server import Host, HostOptions
from coopsim.server.cameras import PATIENCE, RENDERER_PATIENCE
from coopsim.server.lockstep.sessions import Session
from coopsim.transport import Channel
from coopsim.transport.control import CameraOrder, CameraRefusal, RendererChanged, RendererOrder

EYE = make_type("eye", ("motors", MOTORS, {}), ("camera", CAMERA, {}))
IMAGE = CAMERA.command("image").number
STATUS, SET = (RENDERER.command(name).number for name in ("status", "set"))
MODULE = "/sim/renderer"


class Desk:
    """A host with a camera whose processes are in our hands; its scene may name a renderer."""

    def __init__(self, scene: str = "") -> None:
        self.source = FakeSource({"robot1": EYE}, "real-time")
        pairs = [Channel.pair() for _ in range(2)]
        self.processes = [process for process, _ in pairs]
        options = HostOptions(info={"renderer": scene} if scene else {})
        self.host = Host(self.source.link, self.source.host_launcher, options, cameras=[end for _, end in pairs])
        self.mail = Mailbox()
        self.session = Session(self.mail, None, "a")
        self.host._poller.__enter__()
        self.host._cameras.register(self.host._poller)
        self.source.link.poll()
        self.host._modules.poll()

    def ask(self, command: int, *params: Any, target: str = MODULE) -> Message | None:
        raw = self.host._modules.respond(encode(ask(target, command, *params)), self.session)
        return None if raw is None else decode(raw)

    def turn(self) -> list[Message]:
        """Let the host receive; return the replies that it sent."""
        for descriptor, events in self.host._poller.poll(0.0):
            self.host._poller.handlers[descriptor](descriptor, events)
        self.host._cameras.turn(0.0)
        return [decode(raw) for raw in self.mail.replies.pop("a", [])]

    def asked(self) -> tuple[Any, ...]:
        status = self.ask(STATUS)
        assert status is not None
        return status.params[:2]

    def close(self) -> None:
        self.host._cameras.close()
        for process in self.processes:
            process.close()
        self.host._poller.close()
        self.source.close()


@pytest.fixture
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    renderer_desk = Desk(getattr(request, "param", ""))
    yield renderer_desk
    renderer_desk.close()


def test_without_a_process_a_name_is_noted_and_goes_ahead_of_the_first_image(desk: Desk) -> None:
    assert desk.ask(SET, "mujoco") is None
    (reply,) = [decode(raw) for raw in desk.mail.replies.pop("a")]
    assert (reply.error, reply.params) == (0, ("mujoco",))
    assert desk.asked() == ("mujoco", "")
    desk.ask(IMAGE, target="/robot1/camera")
    renderer, image = desk.processes[0].receive()
    assert renderer == RendererOrder(0, "mujoco", "")
    assert image == CameraOrder(1, "robot1", "camera", 0, "rgb8")


def test_a_process_that_draws_is_told_and_the_reply_waits_for_it(desk: Desk) -> None:
    desk.turn()
    assert desk.ask(SET, "mujoco") is None
    (order,) = desk.processes[0].receive()
    assert order == RendererOrder(1, "mujoco", "")
    assert desk.turn() == []
    assert desk.asked() == ("", "")
    desk.processes[0].send(RendererChanged(order.id))
    assert [reply.params for reply in desk.turn()] == [("mujoco",)]
    assert desk.asked() == ("mujoco", "")
    desk.ask(IMAGE, target="/robot1/camera")
    assert [type(order) for order in desk.processes[0].receive()] == [CameraOrder]  # it is not told twice


def test_what_the_process_cannot_use_is_refused_and_not_asked_for_again(desk: Desk) -> None:
    desk.turn()
    desk.ask(SET, "mujoco")
    (order,) = desk.processes[0].receive()
    desk.processes[0].send(CameraRefusal(CannotDraw.code, "EGL is missing", order.id))
    (reply,) = desk.turn()
    assert (reply.error, reply.text) == (CannotDraw.code, "EGL is missing")
    assert desk.asked() == ("", "")


def test_a_renderer_that_does_not_start_is_told_by_its_name_and_later_than_an_image_that_is_not_drawn(
    desk: Desk,
) -> None:
    now = 0.0
    desk.host._cameras._clock = lambda: now
    desk.turn()
    desk.ask(SET, "mujoco")
    now = PATIENCE + 1.0
    assert desk.turn() == []
    now = RENDERER_PATIENCE + 1.0
    (reply,) = desk.turn()
    late = "the camera process has not started the renderer mujoco within 60 s"
    assert (reply.error, reply.text) == (NoImage.code, late)
    assert desk.asked() == ("", "")


def test_the_next_process_draws_with_what_was_asked_for(desk: Desk) -> None:
    desk.turn()
    desk.ask(SET, "mujoco")
    desk.processes[0].send(RendererChanged(desk.processes[0].receive()[0].id))
    desk.turn()
    desk.processes[0].close()
    desk.turn()
    desk.ask(IMAGE, target="/robot1/camera")
    assert desk.processes[1].receive()[0] == RendererOrder(0, "mujoco", "")


@pytest.mark.parametrize("desk", ["mujoco"], indirect=True)
def test_the_renderer_of_the_scene_is_told_before_the_first_image(desk: Desk) -> None:
    assert desk.asked() == ("", "mujoco")
    desk.ask(IMAGE, target="/robot1/camera")
    desk.ask(IMAGE, target="/robot1/camera")
    orders = desk.processes[0].receive()
    assert [type(order) for order in orders] == [RendererOrder, CameraOrder, CameraOrder]
    assert orders[0] == RendererOrder(0, "", "mujoco")


def test_a_name_that_nothing_has_is_refused_with_the_nearest_one(desk: Desk) -> None:
    reply = desk.ask(SET, "mujcoo")
    assert reply is not None
    assert reply.error == BadArgument.code
    assert "no renderer 'mujcoo'; known: mujoco, opengl; did you mean 'mujoco'?" in reply.text
    assert desk.asked() == ("", "")


def test_watchers_see_what_draws_and_do_not_change_it() -> None:
    rights = [right_of(RENDERER, RENDERER.command(name), of_robot=False) for name in ("status", "set")]
    assert rights == [Right.WATCH, Right.ALL]
