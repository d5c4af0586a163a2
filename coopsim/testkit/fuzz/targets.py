"""The readers of foreign bytes, each as a function that refuses in words or returns."""

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from coopsim.client import interface_json
from coopsim.errors import BadFile, CoopsimError
from coopsim.message import MAX_BYTES, decode, encode, failure
from coopsim.robots import check, sections
from coopsim.robots.finding import WORLDS
from coopsim.scene import Floor, Object, Problems, changed, read_robot, read_scenario, read_world

Target: TypeAlias = Callable[[bytes], None]

_LONGEST_ANSWER = 50_000  # letters; an error that repeats its input without end is a finding
_NUMBERS = re.compile(r"[\d.e+-]*\d")
_PLACE = re.compile(r"\S*/fuzzed")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_FLOOR = Floor((10.0, 10.0, 0.1))
_OBJECT = Object("box", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))


class BrokenPromise(AssertionError):
    """A reader returned, but not what it promises."""


def message(raw: bytes) -> None:
    """Decode a message as a server does: what it accepts survives a round trip, what it refuses can be answered.

    Raises:
        CoopsimError: The bytes are no message.
        BrokenPromise: The promise does not hold.
    """
    try:
        decoded = decode(raw)
    except CoopsimError as problem:
        decode(encode(failure(problem)))
        raise
    again = encode(decoded)
    if encode(decode(again)) != again:
        raise BrokenPromise("a message changes on a round trip")
    if len(raw) > MAX_BYTES:
        raise BrokenPromise(f"a message of {len(raw)} bytes was accepted")


def interface(raw: bytes) -> None:
    """Read a module's DESCRIBE as a client does; what is understood can be encoded again.

    Raises:
        CoopsimError: It is no such text.
    """
    described = interface_json.read(raw.decode(errors="replace"), "/somebody/else")
    interface_json.read(described.to_json(), "/somebody/else")


def world(raw: bytes) -> None:
    """Read a `.world` file.

    Raises:
        CoopsimError: It has mistakes.
    """
    _with_file("fuzzed.world", raw, lambda file: _refuse(read_world(file)[1], check(file)))


def scenario(raw: bytes) -> None:
    """Read and check a `.scenario` file: syntax, then types, names and ranges.

    Raises:
        CoopsimError: It has mistakes.
    """
    _with_file("fuzzed.scenario", raw, lambda file: _refuse(read_scenario(file, (WORLDS,))[1], check(file)))


def robot(raw: bytes) -> None:
    """Read and check a `.robot` file.

    Raises:
        CoopsimError: It has mistakes.
    """
    _with_file("fuzzed.robot", raw, lambda file: _refuse(read_robot(file)[1], check(file)))


def insertion(raw: bytes) -> None:
    """Read the text of `/sim/world insert`.

    Raises:
        CoopsimError: It has mistakes.
    """
    sections(raw.decode(errors="replace"), taken=("robot1", "wall_1"))


def update(raw: bytes) -> None:
    """Read the text of `/sim/world update`, for an object and for the floor.

    Raises:
        CoopsimError: It has mistakes.
    """
    text = raw.decode(errors="replace")
    with contextlib.suppress(BadFile):
        changed(_FLOOR, text)
    changed(_OBJECT, text)


TARGETS: Mapping[str, Target] = {
    target.__name__: target for target in (message, interface, world, scenario, robot, insertion, update)
}
"""Every target by name."""


def outcome(target: Target, raw: bytes) -> str:
    """Return how a target answers, with names and numbers left out: "accepted", or the refusal.

    Raises:
        Exception: Whatever the target must never raise.
    """
    try:
        target(raw)
    except CoopsimError as problem:
        text = str(problem)
        if len(text) > _LONGEST_ANSWER:
            raise BrokenPromise(f"a refusal of {len(text)} characters") from None
        first = _PLACE.sub("fuzzed", text.partition("\n")[0])
        return f"{type(problem).__name__}: {_NUMBERS.sub('0', _QUOTED.sub('_', first))[:120]}"
    return "accepted"


def _with_file(name: str, raw: bytes, read: Callable[[Path], Any]) -> None:
    with tempfile.TemporaryDirectory(prefix="coopsim-fuzz-") as folder:
        file = Path(folder) / name
        file.write_bytes(raw)
        read(file)


def _refuse(problems: Problems, checked: Sequence[object] = ()) -> None:
    """Raise what a reader found; a check that passes what the reader refused breaks its promise."""
    if problems.total and checked == []:
        raise BrokenPromise(f"check passes what the reader refuses: {problems}")
    problems.raise_any()
    if checked:
        raise BadFile("\n".join(map(str, checked)), tuple(checked))
