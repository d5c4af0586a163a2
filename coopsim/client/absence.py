"""Reasons for a missing reply: what the clock says, or else what the network says about the endpoint."""

import json
import socket
from dataclasses import replace

from coopsim.client.endpoints import Endpoint
from coopsim.client.greeting import mechanism
from coopsim.interfaces import INFO
from coopsim.message import Message, Param

RUN_INFO = Message("/sim/info", INFO.command("info").number)
_RENDERER = "/sim/renderer"
_STARTING = (
    "the server is alive, and the process that draws for cameras is still starting the renderer;"
    " it goes on: ask for `status`, or give a longer time limit"
)
_MOMENT = 0.3  # s; asked on this machine alone, after the request itself has timed out
_BELOW = {1: "plain TCP (tcp+plain://)", 2: "the state stream"}
"""Listeners by their distance from the port for requests by ZeroMQ."""


def why_absent(endpoint: Endpoint) -> str:
    """Return what a user can do where nothing answers; asks the network, for a second at most."""
    if not _is_known(endpoint.host):
        return f"the name {endpoint.host} is unknown: no machine is called so"
    if not endpoint.is_plain:
        for above, what in _BELOW.items():
            run = replace(endpoint, port=endpoint.port - above)
            if _is_used(endpoint) and run.port > 0 and mechanism(run, _MOMENT):
                return f"nothing answers there by ZeroMQ: this is the port of {what}; requests go to {run}"
    return "nothing answers there: is a simulation running on this port (`coopsim run`)?"


def _is_known(host: str) -> bool:
    try:
        socket.getaddrinfo(host.strip("[]"), None)
    except OSError:
        return False
    return True


def _is_used(endpoint: Endpoint) -> bool:
    try:
        socket.create_connection((endpoint.host.strip("[]"), endpoint.port), _MOMENT).close()
    except OSError:
        return False
    return True


def nothing_answers(endpoint: Endpoint, undecodable: int) -> str:
    """Return why there was no reply where not even the clock answers; asks the network.

    Args:
        endpoint: Where nothing answers.
        undecodable: How many replies could not be read.
    """
    return why_absent(endpoint) + _unreadable(undecodable)


def reason_in(status: Message, undecodable: int, target: str = "") -> str:
    """Return why there was no reply, by the status of the clock.

    Args:
        status: Reply to the STATUS of `/sim/clock`.
        undecodable: How many replies could not be read.
        target: Module that did not reply.
    """
    if target == _RENDERER:  # neither a pause nor lockstep holds it up
        return f"{_STARTING}{_unreadable(undecodable)}"
    return _reason_in(status) + _unreadable(undecodable)


def compiling_in(info: Message | None) -> str:
    """Return how far the kernels are that a server compiles, in words; "" = it compiles none.

    Args:
        info: Reply to the INFO of `/sim/info`; None = there is none.
    """
    if info is None:
        return ""
    try:
        compiling = json.loads(str(info.params[0]))["compiling"]
        done, total = int(compiling["done"]), int(compiling["total"])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""
    count = f", {done} of {total} are ready" if total else ""
    return f"the scene needs kernels that are being compiled, once{count}; ask again when they are"


def _unreadable(count: int) -> str:
    return f" ({count} replies could not be read)" if count else ""


def _reason_in(status: Message) -> str:
    mode, paused, waited = (*status.params, "", 0, "{}")[:3] if status.error == 0 else ("", 0, "{}")
    awaited = _awaited(waited)
    if paused:
        return "the simulation is paused; `coopsim call /sim/clock continue` or `sim.clock.continue_()` lets it go on"
    if "" in awaited:
        return "lockstep waits until somebody claims a robot"
    if awaited:
        names = ", ".join(f"{robot} ({seconds:.1f} s)" for robot, seconds in sorted(awaited.items()))
        return f"lockstep waits for {names}, {_limit(status)}"
    return f"the server is alive ({mode or 'clock unknown'}): the request was lost, or is larger than it accepts"


def _limit(status: Message) -> str:
    """Return how long lockstep waits for a robot, as the clock says; an older server does not."""
    policy, patience = (*status.params, "", "", "", "")[3], (*status.data, *[0.0] * 11)[10]
    if not patience or policy == "wait":
        return "without a time limit; `/sim/clock set_parameter patience 0.5` sets one"
    return f"at most {patience:g} s each, then {policy}"


def _awaited(text: Param) -> dict[str, float]:
    try:
        awaited = json.loads(str(text))
    except ValueError:
        return {}
    return {str(robot): float(seconds) for robot, seconds in awaited.items()} if isinstance(awaited, dict) else {}
