"""Our key pair and the keys of others.

A folder holds one key pair of its own (`NAME.key`, secret, and `NAME.pub`) and the public keys of others in `trusted/`,
each with its role.
"""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import zmq

from coopsim.client.certificates import can_make, make_certificate
from coopsim.client.key_files import Key, decode_key, key_text, read_key, write_new
from coopsim.client.key_files import replace as replace_file
from coopsim.client.roles import Role
from coopsim.errors import NoKey
from coopsim.interpreter import install_command

__all__ = ["Key", "KeyRing", "decode_key", "default_folder", "read_key"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")
_SECRET, _PUBLIC = 0o600, 0o644  # a secret is for its owner alone, as ssh has it


def default_folder() -> Path:
    """Return the default folder of keys."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "coopsim" / "keys"


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys in one folder."""

    folder: Path

    @property
    def own_file(self) -> Path:
        """The file of the key pair that this folder belongs to.

        Raises:
            NoKey: There is none, or more than one.
        """
        key_files = sorted(self.folder.glob("*.key"))
        if len(key_files) != 1:
            what = (
                "no key pair"
                if not key_files
                else f"more than one key pair ({', '.join(key_file.name for key_file in key_files)})"
            )
            raise NoKey(f"{self.folder} holds {what}; `coopsim keys new --folder FOLDER` makes one")
        return key_files[0]

    @property
    def own(self) -> Key:
        """The key pair that this folder belongs to.

        Raises:
            NoKey: There is none, or more than one, or it cannot be read.
        """
        path = self.own_file
        key = read_key(path)
        if not key.secret:
            raise NoKey(f"{path} holds no secret key")
        return replace(key, role=Role())

    @property
    def trusted_folder(self) -> Path:
        """Folder of the keys of others."""
        return self.folder / "trusted"

    def trusted(self) -> dict[str, Key]:
        """Return the keys of others by name, sorted; files that cannot be read are left out."""
        return self._read_trusted()[0]

    def unreadable(self) -> list[str]:
        """Return what is wrong with files of `trusted` that cannot be read."""
        return self._read_trusted()[1]

    def _read_trusted(self) -> tuple[dict[str, Key], list[str]]:
        pairs: dict[str, Key] = {}
        problems = []
        for path in sorted(self.trusted_folder.glob("[!.]*.pub")):
            try:
                pairs[path.stem] = read_key(path)
            except NoKey as problem:
                problems.append(str(problem))
        return pairs, problems

    def new(self, name: str) -> Path:
        """Make a key pair, with a certificate for TLS where one can be made; return the file of its public half.

        Raises:
            NoKey: There is one already, the name is none, or the folder cannot be written.
        """
        _check_name(name)
        if any(self.folder.glob("*.key")):
            raise NoKey(f"{self.folder} holds a key pair already; --folder names another place")
        public, secret = (half.decode() for half in zmq.curve_keypair())
        tls_secret, certificate = make_certificate(name) if can_make() else ("", "")
        key = Key(name, public, secret, certificate)
        write_new(self.folder / f"{name}.key", key_text(key, tls_secret), _SECRET)
        return write_new(self.folder / f"{name}.pub", key_text(replace(key, secret="")), _PUBLIC)

    def certify(self) -> Path:
        """Give a key pair that has no certificate for TLS one; return the file of its public half.

        Raises:
            NoKey: It has one, there is no pair, or the folder cannot be written.
        """
        path, key = self.own_file, self.own
        if key.has_tls_secret:
            raise NoKey(f"{path} has a certificate already")
        if not can_make():
            raise NoKey("certificates need the package cryptography").advise(install_command("cryptography"))
        tls_secret, certificate = make_certificate(key.name)
        key = replace(key, certificate=certificate)
        replace_file(path, key_text(key, tls_secret), _SECRET)
        return replace_file(self.folder / f"{key.name}.pub", key_text(replace(key, secret="")), _PUBLIC)

    def trust(self, key: Key, role: Role | None = None) -> Path:
        """Keep a public key; return its file.

        Args:
            key: The key; what its file says of a role does not count.
            role: What it may do; None = what it might so far, or everything.

        Raises:
            NoKey: It is a secret key, another of this name is trusted already, or the folder cannot be written.
        """
        _check_name(key.name)
        if key.is_secret:
            raise NoKey(
                f"{key.name}.key is the secret half of a key, which never leaves its machine: trust {key.name}.pub"
            )
        path = self.trusted_folder / f"{key.name}.pub"
        trusted_key = self.trusted().get(key.name)
        key = replace(key, role=role or (trusted_key.role if trusted_key is not None else Role()))
        if trusted_key is None:
            return write_new(path, key_text(key), _PUBLIC)
        if trusted_key.public != key.public or (trusted_key.certificate and trusted_key.certificate != key.certificate):
            raise NoKey(f"another key is trusted as {key.name!r}: remove {path}, or choose another --name")
        return path if trusted_key == key else replace_file(path, key_text(key), _PUBLIC)

    def set_role(self, name: str, role: Role) -> Path:
        """Give a trusted key another role; return its file.

        Raises:
            NoKey: No such key is trusted, or its file cannot be written.
        """
        key = self._known(name)
        return replace_file(self.trusted_folder / f"{name}.pub", key_text(replace(key, role=role)), _PUBLIC)

    def revoke(self, name: str) -> Path:
        """Trust a key no longer; return the file that was removed.

        Raises:
            NoKey: No such key is trusted, or its file cannot be removed.
        """
        path = self.trusted_folder / f"{self._known(name).name}.pub"
        try:
            path.unlink()
        except OSError as problem:
            raise NoKey(f"{path}: {problem.strerror}") from None
        return path

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
        keys = {own.name: own, **trusted}
        if name:
            if name not in keys:
                raise NoKey(f"no key {name!r} of a server is known; {self.folder} holds {', '.join(keys)}")
            return keys[name]
        if host in trusted:
            return trusted[host]
        if len(trusted) > 1:
            raise NoKey(
                f"several keys of servers are trusted, none for {host}: name one of {', '.join(keys)} in COOPSIM_SERVER"
            )
        return next(iter(trusted.values()), own)

    def _known(self, name: str) -> Key:
        trusted = self.trusted()
        if name not in trusted:
            names = ", ".join(trusted) or "none"
            raise NoKey(f"no key {name[:80]!r} is trusted in {self.folder}; known: {names}")
        return trusted[name]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise NoKey(f"the name of a key is letters, digits and . _ @ -, at most 80; got {name[:90]!r}")
