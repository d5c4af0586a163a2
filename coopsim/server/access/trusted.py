"""The keys that a run trusts, read anew whenever their folder changes; any thread may ask.

Specification: docs/protocol.md, "Security".
"""

import os
import threading
from typing import TypeAlias

from coopsim.client.keyring import Key, KeyRing, decode_key
from coopsim.client.roles import Role

_Signature: TypeAlias = list[tuple[str, int, int, int]]


class TrustedKeys:
    """Our own key and those in `trusted`.

    Args:
        ring: The folder.

    Raises:
        NoKey: Our own key cannot be read.

    Attributes:
        own: Our key pair.
        own_file: Where it was when the run began.
        version: Grows whenever something changed.
        roles: Roles of the keys of others, by the name of their file.
    """

    def __init__(self, ring: KeyRing) -> None:
        self._ring, self.own, self.own_file = ring, ring.own, ring.own_file
        self.version = 0
        self.roles: dict[str, Role] = {}
        self._lock = threading.Lock()
        self._signature: _Signature | None = None
        self._by_curve: dict[bytes, Key] = {}
        self._by_certificate: dict[bytes, Key] = {}
        self.refresh()

    def refresh(self) -> int:
        """Read the folder again if it changed; return the version."""
        with self._lock:
            signature = self._sign()
            if signature != self._signature:
                self._signature = signature
                self.version += 1
                # our own comes last: who trusts a copy of it under another name does not take our rights away
                trusted = self._ring.trusted()
                keys = [*trusted.values(), self.own]
                self.roles = {name: key.role for name, key in trusted.items()}
                self._by_curve = {decode_key(key.public) or b"": key for key in keys if key.public}
                self._by_certificate = {key.certificate_bytes: key for key in keys if key.certificate}
            return self.version

    def of_curve(self, public: bytes) -> Key | None:
        """Return the key with these 32 bytes."""
        return self._by_curve.get(public)

    def of_certificate(self, certificate: bytes) -> Key | None:
        """Return the key with this certificate (DER)."""
        return self._by_certificate.get(certificate)

    def still(self, key: Key) -> Key | None:
        """Return a key as it is trusted now, with its role; None if it is no longer."""
        if key.public:
            return self._by_curve.get(decode_key(key.public) or b"")
        return self._by_certificate.get(key.certificate_bytes)

    @property
    def with_certificate(self) -> list[Key]:
        """All keys that have a certificate."""
        return list(self._by_certificate.values())

    def _sign(self) -> _Signature:
        """Return what changes when a file comes, goes or is written."""
        try:
            with os.scandir(self._ring.trusted_folder) as entries:
                files = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".pub")]
        except OSError:
            return []
        return sorted((name, stat.st_mtime_ns, stat.st_ino, stat.st_size) for name, stat in files)
