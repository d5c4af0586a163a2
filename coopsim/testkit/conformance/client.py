"""The examination of a client."""

import contextlib
from collections.abc import Iterator
from functools import cache, partial

from coopsim.testkit.conformance import live
from coopsim.testkit.conformance.checks import finding, timed
from coopsim.testkit.conformance.connection_dialogs import CONNECTION_DIALOGS, LARGE_DIALOGS
from coopsim.testkit.conformance.dialogs import (
    DIALOGS,
    ZMQ_DIALOGS,
    Dialog,
    MessageDialog,
    checked_encoding,
    connect,
)
from coopsim.testkit.conformance.false_server import FalseServer
from coopsim.testkit.conformance.false_zmq_server import FalseZmqServer
from coopsim.testkit.conformance.key_dialogs import KEY_DIALOGS, spoken
from coopsim.testkit.conformance.part_dialogs import PART_DIALOGS
from coopsim.testkit.conformance.program import ClientProgram, NotConformant, NotSupported, ProgramEnded
from coopsim.testkit.conformance.report import FAILED, ExamFinding, ExamReport
from coopsim.testkit.conformance.strict_dialogs import STRICT_DIALOGS
from coopsim.testkit.conformance.values import alike
from coopsim.testkit.conformance.vectors import DECODES, ENCODES, Vector, vectors

LARGE = 20_000
"""Vectors of more bytes are left out for programs that ask for it."""


def examine_client(
    client: ClientProgram,
    room: str = "",
    recording: str = "",
    *,
    large: bool = True,
    zeromq: str | None = None,
    within: float | None = None,
) -> ExamReport:
    """Examine a program.

    Args:
        client: It answers the lines that docs/conformance.md tells.
        room: Address of a simulation of `live.ROOM` in lockstep, "" = leave those dialogs out.
        recording: Address of a recording of at least 2 s that is shown, "" = leave that dialog out.
        large: Whether vectors of hundreds of kilobytes are part of it.
        zeromq: Address of the same simulation for ZeroMQ, "" = none is there, None = the client has plain TCP alone.
        within: Most seconds that an answer in a dialog may take beyond the client's own time-out, None = any number.
    """
    findings: list[ExamFinding] = []
    try:
        findings.extend(_all(client, room, recording, large=large, within=within))
        if zeromq is not None:
            findings.extend(_by_zeromq(client, zeromq, within))
    except ProgramEnded as end:
        findings.append(ExamFinding("program", "answers every line", FAILED, str(end)))
    return ExamReport(findings)


def _all(
    client: ClientProgram, room: str, recording: str, *, large: bool, within: float | None
) -> Iterator[ExamFinding]:
    yield from _codec(client, large=large)
    yield from misbehaviour(client, within, large=large)
    if room:
        yield from _live(client, room, within)
    if recording:
        yield from _shown(client, recording)


def _codec(client: ClientProgram, *, large: bool) -> Iterator[ExamFinding]:
    for vector in vectors():
        if len(vector.raw) > LARGE and not large:
            continue
        if vector.role == DECODES:
            yield finding(DECODES, vector.name, partial(_decodes, client, vector))
        elif vector.role == ENCODES:
            yield finding(ENCODES, vector.name, partial(_encodes, client, vector))


def _decodes(client: ClientProgram, vector: Vector) -> None:
    reply = client.asked("decode", vector.raw.hex())
    wanted = ["message", *vector.fields.split("\t")]
    if len(reply) != len(wanted) or not all(map(alike, wanted, reply)):
        raise NotConformant(f"expected {vector.fields[:200]!r}, got {' '.join(reply)[:200]!r}")


def _encodes(client: ClientProgram, vector: Vector) -> None:
    reply = client.asked("encode", *vector.fields.split("\t"))
    if reply[0] != "bytes" or vector.message is None:
        raise NotConformant(f"expected bytes, got {' '.join(reply)[:200]}")
    checked_encoding(bytes.fromhex(reply[1]), vector.message)


def misbehaviour(client: ClientProgram, within: float | None = None, *, large: bool = True) -> Iterator[ExamFinding]:
    """Examine what a program makes of a server that misbehaves; see `examine_client`."""
    for dialog in (*DIALOGS, *STRICT_DIALOGS, *CONNECTION_DIALOGS, *((*LARGE_DIALOGS, *PART_DIALOGS) if large else ())):
        name = dialog.__name__.replace("_", " ")
        with FalseServer() as server:
            yield timed(client, within, "dialog", name, partial(_dialog, client, server, dialog))
        _close(client)
    for key_dialog in KEY_DIALOGS:
        name = key_dialog.__name__.replace("_", " ")
        yield timed(client, within, "keys", name, partial(spoken, client, key_dialog))
        _close(client)


def _by_zeromq(client: ClientProgram, room: str, within: float | None) -> Iterator[ExamFinding]:
    for dialog in ZMQ_DIALOGS:
        with FalseZmqServer() as server:
            name = dialog.__name__.replace("_", " ")
            yield timed(client, within, "ZeroMQ", name, partial(_message_dialog, client, server, dialog))
        _close(client)
    if room:
        yield from _driven("ZeroMQ", client, f"zmq://{room}")


def _dialog(client: ClientProgram, server: FalseServer, dialog: Dialog) -> None:
    connect(client, server)
    dialog(client, server)


def _message_dialog(client: ClientProgram, server: FalseZmqServer, dialog: MessageDialog) -> None:
    connect(client, server)
    dialog(client, server)


def _live(client: ClientProgram, address: str, within: float | None) -> Iterator[ExamFinding]:
    yield from _driven("lockstep", client, address)
    yield finding("lockstep", "connects again", partial(_connected, client, address))
    evicted = partial(live.is_told_of_an_eviction, client, address)
    yield timed(client, within, "lockstep", "is told of an eviction", evicted)
    _close(client)


def _driven(group: str, client: ClientProgram, address: str) -> Iterator[ExamFinding]:
    dialogs: tuple[live.LiveDialog, ...] = (
        live.lists_names,
        live.is_refused_with_numbers,
        live.drives_by_the_plain_loop,
    )
    yield finding(group, "connects", partial(_connected, client, address))
    for dialog in dialogs:
        yield finding(group, dialog.__name__.replace("_", " "), partial(dialog, client))
    yield finding(group, "steps three robots", lambda: live.steps_three_robots(client, _expected()))
    _close(client)


@cache
def _expected() -> live.SeenByClient:
    """State that all clients must see, reckoned once."""
    return live.expected()


def _shown(client: ClientProgram, address: str) -> Iterator[ExamFinding]:
    yield finding("recording", "connects", partial(_connected, client, address))
    yield finding("recording", "seeks in a recording", partial(live.seeks_in_a_recording, client, address))
    _close(client)


def _close(client: ClientProgram) -> None:
    client.settle()
    with contextlib.suppress(NotSupported):
        client.asked("close")


def _connected(client: ClientProgram, address: str) -> None:
    reply = client.asked("connect", address, "30")
    if reply[0] != "connected":
        raise NotConformant(f"expected connected, got {' '.join(reply)}")
