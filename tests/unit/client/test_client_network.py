"""What a client makes of bad networks and bad servers: nothing hangs, and every failure says why."""

import subprocess
import sys
import threading

import msgpack
import pytest
import zmq
from client_fakes import FakeServer, hasten, nobody, serving

from coopsim.client import Client, connect
from coopsim.client.connection import Connection
from coopsim.client.endpoints import parse
from coopsim.client.socket_links import ZmqLink
from coopsim.errors import (
    CoopsimError,
    Evicted,
    MalformedMessage,
    MessageTooLarge,
    NoReply,
    OwnedByAnother,
    WrongVersion,
)
from coopsim.message import Message, encode

pytestmark = pytest.mark.usefixtures("each_way")

GARBAGE = [b"\xc1", b"GET / HTTP/1.1\r\n", msgpack.packb({"a": 1}), msgpack.packb([1, 2]), b"\x00" * 100]


def test_probes_and_garbage_are_passed_over(sim: Client, server: FakeServer) -> None:
    server.manners = lambda request, reply: [b"", *GARBAGE, reply, b"", *GARBAGE]
    motors = sim.robot("robot1").motors
    for speed in (0.1, 0.2, 0.3):
        motors.set_velocity(speed)
        assert motors.state().v == speed


def test_of_two_replies_one_is_passed_over(sim: Client, server: FakeServer) -> None:
    server.manners = lambda request, reply: [reply, reply, reply]
    odometry = sim.robot("robot1").odometry
    for tick in range(5):
        server.tick = tick
        assert odometry.pose().tick == tick


def test_a_late_reply_is_not_taken_for_the_next_one(sim: Client, server: FakeServer) -> None:
    late: list[bytes] = []
    pose = sim.robot("robot1").odometry.pose
    pose()
    server.manners = lambda request, reply: late.append(reply) or []
    with pytest.raises(NoReply):
        pose(timeout=0.05)
    server.tick = 9
    server.manners = lambda request, reply: [*late, reply]
    assert pose().tick == 9


def test_replies_may_come_in_any_order() -> None:
    class Link:
        def __init__(self) -> None:
            self.sent: list[bytes] = []

        def send(self, raw: bytes, timeout: float) -> bool:
            self.sent.append(raw)
            return True

        def receive(self, timeout: float) -> bytes | None:
            # what was sent last is answered first
            return self.sent.pop() if self.sent else None

        def reset(self) -> None:
            pass

        def close(self) -> None:
            pass

    connection = Connection(Link(), parse("tcp://127.0.0.1:1"))
    first, second = connection.number(), connection.number()
    connection.send(first, Message("/a", 10), 1.0)
    connection.send(second, Message("/b", 10), 1.0)
    assert connection.receive(first, 1.0).target == "/a"
    assert connection.receive(second, 0.0).target == "/b"


def test_a_refusal_becomes_the_exception_of_its_number(sim: Client, server: FakeServer) -> None:
    motors = sim.robot("robot1").motors
    server.refusals["/robot1/motors"] = OwnedByAnother("robot1 belongs to matlab")
    with pytest.raises(OwnedByAnother, match="/robot1/motors: robot1 belongs to matlab") as caught:
        motors.stop()
    assert caught.value.__notes__ == [OwnedByAnother.cure]
    server.refusals["/robot1/motors"] = Evicted("/robot1/motors was slow")
    with pytest.raises(Evicted, match=r"^/robot1/motors was slow\n"):
        motors.stop()


@pytest.mark.parametrize(("number", "kind"), [(299, "NamingError"), (999, "CoopsimError"), (7, "CoopsimError")])
def test_an_unknown_number_is_an_error_of_its_range(sim: Client, server: FakeServer, number: int, kind: str) -> None:
    ping = sim.robot("robot1").motors.ping
    ping()
    server.manners = lambda request, reply: [encode(Message(request.target, error=number, text="odd", id=request.id))]
    with pytest.raises(CoopsimError, match=f"error {number}: odd") as caught:
        ping()
    assert type(caught.value).__name__ == kind


def test_a_request_that_the_server_could_not_read_is_no_silence(sim: Client, server: FakeServer) -> None:
    motors = sim.robot("robot1").motors
    server.manners = lambda request, reply: [encode(Message("", error=101, text="cut short"))]
    with pytest.raises(MalformedMessage, match="cut short"):
        motors.ping()


def test_a_reply_that_cannot_be_read_is_no_silence(sim: Client, server: FakeServer) -> None:
    state = sim.robot("robot1").motors.state
    state()
    server.manners = lambda request, reply: [
        msgpack.packb([1, request.id, request.target, 0, 0, "", request.command, [], [float("nan")]])
    ]
    with pytest.raises(CoopsimError, match="the reply cannot be read"):
        state()


def test_another_version_is_said_at_once(server: FakeServer) -> None:
    server.manners = lambda request, reply: [msgpack.packb([2, request.id, request.target, 0, 0, "", 0, [], []])]
    with serving(server) as endpoint, pytest.raises(WrongVersion, match="version 2"):
        connect(endpoint, timeout=5.0)


def test_a_request_too_large_for_any_server_is_not_sent(sim: Client, server: FakeServer) -> None:
    with pytest.raises(MessageTooLarge, match="at most 1048576 bytes"):
        sim.world.insert("x" * (1 << 20))
    assert server.asked("/sim/world", "insert") == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (("lockstep", 1, "{}"), "the simulation is paused"),
        (
            ("lockstep", 0, '{"robot2": 1.25}'),
            r"lockstep waits for robot2 \(1\.2 s\), without a time limit; .* patience",
        ),
        (("lockstep", 0, '{"": 3.0}'), "lockstep waits until somebody claims a robot"),
        (("real-time", 0, "{}"), r"the server is alive \(real-time\): the request was lost, or is larger"),
        (("real-time", 0, "no json"), "the server is alive"),
    ],
)
def test_silence_is_explained_by_the_clock(
    sim: Client, server: FakeServer, status: tuple[str, int, str], reason: str
) -> None:
    stepper = sim.stepper(["robot1"])
    server.status = status
    server.silent.add("/sim/step")
    with pytest.raises(NoReply, match=rf"no reply from /sim/step at tcp://\S+ within 0\.05 s; {reason}"):
        stepper.step([[0.0, 0.0]], timeout=0.05)


def test_silence_while_kernels_are_compiled_is_explained_by_that(sim: Client, server: FakeServer) -> None:
    stepper = sim.stepper(["robot1"])
    server.status = ("lockstep", 0, '{"": 3.0}')
    server.facts = {"compiling": {"done": 12, "total": 75}}
    server.silent.add("/sim/step")
    reason = "the scene needs kernels that are being compiled, once, 12 of 75 are ready; ask again when they are"
    with pytest.raises(NoReply, match=rf"within 0\.05 s; {reason}"):
        stepper.step([[0.0, 0.0]], timeout=0.05)


def test_a_change_of_the_simulation_is_waited_for_while_the_server_lives(server: FakeServer) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim:
        insert = sim.world.insert
        hasten(sim, 0.2)
        server.think_until_the_clock_is_asked("/sim/world")
        assert insert("[OBJECT_1]").names == ("crate",)
        with pytest.raises(NoReply, match=r"within 0\.05 s"):
            insert("[OBJECT_1]", timeout=0.05)
        server.silent = {"/sim/world", "/sim/clock"}
        with pytest.raises(NoReply, match=r"within 0\.2 s.*nothing answers there"):
            insert("[OBJECT_1]")


def test_a_renderer_that_starts_is_waited_for_and_what_is_said_of_it_is_true(server: FakeServer) -> None:
    with serving(server) as endpoint, connect(endpoint) as sim:
        set_renderer = sim.module("/sim/renderer").set
        hasten(sim, 0.2)
        server.think_until_the_clock_is_asked("/sim/renderer")
        assert set_renderer("mujoco").renderer == "mujoco"
        server.status = ("lockstep", 1, '{"": 3.0}')  # which holds no renderer up
        with pytest.raises(NoReply, match=r"within 0\.05 s; the server is alive, .* is still starting the renderer"):
            set_renderer("mujoco", timeout=0.05)


def test_garbage_instead_of_replies_is_mentioned(sim: Client, server: FakeServer) -> None:
    ping = sim.robot("robot1").motors.ping
    ping()
    server.manners = lambda request, reply: [b"\xc1"] if request.target == "/robot1/motors" else [reply]
    with pytest.raises(NoReply, match="1 replies could not be read"):
        ping(timeout=0.05)


def test_a_server_that_went_away_is_no_reply() -> None:
    server = FakeServer()
    with serving(server) as endpoint:
        sim = connect(endpoint)
        motors = sim.robot("robot1").motors
        motors.stop()
    with sim, pytest.raises(NoReply, match="nothing answers there"):
        motors.stop(timeout=0.1)


def test_what_was_said_to_a_dead_server_never_reaches_the_next_one() -> None:
    first, second = FakeServer(), FakeServer()
    with serving(first) as endpoint:
        sim = connect(endpoint)
        motors = sim.robot("robot1").motors
        motors.stop()
    with sim:
        with pytest.raises(NoReply):
            motors.set_velocity(0.5, timeout=0.1)
        with serving(second, endpoint):
            motors.stop(timeout=5.0)
    assert [request.command for request in second.requests] == [12]


UNREAD = """
import zmq

from coopsim.client.endpoints import parse
from coopsim.client.socket_links import ZmqLink

theirs, ours = zmq.Context(), zmq.Context()
server, idle = theirs.socket(zmq.ROUTER), ours.socket(zmq.DEALER)
server.sndhwm = 0
port = server.bind_to_random_port("tcp://127.0.0.1")
link = ZmqLink(ours, parse(f"tcp://127.0.0.1:{port}"))
link.send(b"?", 10.0)
who, _ = server.recv_multipart()
for _ in range(100_000):
    server.send_multipart([who, bytes(200)])
assert link.receive(10.0)
theirs.destroy(linger=0)
idle.poll(1500)  # longer than any ping takes to be due
count = 1
while link.receive(0.5):
    count += 1
print(count)
link.close()
"""


def test_a_client_that_left_many_replies_unread_outlives_its_server() -> None:
    """With pings of its own, libzmq would abort the client's process: their time comes while the input waits."""
    done = subprocess.run([sys.executable, "-c", UNREAD], capture_output=True, text=True, timeout=60.0, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert 1000 <= int(done.stdout) < 100_000


def test_the_last_words_of_a_server_are_heard() -> None:
    for _ in range(40):
        theirs, ours = zmq.Context(), zmq.Context()
        router = theirs.socket(zmq.ROUTER)
        router.bind("tcp://127.0.0.1:*")
        link = ZmqLink(ours, parse(router.getsockopt_string(zmq.LAST_ENDPOINT)))
        heard: list[bytes | None] = []
        listener = threading.Thread(target=lambda link=link, heard=heard: heard.append(link.receive(5.0)))
        link.send(b"hello", 1.0)
        router.RCVTIMEO = 5000
        route, _ = router.recv_multipart()
        listener.start()
        router.send_multipart([route, b"the end"])
        router.close(200)
        theirs.term()
        listener.join(10.0)
        link.close()
        ours.term()
        assert heard == [b"the end"]


def test_a_failed_connect_leaves_nothing_open() -> None:
    before = set(threading.enumerate())
    with pytest.raises(NoReply):
        connect(f"tcp://{nobody()}", timeout=0.05)
    assert set(threading.enumerate()) <= before


def test_threads_may_share_a_connection(sim: Client) -> None:
    robots = [sim.robot("robot1"), sim.robot("robot2")]
    seen: list[list[float]] = [[], []]

    def read(place: int) -> None:
        for _ in range(50):
            seen[place].append(robots[place].odometry.pose().x)

    threads = [threading.Thread(target=read, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert [len(replies) for replies in seen] == [50, 50]
    assert {round(x) // 1000 for x in seen[0]} == {0}
    assert {round(x) // 1000 for x in seen[1]} == {1}
