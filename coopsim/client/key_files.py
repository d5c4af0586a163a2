"""Key files: a ZeroMQ certificate (ZPL), and behind it a certificate for TLS (PEM). Other tools read either part.

Specification: docs/protocol.md, "Key files".
"""

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coopsim.client.roles import ALL, EVERYTHING, Role, robots_in
from coopsim.errors import BadArgument, NoKey

_KEY_LINE = re.compile(r'^\s*(public|secret)-key\s*=\s*"([^"\s]{40})"\s*$', re.MULTILINE)
_ROLE_LINE = re.compile(r'^\s*(role|robots)\s*=\s*"([^"\n]*)"\s*$', re.MULTILINE)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\s*([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----")
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_LARGEST = 65_536  # bytes; a file of keys has a few hundred, and a device such as /dev/zero never ends


@dataclass(frozen=True, slots=True)
class Key:
    """A key pair, or the public half of one: for CURVE in Z85, for TLS a certificate; one of them may be missing.

    Attributes:
        name: Whose it is, for people.
        secret: Secret half for CURVE, "" where only the public half is known.
        certificate: For TLS, one block of PEM.
        role: What it may do.
        has_tls_secret: Whether the file also holds the secret half for TLS.
    """

    name: str
    public: str
    secret: str = field(default="", repr=False)
    certificate: str = ""
    role: Role = EVERYTHING
    has_tls_secret: bool = False

    @property
    def certificate_bytes(self) -> bytes:
        """The certificate for TLS as a TLS connection shows it (DER), b"" if there is none."""
        return _der(self.certificate)

    @property
    def is_secret(self) -> bool:
        """Whether it holds a secret half."""
        return bool(self.secret) or self.has_tls_secret


def read_key(path: Path) -> Key:
    """Return the key in a file.

    Raises:
        NoKey: It cannot be read, or holds no key, or no role that there is.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST)
    except OSError as problem:
        raise NoKey(f"{path}: {problem.strerror}") from None
    keys_found: Mapping[str, str] = dict(_KEY_LINE.findall(text))
    public = keys_found.get("public", "")
    certificate = _certificate_in(text)
    is_curve = bool(public) and decode_key(public) is not None
    if not (is_curve or (certificate and not public)):
        raise NoKey(
            f'{path} holds no key; expected a line `public-key = "..."` of 40 characters, or a certificate in PEM'
        )
    private = bool(_PRIVATE.search(text))
    return Key(path.stem, public, keys_found.get("secret", ""), certificate, _role_in(text, path), private)


def key_text(key: Key, tls_secret: str = "") -> str:
    """Return what a file of `key` says.

    Args:
        key: The key, with its secret half where the file is to hold it.
        tls_secret: The secret half for TLS, PEM.
    """
    lines = ["metadata", f'    name = "{key.name}"']
    if key.role.name != ALL:
        lines.append(f'    role = "{key.role.name}"')
    if key.role.robots:
        lines.append(f'    robots = "{",".join(key.role.robots)}"')
    if key.public:
        lines += ["curve", f'    public-key = "{key.public}"']
    if key.secret:
        lines = ["# keep this file secret", *lines, f'    secret-key = "{key.secret}"']
    return "\n".join(lines) + "\n" + tls_secret + key.certificate


def write_new(path: Path, text: str, mode: int) -> Path:
    """Write a file that must not be there yet.

    Raises:
        NoKey: It is there, or cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as problem:
        raise NoKey(f"{path}: {problem.strerror}") from None
    except OSError as problem:
        cure = "name a folder that you can write: --folder FOLDER here, and --keys FOLDER or COOPSIM_KEYS=FOLDER later"
        raise NoKey(f"{path}: {problem.strerror}").advise(cure) from None
    return path


def replace(path: Path, text: str, mode: int) -> Path:
    """Replace a file atomically, so that no reader sees half of it.

    Raises:
        NoKey: It cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    write_new(fresh, text, mode)
    try:
        fresh.replace(path)
    except OSError as problem:
        fresh.unlink(missing_ok=True)
        raise NoKey(f"{path}: {problem.strerror}") from None
    return path


def decode_key(text: str) -> bytes | None:
    """Return the 32 bytes that a key in Z85 stands for (RFC 32), None if it is none."""
    places = [_Z85.find(letter) for letter in text]
    if len(places) != 40 or min(places) < 0:
        return None
    groups = [sum(place * 85 ** (4 - i) for i, place in enumerate(places[at : at + 5])) for at in range(0, 40, 5)]
    return b"".join(group.to_bytes(4, "big") for group in groups) if max(groups) < 1 << 32 else None


def _certificate_in(text: str) -> str:
    """Return the first certificate in standard PEM lines, "" if none decodes."""
    match = _CERTIFICATE.search(text)
    inside = "".join(match[1].split()) if match else ""
    if not _decode(inside):
        return ""
    lines = (inside[at : at + 64] for at in range(0, len(inside), 64))
    return "\n".join(("-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""))


def _der(certificate: str) -> bytes:
    match = _CERTIFICATE.search(certificate)
    return _decode("".join(match[1].split())) if match else b""


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _role_in(text: str, path: Path) -> Role:
    fields: Mapping[str, str] = dict(_ROLE_LINE.findall(text))
    try:
        return Role(fields.get("role", ALL), robots_in(fields.get("robots", "")))
    except BadArgument as problem:
        raise NoKey(f"{path}: {problem}") from None
