"""Key files: who we are, and whose keys we know. They are ZeroMQ certificates (ZPL), so other tools can read them.

A folder holds one key pair of its own (`NAME.key`, secret, and `NAME.pub`) and the public keys of others in `trusted/`.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import zmq

from coopsim.errors import NoKey

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")
_LINE = re.compile(r'^\s*(public|secret)-key\s*=\s*"([^"\s]{40})"\s*$', re.MULTILINE)
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_LARGEST = 65_536


@dataclass(frozen=True, slots=True)
class Key:
    """A CURVE key pair, or the public half of one, in Z85.

    Attributes:
        name: Whose it is, for people.
        secret: "" where only the public half is known.
    """

    name: str
    public: str
    secret: str = field(default="", repr=False)


def default_folder() -> Path:
    """Return where keys are kept when nobody says otherwise."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "coopsim" / "keys"


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys in one folder."""

    folder: Path

    @property
    def own(self) -> Key:
        """The key pair that this folder belongs to.

        Raises:
            NoKey: There is none, or more than one, or it cannot be read.
        """
        found = sorted(self.folder.glob("*.key"))
        if len(found) != 1:
            what = "no key pair" if not found else f"more than one key pair ({', '.join(each.name for each in found)})"
            raise NoKey(f"{self.folder} holds {what}; `coopsim keys new --folder FOLDER` makes one")
        key = read_key(found[0])
        if not key.secret:
            raise NoKey(f"{found[0]} holds no secret key")
        return key

    def trusted(self) -> dict[str, Key]:
        """Return the keys of others by name, sorted; files that cannot be read are left out."""
        found: dict[str, Key] = {}
        for path in sorted((self.folder / "trusted").glob("*.pub")):
            try:
                found[path.stem] = read_key(path)
            except NoKey:
                continue
        return found

    def new(self, name: str) -> Path:
        """Make a key pair; return the file of its public half.

        Raises:
            NoKey: There is one already, the name is none, or the folder cannot be written.
        """
        _check_name(name)
        if any(self.folder.glob("*.key")):
            raise NoKey(f"{self.folder} holds a key pair already; --folder names another place")
        public, secret = (each.decode() for each in zmq.curve_keypair())
        _write(self.folder / f"{name}.key", _text(name, public, secret), 0o600)
        return _write(self.folder / f"{name}.pub", _text(name, public), 0o644)

    def trust(self, key: Key) -> Path:
        """Keep somebody's public key; return its file.

        Raises:
            NoKey: Another key of this name is trusted already, or the folder cannot be written.
        """
        _check_name(key.name)
        known = self.trusted().get(key.name)
        path = self.folder / "trusted" / f"{key.name}.pub"
        if known is not None and known.public != key.public:
            raise NoKey(f"another key is trusted as {key.name!r}: remove {path}, or choose another --name")
        return path if known is not None else _write(path, _text(key.name, key.public), 0o644)

    def server(self, name: str, host: str) -> Key:
        """Return the key that the server at `host` must have.

        Args:
            name: Of a trusted key, or of our own; "" = the one named like the host, or else the only one trusted,
                or else our own.
            host: Where the server is.

        Raises:
            NoKey: It is not known which.
        """
        trusted, own = self.trusted(), self.own
        known = {own.name: own, **trusted}
        if name:
            if name not in known:
                raise NoKey(f"no key {name!r} of a server is known; {self.folder} holds {', '.join(known)}")
            return known[name]
        if host in trusted:
            return trusted[host]
        if len(trusted) > 1:
            raise NoKey(f"which key has the server at {host}? Name one of {', '.join(known)} (COOPSIM_SERVER)")
        return next(iter(trusted.values()), own)


def read_key(path: Path) -> Key:
    """Return the key in a file.

    Raises:
        NoKey: It cannot be read, or holds no key.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found: Mapping[str, str] = dict(_LINE.findall(file.read(_LARGEST)))
    except OSError as problem:
        raise NoKey(f"{path}: {problem.strerror}") from None
    if "public" not in found or decode_key(found["public"]) is None:
        raise NoKey(f'{path} holds no key; expected a line `public-key = "..."` of 40 characters')
    return Key(path.stem, found["public"], found.get("secret", ""))


def decode_key(text: str) -> bytes | None:
    """Return the 32 bytes that a key in Z85 stands for (RFC 32), None if it is none."""
    places = [_Z85.find(letter) for letter in text]
    if len(places) != 40 or min(places) < 0:
        return None
    groups = [sum(place * 85 ** (4 - i) for i, place in enumerate(places[at : at + 5])) for at in range(0, 40, 5)]
    return b"".join(group.to_bytes(4, "big") for group in groups) if max(groups) < 1 << 32 else None


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise NoKey(f"the name of a key is letters, digits and . _ @ -, at most 80; got {name[:90]!r}")


def _text(name: str, public: str, secret: str = "") -> str:
    lines = ["metadata", f'    name = "{name}"', "curve", f'    public-key = "{public}"']
    if secret:
        lines = ["# keep this file secret", *lines, f'    secret-key = "{secret}"']
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str, mode: int) -> Path:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise NoKey(f"{path}: {problem.strerror}") from None
    return path
