"""Folders that `yarpdatadumper` writes and `yarpdataplayer` plays, one for each port: `info.log` and `data.log`.

Source: yarpdatadumper of YARP 4.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from coopsim.errors import BadArgument
from coopsim.features.export.tables import Thinning
from coopsim.features.gateways.table import CLOCK_TOPIC
from coopsim.features.gateways.yarp import bottle
from coopsim.features.gateways.yarp.bottle import Value
from coopsim.recording import Recording

_INFO, _DATA = "info.log", "data.log"
_PORT = re.compile(r"^\[[^]]*\] (/\S+) \[connected\]", re.MULTILINE)
_TYPE = re.compile(r"^Type: (\w+)", re.MULTILINE)
_STAMPS = re.compile(r"^Stamp: ([\w+]+);", re.MULTILINE)
_NANO = 1_000_000_000  # the clock of YARP is whole seconds and nanoseconds


def export_dumps(recording: Recording, folder: Path, rate: float | None = None) -> dict[str, int]:
    """Write the ports of a recording, each into a folder of its own; return how many bottles each has.

    Times are those of the recording's time line, which goes on where simulated time was reset. A folder that holds a
    dump is written anew.

    Args:
        recording: Complete or cut off.
        folder: Made when it is not there.
        rate: Largest number of bottles of a port per simulated second; None = all.

    Raises:
        DamagedRecording: A chunk is damaged; the folders hold what came before.
        OSError: A file cannot be written.
    """
    counts: dict[str, int] = {}
    thinning = Thinning(rate)
    for _, block in recording.blocks():
        rows = thinning.rows(block)
        layout = recording.layout(block.generation)
        times = [int(position) for position in block.positions_ns[rows]]
        clocks: list[list[Value]] = [[*divmod(int(block.head("time_ns")[row]), _NANO)] for row in rows]
        _append(folder, CLOCK_TOPIC, times, clocks, counts)
        for place in layout.robots:
            for module in place.type.modules:
                if module.reading_width:
                    port = f"/{place.name}/{module.name}/data:o"
                    begin = place.reading_offset + module.reading_offset
                    values = block.readings[rows, begin : begin + module.reading_width]
                    _append(folder, port, times, values.tolist(), counts)
    return counts


def _append(folder: Path, port: str, times: list[int], bottles: list[list[Value]], counts: dict[str, int]) -> None:
    """Write the bottles of a block behind those before it; files are open no longer, for there may be thousands."""
    first = counts.setdefault(port, 0)
    if not times:
        return
    place = folder / port.removesuffix("/data:o").strip("/").replace("/", "_")
    if not first:
        place.mkdir(parents=True, exist_ok=True)
        head = f"Type: Bottle;\nStamp: tx;\n[{times[0] / _NANO:.6f}] {port} [connected]\n"
        (place / _INFO).write_text(head, encoding="utf-8")
    with (place / _DATA).open("a" if first else "w", encoding="utf-8") as data:
        for number, (time, values) in enumerate(zip(times, bottles, strict=True), first):
            data.write(f"{number} {time / _NANO:.6f} {bottle.text(values)}\n")
    counts[port] = first + len(times)


class Dump(NamedTuple):
    """A folder of one port.

    Attributes:
        name: Of the folder.
        port: Whose bottles it holds, "" = it does not tell.
        stamps: What each line has for times: `tx` (of the sender), `rx` (of the dumper), or both.
        data: The file of bottles.
    """

    name: str
    port: str
    stamps: tuple[str, ...]
    data: Path

    def bottles(self) -> Iterator[tuple[int, list[float], list[Value]]]:
        """Yield the number, the times [s] and the values of each bottle.

        Raises:
            BadArgument: A line is none.
            OSError: It cannot be read.
        """
        with self.data.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield self._bottle(line.strip(), number)

    def _bottle(self, line: str, number: int) -> tuple[int, list[float], list[Value]]:
        count, *rest = line.split(maxsplit=len(self.stamps) + 1)
        try:
            times = [float(word) for word in rest[: len(self.stamps)]]
            if len(times) < len(self.stamps):
                raise ValueError
            return int(count), times, bottle.parsed(" ".join(rest[len(self.stamps) :]))
        except ValueError:
            expected = " ".join(["NUMBER", *(f"TIME({stamp})" for stamp in self.stamps), "BOTTLE"])
            raise BadArgument(f"{self.data}:{number}: expected {expected}, got {line!r:.60}") from None
        except BadArgument as problem:
            raise BadArgument(f"{self.data}:{number}: {problem}") from None


def dumps_in(folder: Path) -> list[Dump]:
    """Return the dumps in a folder, or the one that it is.

    Raises:
        BadArgument: There is none, or one holds images.
    """
    places = [path.parent for path in sorted((*folder.glob(_DATA), *folder.glob(f"*/{_DATA}")))]
    if not places:
        raise BadArgument(f"{folder}: expected folders with {_INFO} and {_DATA}, as yarpdatadumper writes them")
    return [_dump(place) for place in places]


def _dump(place: Path) -> Dump:
    try:
        head = (place / _INFO).read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise BadArgument(f"{place / _INFO}: {problem.strerror}; it tells what {_DATA} holds") from None
    kind, port, stamps = _TYPE.search(head), _PORT.search(head), _STAMPS.search(head)
    if kind is None or kind[1] != "Bottle":
        raise BadArgument(f"{place / _INFO}: expected `Type: Bottle;`, got {kind[1] if kind else 'no type'!r:.40}")
    # dumps of old versions have one time and do not tell which
    return Dump(place.name, port[1] if port else "", tuple(stamps[1].split("+")) if stamps else ("tx",), place / _DATA)


def numbers_of(values: list[Value]) -> Iterator[Value]:
    """Yield the values of a bottle, those of lists one by one."""
    for value in values:
        if isinstance(value, list):
            yield from numbers_of(value)
        else:
            yield value


def columns_of(dump: Dump) -> Mapping[str, int]:
    """Return how many values the longest bottle has, by `values`, and how many bottles there are, by `bottles`."""
    widths = [sum(1 for _ in numbers_of(values)) for _, _, values in dump.bottles()]
    return {"values": max(widths, default=0), "bottles": len(widths)}
