"""Base of streams of states, however they wait: the states, and the steps of listening."""

from collections.abc import Callable

import zmq

from coopsim.client import layout as layouts
from coopsim.client.flows import Steps
from coopsim.client.info import address_of, informing
from coopsim.client.layout import SimulationLayout
from coopsim.client.readings import Readings
from coopsim.client.receivers import StateReceiver, subscribed
from coopsim.client.routing import RequestRouter
from coopsim.client.team import Team, form
from coopsim.errors import BadArgument, MalformedMessage, NoReply, WrongRun
from coopsim.geometry import Floats
from coopsim.message import EVERYTHING, StateMessage, split_topic, topic


class State:
    """Bodies and readings of one tick.

    Args:
        raw: As it came.
        layout: That explains it, None = it is gone.
        teams: Of this layout, by robots; what is formed is kept there for the states that follow.

    Attributes:
        raw: As it came, without names of modules.
        layout: That explains it, None = it is gone.
    """

    def __init__(
        self, raw: StateMessage, layout: SimulationLayout | None, teams: dict[tuple[str, ...], Team] | None = None
    ) -> None:
        self.raw, self.layout, self._teams = raw, layout, {} if teams is None else teams

    @property
    def tick(self) -> int:
        """Number of steps that were done."""
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
            MalformedMessage: The robots have changed meanwhile, so that the layout of this state is lost.
        """
        if self.layout is None or self.layout.generation != self.raw.generation:
            raise MalformedMessage(f"the layout of tick {self.tick} is gone: robots came or went since")
        team = self._teams.get(self.raw.robots)
        if team is None:
            team = self._teams[self.raw.robots] = form(self.layout, self.raw.robots)
        if team.reading_size != self.raw.flat.size:
            raise MalformedMessage(f"{self.raw.flat.size} readings came, the layout has {team.reading_size}")
        return Readings(team, self.raw.flat, self.tick)

    def __repr__(self) -> str:
        return f"<state of {len(self.names)} bodies at tick {self.tick}>"


class BaseStream:
    """The part that both streams share; the end of the run ends them.

    Args:
        pool: The client.
        name: `/robot1`, or `/sim/state`.
        every: Send one record of this number.
        conflate: Keep only the newest unread state.
        timeout: How long to wait for each [s]; None = as long as for a reply.

    Raises:
        BadArgument: `name` or `every` cannot be.
    """

    _over_zmq: Callable[["zmq.Socket[bytes]"], StateReceiver]
    _over_tcp: Callable[..., StateReceiver]

    def __init__(
        self,
        pool: RequestRouter,
        name: str = EVERYTHING,
        *,
        every: int = 1,
        conflate: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._topic = topic_of(name, every)
        self._pool, self._conflate = pool, conflate
        self._timeout = pool.timeout if timeout is None else timeout
        self._layout: SimulationLayout | None = None
        self._teams: dict[tuple[str, ...], Team] = {}
        self._is_over = False
        self._undelivered: StateMessage | None = None
        self._address = "nowhere yet"
        self._receiver: StateReceiver | None = None

    def close(self) -> None:
        """Stop listening."""
        self._is_over = True
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.close()

    def __repr__(self) -> str:
        return f"<stream of {self._topic} at {self._address}>"

    def _beginning(self) -> Steps[None]:
        """Listen from now on, also anew after the connection broke."""
        if self._receiver is not None:
            yield from self._receiver.subscribing()
        elif not self._is_over:
            receiver = yield from self._listening()
            try:
                yield from receiver.subscribing()
            except BaseException:
                receiver.close()
                raise
            self._receiver = receiver

    def _listening(self) -> Steps[StateReceiver]:
        router, endpoint = self._pool, self._pool.endpoint
        if endpoint.is_plain:
            self._address, run = str(endpoint), router.run_number
            return self._over_tcp(endpoint, router.keys, self._topic, run, router.timeout, conflate=self._conflate)
        self._address = address_of((yield from router.following(informing())), endpoint)
        receiver = subscribed(router.context, router.keys, self._address, self._topic, conflate=self._conflate)
        return self._over_zmq(receiver)

    def _hearing(self, timeout: float | None) -> Steps[State | None]:
        """Return the next state, the newest one with `conflate`; None when the run has ended."""
        if self._is_over:
            return None
        yield from self._beginning()
        if self._receiver is None:
            return None  # closed meanwhile
        wait = self._timeout if timeout is None else timeout
        state = self._undelivered if not self._conflate else None
        if state is None:
            received = yield self._receiver.receive(wait if self._undelivered is None else 0.0)
            state = received or self._undelivered
        if state is None:
            reason = yield from self._explaining()
            raise NoReply(f"no state of {self._topic} at {self._address} within {wait:g} s{reason}")
        check_run(state, self._pool.run_number)
        self._undelivered = state  # a call that is cancelled now leaves it to the next one
        layout = yield from self._known(state.generation)
        self._undelivered, self._is_over = None, state.is_ended
        return State(state, layout, self._teams)

    def _known(self, generation: int) -> Steps[SimulationLayout | None]:
        """Return the layout of a generation, asked once; None if it is over already."""
        if self._layout is None or self._layout.generation < generation:
            self._layout, self._teams = (yield from self._pool.following(layouts.fetching())), {}
        return self._layout

    def _explaining(self) -> Steps[str]:
        name = self._topic.partition("@")[0]
        try:
            if name == EVERYTHING:  # names of a crowd are long, and who waits for little asks again and again
                yield from self._pool.following(informing())
            elif name[1:] not in (yield from self._pool.following(layouts.fetching())).robots:
                return f": there is no robot {name[1:]!r}"
        except NoReply as problem:
            return f"; {problem}"
        return ": time stands still, or the stream is cut off"


def check_run(state: StateMessage, run: int) -> None:
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
    topic_name = topic(name if name.startswith("/") else f"/{name}", every)
    if split_topic(topic_name) is None:
        raise BadArgument(f"no stream of {name!r}, one of {every}: name a robot or {EVERYTHING}, every at least 1")
    return topic_name
