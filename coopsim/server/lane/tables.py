"""The lane's tables: connections and the forms of their messages, and the shared memory of the run, as addresses."""

import ctypes
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.message import TemplateParts
from coopsim.processors import usable_cores
from coopsim.server.lane.library import MOST_EVENTS, LaneForm, LaneLibrary, LaneMember, LaneOutcome, LaneState
from coopsim.server.lockstep.barrier import Barrier
from coopsim.server.lockstep.exchange_form import ExchangeForm, ExchangeKind
from coopsim.server.lockstep.groups import GroupPlaces
from coopsim.server.lockstep.sessions import STEP_MODULE, Session
from coopsim.server.lockstep.step_pattern import StepPattern
from coopsim.server.lockstep.waiting import WaitingStep
from coopsim.server.sockets.gateway import Gateway
from coopsim.state import MODES, Layout, Record
from coopsim.transport import SourceLink

_MOST_NUMBERS = 64
"""Bytes of frame, id, tick and run, each of which has 9 at most, with room for a few more."""
_REPLY_ROOM = 16  # REPLY_ROOM of parts.h: an answer is packed behind it, and its frame, of 9 bytes at most, put before
_PACKED_NUMBER = 9  # bytes of a float64 in MessagePack, its type included
_LOCKSTEP = MODES.index("lockstep")  # as the header of a record has it
_NEVER = (1 << 64) - 1  # position of readings that lie outside of the ring, so that nothing overwrites them
_BY_SET = 1 + ExchangeKind.SET  # in `commanded`, where 0 says that nothing came


@dataclass(frozen=True, slots=True)
class LaneClient:
    """A connection in the lane.

    Attributes:
        session: The client.
        sender: Owner of its socket.
        descriptor: Of the socket.
        robots: Robots that it alone commands.
        steps: What its STEPs for all of them look like; None = it sends none.
        forms: What its other messages look like.
    """

    session: Session
    sender: Gateway
    descriptor: int
    robots: frozenset[str]
    steps: StepPattern | None
    forms: tuple[ExchangeForm, ...]


class LaneTables:
    """Tables of connections for the library, for one layout.

    Args:
        clients: The connections; no robot is driven by two of them.
        link: The source.
        epoll: Descriptor of the poll that all sockets are registered with.
        wanted: How many threads wait for the lock that the caller of `run` holds.
    """

    def __init__(self, clients: Sequence[LaneClient], link: SourceLink, epoll: int, wanted: ctypes.c_int64) -> None:
        self.clients, self.layout = tuple(clients), link.layout
        self._kept: list[Any] = [link, wanted]  # whatever the library has the address of
        self._robots = [robot for client in clients for robot in sorted(client.robots)]
        self._numbers = {robot: number for number, robot in enumerate(self._robots)}
        self._places = {client.session: place for place, client in enumerate(clients)}
        self._commanded = np.zeros(len(self._robots), np.int64)
        self._periods, self._spans = np.ones(len(self._robots), np.int64), np.zeros((len(self._robots), 2), np.uint64)
        self._has_periods = False
        self._targets: list[str] = []
        parts = sum(len(client.steps.parts) for client in clients if client.steps is not None)
        self._taken = np.zeros(parts + sum(1 + len(client.forms) for client in clients), np.int64)
        self._members = (LaneMember * len(clients))()
        self._forms: list[Any] = []
        for member, client in zip(self._members, clients, strict=True):
            self._fill(member, client)
        self._others = np.zeros((MOST_EVENTS, 2), np.int32)
        self.state = self._state(link, epoll, wanted)

    def is_for(self, clients: Sequence[LaneClient], layout: Layout) -> bool:
        """Return whether these are the connections and their layout."""
        return layout is self.layout and self.clients == tuple(clients)

    def begin(self, barrier: Barrier, waiting: Mapping[Session, WaitingStep], seen: int | None) -> None:
        """Take in what Python knows of the step that is prepared.

        Args:
            barrier: Which robots have their commands, and for how long.
            waiting: STEPs of these connections that are answered later; their commands are written.
            seen: Its tick is under way; how many records were begun before. None = it is not.
        """
        if len(barrier.awaited_robots) == len(self._robots):
            self._spans[:] = 0
        elif self._robots:
            self._spans[:] = [barrier.span(robot) for robot in self._robots]
        if self._robots and (barrier.periods or self._has_periods):
            self._periods[:] = [barrier.periods.of(robot) for robot in self._robots]
            self._has_periods = bool(barrier.periods)
        self.state.is_granted, self.state.seen = seen is not None, seen or 0
        for member in self._members:
            member.have = member.out_at = member.out_end = member.kept = member.scanned = 0
            member.answered = member.is_cut = 0
            member.held, member.last = None, -1
        for turn, (session, step) in enumerate(waiting.items(), -len(waiting)):  # before all that come
            place = self._places[session]
            member, forms = self._members[place], self._forms[place]
            member.held = ctypes.addressof(forms) + (len(forms) - 1) * ctypes.sizeof(LaneForm)
            member.number, member.due, member.turn = step.request.id, step.tick + 1, turn

    def run(self, library: LaneLibrary, record: Record, until: float, *, is_single: bool) -> LaneOutcome:
        """Do steps, and answer what is asked between them; `begin` comes first.

        Args:
            library: Does them.
            record: The newest one.
            until: When to return at the latest, by the monotonic clock [s].
            is_single: Whether to return after each step.
        """
        state, readings = self.state, np.ascontiguousarray(record.readings)
        state.next, state.until, state.is_single = record.tick + 1, round(until * 1e9), is_single
        state.readings, state.time, state.position = readings.ctypes.data, record.time, _NEVER
        self._taken[:] = 0
        return library.run(state)

    def handled_requests(self) -> list[tuple[str, int]]:
        """Return modules, and how many requests for each of them were carried out."""
        return [(self._targets[place], int(self._taken[place])) for place in np.flatnonzero(self._taken)]

    @property
    def is_used(self) -> bool:
        """Whether anything was carried out."""
        return bool(self._taken.any())

    def active(self) -> list[LaneClient]:
        """Return the connections of which requests were carried out."""
        counts, at, taken_rows = self._taken, 0, []
        for client, forms in zip(self.clients, self._forms, strict=True):
            if counts[at : at + len(forms)].any():
                taken_rows.append(client)
            at += len(forms)
        return taken_rows

    def commanded(self, *, has_steps: bool) -> list[str]:
        """Return the robots whose commands for the step that is prepared are written; `has_steps`: so are STEPs'."""
        is_written = (self._commanded != 0) if has_steps else (self._commanded == _BY_SET)
        return [self._robots[place] for place in np.flatnonzero(is_written)]

    def spans(self) -> dict[str, tuple[int, int]]:
        """Return the robots whose commands of steps before count for the one that is prepared, as `Periods.resting`."""
        if not self._has_periods:
            return {}
        first, last = self._spans.T
        places = np.flatnonzero((first < self.state.next) & (last >= self.state.next))
        return {self._robots[place]: (int(first[place]), int(last[place])) for place in places}

    def waiting(self) -> list[WaitingStep]:
        """Return the STEPs that are answered later, and whose commands are written, in the order in which they came."""
        members = [
            (member.turn, _steps_in_waiting(client.session, client.steps, member))
            for member, client, forms in zip(self._members, self.clients, self._forms, strict=True)
            if client.steps is not None and not member.have and _is_step(member, forms)
        ]
        return [step for _, steps in sorted(members, key=itemgetter(0)) for step in steps]

    def begun(self) -> list[tuple[LaneClient, bytes]]:
        """Return what was received and not carried out, in the order in which it began."""
        members = [(member.turn, place) for place, member in enumerate(self._members) if member.have]
        return [
            (self.clients[place], ctypes.string_at(self._members[place].inbox, self._members[place].have))
            for _, place in sorted(members)
        ]

    def others(self) -> list[tuple[int, int]]:
        """Return the descriptors that Python must look at, and what happened there."""
        return [(fd, events) for fd, events in self._others[: self.state.other_count].tolist()]

    def unsent(self) -> list[tuple[LaneClient, bytes]]:
        """Return what sockets did not take of the last answers."""
        if not self.state.unsent:
            return []
        return [
            (client, ctypes.string_at(member.outbox + member.out_at, member.out_end - member.out_at))
            for member, client in zip(self._members, self.clients, strict=True)
            if (member.is_cut or not member.held) and member.out_at < member.out_end
        ]

    # making them

    def _fill(self, member: LaneMember, client: LaneClient) -> None:
        forms = self._forms_of(client)
        self._forms.append(forms)
        member.fd, member.kind = client.descriptor, int(client.sender.is_zmtp)
        member.forms, member.form_count = ctypes.addressof(forms), len(forms)
        member.robots = len(client.robots)
        member.first = min((self._numbers[robot] for robot in client.robots), default=0)
        member.parts = len(client.steps.parts) if client.steps is not None else 0
        # parts stay in the inbox until their STEP has come
        member.in_size = (1 + member.parts) * _MOST_NUMBERS + sum(
            sorted(form.head_size + form.middle_size + form.end_size + _PACKED_NUMBER * form.takes for form in forms)[
                -1 - member.parts :
            ]
        )
        member.numbers = self._address(np.zeros(1 + member.parts, np.uint64))
        room = _REPLY_ROOM + _MOST_NUMBERS
        room += max(form.head_size + form.reply_size + _PACKED_NUMBER * form.gives for form in forms)
        member.inbox = self._address(np.zeros(member.in_size, np.uint8))
        member.outbox = self._address(np.zeros(room, np.uint8))
        member.values = self._address(np.zeros(max(form.values_before + form.takes for form in forms)))

    def _forms_of(self, client: LaneClient) -> Any:
        """Return the forms of a connection as the library knows them."""
        steps = () if client.steps is None else (*client.steps.parts, client.steps)
        table = (LaneForm * (len(client.forms) + len(steps)))()
        for raw, form in zip(table, client.forms, strict=False):
            raw.kind, raw.is_binary = int(form.kind), int(form.request.sample.binary)
            self._fill_form(raw, form.request.parts, form.reply.parts, form.places)
            raw.takes, raw.gives = form.sizes
            if form.limits is not None:
                raw.lows, raw.highs = self._address(form.limits[:, 0]), self._address(form.limits[:, 1])
            self._add_robots(raw, [form.owned] if form.paces else [])
            self._count(raw, form.target)
        values = 0
        for raw, step in zip(table[len(client.forms) :], steps, strict=True):
            group, raw.kind, raw.is_binary = step.group, int(ExchangeKind.PART), 1
            self._fill_form(raw, step.request_parts, step.reply_parts, group.places)
            raw.takes, raw.gives, raw.values_before = group.takes, group.gives, values
            raw.is_dense = bool(group.gives) and bool((np.diff(group.places.readings) == 1).all())
            values += group.takes
            self._add_robots(raw, group.members)
            self._count(raw, STEP_MODULE)
        if steps:
            table[-1].kind = int(ExchangeKind.STEP)
        return table

    def _fill_form(self, form: LaneForm, request: TemplateParts, reply: TemplateParts, places: GroupPlaces) -> None:
        form.begin = request.begin[0]
        parts: Mapping[str, bytes] = {"head": request.head, "middle": request.values, "end": request.end}
        for name, part in (*parts.items(), ("reply", reply.values)):
            setattr(form, name, self._address(np.frombuffer(part or b"\0", np.uint8)))
            setattr(form, f"{name}_size", len(part))
        for name in ("slots", "sources", "image", "stamps", "readings"):
            setattr(form, name, self._address(getattr(places, name)))
        form.slot_count, form.stamp_count = places.slots.size, places.stamps.size

    def _add_robots(self, form: LaneForm, robots: Collection[str]) -> None:
        form.robot_count = len(robots)
        form.robots = self._address(np.array([self._numbers[robot] for robot in robots], np.int64))

    def _count(self, form: LaneForm, target: str) -> None:
        form.taken = self._taken.ctypes.data + self._taken.itemsize * len(self._targets)
        self._targets.append(target)

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
        state.commanded, state.robots = self._commanded.ctypes.data, len(self._robots)
        state.is_crowded = sum(bool(client.robots) for client in clients) > usable_cores()
        state.periods, state.spans = self._periods.ctypes.data, self._spans.ctypes.data
        return state

    def _address(self, array: NDArray[Any]) -> int:
        """Keep an array and return where it lies."""
        kept = np.ascontiguousarray(array)
        self._kept.append(kept)
        return kept.ctypes.data


def _steps_in_waiting(session: Session, steps: StepPattern, member: LaneMember) -> list[WaitingStep]:
    """Return the STEP of a connection, after its parts, that is answered after its tick; its commands are written."""
    numbers = [member.number]
    if steps.parts:
        numbers = list((ctypes.c_uint64 * (1 + member.parts)).from_address(member.numbers))
    patterns = (*steps.parts, steps)[member.answered :]
    return [
        WaitingStep(step.request(number), session, step.group, member.due - 1, ())
        for step, number in zip(patterns, numbers[member.answered :], strict=True)
    ]


def _is_step(member: LaneMember, forms: Any) -> bool:
    """Return whether a STEP of a connection waits for the tick."""
    if not member.held:
        return False
    place = (member.held - ctypes.addressof(forms)) // ctypes.sizeof(LaneForm)
    return bool(forms[place].kind == ExchangeKind.STEP)
