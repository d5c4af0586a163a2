"""The version of this program, in one place: what recordings, `/sim/info` and the command line say of it.

A version number stays the same between two releases. The build number does not: it is a digest of the sources, so
it is the same in a clone and in the wheel made of it, and another one after any change of a source file.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

VERSION = "0.1.0"
_OF_CHECKOUTS = ("testkit/fuzz/", "testkit/own_bench/", "features/gateways/bench/")
"""Left out of wheels by setup.py: a wheel and its checkout are one program."""
_PACKAGE = Path(__file__).resolve().parent
_DIGITS = 12
"""Of the build number: two of a million builds share one with a chance below 2e-3."""
_PROTOCOL_REVISION = 6
"""The last row of section 17 of docs/protocol.md."""
_DEFAULTS_REVISION = 1
"""Grows whenever a default of a file changes; `coopsim.replay.texts` knows the former ones."""
_COMMIT_DIGITS = 40  # of a SHA-1 in hexadecimal


def version() -> str:
    """Return the version of the program: `0.1.0`."""
    return VERSION


def build() -> str:
    """Return the build number, 12 hexadecimal digits: a digest of all source files that wheels have, too.

    The first call reads them, which takes some 30 ms; a server asks before it serves.
    """
    return _digest(_PACKAGE)


def protocol_revision() -> int:
    """Return the revision of the protocol; `coopsim.message.VERSION` is its version."""
    return _PROTOCOL_REVISION


def commit() -> str:
    """Return the commit of the clone that the package lies in, "" if it lies in none.

    Files may have been changed since it: only the build number says what runs.
    """
    return _commit(_PACKAGE.parent)


def defaults_revision() -> int:
    """Return the revision of the defaults of files: what a key means that a text leaves out."""
    return _DEFAULTS_REVISION


def program() -> dict[str, str | int]:
    """Return what a recording says of the program that wrote it: version, build, commit, revisions."""
    return {
        "version": version(),
        "build": build(),
        **({"commit": commit()} if commit() else {}),
        "protocol_revision": protocol_revision(),
        "defaults_revision": defaults_revision(),
    }


@cache
def _digest(package: Path) -> str:
    root = os.path.join(package, "")  # text: paths of a thousand files take three times as long
    paths = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".py"))
    digest = hashlib.sha256()
    files = sorted((path[len(root) :].replace(os.sep, "/"), path) for path in paths)
    for name, file in files:
        if name.startswith(_OF_CHECKOUTS):
            continue
        with open(file, "rb", buffering=0) as source:
            content = source.read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:_DIGITS]


@cache
def _commit(clone: Path) -> str:
    """Return the commit that is checked out, read from git's own files: git itself may be missing."""
    try:
        folder = _git_folder(clone)
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        name = head.removeprefix("ref: ")
        return head if name == head else _reference(folder, name)
    except (OSError, ValueError):
        return ""


def _git_folder(clone: Path) -> Path:
    """Return where git keeps what it knows of a clone; of a further work tree, a file says so."""
    place = clone / ".git"
    if place.is_dir():
        return place
    return (clone / place.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")).resolve()


def _reference(folder: Path, name: str) -> str:
    """Return the commit at the tip of a branch."""
    common = folder / "commondir"
    home = (folder / common.read_text(encoding="utf-8").strip()).resolve() if common.exists() else folder
    if (home / name).exists():
        return (home / name).read_text(encoding="ascii").strip()
    for line in (home / "packed-refs").read_text(encoding="ascii").splitlines():
        tip, _, reference = line.partition(" ")
        if reference == name and len(tip) == _COMMIT_DIGITS:
            return tip
    return ""
