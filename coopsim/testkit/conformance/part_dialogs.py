"""The dialog about steps in parts: more robots than fit one message are stepped together all the same."""

import json
from collections.abc import Sequence

from coopsim.message import Message
from coopsim.testkit.conformance.dialogs import Dialog
from coopsim.testkit.conformance.false_server import FalseServer
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import written_list

_LAYOUT, _STEP, _CLAIM, _RELEASE, _PART = 10, 11, 13, 15, 18
_ROBOTS = [f"robot{number}" for number in range(1, 1501)]
_SPEEDS = ("v", "w", "left", "right")
_RANGES, _STEPS, _GENERATION = 56, 2, 7
_WIDTH = len(_SPEEDS) + _RANGES  # values that a step gives of a robot
_MOST = 65_536  # values in a message, as the protocol has it
_COMMAND = [0.25, 0.125]
_KIND = {
    "takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
    "takes_length": len(_COMMAND),
    "gives": [
        *(["motors", name, "m/s", place, 1] for place, name in enumerate(_SPEEDS)),
        ["sonars", "ranges", "m", len(_SPEEDS), _RANGES],
    ],
    "gives_length": _WIDTH,
}


def steps_many_robots_in_parts(client: ClientProgram, server: FalseServer) -> None:
    """Robots whose readings fit no message are stepped by PARTs and a STEP, and by one tick for all."""
    client.send("steps", str(_STEPS), written_list(_ROBOTS))
    done = 0
    while server.has_request(lambda: client.has_answered):
        asked = server.next_request()
        if asked.command == _LAYOUT:
            _answer_layout(server, asked)
        elif asked.command in {_CLAIM, _RELEASE}:
            server.answer(asked)
        else:
            _answer_step(server, asked)
            done += 1
    words = client.heard()
    if words[0] != "time" or done != _STEPS:
        raise NotConformant(f"expected {_STEPS} steps and their time, got {done} and {' '.join(words)[:200]}")


def _answer_layout(server: FalseServer, asked: Message) -> None:
    first, count = (int(value) for value in asked.params[:2])
    names = _ROBOTS[first : first + count]
    layout = {"generation": _GENERATION, "run": server.run, "types": {"kind": _KIND}, "total": len(_ROBOTS)}
    text = json.dumps(layout | {"robots": [[name, "kind"] for name in names]})
    lengths = (float(len(_COMMAND)), float(_WIDTH)) * len(names)
    server.answer(asked, params=(text, _GENERATION, server.run, len(_ROBOTS), *names), data=lengths)


def _answer_step(server: FalseServer, first: Message) -> None:
    """Collect the parts of a step, and answer none of them before all are here."""
    messages = [first]
    while messages[-1].command == _PART:
        messages.append(server.next_request())
    stepped = [str(name) for message in messages for name in message.params[1:]]
    commands = [float(value) for message in messages for value in message.data]
    if messages[-1].command != _STEP or stepped != _ROBOTS:
        raise NotConformant(f"expected parts of all robots, then a STEP, got {_shown(messages)}")
    if commands != _COMMAND * len(_ROBOTS) or any(message.params[0] != _GENERATION for message in messages):
        raise NotConformant("a part: expected the generation of the layout, and the commands of its own robots")
    if any((len(message.params) - 1) * _WIDTH > _MOST for message in messages):
        raise NotConformant(f"a part whose readings fit no message of {_MOST} values: {_shown(messages)}")
    for message in messages:
        readings = (0.5, *(1.0,) * (_WIDTH - 1)) * (len(message.params) - 1)
        server.answer(message, params=(_GENERATION,), data=readings, binary=True)


def _shown(messages: Sequence[Message]) -> str:
    return ", ".join(f"command {message.command} with {len(message.params) - 1} robots" for message in messages)


PART_DIALOGS: tuple[Dialog, ...] = (steps_many_robots_in_parts,)
"""Large, too: a step is of hundreds of kilobytes."""
