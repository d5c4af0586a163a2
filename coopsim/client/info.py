"""Facts of `/sim/info`: what is running, and where its state stream is."""

import json
from typing import Any

from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask, Flow
from coopsim.errors import MalformedMessage, NoReply
from coopsim.interfaces import INFO
from coopsim.message import Message

INFO_MODULE, SUBSCRIBE = "/sim/info", INFO.command("subscribe").number
_INFO = Message(INFO_MODULE, INFO.command("info").number)


def informing() -> Flow[dict[str, Any]]:
    """Ask what is running.

    Raises:
        MalformedMessage: The server tells it in no known way.
    """
    reply = yield Ask(_INFO)
    try:
        facts = json.loads(str(reply.params[0]))
    except (ValueError, LookupError) as problem:
        raise MalformedMessage(f"/sim/info: expected JSON: {problem}") from None
    return dict(facts)


def address_of(info: dict[str, Any], main: Endpoint) -> str:
    """Return where the stream is, by what `/sim/info` says.

    Raises:
        NoReply: The server has no stream.
    """
    port = info.get("ports", {}).get("stream")
    if not isinstance(port, int):
        raise NoReply(f"the server at {main} has no state stream: its `/sim/info` names no port `stream`")
    return f"tcp://{main.host}:{port}"
