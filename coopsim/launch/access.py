"""Who may reach a run: the address it listens on, and the keys that it asks for."""

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.errors import BadArgument

if TYPE_CHECKING:  # the physics process learns of these options too, and needs neither room
    from coopsim.client.keyring import KeyRing
    from coopsim.server.door import Door

_CARRIERS = ("zmq", "tcp", "stream")
LOOPBACK = "127.0.0.1"
_ANYWHERE = "0.0.0.0"  # noqa: S104 - only compared


@dataclass(frozen=True, slots=True)
class Access:
    """What `--bind`, `--keys` and `--insecure` say.

    Attributes:
        bind: IPv4 address of the interface to listen on.
        folder: Keys to ask clients for; None = none on loopback, those of the user elsewhere.
        insecure: Let everybody in, even from other machines; with `folder`, only by plain TCP.
    """

    bind: str = LOOPBACK
    folder: Path | None = None
    insecure: bool = False

    def check(self) -> None:
        """Refuse what would let strangers in unasked.

        Raises:
            BadArgument: The address is none, or none of this machine, or others reach it and neither keys nor
                `insecure` were given.
        """
        try:
            is_local = ipaddress.IPv4Address(self.bind).is_loopback
        except ValueError:
            raise BadArgument(
                f"--bind takes an IPv4 address of this machine, such as 192.168.1.7; got {self.bind!r}"
            ) from None
        if not is_local and not self.insecure and not any(self._keys.folder.glob("*.key")):
            raise BadArgument(
                f"--bind {self.bind} lets every machine that reaches it drive the robots, and there are no keys in "
                f"{self._keys.folder}: `coopsim keys new` makes some, --insecure does without"
            )
        if not _is_ours(self.bind):
            raise BadArgument(f"--bind {self.bind}: that is no address of this machine")

    @property
    def asks_for_keys(self) -> bool:
        """Whether clients need a trusted key."""
        is_local = ipaddress.IPv4Address(self.bind).is_loopback
        return self.folder is not None or not (is_local or self.insecure)

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
    def door(self) -> "Door":
        """How sockets are opened."""
        from coopsim.server.door import Door

        return Door(self.bind, self._keys if self.asks_for_keys else None)

    @property
    def address(self) -> str:
        """Where clients on this machine reach it."""
        return LOOPBACK if self.bind == _ANYWHERE else self.bind

    @property
    def environment(self) -> Mapping[str, str]:
        """What controllers on this machine need to get in.

        Raises:
            NoKey: There is no key pair.
        """
        from coopsim.client.keys import FOLDER_VARIABLE, SERVER_VARIABLE

        if not self.asks_for_keys:
            return {}
        return {FOLDER_VARIABLE: str(self._keys.folder.resolve()), SERVER_VARIABLE: self._keys.own.name}

    def told(self, ports: Mapping[str, int]) -> str:
        """Return in words where the run answers."""
        zeromq = f"tcp://{self.address}:{ports['zmq']} (ZeroMQ{', for clients with keys' * self.asks_for_keys})"
        plain = f" and {self._tcp(ports)}" if ports.get("tcp") else ""
        stream = f", state stream on port {ports['stream']}" if ports.get("stream") else ""
        return f"answering on {zeromq}{plain}{stream}"

    def _tcp(self, ports: Mapping[str, int]) -> str:
        where = f"{self.address}:{ports['tcp']}"
        return f"tls://{where} (TLS, for clients with keys)" if self.serves_tls else f"{where} (plain TCP)"

    def endpoints(self, ports: Mapping[str, int]) -> dict[str, str | None]:
        """Return where the run answers, and the file of its public key where it asks for keys."""
        known = {name: f"tcp://{self.address}:{ports[name]}" if ports.get(name) else None for name in _CARRIERS}
        if known["tcp"] and self.serves_tls:
            known["tcp"] = f"tls://{self.address}:{ports['tcp']}"
        key = self._keys.folder.resolve() / f"{self._keys.own.name}.pub" if self.asks_for_keys else None
        return {**known, "public_key": str(key) if key else None}

    @property
    def _keys(self) -> "KeyRing":
        from coopsim.client.keyring import KeyRing, default_folder

        return KeyRing(self.folder or default_folder())


def _is_ours(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((address, 0))
        except OSError:
            return False
    return True
