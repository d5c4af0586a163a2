"""Dialogs with keys: a server that asks for TLS, and one that is another than the client was told of."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from coopsim.client.keyring import KeyRing
from coopsim.testkit.conformance.dialogs import PATIENT, expect, follow, names_the_run, request
from coopsim.testkit.conformance.false_server import SECONDS, FalseServer
from coopsim.testkit.conformance.program import ClientProgram, NotConformant
from coopsim.testkit.conformance.values import written

_SERVER, _CLIENT, _STRANGER = "lab", "anna", "mallory"


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """Files of a server, of a client that it trusts, and of somebody else; each has a secret and a public one."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Self:
        """Make all key pairs in a folder."""
        for name in (_SERVER, _CLIENT, _STRANGER):
            KeyRing(folder / name).new(name)
        return cls(folder)

    def secret(self, name: str) -> Path:
        """Return the file with the secret half."""
        return self.folder / name / f"{name}.key"

    def public(self, name: str) -> Path:
        """Return the file with the public half."""
        return self.folder / name / f"{name}.pub"


class FalseTlsServer(FalseServer):
    """A server with keys, which takes the client with the trusted certificate alone.

    Args:
        keys: Files of everybody.
        name: Whose it is.
    """

    def __init__(self, keys: KeyFiles, name: str = _SERVER) -> None:
        super().__init__()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(keys.secret(name))
        self._tls.load_verify_locations(keys.public(_CLIENT))
        self._tls.verify_mode = ssl.CERT_REQUIRED

    def accept(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait for the next connection and its handshake; OSError when the client breaks that off."""
        if not super().accept(is_over):
            return False
        assert self._end is not None  # noqa: S101 - somebody has connected
        self._end.settimeout(SECONDS)
        self._end = self._tls.wrap_socket(self._end, server_side=True)
        return True


KeyDialog = Callable[[ClientProgram, FalseTlsServer, KeyFiles], None]


def speaks_to_a_server_with_keys(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles) -> None:
    """TLS with the client's certificate carries the same messages."""
    _connected(client, server, keys)
    for _ in range(3):
        names_the_run(client, server)


def trusts_no_other_server(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles) -> None:
    """A server that shows another certificate than the one in its public file is none."""
    _begin(client, server, keys, _STRANGER)
    try:
        if server.accept(lambda: client.has_answered):
            server.next_request()
    except OSError:
        server.cut()
        expect(client, "lost")
        return
    if not client.has_answered:
        raise NotConformant("the client asked a server that it does not know")
    expect(client, "lost")


def asks_elsewhere_with_keys(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles) -> None:
    """A module that lives at a `tls://` is asked there by TLS, with the same keys."""
    _connected(client, server, keys)
    with FalseTlsServer(keys) as elsewhere:
        follow(client, server, elsewhere, f"tls://{elsewhere.address}")


def trusts_no_other_server_elsewhere(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles) -> None:
    """A server at a `tls://` that shows another certificate is asked nothing; the simulation is asked as before."""
    _connected(client, server, keys)
    with FalseTlsServer(keys, _STRANGER) as elsewhere:
        server.answer(request(client, server), error=207, text="elsewhere", params=("", f"tls://{elsewhere.address}"))
        try:
            if elsewhere.accept(lambda: client.has_answered):
                elsewhere.next_request()
                raise NotConformant("the client asked a server elsewhere that it does not know")
        except OSError:
            elsewhere.cut()
        expect(client, "lost")
    names_the_run(client, server)


def _connected(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles) -> None:
    """Let the client connect to the server that it knows."""
    _begin(client, server, keys, _SERVER)
    if not server.accept(lambda: client.has_answered):
        raise NotConformant(f"the client did not connect, but said {' '.join(client.heard())}")
    server.answer(server.next_request(), params=("clock", server.run), data=(0.0, 0.0))
    words = client.heard()[:2]
    if words != ["connected", written(server.run)]:
        raise NotConformant(f"answer to tls: expected connected {written(server.run)}, got {' '.join(words)}")


def _begin(client: ClientProgram, server: FalseTlsServer, keys: KeyFiles, known: str) -> None:
    own, public = str(keys.secret(_CLIENT)), str(keys.public(known))
    client.send("tls", server.address, PATIENT, own, public)


KEY_DIALOGS: tuple[KeyDialog, ...] = (
    speaks_to_a_server_with_keys,
    trusts_no_other_server,
    asks_elsewhere_with_keys,
    trusts_no_other_server_elsewhere,
)


def spoken(client: ClientProgram, dialog: KeyDialog) -> None:
    """Hold a dialog, with keys that last as long as it."""
    with TemporaryDirectory() as folder:
        keys = KeyFiles.made(Path(folder))
        with FalseTlsServer(keys) as server:
            dialog(client, server, keys)
