"""Endpoints of servers: address and transport."""

import math
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from coopsim.client.link import LinkSource
from coopsim.errors import BadArgument

DEFAULT = "tcp://127.0.0.1:5570"
VARIABLE = "COOPSIM_ENDPOINT"
# s; many ticks of a slow machine, and a person notices nothing yet
PATIENCE, PATIENCE_VARIABLE = 2.0, "COOPSIM_TIMEOUT"
_ZMQ, _PLAIN, _TLS = "tcp", "tcp+plain", "tls"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of a server.

    Attributes:
        is_plain: Length-prefixed messages on a TCP connection instead of ZeroMQ.
        is_tls: With TLS around them.
    """

    host: str
    port: int
    is_plain: bool = False
    is_tls: bool = False

    @property
    def address(self) -> str:
        """The address as ZeroMQ and `/sim/names` write it."""
        return f"tcp://{self.host}:{self.port}"

    @property
    def may_use_keys(self) -> bool:
        """Whether keys guard it: plain TCP knows none."""
        return self.port > 0 and (self.is_tls or not self.is_plain)

    def __str__(self) -> str:
        if not self.is_plain:
            return self.address if self.port else self.host
        return f"{_TLS if self.is_tls else _PLAIN}://{self.host}:{self.port}"


IN_PROCESS = Endpoint("this process", 0)
"""Where a server is that the client reaches without a network."""


def parse(text: str, *, is_plain: bool = False) -> Endpoint:
    """Return the endpoint that `text` names.

    Args:
        text: `host:port`, `tcp://host:port`, `tcp+plain://host:port` for plain TCP, `tls://host:port` with keys.
        is_plain: Take `tcp://` for the plain gateway, as `/sim/names lookup` writes its second address.

    Raises:
        BadArgument: It is not of that form.
    """
    parts = urlsplit(text if "://" in text else f"{_ZMQ}://{text}")
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme not in {_ZMQ, _PLAIN, _TLS} or not parts.hostname or not port or parts.path not in {"", "/"}:
        forms = (
            "HOST:PORT such as localhost:5570, tcp://HOST:PORT, or tcp+plain://HOST:PORT for plain TCP (port + 1), "
            "tls://HOST:PORT with keys"
        )
        raise BadArgument(f"an endpoint is {forms}; got {text!r}").advise("")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Endpoint(host, port, is_plain or parts.scheme != _ZMQ, parts.scheme == _TLS)


def chosen(server: str | LinkSource | None) -> Endpoint:
    """Return where `server` is; None = that of the environment variable COOPSIM_ENDPOINT, or the default."""
    if not isinstance(server, str | None):
        return IN_PROCESS
    return parse(server or os.environ.get(VARIABLE) or DEFAULT)


def chosen_timeout(seconds: float | None) -> float:
    """Return `seconds`; without them, those of the environment variable COOPSIM_TIMEOUT, or the default.

    Raises:
        BadArgument: They are no positive number.
    """
    given = os.environ.get(PATIENCE_VARIABLE)
    if seconds is not None or not given:
        return PATIENCE if seconds is None else seconds
    try:
        wanted = float(given)
    except ValueError:
        wanted = math.nan
    if not 0.0 < wanted < math.inf:
        raise BadArgument(f"{PATIENCE_VARIABLE} must be seconds, a number above 0, got {given!r}")
    return wanted
