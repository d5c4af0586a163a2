"""The examination of a server, such as the driver of a real robot."""

import contextlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from coopsim.errors import CoopsimError
from coopsim.message import Message, decode, encode
from coopsim.testkit.conformance.checks import finding
from coopsim.testkit.conformance.program import NotConformant
from coopsim.testkit.conformance.report import ExamFinding, ExamReport
from coopsim.testkit.conformance.values import read
from coopsim.testkit.conformance.vectors import REFUSES, Vector, refusals
from coopsim.testkit.raw import RawClient

PING, DESCRIBE, GET_PARAMETER, SET_PARAMETER = range(4)
_NO_COMMAND = 65_000  # a number that no interface has
_PIPELINED = 100  # more than a client's window
_IDLE = 20  # connections that say nothing


def examine_driver(endpoint: str, module: str, timeout: float = 10.0) -> ExamReport:
    """Examine a server of a module.

    Args:
        endpoint: `tcp+plain://host:port` for plain TCP, `tcp://host:port` for ZeroMQ.
        module: Its name, such as `/robot1/motors`.
        timeout: Time limit of a reply [s].

    Raises:
        NoReply: Nothing answers there at all.
    """
    with RawClient(endpoint, timeout) as link:
        link.ask(Message(module))  # where nothing answers, every case would wait for that
        findings = [finding("module", name, partial(check, link, module)) for name, check in _MODULE.items()]
        findings += _parameters(link, module)
        findings += [finding(REFUSES, refusal.name, partial(_refuses, link, refusal)) for refusal in refusals(module)]
        findings.append(finding("module", "still answers after all that", partial(_answers_ping, link, module)))
    if endpoint.startswith("tcp+plain"):
        findings.append(finding("carrier", "serves others beside silent clients", partial(_idle, endpoint, module)))
    return ExamReport(findings)


def _answers_ping(link: RawClient, module: str) -> None:
    reply = link.ask(Message(module))
    if reply.error or not reply.params or not isinstance(reply.params[0], str) or len(reply.data) != 2:
        raise NotConformant(
            f"PING gives a kind, and tick and time; got error {reply.error}, {reply.params}, {reply.data}"
        )


def _describes_itself(link: RawClient, module: str) -> None:
    interface = _interface(link, module)
    for name, kind in (("kind", str), ("summary", str), ("commands", list), ("parameters", list)):
        if not isinstance(interface.get(name), kind):
            raise NotConformant(f"DESCRIBE: {name} is no {kind.__name__}, but {interface.get(name)!r}")
    for command in interface["commands"]:
        missing = {"number", "name", "summary", "effect", "takes", "gives"} - {*command}
        if missing:
            raise NotConformant(f"DESCRIBE: command {command.get('name')} has no {', '.join(sorted(missing))}")


def _echoes_the_request(link: RawClient, module: str) -> None:
    link.send(encode(Message(module, id=2**63 + 5)))
    reply = _received(link)
    if (reply.id, reply.target, reply.command) != (2**63 + 5, module, PING):
        raise NotConformant(f"id, target and command of the request come back; got {reply}")


def _answers_in_the_form_of_the_request(link: RawClient, module: str) -> None:
    for binary in (True, False):
        link.send(encode(Message(module, id=3, binary=binary)))
        if _received(link).binary is not binary:
            raise NotConformant(f"data of a reply is {'a bin' if binary else 'an array'}, as that of its request")


def _ignores_later_fields(link: RawClient, module: str) -> None:
    whole = encode(Message(module, id=4))
    link.send(bytes([0x9B]) + whole[1:] + b"\x00\x81\xa1a\xc0")
    _expect_error(_received(link), 0)


def _refuses_unknown_commands_and_names(link: RawClient, module: str) -> None:
    _expect_error(link.ask(Message(module, _NO_COMMAND)), 202)
    _expect_error(link.ask(Message(f"{module}X", PING)), 201)
    _expect_error(link.ask(Message(module, GET_PARAMETER, ("no_such_parameter",))), 202)


def _refuses_what_is_superfluous(link: RawClient, module: str) -> None:
    _expect_error(link.ask(Message(module, PING, ("more",))), 203)
    _expect_error(link.ask(Message(module, PING, data=(1.0,))), 203)


def _answers_each_of_many_at_once(link: RawClient, module: str) -> None:
    for number in range(1, _PIPELINED + 1):
        link.send(encode(Message(module, id=number)))
    numbers = sorted(_received(link).id for _ in range(_PIPELINED))
    if numbers != [*range(1, _PIPELINED + 1)]:
        raise NotConformant(
            f"{_PIPELINED} requests at once are answered once each; got {len({*numbers})} different ids"
        )


_MODULE: dict[str, Callable[[RawClient, str], None]] = {
    "answers PING": _answers_ping,
    "describes itself": _describes_itself,
    "echoes the request": _echoes_the_request,
    "answers in the form of the request": _answers_in_the_form_of_the_request,
    "ignores later fields": _ignores_later_fields,
    "refuses unknown commands and names": _refuses_unknown_commands_and_names,
    "refuses what is superfluous": _refuses_what_is_superfluous,
    "answers each of many requests at once": _answers_each_of_many_at_once,
}


def _parameters(link: RawClient, module: str) -> Iterator[ExamFinding]:
    try:
        parameters = _interface(link, module)["parameters"]
    except (CoopsimError, NotConformant, ValueError, KeyError):
        return  # `describes itself` has said so
    for parameter in parameters:
        yield finding("parameter", str(parameter["name"]), partial(_parameter, link, module, parameter))


def _parameter(link: RawClient, module: str, parameter: dict[str, Any]) -> None:
    name = parameter["name"]
    value = _expect_error(link.ask(Message(module, GET_PARAMETER, (name,))), 0).params[0]
    again = link.ask(Message(module, SET_PARAMETER, (name, value)))
    _expect_error(again, 203 if parameter.get("fixed") else 0)
    high = parameter.get("high")
    if isinstance(high, int | float) and not parameter.get("fixed"):
        _expect_error(link.ask(Message(module, SET_PARAMETER, (name, type(value)(2 * abs(high) + 1)))), 203)
        kept = link.ask(Message(module, GET_PARAMETER, (name,))).params[0]
        if kept != value:
            raise NotConformant(f"{name} was {value}; after a refusal it is {kept}")


def _refuses(link: RawClient, vector: Vector) -> None:
    link.send(vector.raw)
    wanted = tuple(map(read, vector.fields.split("\t")))
    reply = _received(link)
    if (reply.error, reply.id, reply.target) != wanted:
        raise NotConformant(f"expected error, id, target {wanted}, got {(reply.error, reply.id, reply.target)}")


def _idle(endpoint: str, module: str) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(_IDLE):
            silent.enter_context(RawClient(endpoint))
        with RawClient(endpoint) as link:
            _answers_ping(link, module)


def _interface(link: RawClient, module: str) -> dict[str, Any]:
    reply = _expect_error(link.ask(Message(module, DESCRIBE)), 0)
    return dict(json.loads(str(reply.params[0])))


def _received(link: RawClient) -> Message:
    reply = link.receive()
    if reply is None:
        raise NotConformant(f"no reply within {link.timeout:g} s")
    return decode(encode(reply))


def _expect_error(reply: Message, number: int) -> Message:
    if reply.error != number:
        raise NotConformant(f"expected error {number}, got {reply.error} {reply.text!r}")
    return reply
