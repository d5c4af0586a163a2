"""Access to a run: the address it listens on, and the keys that it requires."""

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.errors import BadArgument

if TYPE_CHECKING:  # the physics process learns of these options too, and needs neither room
    from coopsim.client.keyring import KeyRing
    from coopsim.server.sockets.listening import ListenOptions

_CARRIERS = ("zmq", "tcp", "stream")
LOOPBACK = "127.0.0.1"
_ANYWHERE = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104 - only compared
"""Addresses of all interfaces, and how they are reached from here."""


@dataclass(frozen=True, slots=True)
class Access:
    """Access to a run: `--bind`, `--keys`, `--insecure` and the options of ways in.

    Attributes:
        bind: IPv4 or IPv6 address of the interface to listen on; `resolved` makes it from a name.
        folder: Keys to ask clients for; None = none on loopback, those of the user elsewhere.
        insecure: Accept all clients, even from other machines; with `folder`, only by plain TCP.
        libzmq: Have libzmq serve ZeroMQ also where there are no keys.
        websocket: Port for pages in browsers, 0 takes a free one, None = closed.
        origins: Of pages that may connect, besides those of this machine.
    """

    bind: str = LOOPBACK
    folder: Path | None = None
    insecure: bool = False
    libzmq: bool = False
    websocket: int | None = None
    origins: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse options that would accept unknown clients by mistake.

        Raises:
            BadArgument: The address is none, or none of this machine, or others reach it and neither keys nor
                `insecure` were given.
        """
        if not self._is_local and not self.insecure and not any(self._keys.folder.glob("*.key")):
            raise BadArgument(
                f"--bind {self.bind} lets every machine that reaches it drive the robots, and there are no keys in "
                f"{self._keys.folder}: `coopsim keys new` makes some, --insecure does without"
            )
        if self.websocket is not None and not self.serves_plain_tcp:
            raise BadArgument("--websocket knows no keys: leave --keys out, or add --insecure")
        if not _is_ours(self.bind):
            raise BadArgument(f"--bind {self.bind}: that is no address of this machine")

    @property
    def asks_for_keys(self) -> bool:
        """Whether clients need a trusted key."""
        return self.folder is not None or not (self._is_local or self.insecure)

    @property
    def _is_local(self) -> bool:
        return ipaddress.ip_address(self.bind).is_loopback

    @property
    def serves_plain_tcp(self) -> bool:
        """Whether TCP is served in the clear, which knows no keys."""
        return self.insecure or not self.asks_for_keys

    @property
    def serves_tls(self) -> bool:
        """Whether TCP is served with TLS.

        Raises:
            NoKey: There is no key pair.
        """
        return not self.serves_plain_tcp and self._keys.own.has_tls_secret

    @property
    def listen(self) -> "ListenOptions":
        """Options of the sockets."""
        from coopsim.server.sockets.listening import ListenOptions

        return ListenOptions(self.bind, self._keys if self.asks_for_keys else None)

    @property
    def address(self) -> str:
        """Address for clients on this machine, as endpoints write it."""
        reached = _ANYWHERE.get(self.bind, self.bind)
        return f"[{reached}]" if ":" in reached else reached

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment that lets controllers on this machine in.

        Raises:
            NoKey: There is no key pair.
        """
        from coopsim.client.keys import FOLDER_VARIABLE, SERVER_VARIABLE

        if not self.asks_for_keys:
            return {}
        return {FOLDER_VARIABLE: str(self._keys.folder.resolve()), SERVER_VARIABLE: self._keys.own.name}

    def describe(self, ports: Mapping[str, int]) -> str:
        """Return in words where the run answers."""
        zeromq = f"tcp://{self.address}:{ports['zmq']} (ZeroMQ{', for clients with keys' * self.asks_for_keys})"
        plain = f" and {self._tcp(ports)}" if ports.get("tcp") else ""
        stream = f", state stream on port {ports['stream']}" if ports.get("stream") else ""
        pages = f", WebSocket on {self._pages(ports)}" if ports.get("websocket") else ""
        return f"answering on {zeromq}{plain}{stream}{pages}"

    def _pages(self, ports: Mapping[str, int]) -> str:
        return f"ws://{self.address}:{ports['websocket']}"

    def _tcp(self, ports: Mapping[str, int]) -> str:
        where = f"{self.address}:{ports['tcp']}"
        return f"tls://{where} (TLS, for clients with keys)" if self.serves_tls else f"{where} (plain TCP)"

    def endpoints(self, ports: Mapping[str, int]) -> dict[str, str | None]:
        """Return where the run answers, and the file of its public key where it asks for keys."""
        addresses: dict[str, str | None] = {
            name: f"tcp://{self.address}:{ports[name]}" if ports.get(name) else None for name in _CARRIERS
        }
        if addresses["tcp"] and self.serves_tls:
            addresses["tcp"] = f"tls://{self.address}:{ports['tcp']}"
        if ports.get("websocket"):
            addresses["websocket"] = self._pages(ports)
        key = self._keys.folder.resolve() / f"{self._keys.own.name}.pub" if self.asks_for_keys else None
        return {**addresses, "public_key": str(key) if key else None}

    @property
    def _keys(self) -> "KeyRing":
        from coopsim.client.keyring import KeyRing, default_folder

        return KeyRing(self.folder or default_folder())


def resolved(bind: str) -> str:
    """Return the address that `--bind` means: a number as it stands, or one of this machine's that a name stands for.

    Raises:
        BadArgument: It is neither.
    """
    bare = bind.strip("[]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        stood_for = _addresses(bare)
    ours = [address for address in stood_for if _is_ours(address)]
    if not ours:
        why = (
            f"stands for {', '.join(stood_for)}, which is no address of this machine"
            if stood_for
            else "is no such host"
        )
        raise BadArgument(f"--bind takes an address of this machine, such as 192.168.1.7, or its name; {bind!r} {why}")
    # Debian names a machine 127.0.1.1 in /etc/hosts; who gives its name means to be reached
    return min(ours, key=lambda address: ipaddress.ip_address(address).is_loopback)


def _addresses(name: str) -> list[str]:
    try:
        return list(
            dict.fromkeys(str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))
        )
    except (OSError, UnicodeError):
        return []


def _is_ours(address: str) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((address, 0))
        except OSError:
            return False
    return True
