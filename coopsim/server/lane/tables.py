"""The lane's tables: connections that drive robots, and the shared memory of the run, as addresses."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.server.lane.library import MOST_EVENTS, LaneLibrary, LaneMember, LaneOutcome, LaneState
from coopsim.server.lockstep.sessions import Session
from coopsim.server.lockstep.step_pattern import StepPattern
from coopsim.server.sockets.gateway import Gateway
from coopsim.state import MODES, Layout
from coopsim.transport import SourceLink

_MOST_NUMBERS = 64
"""Bytes of frame, id, tick and what else is not the same in all messages of a form, at most."""
_REPLY_ROOM = 16
_LOCKSTEP = MODES.index("lockstep")


@dataclass(frozen=True, slots=True)
class LaneClient:
    """A connection in the lane.

    Attributes:
        session: The client.
        sender: Owner of its socket.
        descriptor: Of the socket.
        pattern: What its STEPs look like.
    """

    session: Session
    sender: Gateway
    descriptor: int
    pattern: StepPattern


class LaneTables:
    """What the library needs to know about connections, for one layout.

    Args:
        clients: The connections; no robot is driven by two of them.
        link: The source.
        epoll: Descriptor of the poll that all sockets are registered with.
        wanted: How many threads wait for the lock that the caller of `run` holds.
    """

    def __init__(self, clients: Sequence[LaneClient], link: SourceLink, epoll: int, wanted: ctypes.c_int64) -> None:
        self.clients, self.layout = tuple(clients), link.layout
        self._kept: list[Any] = [link, wanted]  # whatever the library has the address of
        self._members = (LaneMember * len(clients))()
        for member, client in zip(self._members, clients, strict=True):
            self._fill(member, client)
        self._others = np.zeros((MOST_EVENTS, 2), np.int32)
        self.state = self._state(link, epoll, wanted)

    def is_for(self, clients: Sequence[LaneClient], layout: Layout) -> bool:
        """Return whether these are the connections and their layout."""
        return layout is self.layout and self.clients == tuple(clients)

    def run(self, library: LaneLibrary, step: int, until: float, *, is_single: bool) -> LaneOutcome:
        """Do steps.

        Args:
            library: Does them.
            step: The one that is being prepared.
            until: When to return at the latest, by the monotonic clock [s].
            is_single: Whether to return after each.
        """
        state = self.state
        state.next, state.until, state.is_single = step, round(until * 1e9), is_single
        for member in self._members:
            member.have = member.ready = member.out_at = member.out_end = 0
        return library.run(state)

    def numbers(self) -> list[int]:
        """Return the id of each connection's STEP."""
        return [member.number for member in self._members]

    def begun(self) -> list[tuple[LaneClient, bytes]]:
        """Return what was received and not answered, in the order in which it began."""
        found = [(member.turn, place) for place, member in enumerate(self._members) if member.have]
        return [
            (self.clients[place], ctypes.string_at(self._members[place].inbox, self._members[place].have))
            for _, place in sorted(found)
        ]

    def others(self) -> list[tuple[int, int]]:
        """Return the descriptors that Python must look at, and what happened there."""
        return [(fd, events) for fd, events in self._others[: self.state.other_count].tolist()]

    def unsent(self) -> list[tuple[LaneClient, bytes]]:
        """Return what sockets did not take of the last answers."""
        return [
            (client, ctypes.string_at(member.outbox + member.out_at, member.out_end - member.out_at))
            for member, client in zip(self._members, self.clients, strict=True)
            if member.out_at < member.out_end
        ]

    # making them

    def _fill(self, member: LaneMember, client: LaneClient) -> None:
        request, reply = client.pattern.request_parts, client.pattern.reply_parts
        group = client.pattern.group
        member.fd, member.kind, member.begin = client.descriptor, int(client.sender.is_zmtp), request.begin[0]
        for name, part in (("head", request.head), ("middle", request.values), ("end", request.end)):
            self._put_bytes(member, name, part)
        self._put_bytes(member, "reply", reply.values)
        member.takes, member.gives = group.takes, group.gives
        places = group.places
        for name in ("slots", "sources", "image", "stamps", "readings"):
            setattr(member, name, self._address(getattr(places, name)))
        member.slot_count, member.stamp_count = places.slots.size, places.stamps.size
        member.in_size = sum(map(len, (request.head, request.values, request.end))) + 8 * group.takes + _MOST_NUMBERS
        member.inbox = self._address(np.zeros(member.in_size, np.uint8))
        room = _REPLY_ROOM + len(reply.head) + len(reply.values) + 8 * group.gives + _MOST_NUMBERS
        member.outbox = self._address(np.zeros(room, np.uint8))

    def _state(self, link: SourceLink, epoll: int, wanted: ctypes.c_int64) -> LaneState:
        layout, clients = self.layout, self.clients
        member_of = np.full(1 + max(client.descriptor for client in clients), -1, np.int32)
        member_of[[client.descriptor for client in clients]] = np.arange(len(clients))
        state = LaneState(epoll=epoll, permit=link.permit.writer, woken=link.woken.reader)
        state.members, state.count = ctypes.addressof(self._members), len(clients)
        state.member_of, state.descriptors = self._address(member_of), member_of.size
        shared = link.ring.addresses(layout.generation)
        state.words, state.ring, state.ring_size, state.rows = shared.words, shared.ring, shared.ring_size, shared.rows
        for name, place in shared.places.items():
            setattr(state, f"w_{name}", place)
        state.generation, state.lockstep, state.reading_size = layout.generation, _LOCKSTEP, layout.reading_size
        state.wanted, state.others = ctypes.addressof(wanted), self._others.ctypes.data
        return state

    def _put_bytes(self, member: LaneMember, name: str, part: bytes) -> None:
        setattr(member, name, self._address(np.frombuffer(part or b"\0", np.uint8)))
        setattr(member, f"{name}_size", len(part))

    def _address(self, array: NDArray[Any]) -> int:
        """Keep an array and return where it lies."""
        kept = np.ascontiguousarray(array)
        self._kept.append(kept)
        return kept.ctypes.data
