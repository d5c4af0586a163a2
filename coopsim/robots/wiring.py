"""Connections between the devices of a robot, and the order in which on-board programs run."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from coopsim.errors import BadFile
from coopsim.interfaces import Effect, Input, Interface, Output, Value


class WiredDevice(NamedTuple):
    """A device of a robot type, in the order of the `.robot` file.

    Attributes:
        name: Of its module.
        settings: Values of its parameters.
    """

    name: str
    interface: Interface
    settings: Mapping[str, Value]


class PortLink(NamedTuple):
    """A connection.

    Attributes:
        device: Name of the device whose port it is.
        module: Name of the sibling.
    """

    device: str
    port: Input | Output
    module: str


@dataclass(frozen=True, slots=True)
class Wiring:
    """The connections of a robot type.

    Attributes:
        links: Of all ports that are connected.
        order: Names of the devices with ports: each one after those whose readings it uses; of several that command
            the same device the one that stands last in the file has the last word.
    """

    links: tuple[PortLink, ...]
    order: tuple[str, ...]


def wire(parts: Sequence[WiredDevice]) -> Wiring:
    """Connect the devices of a robot type.

    Raises:
        BadFile: A port leads nowhere, or programs wait for each other in a circle.
    """
    for _, text in wiring_flaws(parts):
        raise BadFile(text)
    links = tuple(_links(parts))
    return Wiring(links, _order(parts, links))


def wiring_flaws(parts: Sequence[WiredDevice]) -> Iterator[tuple[str, str]]:
    """Yield the name of each device that cannot be connected, and why."""
    links: list[PortLink] = []
    for at, part in enumerate(parts):
        for port in _ports(part):
            try:
                links += _link(parts, at, port)
            except BadFile as problem:
                yield part.name, str(problem)
    try:
        _order(parts, links)
    except CycleError as problem:
        circle: list[str] = problem.args[1]
        text = f"programs wait for each other in a circle: {' -> '.join(circle)}; one of them must do without another"
        yield circle[0], text


def wiring_gaps(parts: Sequence[WiredDevice]) -> Iterator[tuple[str, str]]:
    """Yield the name of each device whose ports for a sibling are all for other kinds, and which these are."""
    for part in parts:
        for module in dict.fromkeys(port.module for port in _ports(part) if port.kinds):
            kinds = sorted({kind for port in _ports(part) if port.module == module for kind in port.kinds.split()})
            sibling = next((device for device in parts if device.name == part.settings.get(module, module)), part)
            if sibling is not part and sibling.interface.kind not in kinds:
                text = f"{part.name} has no part in {sibling.name!r}, of the kind {sibling.interface.kind}"
                yield part.name, f"{text}: it knows {', '.join(kinds)}; name a device of those by {module!r}"


def _links(parts: Sequence[WiredDevice]) -> Iterator[PortLink]:
    for at, part in enumerate(parts):
        for port in _ports(part):
            yield from _link(parts, at, port)


def _ports(part: WiredDevice) -> tuple[Input | Output, ...]:
    return (*part.interface.inputs, *part.interface.outputs)


def _link(parts: Sequence[WiredDevice], at: int, port: Input | Output) -> list[PortLink]:
    """Return the connection of a port, none where it may be and is left open.

    Raises:
        BadFile: It leads nowhere.
    """
    part = parts[at]
    if isinstance(port, Input) and not port.module:
        return _link_of_signal(parts, at, port)
    named = part.settings.get(port.module, port.module)
    default = next(
        (parameter.default for parameter in part.interface.parameters if parameter.name == port.module), port.module
    )
    sibling = next((candidate for candidate in parts if candidate.name == named and candidate is not part), None)
    if sibling is None:
        if port.is_needed or named not in ("", default):
            names_beside = ", ".join(neighbour.name for neighbour in parts if neighbour is not part) or "nothing else"
            raise BadFile(f"{part.name} needs {_said(port)} of a device {named!r}; this robot has {names_beside}")
        return []
    if port.kinds and sibling.interface.kind not in port.kinds.split():
        return []
    _check_fits(part, port, sibling)
    return [PortLink(part.name, port, sibling.name)]


def _link_of_signal(parts: Sequence[WiredDevice], at: int, port: Input) -> list[PortLink]:
    above = parts[:at]
    for sibling in above:
        if port.source in {signal.name for signal in sibling.interface.signals}:
            return [PortLink(parts[at].name, port, sibling.name)]
    if port.is_needed:
        names = ", ".join(part_above.name for part_above in above) or "nothing"
        raise BadFile(
            f"{parts[at].name} needs {_said(port)}: put a device that has it above it in the .robot file; "
            f"above it stands: {names}"
        )
    return []


def _check_fits(part: WiredDevice, port: Input | Output, sibling: WiredDevice) -> None:
    if isinstance(port, Input):
        given = [port.name for port in (*sibling.interface.readings, *sibling.interface.signals)]
        wanted = [port.source]
    else:
        given = [command.name for command in sibling.interface.commands if command.effect is Effect.SET]
        wanted = [*port.commands] or given[:1] or ["any command"]
    missing = [name for name in wanted if name not in given]
    if missing:
        has = ", ".join(given) or "nothing of that sort"
        raise BadFile(f"{part.name} needs {', '.join(missing)} of {sibling.name}, which has {has}")


def _said(port: Input | Output) -> str:
    what = port.source if isinstance(port, Input) else " and ".join(port.commands) or "commands"
    return f"{what} ({port.summary})" if port.summary else what


def _order(parts: Sequence[WiredDevice], links: Sequence[PortLink]) -> tuple[str, ...]:
    """Return the devices with ports in an order in which they can run, as that of the file as can be.

    Raises:
        CycleError: There is none.
    """
    place = {part.name: at for at, part in enumerate(parts) if part.interface.inputs or part.interface.outputs}
    graph: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(place, ()))
    writers: dict[str, list[str]] = {}
    for device, port, module in links:
        if isinstance(port, Output):
            writers.setdefault(module, []).append(device)
            if module in place:
                graph.add(module, device)
        elif module in place:
            graph.add(device, module)
    for names in writers.values():
        for before, after in pairwise(names):
            graph.add(after, before)
    graph.prepare()
    ready: list[tuple[int, str]] = []
    order: list[str] = []
    while graph.is_active():
        for name in graph.get_ready():
            heapq.heappush(ready, (place[name], name))
        _, name = heapq.heappop(ready)
        graph.done(name)
        order.append(name)
    return tuple(order)
