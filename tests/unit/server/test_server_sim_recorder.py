"""`/sim/recorder`: wishes go to the launcher, its answers back to who asked (C-74)."""

from collections.abc import Callable
from typing import Any

import pytest
from server_fakes import ask

from coopsim.transport.control import RecordingAnswer, RecordingNews, RecordingStatus, StartRecording, StopRecording

START, STOP, STATUS = 10, 11, 12
GOING = {"recording": 1, "file": "recordings/a.mcap", "duration": 1.5, "ticks": 150, "size_bytes": 2000, "gaps": 0}


class Desk:
    """A host, and the launcher's part in our hands."""

    def __init__(self, bench: Callable[..., Any]) -> None:
        self.run = bench("real-time")
        self.recorder = self.run.modules.table.fixed["/sim/recorder"]

    def wish(self) -> Any:
        """Return what the launcher was asked for last."""
        *_, message = self.run.source.launcher.receive()
        return message

    def answer(self, wish: Any, error: int = 0, text: str = "", **status: Any) -> None:
        """Answer as the launcher does."""
        self.recorder.receive(RecordingAnswer(wish.id, RecordingStatus(**GOING | status), error, text))


@pytest.fixture
def desk(bench: Callable[..., Any]) -> Desk:
    return Desk(bench)


def test_before_a_recording_nothing_is_recorded(desk: Desk) -> None:
    reply = desk.run.send(ask("/sim/recorder", STATUS))
    assert reply.params == (0, "", "")
    assert tuple(reply.data) == (0.0, 0.0, 0.0, 0.0)


def test_a_start_is_answered_when_the_recording_has_begun(desk: Desk) -> None:
    assert desk.run.send(ask("/sim/recorder", START, "a.mcap")) is None
    wish = desk.wish()
    assert (type(wish), wish.file, wish.foxglove) == (StartRecording, "a.mcap", False)
    assert desk.run.got() == []
    desk.answer(wish)
    (reply,) = desk.run.got()
    assert (reply.error, reply.params) == (0, ("recordings/a.mcap",))


def test_a_start_without_a_name_leaves_it_to_the_launcher(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", START))
    assert desk.wish().file == ""


def test_a_start_may_ask_for_a_file_for_foxglove(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", START, "", 1))
    assert desk.wish().foxglove is True


def test_a_refusal_reaches_who_asked_with_its_number(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", START, "../a.mcap"))
    desk.answer(desk.wish(), 403, "out of the folder", recording=0)
    (reply,) = desk.run.got()
    assert (reply.error, reply.text) == (403, "out of the folder")


def test_a_stop_tells_how_much_was_recorded(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", STOP))
    wish = desk.wish()
    assert isinstance(wish, StopRecording)
    desk.answer(wish, recording=0, gaps=2)
    (reply,) = desk.run.got()
    assert reply.params == ("recordings/a.mcap",)
    assert tuple(reply.data) == (1.5, 150.0, 2000.0, 2.0)


def test_status_is_what_the_launcher_said_last(desk: Desk) -> None:
    desk.recorder.receive(RecordingNews(RecordingStatus(**GOING | {"problem": "the disk is full", "recording": 0})))
    reply = desk.run.send(ask("/sim/recorder", STATUS))
    assert reply.params == (0, "recordings/a.mcap", "the disk is full")


def test_answers_find_who_asked_whatever_their_order(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", START, "a.mcap"), "one")
    first = desk.wish()
    desk.run.send(ask("/sim/recorder", STOP), "two")
    desk.answer(desk.wish(), 603, "nothing is being recorded")
    desk.answer(first)
    assert [reply.error for reply in desk.run.got("two")] == [603]
    assert [reply.error for reply in desk.run.got("one")] == [0]


@pytest.mark.parametrize(
    "request_",
    [
        ask("/sim/recorder", START, 5),
        ask("/sim/recorder", START, "a", "b"),
        ask("/sim/recorder", START, "a", 2),
        ask("/sim/recorder", STOP, 1),
    ],
)
def test_arguments_are_checked(desk: Desk, request_: Any) -> None:
    assert desk.run.send(request_).error == 203


def test_who_waits_is_told_when_the_simulation_has_ended(desk: Desk) -> None:
    desk.run.send(ask("/sim/recorder", STOP))
    desk.recorder.refuse_all()
    (reply,) = desk.run.got()
    assert reply.error == 501
    assert desk.run.session("a").waiting == 0
