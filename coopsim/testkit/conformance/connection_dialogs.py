"""Dialogs about connections: time-outs of one request, a server that reads nothing, connecting anew, two clients."""

import time

from coopsim.message import Message
from coopsim.testkit.conformance.dialogs import (
    SHORT,
    SONARS,
    Dialog,
    connect,
    expect,
    expect_reading,
    names_the_run,
    refused,
    request,
)
from coopsim.testkit.conformance.false_server import FalseServer, replied
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import written, written_list

MAIN, SECOND = "main", "second"
"""Names of the two clients of one program; it begins with the first."""
_REQUEST = (written(SONARS), written(10), "", "")  # command 10, `ranges`
_TEXT = "x" * 900_000  # almost the longest message
_MOST = 8  # of them are more than two sockets hold
_LATER = 1.5 * float(SHORT)  # s; a client that kept the short time-out has given up
_PATIENCE, _LOOK = 10.0, 0.02  # s; a client with a time-out of its own gave up long before


def ends_one_request_by_a_time_out_of_its_own(client: ClientProgram, server: FalseServer) -> None:
    """A request may have a time-out of its own; that of the client stays as it was."""
    client.send("within", SHORT, *_REQUEST)
    expect(client, "silent")
    late = server.next_request()
    asked = request(client, server)
    time.sleep(_LATER)
    server.send(replied(late, data=(9.0,)), replied(asked, data=(2.5,)))
    expect_reading(client, 2.5)


def gives_up_what_nobody_reads(client: ClientProgram, server: FalseServer) -> None:
    """A time-out is that of writing, too; a connection on which half a request was written is lost."""
    connect(client, server, SHORT)
    for _ in range(_MOST):
        client.send("ask", written(SONARS), written(10), written_list([_TEXT]), "")
        _await(client, server)
        if client.heard()[0] == "lost":
            break
    connect(client, server)
    names_the_run(client, server)


def _await(client: ClientProgram, server: FalseServer) -> None:
    """Wait for an answer; a client that never gives one is freed, so that the next dialog finds it."""
    deadline = time.monotonic() + _PATIENCE
    while not client.has_answered:
        if time.monotonic() > deadline:
            server.cut()
            raise NotConformant(f"a request that nobody reads has no end after {_PATIENCE:g} s")
        time.sleep(_LOOK)


def connects_anew_to_the_same_run(client: ClientProgram, server: FalseServer) -> None:
    """A client that lost its connection may go on with its run, on a new connection."""
    request(client, server)
    server.cut()
    expect(client, "lost")
    _answer_as_a_run(server, _next_ping(client, server))
    wanted, words = ["connected", written(server.run)], client.heard()[:2]
    if words != wanted:
        raise NotConformant(f"answer to reconnect: expected {wanted}, got {words}")
    names_the_run(client, server)


def does_not_connect_anew_to_another_run(client: ClientProgram, server: FalseServer) -> None:
    """Another run at the same address is refused with its number, and is not driven."""
    server.run += 1
    _answer_as_a_run(server, _next_ping(client, server))
    refused(client, 208, server.run)
    client.send("ask", *_REQUEST)
    expect(client, "lost")


def _next_ping(client: ClientProgram, server: FalseServer) -> Message:
    """Let the client connect anew, and return its first request."""
    client.send("reconnect")
    if not server.accept(lambda: client.has_answered):
        raise NotConformant(f"the client did not connect anew, but said {' '.join(client.heard())}")
    return server.next_request()


def _answer_as_a_run(server: FalseServer, ping: Message) -> None:
    """Answer as a simulation does: a request that names another run is refused."""
    if ping.run not in {0, server.run}:
        server.answer(ping, error=208, text="another run", params=(server.run,))
    else:
        server.answer(ping, params=("clock", server.run), data=(0.0, 0.0))


def keeps_two_clients_apart(client: ClientProgram, server: FalseServer) -> None:
    """Two clients of one program share nothing: neither runs nor ids nor what went wrong."""
    with FalseServer(run=server.run + 1) as second_server:
        client.asked("use", SECOND)
        try:
            connect(client, second_server)
            names_the_run(client, second_server)
            client.asked("use", MAIN)
            names_the_run(client, server)
            client.asked("use", SECOND)
            asked = request(client, second_server)
            second_server.answer(asked, error=301, text="in words", params=(42,))
            refused(client, 301, 42)
            client.asked("close")
        finally:
            client.settle()
            client.asked("use", MAIN)
    names_the_run(client, server)


CONNECTION_DIALOGS: tuple[Dialog, ...] = (
    ends_one_request_by_a_time_out_of_its_own,
    connects_anew_to_the_same_run,
    does_not_connect_anew_to_another_run,
    keeps_two_clients_apart,
)
LARGE_DIALOGS: tuple[Dialog, ...] = (gives_up_what_nobody_reads,)
"""Those with messages of hundreds of kilobytes."""
