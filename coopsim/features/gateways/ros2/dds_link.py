"""ROS 2 over DDS by Cyclone: names and types as its nodes mangle them, and which node each endpoint belongs to.

Messages pass as bytes: Cyclone carries them, and the codec of this folder reads and writes them.

Source: design.ros2.org, "Topic and Service name mapping to DDS"; rmw_dds_common and rmw_cyclonedds of ROS 2 Jazzy.
"""

import os
import struct
import threading
from collections.abc import Mapping
from typing import Any, Final

from cyclonedds._clayer import ddspy_take, ddspy_write
from cyclonedds.core import DDSException, InstanceState, Listener, Policy, SampleState, ViewState
from cyclonedds.core import Qos as DdsQos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import make_idl_struct, types
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from coopsim.errors import NoReply
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.link import (
    LATCHED,
    USUAL,
    Changed,
    LinkEnd,
    LinkPublisher,
    Qos,
    Received,
    Reply,
    Requested,
    RosLink,
)
from coopsim.features.gateways.ros2.types import RosTypes, TypeField, dds_name

_LOOPBACK: Final = "127.0.0.1"
_ANY: Final = SampleState.Any | ViewState.Any | InstanceState.Any
_TAKEN_AT_ONCE: Final = 64
_ORIGIN: Final = struct.Struct("<Qq")
"""In front of each request and response: who asked, and the number of the request."""
_HEADER_BYTES: Final = 4
_DISCOVERY: Final = "ros_discovery_info", "rmw_dds_common/msg/ParticipantEntitiesInfo"
_PRIMITIVES: Final[Mapping[str, Any]] = {
    "bool": bool,
    "byte": types.uint8,
    "string": str,
    **{f"{sign}int{bits}": getattr(types, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": types.float32,
    "float64": types.float64,
}


class DdsLink(RosLink):
    """A node in a DDS domain.

    Args:
        node: Its name.
        host: Address of the interface; 127.0.0.1 = nodes of this machine alone.
        domain: Number of the ROS domain.
        types: Of messages.

    Raises:
        NoReply: Cyclone cannot begin.
    """

    def __init__(self, node: str, host: str, domain: int, types: RosTypes) -> None:
        self._node, self._types, self._codec = node, types, CdrCodec(types)
        self._structs: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._publishers: set[_DdsWriter] = set()
        self._ends: set[_DdsReader] = set()
        try:
            # a configuration of the user's own counts, as for every node of ROS 2
            self._domain = None if "CYCLONEDDS_URI" in os.environ else Domain(domain, _configuration(host))
            userdata = Policy.Userdata(data=b"enclave=/;")
            self.participant = DomainParticipant(domain, DdsQos(userdata))
        except DDSException as problem:
            raise NoReply(f"DDS cannot begin in domain {domain} at {host}: {problem}").advise("") from None
        self.about = f"DDS, domain {domain} at {host}"
        self._info = _DdsWriter(self, self.topic(*_DISCOVERY, LATCHED), _qos(LATCHED))
        self._announce_endpoints()

    @property
    def programs(self) -> int:
        """Number of other programs."""
        with self._lock:
            publishers, ends = list(self._publishers), list(self._ends)
        peers = {peer for publisher in publishers if publisher.readers for peer in publisher.peers()}
        return len(peers | {peer for end in ends if end.writers for peer in end.peers()})

    def publisher(self, topic: str, kind: str, qos: Qos) -> "_DdsWriter":
        """Publish a topic from now on."""
        writer = _DdsWriter(self, self.topic(f"rt{topic}", kind, qos), _qos(qos, self._types.hash(kind)))
        self.add(writer)
        return writer

    def subscription(self, topic: str, kind: str, received: Received, changed: Changed) -> LinkEnd:
        """Receive a topic from now on."""
        reader = _DdsReader(
            self, self.topic(f"rt{topic}", kind, USUAL), _qos(USUAL, self._types.hash(kind)), received, changed
        )
        self.add(reader)
        return reader

    def service(self, name: str, kind: str, requested: Requested) -> LinkEnd:
        """Offer a service from now on."""
        return _DdsService(self, name, kind, requested)

    def close(self) -> None:
        """Leave the domain."""
        _delete(self.participant)  # and all that it has
        if self._domain is not None:
            _delete(self._domain)

    def topic(self, name: str, kind: str, qos: Qos, *, has_origin: bool = False) -> Any:
        """Return a topic of the domain."""
        return Topic(self.participant, name, self._struct(kind, has_origin=has_origin), qos=_qos(qos))

    def add(self, endpoint: "_DdsWriter | _DdsReader") -> None:
        """Tell that an endpoint belongs to this node."""
        with self._lock:
            if isinstance(endpoint, _DdsWriter):
                self._publishers.add(endpoint)
            else:
                self._ends.add(endpoint)
        self._announce_endpoints()

    def discard(self, endpoint: "_DdsWriter | _DdsReader") -> None:
        """Tell that an endpoint is gone."""
        with self._lock:
            if isinstance(endpoint, _DdsWriter):
                self._publishers.discard(endpoint)
            else:
                self._ends.discard(endpoint)
        self._announce_endpoints()

    def _announce_endpoints(self) -> None:
        """Say which endpoints belong to this node: without that no tool of ROS 2 lists it."""
        with self._lock:
            words = {
                "gid": {"data": self.participant.guid.bytes},
                "node_entities_info_seq": [
                    {
                        "node_namespace": "/",
                        "node_name": self._node,
                        "reader_gid_seq": [{"data": end.id} for end in self._ends],
                        "writer_gid_seq": [{"data": publisher.id} for publisher in self._publishers],
                    }
                ],
            }
            self._info.publish(self._codec.encoded(_DISCOVERY[1], words))

    def _struct(self, kind: str, *, has_origin: bool = False) -> Any:
        """Return a type as Cyclone describes it to other programs."""
        key = f"{kind} with origin" if has_origin else kind
        if key not in self._structs:
            fields = {"origin_guid": types.uint64, "origin_number": types.int64} if has_origin else {}
            fields |= {field.name: self._field(field) for field in self._types.fields(kind)}
            self._structs[key] = make_idl_struct(kind.replace("/", "_"), dds_name(kind), fields)
        return self._structs[key]

    def _field(self, field: TypeField) -> Any:
        item = _PRIMITIVES.get(field.type) or self._struct(field.type)
        if field.longest:
            item = types.bounded_str[field.longest]
        if field.many is None:
            return item
        return types.array[item, field.many] if field.many > 0 else types.sequence[item]


class _DdsWriter(LinkPublisher):
    def __init__(self, link: DdsLink, topic: Any, qos: DdsQos) -> None:
        self._link, self._topic = link, topic
        self._writer = DataWriter(
            link.participant, topic, qos=qos, listener=Listener(on_publication_matched=self._note)
        )
        self.id = self._writer.guid.bytes

    def publish(self, raw: bytes, *, may_wait: bool = False) -> bool:  # noqa: ARG002 - its history keeps what waits
        # written without a copy into objects of Python; the length is one of four bytes, as the encapsulation asks
        return bool(ddspy_write(self._writer._ref, raw + bytes(-len(raw) % 4)) >= 0)  # noqa: SLF001

    def _note(self, _writer: Any, status: Any) -> None:
        self.readers = int(status.current_count)

    def peers(self) -> set[Any]:
        """Return the programs that read."""
        handles = self._writer.get_matched_subscriptions()
        data = [self._writer.get_matched_subscription_data(handle) for handle in handles]
        return {facts.participant_key for facts in data if facts is not None}

    def close(self) -> None:
        self._link.discard(self)
        _delete(self._writer)
        _delete(self._topic)


class _DdsReader(LinkEnd):
    def __init__(self, link: DdsLink, topic: Any, qos: DdsQos, received: Received, changed: Changed | None) -> None:
        self._link, self._topic, self._received, self._changed = link, topic, received, changed
        listener = Listener(on_data_available=self._receive, on_subscription_matched=self._note)
        self._reader = DataReader(link.participant, topic, qos=qos, listener=listener)
        self.id = self._reader.guid.bytes
        self._receive(self._reader)  # what came before Cyclone's package knew the reader has called nobody

    def peers(self) -> set[Any]:
        """Return the programs that publish."""
        handles = self._reader.get_matched_publications()
        data = [self._reader.get_matched_publication_data(handle) for handle in handles]
        return {facts.participant_key for facts in data if facts is not None}

    def close(self) -> None:
        self._link.discard(self)
        _delete(self._reader)
        _delete(self._topic)

    def _receive(self, reader: Any) -> None:
        if reader is None:  # it is deleted now, or not known yet: Cyclone's package finds no object for it
            return
        samples = ddspy_take(reader._ref, _ANY, _TAKEN_AT_ONCE)  # noqa: SLF001
        for raw, facts in samples if isinstance(samples, list) else ():
            if facts.valid_data:
                self._received(bytes(raw))

    def _note(self, _reader: Any, status: Any) -> None:
        self.writers = int(status.current_count)
        if self._changed is not None:
            self._changed()


class _DdsService(LinkEnd):
    """A service as rmw_cyclonedds has it: a topic of requests and one of responses, each with its origin in front."""

    def __init__(self, link: DdsLink, name: str, kind: str, requested: Requested) -> None:
        self._link, self._requested = link, requested
        responses = link.topic(f"rr{name}Reply", f"{kind}_Response", USUAL, has_origin=True)
        self._writer = _DdsWriter(link, responses, _qos(USUAL))
        requests = link.topic(f"rq{name}Request", f"{kind}_Request", USUAL, has_origin=True)
        self._reader = _DdsReader(link, requests, _qos(USUAL), self._receive, None)
        link.add(self._writer)
        link.add(self._reader)

    def close(self) -> None:
        self._reader.close()
        self._writer.close()

    def _receive(self, raw: bytes) -> None:
        end = _HEADER_BYTES + _ORIGIN.size
        if len(raw) >= end:
            self._requested(raw[:_HEADER_BYTES] + raw[end:], self._reply(raw[_HEADER_BYTES:end]))

    def _reply(self, origin: bytes) -> Reply:
        def reply(response: bytes) -> None:
            self._writer.publish(response[:_HEADER_BYTES] + origin + response[_HEADER_BYTES:])

        return reply


def _delete(entity: Any) -> None:
    """Delete an entity now, not when Python happens to collect it."""
    entity._entities.pop(entity._ref, None)  # noqa: SLF001
    entity._delete(entity._ref)  # noqa: SLF001


def _qos(qos: Qos, type_hash: str = "") -> DdsQos:
    reliable = Policy.Reliability.Reliable(duration(seconds=0))  # never wait for a slow reader
    policies = [
        reliable if qos.is_reliable else Policy.Reliability.BestEffort,
        Policy.History.KeepLast(qos.depth),
        Policy.Durability.TransientLocal if qos.is_latched else Policy.Durability.Volatile,
    ]
    if type_hash:
        policies.append(Policy.Userdata(data=f"typehash={type_hash};".encode()))
    return DdsQos(*policies)


def _configuration(host: str) -> str:
    """Return a configuration of Cyclone: nodes of this machine find each other by the loopback interface."""
    usual = host == _LOOPBACK
    multicast = "<AllowMulticast>false</AllowMulticast>" if usual else ""
    peers = '<Peers><Peer Address="127.0.0.1"/></Peers>' if usual else ""
    return (
        f"<CycloneDDS><Domain><General>"
        f'<Interfaces><NetworkInterface address="{host}"/></Interfaces>{multicast}</General>'
        f"<Discovery>{peers}<ParticipantIndex>auto</ParticipantIndex>"
        "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex></Discovery></Domain></CycloneDDS>"
    )
