"""Clients of every kind on real sockets."""

import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
import zmq
from server_fakes import SINGLE, ask
from server_wire import call, is_closed, receive, receive_tcp, send_tcp

from coopsim.errors import NoSuchName, OwnedByAnother, SimulationEnded
from coopsim.message import Message, encode

pytestmark = pytest.mark.integration
STEP, CLAIM, RELEASE = 11, 13, 15


def step(*robots: str, data: object, tick: int = 0, number: int = 1) -> Message:
    return ask("/sim/step", STEP, 1, *robots, data=data, tick=tick, number=number)


def test_a_req_a_dealer_and_a_tcp_client_get_the_same_answer(serve: Callable) -> None:
    run = serve("real-time")
    request = ask("/robot1/sonars", 10, number=5)
    dealer, req, tcp = run.dealer(), run.dealer(kind=zmq.REQ), run.tcp()
    send_tcp(tcp, encode(request))
    replies = [call(dealer, request), call(req, request), receive_tcp(tcp)]
    assert [(reply.id, reply.error, list(reply.data)) for reply in replies] == [(5, 0, [0.0] * 3)] * 3


def test_a_client_behind_routing_frames_gets_them_back(serve: Callable) -> None:
    run = serve("real-time")
    dealer = run.dealer()
    dealer.send_multipart([b"left", b"right", b"", encode(ask("/sim/info", 10))])
    frames = dealer.recv_multipart()
    assert frames[:-1] == [b"left", b"right", b""]


def test_two_clients_cannot_both_own_a_robot(serve: Callable) -> None:
    run = serve()
    alice, bob = run.dealer(), run.dealer()
    (token,) = call(alice, ask("/sim/step", CLAIM, "robot1")).params
    refused = call(bob, ask("/robot1/motors", 10))
    assert refused.error == OwnedByAnother.code
    assert refused.text.startswith("robot1 is controlled by client")
    assert call(bob, ask("/robot1/motors", 13)).error == 0
    assert call(bob, ask("/sim/step", 14, token)).params == ("robot1",)
    assert call(bob, ask("/robot1/motors", 10)).error == 0


def test_two_clients_step_together_batched_and_naive(serve: Callable) -> None:
    """C-30: nobody runs ahead of anybody."""
    run = serve()
    batched, naive = run.dealer(), run.dealer()
    call(batched, ask("/sim/step", CLAIM, "robot1", "plain1"))
    call(naive, ask("/sim/step", CLAIM, "robot2"))
    seen: list[tuple[int, float]] = []

    def drive() -> None:
        for tick in range(1, 51):
            call(naive, ask("/robot2/sonars", 10))
            call(naive, ask("/robot2/target", 10))
            call(naive, ask("/robot2/motors", 10, data=(tick, 0)))
        seen.append((call(naive, ask("/robot2/motors", 13)).tick, 0.0))

    thread = threading.Thread(target=drive)
    thread.start()
    for tick in range(1, 51):
        reply = call(batched, step(data=(tick, 0, -tick, 0), tick=tick))
        assert (reply.error, reply.tick) == (0, tick)
        assert [reply.data[0], reply.data[9]] == [tick, -tick]
    thread.join(10)
    assert seen == [(50, 0.0)]
    assert run.source.header.tick == run.source.permits == 50


def test_a_zeromq_and_a_tcp_client_step_together(serve: Callable) -> None:
    run = serve()
    dealer, tcp = run.dealer(), run.tcp()
    call(dealer, ask("/sim/step", CLAIM, "robot1"))
    send_tcp(tcp, encode(ask("/sim/step", CLAIM, "robot2")))
    receive_tcp(tcp)
    for tick in range(1, 21):
        send_tcp(tcp, encode(step("robot2", data=(0, 0), tick=tick)))
        dealer.send(encode(step("robot1", data=(0, 0), tick=tick)))
        assert [receive(dealer).tick, receive_tcp(tcp).tick] == [tick, tick]


def test_five_hundred_robots_in_one_message(serve: Callable) -> None:
    run = serve(robots={f"robot{number}": SINGLE for number in range(500)})
    client = run.dealer()
    names = tuple(f"robot{number}" for number in range(500))
    commands = [float(value) for number in range(500) for value in (number, -number)]
    reply = call(client, Message("/sim/step", STEP, (1, *names), commands, binary=True))
    assert reply.error == 0
    assert list(reply.data[::45]) == [float(number) for number in range(500)]


def test_a_killed_client_delays_the_others_once(serve: Callable) -> None:
    run = serve(patience=0.0)
    script = (
        "import sys, zmq\n"
        "from coopsim.message import Message, encode\n"
        "client = zmq.Context().socket(zmq.DEALER)\n"
        f"client.connect('tcp://127.0.0.1:{run.ports['zmq']}')\n"
        "while True:\n"
        "    client.send(encode(Message('/sim/step', 11, (1, 'robot2'), (0.0, 0.0))))\n"
        "    client.recv()\n"
        "    print(flush=True)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        assert victim.stdout is not None
        victim.stdout.readline()  # it has made its first step alone
        client = run.dealer()
        for _ in range(10):
            assert call(client, step("robot1", data=(0, 0))).error == 0
        os.kill(victim.pid, signal.SIGKILL)
        # with a patience without end, only the death of the connection lets this go on
        assert [call(client, step("robot1", data=(0, 0))).error for _ in range(100)] == [0] * 100
        assert json.loads(call(run.dealer(), ask("/sim/clock", 10)).params[2]).keys() <= {"robot1"}
    finally:
        victim.kill()
        victim.wait()
        victim.stdout.close()


def test_a_tcp_client_that_closes_frees_its_robots(serve: Callable) -> None:
    run = serve(patience=0.0)
    tcp, client = run.tcp(), run.dealer()
    send_tcp(tcp, encode(ask("/sim/step", CLAIM, "robot2")))
    receive_tcp(tcp)
    client.send(encode(step("robot1", data=(0, 0))))
    tcp.close()
    assert receive(client).tick == 1


def test_a_hung_client_is_stopped_when_patience_is_over(serve: Callable) -> None:
    run = serve(patience=0.1)
    hung, client = run.dealer(), run.dealer()
    call(hung, ask("/sim/step", CLAIM, "robot2"))
    call(client, ask("/sim/step", CLAIM, "robot1"))
    hung.send(encode(step("robot2", data=(0.5, 0))))
    assert call(client, step("robot1", data=(0, 0))).tick == 1
    assert [call(client, step("robot1", data=(0, 0))).tick for _ in range(20)] == list(range(2, 22))
    assert run.source.commands("robot2")[1:] == [0.0, 0.0, 0.0]
    assert call(client, ask("/sim/clock", 10)).data[8] == 1.0


def test_a_client_that_never_reads_does_not_freeze_the_others(serve: Callable) -> None:
    run = serve("real-time")
    deaf, deaf_tcp, client = run.dealer(), run.tcp(), run.dealer()
    deaf.rcvhwm = 1
    request = encode(ask("/sim/world", 10))
    deaf_tcp.settimeout(0.2)
    try:
        for _ in range(20_000):
            send_tcp(deaf_tcp, request)
    except OSError:
        pass  # the kernel takes no more, or the host has dropped it
    deaf.sndtimeo = 0
    try:
        for _ in range(20_000):
            deaf.send(request)
    except zmq.Again:
        pass
    assert [call(client, ask("/robot1/sonars", 10)).error for _ in range(50)] == [0] * 50


def test_too_many_tcp_connections_push_out_one_that_never_spoke(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.server.sockets import gateway

    defaults = gateway.Gateway.__init__.__defaults__[1:]
    monkeypatch.setattr(gateway.Gateway.__init__, "__defaults__", (2, *defaults))
    run = serve("real-time")
    silent, speaker = run.tcp(), run.tcp()
    for end in (speaker, run.tcp()):
        send_tcp(end, encode(ask("/sim/info", 10)))
        assert receive_tcp(end).error == 0
    assert is_closed(silent)
    assert is_closed(run.tcp())  # nobody is silent any more: the newcomer has to go


def test_the_mode_is_switched_with_clients_connected(serve: Callable) -> None:
    run = serve()
    client, operator = run.dealer(), run.dealer()
    assert call(client, step("robot1", data=(0, 0))).tick == 1
    assert call(operator, ask("/sim/clock", 11, "real-time")).error == 0
    client.send(encode(step("robot1", data=(0, 0))))
    assert call(operator, ask("/sim/clock", 10)).params[0] == "real-time"
    assert call(operator, ask("/sim/clock", 11, "lockstep")).error == 0
    assert receive(client).tick == 2
    assert call(client, step("robot1", data=(0, 0), tick=3)).tick == 3


def test_lookup_tells_an_endpoint_that_serves_the_robot(serve: Callable) -> None:
    run = serve("real-time")
    main = run.dealer()
    endpoints = {
        name: call(main, ask("/sim/names", 11, name)).params for name in ("/robot1", "/robot2/motors", "/sim/step")
    }
    assert len({zmq_end for zmq_end, _ in endpoints.values()}) == 3
    assert endpoints["/sim/step"][0] == f"tcp://127.0.0.1:{run.ports['zmq']}"
    assert endpoints["/robot1"][1] == f"tcp://127.0.0.1:{run.ports['tcp']}"
    own = run.dealer(int(endpoints["/robot1"][0].rpartition(":")[2]))
    assert call(own, ask("/robot1/sonars", 10)).error == 0


def test_robots_at_their_own_endpoints_step_together(serve: Callable) -> None:
    """C-23: each robot has its own thread."""
    run = serve()
    main = run.dealer()
    clients, endpoints = {}, {call(main, ask("/sim/names", 11, "/sim/clock")).params[0]}
    for robot in ("robot1", "robot2"):
        endpoint = call(main, ask("/sim/names", 11, f"/{robot}")).params[0]
        assert endpoint not in endpoints
        endpoints.add(endpoint)
        clients[robot] = run.dealer(int(endpoint.rpartition(":")[2]))
        call(clients[robot], ask("/sim/step", CLAIM, robot))
    for tick in range(1, 31):
        for robot, client in clients.items():
            client.send(encode(step(robot, data=(tick, 0), tick=tick)))
        assert [receive(client).tick for client in clients.values()] == [tick, tick]
    for client in clients.values():
        assert call(client, ask("/robot1/sonars", 2, "noise")).params == (0.25,)


def test_a_client_lost_at_a_robots_own_endpoint_frees_the_robot(serve: Callable) -> None:
    run = serve(patience=0.0)
    main = run.dealer()
    own = run.dealer(int(call(main, ask("/sim/names", 11, "/robot2")).params[0].rpartition(":")[2]))
    call(own, ask("/sim/step", CLAIM, "robot2"))
    main.send(encode(step("robot1", data=(0, 0))))
    own.close(0)
    assert receive(main).tick == 1


def test_robots_that_come_and_go_get_and_lose_endpoints(serve: Callable) -> None:
    run = serve("real-time")
    main = run.dealer()
    call(main, ask("/sim/world", 11, "[ROBOT_1]"))
    endpoint = call(main, ask("/sim/names", 11, "/robot9")).params[0]
    own = run.dealer(int(endpoint.rpartition(":")[2]))
    assert call(own, ask("/robot9/sonars", 10)).error == 0
    call(main, ask("/sim/world", 13, "robot9"))
    assert call(main, ask("/sim/names", 11, "/robot9")).error == NoSuchName.code


def test_robot_threads_can_be_shared_and_switched_off(serve: Callable) -> None:
    shared = serve("real-time", robot_threads=2)
    ends = {call(shared.dealer(), ask("/sim/names", 11, name)).params[0] for name in ("/robot1", "/robot2", "/plain1")}
    assert len(ends) == 2
    none = serve("real-time", robot_threads="off")
    param = call(none.dealer(), ask("/sim/names", 11, "/robot1")).params[0]
    assert param == f"tcp://127.0.0.1:{none.ports['zmq']}"


def test_at_the_end_waiting_requests_get_501(serve: Callable) -> None:
    run = serve()
    holder, waiting, tcp = run.dealer(), run.dealer(), run.tcp()
    call(holder, ask("/sim/step", CLAIM, "robot1"))
    call(waiting, ask("/sim/step", CLAIM, "robot2"))
    send_tcp(tcp, encode(ask("/sim/step", CLAIM, "plain1")))
    receive_tcp(tcp)
    waiting.send(encode(step("robot2", data=(0, 0))))
    # in one piece: the reading is asked by a client that is ready, so that it waits for the step too
    pieces = [encode(step("plain1", data=(0, 0))), encode(ask("/plain1/odometry", 10))]
    tcp.sendall(b"".join(struct.pack(">I", len(raw)) + raw for raw in pieces))
    wait_until(lambda: list(json.loads(call(holder, ask("/sim/clock", 10)).params[2])) == ["robot1"])
    assert run.end() == 0
    assert [receive(waiting).error, receive_tcp(tcp).error, receive_tcp(tcp).error] == [SimulationEnded.code] * 3


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_true():
        assert time.monotonic() < deadline, "it never became true"


def test_clients_that_are_gone_count_no_more(serve: Callable) -> None:
    """Also those that never owned anything."""
    run = serve("real-time")
    stays = run.dealer()
    for _ in range(20):
        guest = run.dealer()
        assert call(guest, ask("/sim/info", 10)).error == 0
        guest.close(0)
    deadline = time.monotonic() + 10
    while (count := call(stays, ask("/sim/clock", 10)).data[9]) != 1.0:
        assert time.monotonic() < deadline, f"{count:g} clients are counted"


def test_the_policy_of_one_robot_is_changed_while_others_wait_for_it(serve: Callable) -> None:
    """C-30: whoever watches may let the run go on without a robot."""
    run = serve(policy="wait", patience=0.05)
    anna, ben, watcher = run.dealer(), run.dealer(), run.dealer()
    for client, robot in ((anna, "robot1"), (ben, "robot2")):
        assert call(client, ask("/sim/step", CLAIM, robot)).error == 0
    for client, robot in ((anna, "robot1"), (ben, "robot2")):
        client.send(encode(step(robot, data=(0.1, 0.0))))
    assert [receive(client).tick for client in (anna, ben)] == [1, 1]
    anna.send(encode(step("robot1", data=(0.1, 0.0))))
    assert not anna.poll(300)
    assert call(watcher, ask("/sim/clock", 18, "robot2", "stop")).params == ("stop",)
    assert receive(anna).tick == 2
    assert call(ben, ask("/robot2/motors", 10)).text == "robot2 had been stopped for want of commands"
