"""Nodes of ROS 1 that find each other by a master and talk; the master here is a few lines of a dictionary."""

import queue
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any
from xmlrpc.client import ServerProxy
from xmlrpc.server import SimpleXMLRPCServer

import pytest

from coopsim.errors import BadArgument, NoReply
from coopsim.features.ros1 import RosExtension, topics
from coopsim.features.ros1.wire import LARGEST, read_header, send_header

PATIENCE = 30.0


class Master:
    """Knows who publishes what, and tells those who read it.

    Attributes:
        mute: Methods that it does not answer.
    """

    def __init__(self) -> None:
        self.mute: set[str] = set()
        self.publishers: dict[str, list[str]] = {}
        self.readers: dict[str, list[str]] = {}

    def _dispatch(self, method: str, words: tuple[Any, ...]) -> tuple[int, str, Any]:
        if method in self.mute:
            raise OSError(method)
        if method == "getUri":
            return 1, "", "here"
        if method == "lookupNode":
            everybody = [*self.publishers.values(), *self.readers.values()]
            return int(any(everybody)), "a node", 0
        _, topic, *_, uri = words
        if method == "registerPublisher":
            self.publishers.setdefault(topic, []).append(uri)
            for reader in self.readers.get(topic, []):
                ServerProxy(reader).publisherUpdate("/master", topic, self.publishers[topic])
        elif method == "registerSubscriber":
            self.readers.setdefault(topic, []).append(uri)
            return 1, "", self.publishers.get(topic, [])
        else:
            (self.publishers if method == "unregisterPublisher" else self.readers)[topic].remove(uri)
        return 1, "", 0


@pytest.fixture
def master() -> Iterator[tuple[str, Master]]:
    server, registry = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False), Master()
    server.register_instance(registry)
    server.register_function(registry._dispatch)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", registry
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def pair(master: tuple[str, Master]) -> Iterator[tuple[RosExtension, RosExtension]]:
    nodes = []
    for name in ("one", "two"):
        extension = RosExtension()
        extension.name, extension.master = name, master[0]
        extension.init()
        nodes.append(extension)
    yield nodes[0], nodes[1]
    for extension in nodes:
        extension.shutdown()


def read_until(came: "queue.Queue[Any]", publish: Any) -> Any:
    """Publish until something comes: topics are found by and by."""
    for _ in range(round(PATIENCE / 0.05)):
        publish()
        try:
            return came.get(timeout=0.05)
        except queue.Empty:
            continue
    raise AssertionError("nothing came")


@pytest.mark.parametrize("reads_first", [True, False])
def test_messages_go_from_one_node_to_the_other(pair: tuple[RosExtension, RosExtension], reads_first: bool) -> None:
    sender, two = pair
    queue_of_messages: queue.Queue[dict[str, Any]] = queue.Queue()

    def publish() -> None:
        sender.publish("/talk", "std_msgs/String", data="hello")

    if not reads_first:
        publish()
    two.subscribe("/talk", "std_msgs/String", queue_of_messages.put)
    assert read_until(queue_of_messages, publish) == {"data": "hello"}


def test_a_newer_callback_takes_the_place_of_an_older_one(pair: tuple[RosExtension, RosExtension]) -> None:
    sender, two = pair
    first: queue.Queue[dict[str, Any]] = queue.Queue()
    second: queue.Queue[dict[str, Any]] = queue.Queue()
    numbers = iter(range(100_000))

    def publish() -> None:
        sender.publish("/count", "std_msgs/Int32", data=next(numbers))

    two.subscribe("/count", "std_msgs/Int32", first.put)
    read_until(first, publish)
    two.subscribe("/count", "std_msgs/Int32", second.put)
    assert read_until(second, publish)["data"] > 0
    with pytest.raises(BadArgument, match="/count is read as std_msgs/Int32, not as std_msgs/String"):
        two.subscribe("/count", "std_msgs/String", first.put)


def test_a_callback_that_fails_takes_no_others_with_it(
    pair: tuple[RosExtension, RosExtension], caplog: pytest.LogCaptureFixture
) -> None:
    sender, two = pair
    messages: queue.Queue[dict[str, Any]] = queue.Queue()

    def fail(_values: dict[str, Any]) -> None:
        messages.put({})
        raise ZeroDivisionError

    two.subscribe("/a", "std_msgs/Bool", fail)
    read_until(messages, lambda: sender.publish("/a", "std_msgs/Bool", data=True))
    two.subscribe("/b", "std_msgs/Int32", messages.put)
    read_until(messages, lambda: sender.publish("/b", "std_msgs/Int32", data=3))
    read_until(messages, lambda: sender.publish("/a", "std_msgs/Bool", data=True))
    two.shutdown()
    assert sum("a callback for std_msgs/Bool failed" in record.message for record in caplog.records) == 1


def test_a_topic_has_one_type(pair: tuple[RosExtension, RosExtension]) -> None:
    node, _ = pair
    node.publish("/a", "std_msgs/Bool", data=True)
    with pytest.raises(BadArgument, match="/a is published as std_msgs/Bool, not as std_msgs/Int32"):
        node.publish("/a", "std_msgs/Int32", data=1)
    with pytest.raises(BadArgument, match="no message type 'x_msgs/Y'"):
        node.publish("/b", "x_msgs/Y")


def test_who_means_another_type_is_refused_with_words(pair: tuple[RosExtension, RosExtension]) -> None:
    node, _ = pair
    node.publish("/a", "std_msgs/Bool", data=True)
    slave = ServerProxy(node._joined.uri)
    code, _, (kind, host, port) = slave.requestTopic("/me", "/a", [["TCPROS"]])  # type: ignore[misc]
    assert (code, kind) == (1, "TCPROS")
    for said in ({"topic": "/a", "md5sum": "0"}, {"topic": "/b", "md5sum": "*"}):
        with socket.create_connection((host, port), PATIENCE) as link:  # type: ignore[arg-type]
            send_header(link, said)
            assert "publishes no" in read_header(link)["error"]
    assert slave.requestTopic("/me", "/nothing", [["TCPROS"]])[0] == 0  # type: ignore[index]
    assert slave.getPublications("/me")[2] == [["/a", "std_msgs/Bool"]]  # type: ignore[index]
    assert slave.bad("/me")[0] == -1  # type: ignore[index]


def test_a_node_that_sends_too_much_is_left(
    pair: tuple[RosExtension, RosExtension], master: tuple[str, Master]
) -> None:
    _, two = pair
    two.subscribe("/a", "std_msgs/Bool", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as topics:
        server = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        server.register_function(lambda *_: (1, "", ["TCPROS", *topics.getsockname()]), "requestTopic")
        threading.Thread(target=server.handle_request).start()
        uri = f"http://127.0.0.1:{server.server_address[1]}"
        ServerProxy(two._joined.uri).publisherUpdate("/master", "/a", [uri])
        link, _ = topics.accept()
        with link:
            link.settimeout(PATIENCE)
            assert read_header(link)["topic"] == "/a"
            send_header(link, {"type": "std_msgs/Bool"})
            link.sendall(struct.pack("<I", LARGEST + 1))
            assert link.recv(1) == b""  # it hung up
        server.server_close()


def test_a_publisher_that_has_no_time_is_asked_again(
    pair: tuple[RosExtension, RosExtension], master: tuple[str, Master]
) -> None:
    _, reader = pair
    messages: queue.Queue[dict[str, Any]] = queue.Queue()
    reader.subscribe("/a", "std_msgs/Bool", messages.put)
    with socket.create_server(("127.0.0.1", 0)) as publisher:
        answers = iter([(0, "busy", 0), (0, "busy", 0), (1, "", ["TCPROS", *publisher.getsockname()])])
        server = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        server.register_function(lambda *_: next(answers), "requestTopic")
        thread = threading.Thread(target=lambda: [server.handle_request() for _ in range(3)])
        thread.start()
        uri = f"http://127.0.0.1:{server.server_address[1]}"
        ServerProxy(reader._joined.uri).publisherUpdate("/master", "/a", [uri])
        link, _ = publisher.accept()
        thread.join()
        with link:
            send_header(link, {"type": "std_msgs/Bool", "md5sum": read_header(link)["md5sum"]})
            link.sendall(struct.pack("<IB", 1, 1))
            assert messages.get(timeout=PATIENCE) == {"data": True}
            ServerProxy(reader._joined.uri).publisherUpdate("/master", "/a", [])
        server.server_close()


def test_a_master_that_is_gone_before_it_has_heard_of_everything_is_told_again(
    pair: tuple[RosExtension, RosExtension], master: tuple[str, Master]
) -> None:
    one, two = pair
    one.publish("/a", "std_msgs/Bool", data=True)
    one.subscribe("/b", "std_msgs/Bool", lambda _: None)
    node, registry = one._joined, master[1]
    registry.publishers.clear()
    registry.readers.clear()
    registry.mute = {"registerSubscriber"}
    with pytest.raises(NoReply, match="no ROS master answers"):
        node.rejoin()
    assert (list(registry.publishers), list(registry.readers)) == (["/a"], [])
    registry.mute = set()
    assert node.rejoin()
    assert list(registry.readers) == ["/b"]
    assert not node.rejoin()
    assert two.name == "two"


def test_a_reader_that_reads_nothing_holds_nobody_up(
    pair: tuple[RosExtension, RosExtension], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "_KEPT", 3)
    node, _ = pair
    node.publish("/a", "std_msgs/String", data="")
    host, port = node._joined.address
    with socket.create_connection((host, port), PATIENCE) as link:
        send_header(link, {"topic": "/a", "md5sum": "*"})
        read_header(link)
        publisher = node._publishers["/a"]
        while not publisher.readers:
            time.sleep(0.005)
        for _ in range(200):
            node.publish("/a", "std_msgs/String", data="x" * 1_000_000)
        (waiting,) = publisher._readers.values()
        assert waiting.qsize() <= 4


def test_without_a_master_it_does_not_begin() -> None:
    extension = RosExtension()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        extension.master = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(NoReply, match="no ROS master answers at http://127"):
            extension.init()
    with pytest.raises(BadArgument, match="has not begun"):
        extension.publish("/a", "std_msgs/Bool", data=True)
    extension.shutdown()
