"""Dialogs that a client must bear: a server that is late, says things twice, is restarted, refuses, and breaks off.

Each dialog is a function of the program under examination and of the server that it is connected to.
"""

from collections.abc import Callable
from typing import Any, Protocol

from coopsim.message import Message, decode, encode
from coopsim.testkit.conformance.false_server import FalseServer, framed, replied
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import Value, alike, written, written_list

SONARS = "/robot1/sonars"
_ASK = ("ask", written(SONARS), written(10), "", "")  # command 10, `ranges`
PATIENT, SHORT = "30", "0.3"
"""Time-outs of the client [s]: one that it need not wait for, as something else says what happened; one it must."""
BEYOND = 0xFFFFFFF0
"""A length that no message has [bytes]."""


class AnswerServer(Protocol):
    """A server that dialogs speak through, by whatever carrier."""

    run: int

    @property
    def address(self) -> str:
        """Address of the server, as the client is told."""

    def accept(self, is_over: Callable[[], bool] = ...) -> bool:
        """Wait until the client is there, or it is over."""

    def next_request(self) -> Message:
        """Return the next request."""

    def answer(self, request: Message, *later: Any, **fields: Any) -> None:
        """Answer a request."""

    def send(self, *raws: bytes) -> None:
        """Send messages at once."""


Dialog = Callable[[ClientProgram, FalseServer], None]
MessageDialog = Callable[[ClientProgram, AnswerServer], None]


def connect(client: ClientProgram, server: AnswerServer, seconds: str = PATIENT) -> None:
    """Let the client connect: it asks for the run by a PING, as it should."""
    client.send("connect", server.address, seconds)
    if not server.accept(lambda: client.has_answered):
        raise NotConformant(f"the client did not connect, but said {' '.join(client.heard())}")
    ping = server.next_request()
    _same("command of the first request", 0, ping.command)
    server.answer(ping, params=("clock", server.run), data=(0.0, 0.0))
    _same("answer to connect", ["connected", written(server.run)], client.heard()[:2])


def request(client: ClientProgram, server: AnswerServer) -> Message:
    """Let the client ask for readings and return its request."""
    client.send(*_ASK)
    message = server.next_request()
    _same("target and command", (SONARS, 10), (message.target, message.command))
    _same("error and text of a request", (0, ""), (message.error, message.text))
    return message


def refused(client: ClientProgram, number: int, *params: Value) -> None:
    """Expect that the client reports a refusal."""
    _fields("what the client reports", ["refused", written(number), written_list(params)], client.heard())


def expect_reading(client: ClientProgram, value: float, tick: int = 1) -> None:
    """Expect that the client reports a reply."""
    _same("what the client reports", ["reply", written(tick), "", written_list([value])], client.heard()[:4])


def expect_reading_at_last(client: ClientProgram, server: AnswerServer, attempts: int) -> None:
    """Expect the reply to the newest of several requests: a slow client must first read what came before it.

    It may be silent until then. Each reply has a reading of its own, so that one of an earlier request is none.
    """
    for attempt in range(attempts):
        value = float(attempt + 1)
        server.answer(request(client, server), data=(value,))
        report = client.heard()[:4]
        if report[0] != "silent" or attempt == attempts - 1:
            _same("what the client reports", ["reply", written(1), "", written_list([value])], report)
            return


def expect_state(client: ClientProgram, state: Message) -> None:
    """Expect that the client hands out a state."""
    wanted = ["state", written(state.target), written(state.tick), written_list(state.params), written_list(state.data)]
    _fields("the state", wanted, client.asked("state"))


def follow(client: ClientProgram, server: AnswerServer, elsewhere: FalseServer, address: str) -> None:
    """Let the client ask, tell it that the module lives elsewhere, and expect that it asks there, without a run."""
    asked = request(client, server)
    server.answer(asked, error=207, text="elsewhere", params=("", address))
    _await_there(client, elsewhere)
    moved = elsewhere.next_request()
    _same("target and run there", (SONARS, 0), (moved.target, moved.run))
    elsewhere.answer(moved, data=(3.0,))
    expect_reading(client, 3.0)


def _await_there(client: ClientProgram, elsewhere: FalseServer) -> None:
    if not elsewhere.accept(lambda: client.has_answered):
        raise NotConformant(f"the client did not ask where 207 says, but said {' '.join(client.heard())}")


def expect(client: ClientProgram, *words: str) -> None:
    """Expect that the first word of an answer is one of these."""
    reply = client.heard()
    if reply[0] not in words:
        raise NotConformant(f"expected {' or '.join(words)}, got {' '.join(reply)}")


def names_the_run(client: ClientProgram, server: AnswerServer) -> None:
    """Name in each request the run that answered the first PING."""
    asked = request(client, server)
    _same("run of a request", server.run, asked.run)
    server.answer(asked, data=(1.5,))
    expect_reading(client, 1.5)


def uses_a_later_id_each_time(client: ClientProgram, server: AnswerServer) -> None:
    """Ids are above 0 and never come twice."""
    ids = []
    for _ in range(3):
        asked = request(client, server)
        ids.append(asked.id)
        server.answer(asked, data=(1.5,))
        expect_reading(client, 1.5)
    _same("ids above 0, each once", True, min(ids) > 0 and len({*ids}) == 3)


def passes_over_a_late_reply(client: ClientProgram, server: AnswerServer) -> None:
    """A reply that comes after its time-out is not that to the next request."""
    connect(client, server, SHORT)
    late = request(client, server)
    expect(client, "silent")
    asked = request(client, server)
    server.send(replied(late, data=(9.0,)), replied(asked, data=(2.5,)))
    expect_reading(client, 2.5)


def passes_over_a_second_reply(client: ClientProgram, server: AnswerServer) -> None:
    """A reply that comes twice is taken once."""
    asked = request(client, server)
    server.send(replied(asked, data=(1.0,)), replied(asked, data=(9.0,)))
    expect_reading(client, 1.0)
    server.answer(request(client, server), data=(2.0,))
    expect_reading(client, 2.0)


def passes_over_unknown_ids(client: ClientProgram, server: AnswerServer) -> None:
    """A reply to nothing is nothing."""
    asked = request(client, server)
    server.send(encode(Message(SONARS, 10, data=(9.0,), id=asked.id + 1000)), replied(asked, data=(1.0,)))
    expect_reading(client, 1.0)


def ignores_empty_messages(client: ClientProgram, server: AnswerServer) -> None:
    """An empty message is a probe."""
    asked = request(client, server)
    server.send(b"", replied(asked, data=(1.0,)))
    expect_reading(client, 1.0)


def ignores_later_fields(client: ClientProgram, server: AnswerServer) -> None:
    """Later versions append fields."""
    server.answer(request(client, server), 7, {"a": [1, None]}, "later", data=(1.0,))
    expect_reading(client, 1.0)


def reads_what_comes_byte_by_byte(client: ClientProgram, server: FalseServer) -> None:
    """TCP cuts messages where it likes."""
    for byte in framed(replied(request(client, server), data=(1.0,))):
        server.send_bytes(bytes([byte]))
    expect_reading(client, 1.0)


def reads_binary_data(client: ClientProgram, server: AnswerServer) -> None:
    """Data may come as a bin."""
    server.answer(request(client, server), data=(1.0,), binary=True)
    expect_reading(client, 1.0)


def reports_refusals_and_goes_on(client: ClientProgram, server: AnswerServer) -> None:
    """Refusals, an eviction among them, come with their number and params."""
    answers: dict[int, tuple[Value, ...]] = {205: ("robot1",), 206: (7,), 301: (42,), 501: (), 299: ("new", 0.5)}
    for number, params in answers.items():
        server.answer(request(client, server), error=number, text="in words", params=params)
        refused(client, number, *params)
    server.answer(request(client, server), data=(1.0,))
    expect_reading(client, 1.0)


def does_not_go_on_with_another_run(client: ClientProgram, server: AnswerServer) -> None:
    """After 208 a client keeps to its run until it is told to connect anew."""
    asked = request(client, server)
    server.answer(asked, error=208, text="another run", params=(server.run + 1,))
    refused(client, 208, server.run + 1)
    again = request(client, server)
    _same("run of the next request", asked.run, again.run)
    server.answer(again, error=208, text="another run", params=(server.run + 1,))
    refused(client, 208, server.run + 1)


def follows_a_module_that_lives_elsewhere(client: ClientProgram, server: AnswerServer) -> None:
    """207 tells the address of the server to ask, without a run."""
    with FalseServer() as elsewhere:
        follow(client, server, elsewhere, f"tcp://{elsewhere.address}")


def does_not_follow_in_a_circle(client: ClientProgram, server: AnswerServer) -> None:
    """207 from there is a refusal."""
    with FalseServer() as elsewhere:
        params = ("", f"tcp://{elsewhere.address}")
        server.answer(request(client, server), error=207, text="elsewhere", params=params)
        _await_there(client, elsewhere)
        elsewhere.answer(elsewhere.next_request(), error=207, text="elsewhere", params=params)
        refused(client, 207, *params)


def survives_a_malformed_reply(client: ClientProgram, server: AnswerServer) -> None:
    """Report what is no message; a new connection works."""
    request(client, server)
    server.send(b"\xc1 this is no message")
    expect(client, "malformed")
    connect(client, server)
    names_the_run(client, server)


def survives_a_length_beyond_all_limits(client: ClientProgram, server: FalseServer) -> None:
    """A length that no message has is reported; a new connection works."""
    request(client, server)
    server.send_bytes(BEYOND.to_bytes(4, "big"))
    expect(client, "malformed", "lost")
    connect(client, server)
    names_the_run(client, server)


def survives_a_cut_inside_a_message(client: ClientProgram, server: FalseServer) -> None:
    """A connection that ends is reported; a new one works."""
    asked = request(client, server)
    server.send_bytes(framed(replied(asked, data=(1.0,)))[:-3])
    server.cut()
    expect(client, "lost")
    connect(client, server)
    names_the_run(client, server)


def survives_a_restart(client: ClientProgram, server: FalseServer) -> None:
    """A server that is gone is reported, that none is there, too; then the next one is found."""
    request(client, server)
    port = server.port
    server.close()
    expect(client, "lost")
    client.send("connect", f"127.0.0.1:{port}", PATIENT)
    expect(client, "lost")
    with FalseServer(port, run=server.run + 1) as again:
        connect(client, again)
        names_the_run(client, again)


def keeps_states_apart_from_replies(client: ClientProgram, server: FalseServer) -> None:
    """Messages with id 0 are states."""
    state = Message("/robot1", 11, (server.run, 1, 5, "lockstep", 0, 1, 0, 0), (0.05,), tick=5)
    asked = request(client, server)
    server.send(encode(state), replied(asked, data=(1.0,)))
    expect_reading(client, 1.0)
    expect_state(client, state)


def _same(what: str, wanted: object, value: object) -> None:
    if wanted != value:
        raise NotConformant(f"{what}: expected {wanted}, got {value}")


def _fields(what: str, wanted: list[str], fields: list[str]) -> None:
    if len(fields) < len(wanted) or not all(map(alike, wanted, fields)):
        raise NotConformant(f"{what}: expected {wanted}, got {fields}")


def checked_encoding(raw: bytes, wanted: Message) -> None:
    """Compare what a client packed with what it was to pack, by value; `NotConformant` where it differs."""
    message = decode(raw)
    for name in ("id", "target", "tick", "error", "text", "command", "run"):
        _same(name, getattr(wanted, name), getattr(message, name))
    _same("params", wanted.params, message.params)  # 3.0 may be written as 3
    _same("data", written_list(map(float, wanted.data)), written_list(map(float, message.data)))


DIALOGS: tuple[Dialog, ...] = (
    names_the_run,
    uses_a_later_id_each_time,
    passes_over_a_late_reply,
    passes_over_a_second_reply,
    passes_over_unknown_ids,
    ignores_empty_messages,
    ignores_later_fields,
    reads_what_comes_byte_by_byte,
    reads_binary_data,
    reports_refusals_and_goes_on,
    does_not_go_on_with_another_run,
    follows_a_module_that_lives_elsewhere,
    does_not_follow_in_a_circle,
    survives_a_malformed_reply,
    survives_a_length_beyond_all_limits,
    survives_a_cut_inside_a_message,
    survives_a_restart,
    keeps_states_apart_from_replies,
)
ZMQ_DIALOGS: tuple[MessageDialog, ...] = (
    names_the_run,
    uses_a_later_id_each_time,
    passes_over_a_late_reply,
    passes_over_a_second_reply,
    passes_over_unknown_ids,
    ignores_empty_messages,
    ignores_later_fields,
    reads_binary_data,
    reports_refusals_and_goes_on,
    does_not_go_on_with_another_run,
    follows_a_module_that_lives_elsewhere,
    survives_a_malformed_reply,
)
"""Those that are the same by ZeroMQ, where no connection ends and no message comes in parts."""
