"""Offering a module to other programs."""

import json
from collections.abc import Mapping, Sequence

from coopsim.client.flows import Ask, Flow
from coopsim.interfaces import NAMES, Interface, Parameter
from coopsim.message import Message

_OFFER = NAMES.command("offer").number


def offering(name: str, values: Mapping[str, str], parameters: Sequence[Parameter], summary: str) -> Flow[None]:
    """Offer a module; arguments as of `Client.offer`."""
    described = json.loads(Interface("", "", (), tuple(parameters)).to_json())["parameters"]
    content = {
        "summary": summary,
        "values": [{"name": key, "unit": unit} for key, unit in values.items()],
        "parameters": described,
    }
    yield Ask(Message("/sim/names", _OFFER, (name, json.dumps(content))), is_edit=True)
