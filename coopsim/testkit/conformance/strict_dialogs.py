"""Dialogs about what a client must not believe: another version, wrong types, a server that trickles, `0.0.0.0`."""

import time

import msgpack

from coopsim.message import VERSION, Message, encode
from coopsim.testkit.conformance.dialogs import (
    SONARS,
    Dialog,
    connect,
    expect,
    expect_reading,
    expect_reading_at_last,
    expect_state,
    follow,
    request,
)
from coopsim.testkit.conformance.false_server import FalseServer, framed, replied
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import written, written_list

OTHER_HOST = "127.0.0.2"
"""An address of the loopback interface that `0.0.0.0` does not lead to."""
_LIMIT = "1"  # s; twenty times the pace, so that on a busy machine, too, a part comes before a time-out per part ends
_PACE = 0.05  # s
_PARTS = 100  # five seconds: a client that counts as it should has given up long before
_ATTEMPTS = 5  # time-outs in which the slowest client, of bash, has read twenty messages on a busy machine
_TEXT = "n\u00e4\u20ac\U0001f916"
_STATES = 8  # as many as a client meets when one request takes eight ticks
WRONG: dict[str, dict[int, object]] = {
    "version is a text": {0: str(VERSION)},
    "id is a text": {1: "1"},
    "target is a number": {2: 7},
    "tick is a text": {3: "1"},
    "tick is no whole number": {3: 1.5},
    "tick is negative": {3: -1},
    "error is a text": {4: "0"},
    "error is nil": {4: None},
    "text is a number": {5: 0},
    "command is a text": {6: "10"},
    "params are a number": {7: 1},
    "a param is nil": {7: [None]},
    "a param is an array": {7: [[1]]},
    "a param is a map": {7: [{}]},
    "data are a text": {8: "1.0"},
    "a datum is a text": {8: ["1.0"]},
    "a datum is nil": {8: [None]},
    "data are seven bytes": {8: bytes(7)},
}
"""Replies with a field of a type that it must not have, by what is wrong: the place of the field, and what is there."""


def writes_texts_in_utf_8(client: ClientProgram, server: FalseServer) -> None:
    """Characters of two, three and four bytes travel as what they are."""
    client.send("ask", written(SONARS), written(10), written_list([_TEXT]), "")
    asked = server.next_request()
    if asked.params != (_TEXT,):
        raise NotConformant(f"params: expected {(_TEXT,)}, got {asked.params}")
    server.answer(asked, data=(1.0,))
    expect_reading(client, 1.0)


def reports_another_version(client: ClientProgram, server: FalseServer) -> None:
    """A reply of another version is no message of this one."""
    raw = bytearray(replied(request(client, server), data=(1.0,)))
    raw[1] = VERSION + 1
    server.send(bytes(raw))
    expect(client, "malformed")


def reports_fields_of_wrong_types(client: ClientProgram, server: FalseServer) -> None:
    """A field of another type makes a reply malformed, and nothing worse."""
    mistakes = []
    for what, fields in WRONG.items():
        server.send(_wrong(request(client, server), fields))
        try:
            expect(client, "malformed")
        except NotConformant as problem:
            mistakes.append(f"{what}: {problem}")
        connect(client, server)
    if mistakes:
        raise NotConformant("; ".join(mistakes))


def reports_a_reply_without_all_fields(client: ClientProgram, server: FalseServer) -> None:
    """Eight fields are no message, nor is a map."""
    for raw in (msgpack.packb([VERSION, 1, SONARS, 1, 0, "", 10, []]), msgpack.packb({}), msgpack.packb(7)):
        request(client, server)
        server.send(raw)
        expect(client, "malformed")
        connect(client, server)


def counts_its_time_out_for_a_whole_reply(client: ClientProgram, server: FalseServer) -> None:
    """A time-out is that of a reply, not of its parts; what came of one is kept for later."""
    connect(client, server, _LIMIT)
    raw = framed(replied(request(client, server), text="x" * 2 * _PARTS, data=(9.0,)))
    sent = _until_it_answers(client, [raw[index : index + 1] for index in range(_PARTS)], server)
    expect(client, "silent")
    asked = request(client, server)
    server.send_bytes(raw[sent:] + framed(replied(asked, data=(2.5,))))
    expect_reading(client, 2.5)


def counts_its_time_out_over_other_messages(client: ClientProgram, server: FalseServer) -> None:
    """Probes, and replies to nothing, do not make a time-out longer."""
    connect(client, server, _LIMIT)
    unknown = encode(Message(SONARS, 10, data=(9.0,), id=request(client, server).id + 1000))
    _until_it_answers(client, [framed(b"") + framed(unknown)] * _PARTS, server)
    expect(client, "silent")
    expect_reading_at_last(client, server, _ATTEMPTS)


def takes_0_0_0_0_for_the_host_it_knows(client: ClientProgram, server: FalseServer) -> None:
    """In the address of a 207 `0.0.0.0` stands for the host of the main address."""
    del server  # it is at the usual address of the loopback interface, where 0.0.0.0 leads to by itself
    with FalseServer(host=OTHER_HOST) as main, FalseServer(host=OTHER_HOST) as elsewhere:
        connect(client, main)
        follow(client, main, elsewhere, f"tcp://0.0.0.0:{elsewhere.port}")


def asks_anew_where_a_module_is_that_is_gone(client: ClientProgram, server: FalseServer) -> None:
    """A server that a 207 named and that ends is reported; the next request asks the simulation where it is now."""
    with FalseServer() as elsewhere:
        follow(client, server, elsewhere, f"tcp://{elsewhere.address}")
        client.send("ask", written(SONARS), written(10), "", "")
        elsewhere.next_request()
    expect(client, "lost")
    with FalseServer() as elsewhere:
        follow(client, server, elsewhere, f"tcp://{elsewhere.address}")


def keeps_every_state_until_it_is_asked_for(client: ClientProgram, server: FalseServer) -> None:
    """States that come before a reply are handed out later, each of them, in their order."""
    states = [
        Message("/robot1", 11, (server.run, 1, tick), (0.05 * tick,), tick=tick) for tick in range(1, _STATES + 1)
    ]
    asked = request(client, server)
    server.send(*map(encode, states), replied(asked, data=(1.0,)))
    expect_reading(client, 1.0)
    for state in states:
        expect_state(client, state)


def _wrong(asked: Message, fields: dict[int, object]) -> bytes:
    reply = [VERSION, asked.id, asked.target, 1, 0, "", asked.command, [], [1.0]]
    return bytes(msgpack.packb([fields.get(index, field) for index, field in enumerate(reply)]))


def _until_it_answers(client: ClientProgram, parts: list[bytes], server: FalseServer) -> int:
    for sent, part in enumerate(parts):
        if client.has_answered:
            return sent
        server.send_bytes(part)
        time.sleep(_PACE)
    raise NotConformant(f"a time-out of {_LIMIT} s had not ended {_PACE * len(parts):g} s later, while parts came")


STRICT_DIALOGS: tuple[Dialog, ...] = (
    writes_texts_in_utf_8,
    reports_another_version,
    reports_fields_of_wrong_types,
    reports_a_reply_without_all_fields,
    counts_its_time_out_for_a_whole_reply,
    counts_its_time_out_over_other_messages,
    takes_0_0_0_0_for_the_host_it_knows,
    asks_anew_where_a_module_is_that_is_gone,
    keeps_every_state_until_it_is_asked_for,
)
