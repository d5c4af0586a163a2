"""Robots of a run as a gateway offers them: which topics there are, and the messages of one tick."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from coopsim.client.readings import Readings
from coopsim.errors import CoopsimError, MalformedMessage, NoReply
from coopsim.features.gateways import messages, table
from coopsim.features.gateways.georeference import ORIGIN_OF_MAPS, Georeference
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.table import COMMANDS, OTHERWISE, TOPICS, CommandRow, Measured, TopicRow
from coopsim.features.gateways.trajectories import joint_names
from coopsim.features.gateways.urdf import frame_of
from coopsim.geometry import Floats
from coopsim.interfaces import Effect, Interface, Value

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client

_NOT_MODULES = {"robots", "table"}
_DEVICE_TOPICS = {"scan", "odom"}
"""Topics that a middleware of plain arrays has, too: its devices have messages of their own for them."""


class OfferedTopic(NamedTuple):
    """A topic that is published.

    Attributes:
        name: `/robot1/scan`.
        row: How it is made.
        robot: Whose readings it has.
        module: Of the robot, "" = its body.
    """

    name: str
    row: TopicRow
    robot: str
    module: str


class TakenTopic(NamedTuple):
    """A topic on which commands come.

    Attributes:
        name: `/robot1/cmd_vel`.
        row: How it is read.
        robot: That obeys.
        target: Name of the module.
    """

    name: str
    row: CommandRow
    robot: str
    target: str


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """A module of a robot type.

    Attributes:
        kind: Of its interface.
        fields: Names of its readings, in the order of the interface.
        parameters: Their values as the first robot of the type has them; how a message is built depends on some.
        interface: All that it understands.
    """

    kind: str
    fields: tuple[str, ...]
    parameters: Mapping[str, Value]
    interface: Interface


class MeasuredState(Protocol):
    """A state of the run, or what a step of one robot brought."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        ...

    @property
    def readings(self) -> Readings:
        """Readings by robot, module and field."""
        ...

    def pose(self, name: str) -> Floats:
        """Return position and quaternion of a body, shape (7,)."""
        ...


class RobotTopics:
    """All topics of the robots of one layout.

    Args:
        modules: Facts of each module, by robot type, then by name.
        robots: Type of each robot that is offered, by its name.
        georeference: Where the world is on the Earth.
        is_plain: Whether every module is published as an array, by its own name.

    Attributes:
        modules: Facts of each module, by its full name.
        offered: Topics that are published, by name.
        taken: Topics on which commands come, by name.
    """

    def __init__(
        self,
        modules: Mapping[str, Mapping[str, ModuleFacts]],
        robots: Mapping[str, str],
        georeference: Georeference = ORIGIN_OF_MAPS,
        *,
        is_plain: bool = False,
    ) -> None:
        self._modules, self._robots, self._georeference = modules, robots, georeference
        self.modules: dict[str, ModuleFacts] = {
            f"/{robot}/{name}": facts for robot, kind in robots.items() for name, facts in modules[kind].items()
        }
        offered = _plain if is_plain else _offered
        topics = [topic for robot, kind in robots.items() for topic in offered(robot, modules[kind])]
        self.offered: dict[str, OfferedTopic] = {topic.name: topic for topic in topics}
        self._of_modules: dict[str, list[str]] = {}
        for topic in topics:
            if topic.module and not topic.row.fetched:
                self._of_modules.setdefault(topic.robot, []).append(topic.name)
        commands = [topic for robot, kind in robots.items() for topic in _command_topics(robot, modules[kind])]
        self.taken: dict[str, TakenTopic] = {topic.name: topic for topic in commands}

    def of_modules(self, robot: str) -> Sequence[str]:
        """Return the names of a robot's topics that are made of its readings alone."""
        return self._of_modules.get(robot, ())

    def messages(self, state: MeasuredState, wanted: Collection[str]) -> Iterator[tuple[str, str, Words]]:
        """Yield topic, type and message of those topics of a state that are wanted."""
        robots: dict[str, list[OfferedTopic]] = {}
        for name in wanted:
            if (topic := self.offered.get(name)) is not None and not topic.row.fetched:
                robots.setdefault(topic.robot, []).append(topic)
        for robot, topics in robots.items():
            modules = self._modules[self._robots[robot]]
            values = self._values(state, robot)
            pose, kinds = state.pose(robot), {name: facts.kind for name, facts in modules.items()}
            for topic in topics:
                parameters = modules[topic.module].parameters if topic.module else {}
                seen = Measured(state.time, robot, topic.module, pose, values, parameters, kinds, self._georeference)
                yield topic.name, topic.row.type, topic.row.build(seen)

    def message(self, state: "State", topic: str) -> Words | None:
        """Return the message of a topic of a state, None where it has none."""
        return next((message for _, _, message in self.messages(state, [topic])), None)

    def fetched(self, wanted: Collection[str]) -> Iterator[OfferedTopic]:
        """Yield those of the wanted topics whose messages are images that modules are asked for."""
        return (topic for name in wanted if (topic := self.offered.get(name)) is not None and topic.row.fetched)

    def transforms(self, state: "State") -> list[Words]:
        """Return the transforms of all robots at a state."""
        every = []
        for robot, kind in self._robots.items():
            kinds = {name: facts.kind for name, facts in self._modules[kind].items()}
            seen = Measured(state.time, robot, "", state.pose(robot), self._values(state, robot), {}, kinds)
            every += table.transforms(seen)
        for body in state.names:
            robot, dot, part = body.partition(".")
            if dot and robot in self._robots:
                pose = messages.pose(state.pose(body))
                every.append(messages.transform(state.time, table.WORLD, frame_of(robot, part), pose))
        return every

    def _values(self, state: MeasuredState, robot: str) -> "_RobotReadings":
        return _RobotReadings(state.readings[robot], self._modules[self._robots[robot]])


class _RobotReadings(Mapping[str, Mapping[str, Any]]):
    """Readings of a robot by module, then by field; a module is read when a message needs it, and most need one."""

    def __init__(self, rows: Any, modules: Mapping[str, ModuleFacts]) -> None:
        self._rows, self._modules = rows, modules
        self._read: dict[str, dict[str, Any]] = {}

    def __getitem__(self, module: str) -> dict[str, Any]:
        values = self._read.get(module)
        if values is None:
            fields, rows = self._modules[module].fields, getattr(self._rows, module)
            values = self._read[module] = {field: getattr(rows, field) for field in fields}
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def joints_of(
    state: "State | None", taken: TakenTopic, facts: ModuleFacts
) -> tuple[Sequence[str], Sequence[float], float]:
    """Return the names of the joints that a topic commands, their positions, and when they had them [s].

    Raises:
        NoReply: There is no state yet.
    """
    if state is None:
        raise NoReply("there is no state yet")
    module = taken.target.rpartition("/")[2]
    rows = getattr(state.readings[taken.robot], module)
    positions = [float(value) for value in np.ravel(rows.positions if "positions" in facts.fields else rows.position)]
    return joint_names(facts.parameters, module, len(positions)), positions, state.time


def has_layout(state: "State") -> bool:
    """Return whether the readings of a state can be told apart."""
    try:
        state.readings  # noqa: B018 - it raises
    except MalformedMessage:
        return False
    return True


async def topics_of(
    sim: "Client", state: "State", robots: Collection[str], georeference: Georeference, *, is_plain: bool
) -> RobotTopics:
    """Return the topics of the robots in a state.

    Args:
        sim: Where modules are asked what they are.
        state: Of the run.
        robots: Names of those that are offered; none = all.
        georeference: Where the world is on the Earth.
        is_plain: As of `RobotTopics`.
    """
    modules: dict[str, dict[str, ModuleFacts]] = {}
    offered: dict[str, str] = {}
    for kind in state.readings.types:
        rows = state.readings.of(kind)
        named = [robot for robot in rows.robots if not robots or robot in robots]
        if named:
            names = [name for name in dir(rows) if name not in _NOT_MODULES]
            modules[kind] = {name: await _facts(sim, f"/{named[0]}/{name}") for name in names}
            offered |= dict.fromkeys(named, kind)
    return RobotTopics(modules, offered, georeference, is_plain=is_plain)


async def _facts(sim: "Client", target: str) -> ModuleFacts:
    module = sim.module(target)
    interface = await module.interface
    parameters: dict[str, Value] = {}
    for parameter in interface.parameters:
        try:
            parameters[parameter.name] = await module.get_parameter(parameter.name)
        except CoopsimError:  # a recording without key frames does not tell
            parameters[parameter.name] = parameter.default
    fields = tuple(
        field.name
        for command in interface.commands
        if command.effect is Effect.READ
        for field in command.gives
        if field.place == "data"
    )
    return ModuleFacts(interface.kind, fields, parameters, interface)


def _offered(robot: str, modules: Mapping[str, ModuleFacts]) -> Iterator[OfferedTopic]:
    """Yield the topics of a robot; a second module of a kind has its own name in the topic, so that none hides."""
    names: set[str] = set()
    for module, kind in (("", ""), *((name, facts.kind) for name, facts in modules.items())):
        for row in [row for row in TOPICS if row.kind == kind] or [OTHERWISE]:
            plain = f"/{robot}/{row.topic or module}"
            name = plain if plain not in names else f"/{robot}/{module}/{row.topic}"
            names.add(name)
            yield OfferedTopic(name, row, robot, module)


def _plain(robot: str, modules: Mapping[str, ModuleFacts]) -> Iterator[OfferedTopic]:
    """Yield a topic for each module that has readings, by the module's own name, and those of devices below it."""
    for module, facts in modules.items():
        if facts.fields:
            yield OfferedTopic(f"/{robot}/{module}", OTHERWISE, robot, module)
        for row in TOPICS:
            if row.kind == facts.kind and row.topic in _DEVICE_TOPICS:
                yield OfferedTopic(f"/{robot}/{module}/{row.topic}", row, robot, module)


def _command_topics(robot: str, modules: Mapping[str, ModuleFacts]) -> Iterator[TakenTopic]:
    """Yield the topics on which a robot is commanded."""
    names: set[str] = set()
    for module, facts in modules.items():
        for row in COMMANDS:
            if row.kind == facts.kind:
                plain = f"/{robot}/{row.topic}"
                name = plain if plain not in names else f"/{robot}/{module}/{row.topic}"
                names.add(name)
                yield TakenTopic(name, row, robot, f"/{robot}/{module}")
