"""What a server with several clients should do, as plain sets: ownership, readiness, ticks.

Specification: docs/protocol.md, "Stepping" and "Ownership".
"""

from dataclasses import dataclass, field

LOCKSTEP, REAL_TIME = "lockstep", "real-time"


@dataclass
class Party:
    """Connections that share what they own."""

    members: set[int]
    robots: set[str] = field(default_factory=set)
    token: str = ""


@dataclass
class Waiting:
    """A request that is answered after a tick."""

    client: int
    number: int
    robots: frozenset[str]
    is_step: bool


@dataclass
class Answered:
    """A request whose reply must be there, or on its way."""

    waiting: Waiting
    errors: tuple[int, ...] = (0,)


class Model:
    """The state of a server, as far as the protocol fixes it.

    Attributes:
        tick: In lockstep the tick exactly, otherwise the last one that was seen.
        answered: Requests that waited and are over; the test takes them out.
        loose: Readings that wait for no step any more, answered sooner or later.
    """

    def __init__(self, clients: int, robots: set[str], mode: str, tick: int) -> None:
        self.mode, self.paused, self.tick = mode, False, tick
        self.robots = set(robots)
        self.parties = {client: Party({client}) for client in range(clients)}
        self.claimed: set[str] = set()
        self.ready: set[str] = set()
        self.waiting: list[Waiting] = []
        self.answered: list[Answered] = []
        self.loose: list[Waiting] = []

    # who may

    def owner(self, robot: str) -> Party | None:
        return next((party for party in self.parties.values() if robot in party.robots), None)

    @property
    def owned(self) -> set[str]:
        return {robot for party in self.parties.values() for robot in party.robots}

    def is_foreign(self, client: int, robots: frozenset[str], *, any_owner: bool) -> bool:
        """Return whether another party keeps one of the robots."""
        for robot in robots:
            owner = self.owner(robot)
            if owner not in (None, self.parties[client]) and (any_owner or robot in self.claimed):
                return True
        return False

    def command_error(self, client: int, robots: frozenset[str], stamp: int) -> int:
        """Return the error that a command for `robots` gets."""
        if self.mode == LOCKSTEP and stamp:
            if stamp <= self.tick:
                return 301
            if stamp > self.tick + 1:
                return 203
        return 204 if self.is_foreign(client, robots, any_owner=self.mode == LOCKSTEP) else 0

    # what happens

    def assign(self, client: int, robots: frozenset[str]) -> None:
        """Let a client own robots."""
        mine = self.parties[client]
        for robot in robots - mine.robots:
            owner = self.owner(robot)
            if owner is not None:
                owner.robots.discard(robot)
            self.ready.discard(robot)
            mine.robots.add(robot)

    def free(self, robots: set[str]) -> None:
        for party in self.parties.values():
            party.robots -= robots
            if not party.robots:
                party.token = ""
        self.claimed -= robots
        self.ready -= robots

    def command(self, client: int, robots: frozenset[str]) -> None:
        self.assign(client, robots)
        if self.mode == LOCKSTEP:
            self.ready |= robots

    def release(self, client: int, robots: frozenset[str]) -> None:
        freed = self.parties[client].robots & robots
        self.free(freed)
        mine = self.parties[client]
        for request in list(self.waiting):
            if self.parties[request.client] is mine and request.is_step and request.robots & freed:
                self.answer(request, 304)
        self._let_readings_go()

    def join(self, client: int, token: str) -> int:
        owner = next((party for party in self.parties.values() if token and party.token == token), None)
        if owner is None:
            return 203
        mine = self.parties[client]
        if owner is not mine:
            mine.members.discard(client)
            if not mine.members:
                owner.robots |= mine.robots
                mine.robots = set()
            owner.members.add(client)
            self.parties[client] = owner
        self._let_readings_go()
        return 0

    def lose(self, client: int) -> None:
        """A connection is gone; another will come in its place."""
        mine = self.parties[client]
        self.waiting = [request for request in self.waiting if request.client != client]
        self.loose = [request for request in self.loose if request.client != client]
        mine.members.discard(client)
        if not mine.members:
            self.free(set(mine.robots))
        self.parties[client] = Party({client})

    def remove(self, robot: str) -> None:
        self.free({robot})
        self.robots.discard(robot)
        self._let_readings_go()

    def must_wait_to_read(self, client: int) -> bool:
        mine = self.parties[client].robots
        return self.mode == LOCKSTEP and bool(mine) and mine <= self.ready

    def set_mode(self, mode: str) -> None:
        if mode == self.mode:
            return
        self.mode = mode
        self.ready = set()
        self._let_readings_go()
        if mode == LOCKSTEP:
            for request in self.waiting:
                if request.is_step and request.robots <= self.parties[request.client].robots:
                    self.ready |= request.robots

    def ticked(self, count: int = 1) -> None:
        self.tick += count
        self.ready = set()
        for request in list(self.waiting):
            # a robot that was removed while its STEP waited cannot be answered for
            self.answer(request, *((0,) if request.robots <= self.robots else (206, 201)))

    def answer(self, waiting: Waiting, *errors: int) -> None:
        self.waiting.remove(waiting)
        self.answered.append(Answered(waiting, errors))

    @property
    def is_complete(self) -> bool:
        """Whether lockstep does a tick now."""
        return self.mode == LOCKSTEP and not self.paused and bool(self.owned) and self.owned == self.ready

    def _let_readings_go(self) -> None:
        """Readings that nothing holds any more are answered with the next record at the latest."""
        for request in list(self.waiting):
            if not request.is_step and not self.must_wait_to_read(request.client):
                self.waiting.remove(request)
                self.loose.append(request)
