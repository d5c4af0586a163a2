"""Sealed words of a match: orders and answers that only their player and the logic can read.

Anybody may listen to the topics of a match. Both sides publish a key that is made for the match, and seal what they say
by the secret that the two keys have in common. Who said something is no secret: the event channel tells it.

Source: X25519 (RFC 7748), HKDF with SHA-256 (RFC 5869), ChaCha20-Poly1305 (RFC 8439).
"""

import base64
import binascii
import json
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ORDERS, SEATS = "/game/orders/", "/game/seats/"
"""What topics begin with; the name of the player follows."""
SEALED, KEY = "sealed ", "key "
"""What a sealed text begins with; what a player says on `/game/seats/PLAYER` to name its key."""
_NONCE = 12
"""Bytes of a nonce, as RFC 8439 has it; a random one, for a match has far less than 2**32 texts."""
_PURPOSE = b"coopsim match"
_MOST_PEERS = 200
"""Keys that are remembered: strangers may name any number."""


class SealedTalk:
    """One side of what is said in secret, with a key of its own.

    Attributes:
        key: Public key, in hexadecimal digits.
        peer: Public key of the logic of the match, "" = not known yet, or nothing is sealed; players use it.
        is_told: Whether the logic has said how orders come to it.
    """

    def __init__(self) -> None:
        self._secret = X25519PrivateKey.generate()
        self.key = self._secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        self.peer, self.is_told = "", False
        self._ciphers: dict[str, ChaCha20Poly1305] = {}
        self._introduced: set[tuple[str, str]] = set()

    @property
    def announcement(self) -> str:
        """Words by which a player names its key."""
        return KEY + self.key

    def learn(self, text: str) -> None:
        """Note the key of the logic, as an event of `KEYS_TOPIC` has it; an empty one seals nothing."""
        try:
            facts = json.loads(text)
        except (ValueError, RecursionError):
            return
        key = facts.get("key") if isinstance(facts, dict) else None
        if key == "" or is_key(key):
            self.peer, self.is_told = str(key), True

    def introduction(self, player: str) -> list[tuple[str, str]]:
        """Return the event that names our key to the logic, once for each key of a logic: a new one knows none."""
        if not self.peer or (player, self.peer) in self._introduced:
            return []
        self._introduced.add((player, self.peer))
        return [(SEATS + player, self.announcement)]

    def order(self, player: str, text: str) -> list[tuple[str, str]]:
        """Return the events of an order: sealed where the logic has a key, which hears ours first."""
        return [*self.introduction(player), (ORDERS + player, self.seal(text) if self.peer else text)]

    def seal(self, text: str, peer: str = "") -> str:
        """Return a text that only the owner of a public key can read.

        Args:
            text: Said in clear.
            peer: The key; "" = that of the logic.

        Raises:
            ValueError: It is no key.
        """
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._cipher(peer or self.peer).encrypt(nonce, text.encode(), None)
        return SEALED + base64.b64encode(sealed).decode()

    def open(self, text: str, peer: str = "") -> str | None:
        """Return what the owner of a public key sealed for us, None where that is not so.

        Args:
            text: As it came.
            peer: The key; "" = that of the logic.
        """
        try:
            raw = base64.b64decode(text.removeprefix(SEALED), validate=True)
            return self._cipher(peer or self.peer).decrypt(raw[:_NONCE], raw[_NONCE:], None).decode()
        except (ValueError, binascii.Error, InvalidTag):
            return None

    def _cipher(self, peer: str) -> ChaCha20Poly1305:
        if peer not in self._ciphers:
            if not is_key(peer):
                raise ValueError(f"a key has 64 hexadecimal digits, got {peer[:20]!r}")
            shared = self._secret.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(peer)))
            # both keys, in an order of their own: both sides come to the same
            salt = bytes.fromhex("".join(sorted((self.key, peer))))
            derived = HKDF(algorithm=SHA256(), length=32, salt=salt, info=_PURPOSE).derive(shared)
            if len(self._ciphers) >= _MOST_PEERS:
                self._ciphers.clear()
            self._ciphers[peer] = ChaCha20Poly1305(derived)
        return self._ciphers[peer]


def is_key(value: object) -> bool:
    """Return whether something looks like a public key."""
    return isinstance(value, str) and len(value) == 64 and all(letter in "0123456789abcdef" for letter in value)
