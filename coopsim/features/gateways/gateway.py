"""A gateway: follows a run as its client, passes readings on to a codec, and commands back to the robots.

It claims nothing until somebody commands, and gives robots back when the program that commanded them parts. Killed and
started again it goes on where it was, for all that it knows comes from the run.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from coopsim.client import aio
from coopsim.errors import CoopsimError, KeyRefused, NoReply, NoSuchName, SimulationEnded, WrongRun
from coopsim.features.gateways import services, table
from coopsim.features.gateways.cameras import ImageFetcher
from coopsim.features.gateways.codec import Codec
from coopsim.features.gateways.lasting import LastingTopic, lasting_topics
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.options import GatewayOptions
from coopsim.features.gateways.robots import (
    ModuleFacts,
    OfferedTopic,
    RobotTopics,
    TakenTopic,
    has_layout,
    joints_of,
    topics_of,
)
from coopsim.features.gateways.stepping import LockstepDriver, Refused, SteppedState
from coopsim.features.gateways.trajectories import TrajectoryFollower
from coopsim.interfaces import Effect

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client

_STATUS_EVERY = 1.0
"""Interval at which it asks for the mode of the clock and tells its own numbers [s]."""
_TRY_AGAIN = 0.5
"""Pause before it looks for a run again [s]."""
_FAREWELL = 1.0
"""How long robots may take to be stopped and given back [s]."""
_NO_TICK: Final = -1
_COUNTED: Final = {"clients": "1", "sent": "1", "dropped": "1", "received": "1", "refused": "1"}


class MiddlewareGateway:
    """The common part of all gateways.

    Args:
        options: Its settings.
        codec: The middleware.
        note: Called with lines for people.

    Attributes:
        codec: The middleware.
    """

    def __init__(self, options: GatewayOptions, codec: Codec, note: Callable[[str], None]) -> None:
        self._options, self.codec, self._note = options, codec, note
        self._sim: Client | None = None
        self._topics = RobotTopics({}, {})
        self._generation: tuple[int, int] | None = None
        self._is_lockstep, self._asked_at, self._due = False, -_STATUS_EVERY, 0.0
        self._held: dict[Hashable, set[str]] = {}
        self._time = 0.0
        self._state: State | None = None
        self._run_number: int | None = None
        self._lasting: Mapping[str, LastingTopic] = {}
        self._images = ImageFetcher(self._publish_wanted)
        self._trajectories = TrajectoryFollower()
        self._driver = LockstepDriver(self._publish_stepped)
        self._passed_on: dict[str, int] = {}
        self._tick, self._passed_tick = _NO_TICK, _NO_TICK

    @property
    def time(self) -> float:
        """Simulated time of the newest state [s]."""
        return self._time

    @property
    def state(self) -> "State | None":
        """The newest state, None before the first."""
        return self._state

    @property
    def is_lockstep(self) -> bool:
        """Whether time waits for commands, so that each tick is passed on and nothing may be lost."""
        return self._is_lockstep

    @property
    def sim(self) -> "Client":
        """The run.

        Raises:
            NoReply: There is none now.
        """
        if self._sim is None:
            raise NoReply("no simulation answers the gateway now; it goes on when one does")
        return self._sim

    @property
    def offered(self) -> Mapping[str, OfferedTopic]:
        """Topics of robots that are published, by name."""
        return self._topics.offered

    @property
    def command_topics(self) -> Mapping[str, TakenTopic]:
        """Topics on which robots are commanded, by name."""
        return self._topics.taken

    @property
    def lasting(self) -> Mapping[str, LastingTopic]:
        """Topics whose message late readers get, too, by name."""
        return self._lasting

    @property
    def modules(self) -> Mapping[str, ModuleFacts]:
        """Facts of each module of the robots that are offered, by its name: `/robot1/motors`."""
        return self._topics.modules

    @property
    def types(self) -> dict[str, str]:
        """Type of every topic, by its name."""
        return {
            table.CLOCK_TOPIC: table.CLOCK_TYPE,
            table.TRANSFORMS_TOPIC: table.TRANSFORMS_TYPE,
            **{name: topic.row.type for name, topic in self.offered.items()},
            **{name: topic.row.type for name, topic in self.command_topics.items()},
            **{name: topic.type for name, topic in self.lasting.items()},
        }

    def newest(self, topic: str) -> Words | None:
        """Return the message of a robot's topic as the newest state has it, None before the first."""
        return None if self._state is None else self._topics.message(self._state, topic)

    async def run(self) -> None:
        """Serve until it is cancelled, or, with `once`, until the run ends.

        Raises:
            OSError: The codec cannot listen.
            NoReply: With `once`, there is no run.
            KeyRefused: The run asks for keys that were not given.
        """
        self._note(await self.codec.open(self))
        try:
            await self._follow_runs()
        finally:
            await self._images.close()
            await self.codec.close()

    async def command(self, topic: str, message: Words, peer: Hashable, refused: Refused | None = None) -> None:
        """Command a robot.

        Args:
            topic: `/robot1/cmd_vel`.
            message: As the topic's type says.
            peer: Whoever sent it: `part` gives back what he commanded.
            refused: Called with a refusal where the command went out with a step already, as in lockstep; None = its
                sender waits for the refusal.

        Raises:
            NoSuchName: Nobody listens to such a topic.
            BadArgument: A field does not fit.
            CoopsimError: The run refuses: another client owns the robot, a value is out of range.
        """
        taken = self.command_topics.get(topic)
        if taken is None:
            raise NoSuchName(
                f"no robot is commanded by {topic!r:.80}; there are {', '.join(self.command_topics) or 'none'}"
            )
        command, values = taken.row.read(message)
        self._trajectories.stop(taken.target)
        state, modules = self._state, self.modules
        if command == table.FOLLOW:
            joints = joints_of(state, taken, modules[taken.target])
            await self._trajectories.follow(self.sim, taken.target, taken.row.command, values[0], joints)
        elif (
            refused is not None
            and self._is_lockstep
            and state is not None
            and self._driver.can_step(taken, command, values, modules)
        ):
            self._driver.begin(self.sim, taken, command, values, state, refused)
        else:
            self._driver.forget(taken.robot)
            await self.sim.module(taken.target).call(command, *values)
        self._held.setdefault(peer, set()).add(taken.robot)

    async def answer(self, service: str, words: Words) -> Words:
        """Answer a request to a service; errors as of `services.answer`."""
        return await services.answer(self.sim, service, words)

    async def call(self, target: str, command: str | int, values: Sequence[Any], peer: Hashable) -> list[Any]:
        """Send a command to a module; return what it gives, arrays as lists.

        Raises:
            CoopsimError: As of the module.
        """
        answer = await self.sim.module(target).call(command, *values)
        robot = target.split("/")[1]
        if f"/{robot}/" in target and any(name.startswith(f"/{robot}/") for name in self.modules):
            interface = await self.sim.module(target).interface
            number = next(
                (candidate for candidate in interface.commands if command in (candidate.name, candidate.number)), None
            )
            if number is not None and number.effect is Effect.SET:
                self._held.setdefault(peer, set()).add(robot)
        return services.plain(answer)

    async def part(self, peer: Hashable) -> None:
        """Stop and give back the robots that a program commanded, but for those that another one commands, too."""
        robots = self._held.pop(peer, set()) - {robot for held in self._held.values() for robot in held}
        if robots and self._sim is not None:
            with contextlib.suppress(CoopsimError, TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._give_back(robots)

    def note(self, text: str) -> None:
        """Print a line for people."""
        self._note(text)

    async def _give_back(self, robots: set[str]) -> None:
        targets = {taken.target for taken in self.command_topics.values() if taken.robot in robots}
        for robot in robots:
            self._driver.forget(robot)
        for target in targets:
            self._trajectories.stop(target)
            interface = await self.sim.module(target).interface
            if any(command.name == "stop" for command in interface.commands):
                await self.sim.module(target).call("stop")
        await self.sim.module("/sim/step").call("release", sorted(robots))

    # following

    async def _follow_runs(self) -> None:
        while True:
            try:
                connection = aio.connect(self._options.endpoint, timeout=self._options.patience)
                async with connection as sim:
                    await self._follow(sim)
            except KeyRefused:
                raise
            except (SimulationEnded, WrongRun):
                self._forget_run()
            except CoopsimError as problem:
                if self._options.once:
                    raise
                if not isinstance(problem, NoReply):
                    self._note(f"the run is lost: {problem}")
            finally:
                self._sim = None
                self._held.clear()
                self._trajectories.clear()
                self._driver.close()
                await self._images.close()
            if self._options.once:
                return
            await asyncio.sleep(_TRY_AGAIN)

    def _forget_run(self) -> None:
        """Leave the topics of a run that is over. Of one that was only silent they stay: it may answer again."""
        self._topics, self._generation, self._run_number = RobotTopics({}, {}), None, None
        self._lasting = {}
        self.codec.changed()

    async def _follow(self, sim: "Client") -> None:
        offered = await self._offer_numbers(sim)
        self._due, self._asked_at, self._passed_tick = 0.0, -_STATUS_EVERY, self._tick
        self._is_lockstep = (await sim.clock.call("status")).mode == "lockstep"
        async with sim.stream(timeout=_STATUS_EVERY, conflate=not self._is_lockstep) as states:
            while True:
                try:
                    state = await states.latest()
                except NoReply:  # time stands still, or the run is gone: asking tells which
                    await sim.clock.call("status")
                    continue
                if state is None:
                    raise SimulationEnded("the run has ended")
                await self._pass_on(sim, state)
                if time.monotonic() - self._asked_at >= _STATUS_EVERY:
                    await self._refresh_status(sim, offered)

    async def _offer_numbers(self, sim: "Client") -> "aio.Module | None":
        """Offer the gateway's numbers as a module; a replay and a role that only watches take none."""
        try:
            return await sim.offer(f"/gateway/{self.codec.kind}", _COUNTED, summary=f"gateway to {self.codec.kind}")
        except CoopsimError:
            return None

    async def _refresh_status(self, sim: "Client", module: "aio.Module | None") -> None:
        self._asked_at = time.monotonic()
        self._is_lockstep = (await sim.clock.call("status")).mode == "lockstep"
        self.codec.refresh_counts()
        if module is not None:
            with contextlib.suppress(CoopsimError):
                await module.call("write", *(float(count) for count in asdict(self.codec.counts).values()))

    async def _pass_on(self, sim: "Client", state: "State") -> None:
        generation = (state.raw.run, state.raw.generation)
        if generation != self._generation:
            if not has_layout(state):
                return  # robots came or went since: the next state is of their layout
            try:
                options = self._options
                self._topics = await topics_of(
                    sim, state, options.robots, options.georeference, is_plain=self.codec.is_plain
                )
                self._lasting = {} if self.codec.is_plain else lasting_topics(self._topics, await sim.scene(), state)
            except NoSuchName:
                return  # a robot is gone since this state: the next one is without it
            self._check_robots()
            is_new = state.raw.run != self._run_number
            self._sim, self._generation = sim, generation
            self._run_number, self._passed_tick = state.raw.run, _NO_TICK
            info = await sim.info()
            self._driver.learn(state.layout, float(info.get("step", 0.0)))
            self._passed_on.clear()
            self.codec.changed()
            if is_new:
                self._note(
                    f"serving {info.get('scenario') or 'a scene without a file'}, {info.get('robots', 0)} robots"
                )
        self._sim, passed, self._passed_tick = sim, self._passed_tick, _NO_TICK
        if self._is_lockstep and state.tick == passed:
            return  # of a run that was silent for a while: this tick was passed on before
        if state.tick < self._tick:
            self._due = 0.0  # reset, or scrubbed
            self._passed_on.clear()
        self._tick = state.tick
        self._time, self._state = state.time, state
        self._driver.note_state(state.tick)
        await self._advance(sim, state)
        rate = self._options.rate
        if state.time < self._due and not self._is_lockstep:
            return
        self._due = state.time + (1.0 / rate if rate > 0.0 else 0.0) - 1e-9
        self._publish(state)
        self._images.refresh(sim, state, self._topics.fetched(self._wanted()))

    async def _advance(self, sim: "Client", state: "State") -> None:
        """Go on with trajectories, each tick, whatever the rate of readings."""
        for refusal in await self._trajectories.advance(sim, state.time):
            self.codec.counts.refused += 1
            self.codec.complain(refusal)

    def _wanted(self) -> list[str]:
        return [name for name in self.offered if self.codec.wants(name)]

    def _publish_wanted(self, topic: str, kind: str, message: Words) -> None:
        """Publish a message that came late, if somebody still reads its topic."""
        if topic in self.offered and self.codec.wants(topic):
            self.codec.publish(topic, kind, message)

    def _check_robots(self) -> None:
        names = {topic.robot for topic in self.offered.values()}
        missing = [robot for robot in self._options.robots if robot not in names]
        if missing:
            raise NoSuchName(f"there is no robot {missing[0]!r}; there are {', '.join(sorted(names)) or 'none'}")

    def _publish_stepped(self, robot: str, stepped: SteppedState) -> None:
        """Publish what a step brought, unless the stream of states was faster; where bodies are, that alone tells."""
        if stepped.tick <= self._tick:
            return
        self._time, self._passed_on[robot] = stepped.time, stepped.tick
        wanted = [name for name in self._topics.of_modules(robot) if self.codec.wants(name)]
        for topic, kind, message in self._topics.messages(stepped, wanted):
            self.codec.publish(topic, kind, message)

    def _is_passed_on(self, topic: str, tick: int) -> bool:
        """Return whether the reply to a step of a robot has brought a topic of this tick, or of a later one."""
        offered = self.offered[topic]
        return bool(offered.module) and self._passed_on.get(offered.robot, _NO_TICK) >= tick

    def _publish(self, state: "State") -> None:
        codec, wanted = self.codec, self._wanted()
        if self._passed_on:
            wanted = [name for name in wanted if not self._is_passed_on(name, state.tick)]
        self._driver.must_follow = bool(wanted) or codec.wants(table.TRANSFORMS_TOPIC) or codec.wants(table.CLOCK_TOPIC)
        for topic, kind, message in self._topics.messages(state, wanted):
            codec.publish(topic, kind, message)
        if codec.wants(table.TRANSFORMS_TOPIC):
            message = {"transforms": self._topics.transforms(state)}
            codec.publish(table.TRANSFORMS_TOPIC, table.TRANSFORMS_TYPE, message)
        # the clock comes last: whoever waits for it has all readings of its tick
        if codec.wants(table.CLOCK_TOPIC):
            codec.publish(table.CLOCK_TOPIC, table.CLOCK_TYPE, table.clock(state.time))
