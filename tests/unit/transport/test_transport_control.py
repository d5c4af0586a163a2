"""Messages between our own processes."""

from typing import Any

import pytest

from coopsim.errors import BadArgument, CannotRecord
from coopsim.state.edits import Insert, UnknownEdit
from coopsim.state.plain import Misfit
from coopsim.transport import Channel
from coopsim.transport.channel import pack
from coopsim.transport.control import (
    CONTROL,
    Answer,
    EditRequest,
    HostStatus,
    HostSummary,
    ImageChoice,
    OpenRecording,
    PlanarPose,
    ProcessFailed,
    Ready,
    RecorderStatus,
    RecordingAnswer,
    RecordingClosed,
    RecordingStatus,
    SourceSummary,
    ThreadsLeft,
)

STATUS = HostStatus(
    "lockstep", False, 3, 0.03, float("nan"), 0, 0.0, 0.0, 1, {"robot1": 0.5}, 2, float("inf"), "stop", 4
)
MESSAGES: tuple[Any, ...] = (
    Ready(),
    Ready({"zmq": 5570, "tcp": 0}),
    ProcessFailed(101, "no", "do"),
    ThreadsLeft(("a", "b")),
    HostSummary({"robot1": None, "robot2": "me"}, 1, 0),
    OpenRecording("a.mcap", True, metadata={"seed": 3, "notes": ["x"]}, attachments={"a": "b"}),
    OpenRecording("a.mcap", images=ImageChoice(("color", "depth"), 5.0, 1000)),
    RecordingClosed(None),
    RecordingClosed(RecorderStatus(1.5, 150, 3000, 0)),
    RecordingAnswer(3, RecordingStatus(recording=1, file="a.mcap"), 0),
    RecordingAnswer(4, None, 501, "no"),
    EditRequest(7, Insert("[OBJECT_1]")),
    Answer(0, "", ("a", 1, 2.5), (0.5, float("inf")), 3, b"x", 7),
    SourceSummary(3, 0.03, 0.1, 0, 0.0, 0.0, "ab", {"robot1": PlanarPose(1.0, 2.0, 0.5)}, profile={"ticks": 3}),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda it: type(it).__name__)
def test_a_message_arrives_as_it_was_sent(message: object) -> None:
    left, right = Channel.pair()
    left.send(message)
    assert right.wait(5.0) == [message]
    left.close()
    right.close()


def test_numbers_that_are_not_finite_arrive() -> None:
    left, right = Channel.pair()
    left.send(STATUS)
    (received,) = right.wait(5.0)
    assert (received.patience, received.real_time_factor != received.real_time_factor) == (float("inf"), True)
    left.close()
    right.close()


def test_an_edit_that_nobody_knows_arrives_with_what_is_wrong() -> None:
    request = CONTROL.from_plain({"message": "edit_request", "id": 3, "edit": {"edit": "remove", "name": 4}})
    assert request == EditRequest(3, UnknownEdit("remove", {"name": 4}))
    assert request.edit.problem == "name: expected text, found 4"


def test_a_message_that_nobody_declared_is_refused() -> None:
    with pytest.raises(Misfit, match="expected one of configure"):
        CONTROL.from_plain({"message": "dance"})
    with pytest.raises(Misfit, match=r"ports\.'zmq': expected a whole number, found 'x'"):
        CONTROL.from_plain({"message": "ready", "ports": {"zmq": "x"}})


def test_what_cannot_travel_is_refused_before_it_is_sent() -> None:
    with pytest.raises(TypeError, match="a set cannot travel"):
        pack(OpenRecording("a", metadata={"a": {1}}))


def test_an_error_travels_as_its_number_and_its_text() -> None:
    failed = ProcessFailed.of(CannotRecord("the disk is full"))
    assert isinstance(failed.exception, CannotRecord)
    assert str(failed.exception) == "the disk is full"
    refused = Answer(203, "no b", ("b",)).problem()
    assert isinstance(refused, BadArgument)
    assert refused.params == ("b",)
