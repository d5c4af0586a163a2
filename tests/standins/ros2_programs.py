"""Programs of ROS 2 that share no line with the gateway: bytes by Cyclone itself, or by rosbags and zenoh-ros2-sdk."""

import contextlib
import queue
import random
import socket
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np
import zenoh
import zenoh.ext
import zenoh_ros2_sdk as sdk
from cyclonedds.core import DDSException, Listener, Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import make_idl_struct, types
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration
from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from zenoh_ros2_sdk.session import ZenohSession

from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.ros2.types import RosTypes

LIMIT = 20.0
JAZZY = get_typestore(Stores.ROS2_JAZZY)
TWIST, SCAN, CLOCK = "geometry_msgs/msg/Twist", "sensor_msgs/msg/LaserScan", "rosgraph_msgs/msg/Clock"
LOG, DISCOVERY = "rcl_interfaces/msg/Log", "rmw_dds_common/msg/ParticipantEntitiesInfo"
_LATE, _DESCRIPTION = ("/tf_static",), "/robot_description"
"""Topics whose late readers get the newest message, as all nodes of ROS 2 read them."""
_LOOPBACK = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>'
    '<AllowMulticast>false</AllowMulticast></General><Discovery><Peers><Peer Address="127.0.0.1"/></Peers>'
    "<ParticipantIndex>auto</ParticipantIndex></Discovery></Domain></CycloneDDS>"
)
_NUMBERS = {name: getattr(types, name) for name in ("float32", "float64", "uint8", "int8", "uint16", "int16")} | {
    name: getattr(types, name) for name in ("uint32", "int32", "uint64", "int64")
}
_IDL = _NUMBERS | {"bool": bool, "string": str, "char": types.uint8, "octet": types.uint8, "byte": types.uint8}
_STRUCTS: dict[str, Any] = {}


def define(types_of_gateway: RosTypes) -> None:
    """Make types known to all programs that rosbags does not bring: bytes and hashes stay theirs."""
    for name in types_of_gateway.names:
        if name not in JAZZY.fielddefs and not _is_service(name):
            (definition,) = get_types_from_msg(text_of(types_of_gateway, name), name).values()
            JAZZY.register({name: definition})


def _is_service(name: str) -> bool:
    """Return whether a type is a service, or its event, which no program sends."""
    is_message = name.endswith(("_Request", "_Response", "_Goal", "_Result", "_Feedback", "_FeedbackMessage"))
    return "/msg/" not in name and not is_message


def text_of(types_of_gateway: RosTypes, name: str) -> str:
    """Return a type as a file .msg defines it."""
    lines = []
    for field in types_of_gateway.fields(name):
        many = "" if field.many is None else f"[{f'<={-field.many}' if field.many < 0 else field.many or ''}]"
        lines.append(f"{field.type}{many} {field.name}")
    return "\n".join(lines)


def free_domain() -> int:
    """Return a domain of DDS that nobody on this machine is in."""
    for domain in random.Random(uuid.uuid4().int).sample(range(1, 200), 199):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 7400 + 250 * domain + 10))
            return domain
    raise AssertionError("every domain is taken")


define(all_types())


class RosProgram(ABC):
    """A node of a person's program."""

    def __init__(self) -> None:
        self._read: dict[str, queue.Queue[Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, topic: str, kind: str) -> Any:
        """Return the next message of a topic."""
        if topic not in self._read:
            self._read[topic] = queue.Queue()
            self._subscribe(topic, kind, self._read[topic].put)
        return self._read[topic].get(timeout=LIMIT)

    def drive(self, send: Callable[[Mapping[str, Any]], None], v: float, w: float) -> None:
        """Send a velocity."""
        send({"linear": {"x": v}, "angular": {"z": w}})

    @abstractmethod
    def _subscribe(self, topic: str, kind: str, received: Callable[[Any], None]) -> None: ...

    @abstractmethod
    def commands(self, topic: str, kind: str = TWIST) -> Callable[[Mapping[str, Any]], None]:
        """Return what publishes on a topic, once somebody reads it."""

    @abstractmethod
    def call(self, service: str, kind: str, words: Mapping[str, Any] | None = None) -> Any:
        """Return the response of a service."""

    @abstractmethod
    def close(self) -> None:
        """Leave the graph of nodes."""


class DdsProgram(RosProgram):
    """A node in a DDS domain, with types that Cyclone itself turns into bytes."""

    def __init__(self, domain: int) -> None:
        super().__init__()
        self._domain = Domain(domain, _LOOPBACK)
        self._participant = DomainParticipant(domain)
        self._kept: list[Any] = []
        self._is_closing = False

    def _subscribe(self, topic: str, kind: str, received: Callable[[Any], None]) -> None:
        def available(reader: Any) -> None:
            for sample in reader.take(64):
                if sample.sample_info.valid_data:
                    received(sample)

        named = topic if kind == DISCOVERY else f"rt{topic}"
        is_late = kind == DISCOVERY or topic in _LATE or topic.endswith(_DESCRIPTION)
        self._kept.append(self._reader(named, _idl(kind), available, is_latched=is_late))

    def commands(self, topic: str, kind: str = TWIST) -> Callable[[Mapping[str, Any]], None]:
        writer = self._writer(f"rt{topic}", _idl(kind))
        return lambda words: writer.write(_built(_idl(kind), kind, words))

    def call(self, service: str, kind: str, words: Mapping[str, Any] | None = None) -> Any:
        answers: queue.Queue[Any] = queue.Queue()
        request, response = (_idl(f"{kind}_{end}", has_origin=True) for end in ("Request", "Response"))

        def available(reader: Any) -> None:
            for sample in reader.take(64):
                answers.put(sample)

        reader = self._reader(f"rr{service}Reply", response, available)
        writer = self._writer(f"rq{service}Request", request)
        origin = uuid.uuid4().int % 2**63
        writer.write(_built(request, f"{kind}_Request", words or {}, origin_guid=origin, origin_number=7))
        answer = answers.get(timeout=LIMIT)
        while (answer.origin_guid, answer.origin_number) != (origin, 7):
            answer = answers.get(timeout=LIMIT)
        del reader
        return answer

    def _reader(self, topic: str, idl: Any, available: Callable[[Any], None], *, is_latched: bool = False) -> Any:
        def called(reader: Any) -> None:
            if reader is None:  # Cyclone finds no object for a reader that is made or deleted now
                return
            try:
                available(reader)
            except DDSException:
                if not self._is_closing:
                    raise

        matched = threading.Event()
        listener = Listener(on_data_available=called, on_subscription_matched=lambda *_: matched.set())
        qos = _qos(is_latched=is_latched)
        reader = DataReader(
            self._participant, Topic(self._participant, topic, idl, qos=qos), qos=qos, listener=listener
        )
        called(reader)  # what came before there was an object has called nobody
        assert matched.wait(LIMIT), f"nobody publishes {topic}"
        return reader

    def _writer(self, topic: str, idl: Any) -> Any:
        matched = threading.Event()
        listener = Listener(on_publication_matched=lambda *_: matched.set())
        qos = _qos()
        writer = DataWriter(
            self._participant, Topic(self._participant, topic, idl, qos=qos), qos=qos, listener=listener
        )
        self._kept.append(writer)
        assert matched.wait(LIMIT), f"nobody reads {topic}"
        return writer

    def close(self) -> None:
        self._is_closing = True
        for entity in (self._participant, self._domain):
            entity._entities.pop(entity._ref, None)
            entity._delete(entity._ref)


class ZenohProgram(RosProgram):
    """A node of zenoh-ros2-sdk, whose types and hashes are those of rosbags."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._session = ZenohSession(router_port=port)
        ZenohSession._instance = self._session
        self._kept: list[Any] = []
        self._where = {"router_port": port, "domain_id": 0}

    def _know(self, kind: str) -> dict[str, Any]:
        names = [kind]
        while names:
            name = names.pop()
            if name not in self._session.store.fielddefs:
                self._session.store.register({name: JAZZY.fielddefs[name]})
                self._session._registered_types[name] = name
                names += [part for _, field in JAZZY.fielddefs[name][1] if (part := _message_in(field))]
        return {"msg_definition": "", "type_hash": JAZZY.hash_rihs01(kind), **self._where}

    def _subscribe(self, topic: str, kind: str, received: Callable[[Any], None]) -> None:
        if topic not in _LATE and not topic.endswith(_DESCRIPTION):
            self._kept.append(sdk.ROS2Subscriber(topic, kind, received, **self._know(kind)))
            return
        # as rmw_zenoh reads what is latched; zenoh-ros2-sdk finds no publisher of a topic below a name
        key = sdk.keyexpr.topic_keyexpr(0, topic, sdk.utils.ros2_to_dds_type(kind), JAZZY.hash_rihs01(kind))
        self._kept.append(
            zenoh.ext.declare_advanced_subscriber(
                self._session.session,
                key,
                lambda sample: received(JAZZY.deserialize_cdr(sample.payload.to_bytes(), kind)),
                history=zenoh.ext.HistoryConfig(detect_late_publishers=True),
            )
        )

    def commands(self, topic: str, kind: str = TWIST) -> Callable[[Mapping[str, Any]], None]:
        publisher = sdk.ROS2Publisher(topic, kind, **self._know(kind))
        self._kept.append(publisher)
        while not publisher.pub.matching_status.matching:
            pass
        return lambda words: publisher.pub.put(
            bytes(JAZZY.serialize_cdr(_built(JAZZY.types[kind], kind, words), kind)),
            attachment=sdk.attachment.Attachment(1, 1, publisher.publisher_gid).to_bytes(),
        )

    def call(self, service: str, kind: str, words: Mapping[str, Any] | None = None) -> Any:
        types = all_types()
        request, response = f"{kind}_Request", f"{kind}_Response"
        texts = {part: text_of(types, part) for part in types.names if not _is_service(part)}
        hashed = sdk.utils.compute_service_type_hash(kind, text_of(types, request), text_of(types, response), texts)
        package, place, name = kind.split("/")
        if place == "action" or name == "DescribeParameters":
            hashed = "*"  # zenoh-ros2-sdk hashes neither services of actions nor bounded sequences as rosidl does
        key = f"0/{service[1:]}/{package}::{place}::dds_::{name}_/{hashed}"
        raw = bytes(JAZZY.serialize_cdr(_built(JAZZY.types[request], request, words or {}), request))
        sent = sdk.attachment.Attachment(3, 4, bytes(range(16))).to_bytes()
        reply = next(iter(self._session.session.get(key, payload=raw, attachment=sent, timeout=LIMIT))).ok
        assert reply is not None
        assert sdk.attachment.Attachment.from_bytes(reply.attachment.to_bytes()).gid == bytes(range(16))
        return JAZZY.deserialize_cdr(reply.payload.to_bytes(), response)

    def close(self) -> None:
        self._session.session.close()
        ZenohSession._instance = None


def _qos(*, is_latched: bool = False) -> Qos:
    durability = Policy.Durability.TransientLocal if is_latched else Policy.Durability.Volatile
    reliable = Policy.Reliability.Reliable(duration(milliseconds=100))
    return Qos(reliable, Policy.History.KeepLast(10), durability)


def _idl(kind: str, *, has_origin: bool = False) -> Any:
    """Return a type as Cyclone has it, from the definition that rosbags knows."""
    key = f"{kind} with origin" if has_origin else kind
    if key not in _STRUCTS:
        package, place, name = kind.split("/")
        fields = {"origin_guid": types.uint64, "origin_number": types.int64} if has_origin else {}
        fields |= {field: _idl_field(description) for field, description in JAZZY.fielddefs[kind][1]}
        _STRUCTS[key] = make_idl_struct(f"{package}_{name}", f"{package}::{place}::dds_::{name}_", fields)
    return _STRUCTS[key]


def _idl_field(description: Any) -> Any:
    node, content = description
    if node == Nodetype.BASE:
        return types.bounded_str[content[1]] if content[1] else _IDL[content[0]]
    if node == Nodetype.NAME:
        return _idl(content)
    item, count = content
    return types.array[_idl_field(item), count] if node == Nodetype.ARRAY else types.sequence[_idl_field(item)]


def _message_in(description: Any) -> str | None:
    node, content = description
    if node in (Nodetype.ARRAY, Nodetype.SEQUENCE):
        return _message_in(content[0])
    return content if node == Nodetype.NAME else None


def _built(maker: Any, kind: str, words: Mapping[str, Any], **more: Any) -> Any:
    """Return a message as its type makes it; what is left out is 0 or empty."""
    is_idl = hasattr(maker, "__idl__")
    values = {}
    for field, (node, content) in JAZZY.fielddefs[kind][1]:
        value = words.get(field)
        if node == Nodetype.NAME:
            value = _built(_idl(content) if is_idl else JAZZY.types[content], content, value or {})
        elif node == Nodetype.BASE:
            usual = {"string": "", "bool": False}.get(content[0], 0)
            value = usual if value is None else value
        elif value is None and (node == Nodetype.SEQUENCE or content[0][0] == Nodetype.BASE):
            value = [0] * content[1] if node == Nodetype.ARRAY else []
        elif content[0][0] == Nodetype.NAME:
            inner = content[0][1]
            value = [_built(_idl(inner) if is_idl else JAZZY.types[inner], inner, item) for item in value]
        if not is_idl and isinstance(value, list) and content[0][0] == Nodetype.BASE and content[0][1][0] != "string":
            kinds = {"octet": "uint8", "byte": "uint8", "char": "uint8"}
            value = np.array(value, kinds.get(content[0][1][0], content[0][1][0]))
        values[field] = value
    return maker(**more, **values)
