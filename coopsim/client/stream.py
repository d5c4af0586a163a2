"""The state stream: what all robots see and where all bodies are, tick by tick, without asking."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from coopsim.client import layout as layouts
from coopsim.client.ears import Ear, PlainEar, ZmqEar, subscribed
from coopsim.client.endpoints import Endpoint
from coopsim.client.layout import SimulationLayout
from coopsim.client.readings import Readings
from coopsim.client.switchboard import Switchboard
from coopsim.client.team import form
from coopsim.errors import BadArgument, MalformedMessage, NoReply, WrongRun
from coopsim.geometry import Floats
from coopsim.message import EVERYTHING, split_topic, topic
from coopsim.message import State as RawState


class State:
    """Bodies and readings of one tick.

    Attributes:
        raw: As it came, without names of modules.
    """

    def __init__(self, raw: RawState, layout: SimulationLayout | None) -> None:
        self.raw, self._layout = raw, layout

    @property
    def tick(self) -> int:
        """How many steps were done."""
        return self.raw.tick

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.raw.time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `poses`."""
        return self.raw.names

    @property
    def poses(self) -> Floats:
        """Position of the base and quaternion w x y z of all bodies, shape (n, 7) [m]."""
        return self.raw.poses

    def pose(self, name: str) -> Floats:
        """Return position and quaternion of a body, shape (7,); raises KeyError for an unknown one."""
        return self.raw.pose(name)

    @property
    def readings(self) -> Readings:
        """Readings by robot, module and field: `state.readings["robot1"].sonars.ranges`.

        Raises:
            MalformedMessage: The robots have changed meanwhile, so that nobody knows the meaning any more.
        """
        if self._layout is None or self._layout.generation != self.raw.generation:
            raise MalformedMessage(f"the layout of tick {self.tick} is gone: robots came or went since")
        team = form(self._layout, self.raw.robots)
        if team.reading_size != self.raw.flat.size:
            raise MalformedMessage(f"{self.raw.flat.size} readings came, the layout has {team.reading_size}")
        return Readings(team, self.raw.flat, self.tick)

    def __repr__(self) -> str:
        return f"<state of {len(self.names)} bodies at tick {self.tick}>"


class Stream:
    """An iterator of states, and a context manager; the end of the run ends it.

    Args:
        switchboard: The client.
        info: What `/sim/info` says.
        name: `/robot1`, or `/sim/state`.
        every: One of so many records is sent.
        conflate: Drop all but the newest state while nobody looks.
        timeout: How long to wait for each [s]; None = as long as for a reply.

    Raises:
        BadArgument: `name` or `every` cannot be.
        NoReply: The server has no stream.
    """

    def __init__(
        self,
        switchboard: Switchboard,
        info: dict[str, Any],
        name: str = EVERYTHING,
        *,
        every: int = 1,
        conflate: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._topic = topic_of(name, every)
        self._switchboard = switchboard
        self._timeout = switchboard.timeout if timeout is None else timeout
        self._layout: SimulationLayout | None = None
        self._is_over = False
        self._ear = self._listening(info, conflate=conflate)

    def latest(self, *, timeout: float | None = None) -> State | None:
        """Return the next state, the newest one with `conflate`; None when the run has ended.

        Raises:
            NoReply: None came in time.
            MalformedMessage: What came is no state.
            WrongRun: The simulation was restarted.
        """
        if self._is_over:
            return None
        wait = self._timeout if timeout is None else timeout
        state = self._ear.hear(wait)
        if state is None:
            raise NoReply(f"no state of {self._topic} at {self._address} within {wait:g} s{self._reason()}")
        check_run(state, self._switchboard.run)
        self._is_over = state.is_ended
        return State(state, self._known(state.generation))

    def close(self) -> None:
        """Stop listening."""
        self._is_over = True
        self._ear.close()

    def __iter__(self) -> Iterator[State]:
        """Return the states, one after the other."""
        return self

    def __next__(self) -> State:
        """Return the next state; raises NoReply when none comes in time."""
        state = self.latest()
        if state is None:
            raise StopIteration
        return state

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<stream of {self._topic} at {self._address}>"

    def _listening(self, info: dict[str, Any], *, conflate: bool) -> Ear:
        board, endpoint = self._switchboard, self._switchboard.main.endpoint
        if endpoint.is_plain:
            self._address = str(endpoint)
            return PlainEar(endpoint, board.door, self._topic, board.run, board.timeout, conflate=conflate)
        self._address = address_of(info, endpoint)
        return ZmqEar(subscribed(board.context, board.door, self._address, self._topic, conflate=conflate))

    def _known(self, generation: int) -> SimulationLayout | None:
        """Return the layout of a generation, asked once; None if it is over already."""
        if self._layout is None or self._layout.generation < generation:
            self._layout = self._switchboard.do(layouts.fetching())
        return self._layout

    def _reason(self) -> str:
        try:
            known = self._switchboard.do(layouts.fetching())
        except NoReply as problem:
            return f"; {problem}"
        return why_silent(self._topic, known)


def check_run(state: RawState, run: int) -> None:
    """Refuse a state of another run.

    Raises:
        WrongRun: The simulation was restarted.
    """
    if run and state.run and state.run != run:
        problem = WrongRun(f"the simulation was restarted: run {state.run} answers now, we listened to run {run}")
        problem.add_note(WrongRun.cure)
        problem.params = (state.run,)
        raise problem


def topic_of(name: str, every: int) -> str:
    """Return the topic of a stream.

    Raises:
        BadArgument: `name` or `every` cannot be.
    """
    found = topic(name if name.startswith("/") else f"/{name}", every)
    if split_topic(found) is None:
        raise BadArgument(f"no stream of {name!r}, one of {every}: name a robot or {EVERYTHING}, every at least 1")
    return found


def address_of(info: dict[str, Any], main: Endpoint) -> str:
    """Return where the stream is, by what `/sim/info` says.

    Raises:
        NoReply: The server has no stream.
    """
    port = info.get("ports", {}).get("stream")
    if not isinstance(port, int):
        raise NoReply(f"the server at {main} has no state stream")
    return f"tcp://{main.host}:{port}"


def why_silent(topic: str, layout: SimulationLayout) -> str:
    """Return why no state came."""
    name = topic.partition("@")[0]
    if name != EVERYTHING and name[1:] not in layout.robots:
        return f": there is no robot {name[1:]!r}"
    return ": time stands still, or the stream is cut off"
