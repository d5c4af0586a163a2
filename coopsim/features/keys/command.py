"""`coopsim keys`."""

import getpass
import json
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.app.groups import Suggesting
from coopsim.interpreter import install_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from coopsim.client.keyring import Key, KeyRing
    from coopsim.client.roles import Role

_FOLDER = click.option(
    "--folder", type=click.Path(path_type=Path), envvar="COOPSIM_KEYS", help="Where they are [~/.config/coopsim/keys]."
)

ROLES = ("watch", "drive", "all")
_ROLE = click.option("--role", type=click.Choice(ROLES), help="What it may do [all].")
_ROBOTS = click.option("--robots", default="", metavar="NAMES", help="Robots that `drive` may command: robot1,r*.")


@click.group(cls=Suggesting, short_help="Make and trust the keys that guard a simulation.")
def keys() -> None:
    """Make and trust the keys that guard a simulation which others can reach.

    \b
    here:   coopsim keys new
            coopsim keys trust anna.pub --role drive --robots robot1
            coopsim run formation --bind 192.168.1.7
    there:  coopsim keys new
            coopsim keys trust lab.pub
            COOPSIM_KEYS=~/.config/coopsim/keys \\
            coopsim ls --endpoint tcp://192.168.1.7:5570
    """  # noqa: D301 - click's mark for lines it must not wrap


@keys.command()
@click.argument("name", required=False)
@_FOLDER
def new(name: str | None, folder: Path | None) -> None:
    """Make a key pair, called NAME [user@machine]; share its .pub file, never its .key file."""
    ring = _ring(folder)
    path = ring.new(name or _usual_name())
    talk.data(f"{path}\n  for others: `coopsim keys trust {path.name}` lets you in there")
    if not ring.own.certificate:
        talk.note(f"  without a certificate for TLS: `{install_command('cryptography')}`, then `coopsim keys certify`")


@keys.command()
@_FOLDER
def certify(folder: Path | None) -> None:
    """Give our key pair a certificate for TLS, if it was made without one."""
    path = _ring(folder).certify()
    talk.data(f"{path}\n  others must trust it again: `coopsim keys trust {path.name}`")


@keys.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print the keys as JSON.")
@_FOLDER
def list_(folder: Path | None, *, as_json: bool) -> int:
    """List our key and those we trust, with what each may do."""
    from coopsim.errors import NoKey

    ring = _ring(folder)
    try:
        own = ring.own
    except NoKey as problem:
        talk.complain(str(problem))
        return 1
    if as_json:
        talk.data(json.dumps(_plain(ring), indent=2))
        return 0
    talk.data(f"own      {_shown(own)}  {own.name}")
    for key in ring.trusted().values():
        talk.data(f"trusted  {_shown(key)}  {key.name}  {key.role}")
    for text in ring.unreadable():
        talk.note(f"not trusted: {text}")
    talk.data(f"in {ring.folder}")
    return 0


@keys.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--name", help="What to call it [the name of the file].")
@_ROLE
@_ROBOTS
@_FOLDER
def trust(files: tuple[Path, ...], name: str | None, role: str | None, robots: str, folder: Path | None) -> None:
    """Trust the public key in each FILE: as a client here, and as a server when we are a client there."""
    from dataclasses import replace

    from coopsim.client.key_files import read_key

    if name is not None and len(files) > 1:
        raise click.UsageError("--name takes one FILE")
    ring, chosen = _ring(folder), _role(role, robots)
    read_keys = [read_key(file) for file in files]
    for key in read_keys:
        path = ring.trust(replace(key, name=name or key.name), chosen)
        talk.data(f"trusted: {_shown(key)} as {path.stem}, {ring.trusted()[path.stem].role}, in {path}")


@keys.command()
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@_ROBOTS
@_FOLDER
def role(name: str, role: str, robots: str, folder: Path | None) -> None:
    """Set what the trusted key NAME may do: watch, drive robots, or all; it holds within seconds."""
    from coopsim.client.roles import Role, robots_in

    chosen = _checked(lambda: Role(role, robots_in(robots)))
    _ring(folder).set_role(name, chosen)
    talk.data(f"{name}: {chosen}")


@keys.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_FOLDER
def revoke(names: tuple[str, ...], folder: Path | None) -> None:
    """Revoke the keys NAME; their connections are closed within seconds."""
    ring = _ring(folder)
    for name in names:
        talk.data(f"no longer trusted: {name} ({ring.revoke(name)} removed)")


def _role(name: str | None, robots: str) -> "Role | None":
    from coopsim.client.roles import DRIVE, Role, robots_in

    if name is None and not robots:
        return None
    return _checked(lambda: Role(name or DRIVE, robots_in(robots)))


def _checked(make: "Callable[[], Role]") -> "Role":
    from coopsim.errors import BadArgument

    try:
        return make()
    except BadArgument as problem:
        raise click.UsageError(str(problem)) from None


def _plain(ring: "KeyRing") -> dict[str, Any]:
    """Return what a ring holds: our key, those that are trusted with their roles, and files that cannot be read."""
    trusted = [
        {"name": key.name, "key": _shown(key), "role": key.role.name, "robots": [*key.role.robots]}
        for key in ring.trusted().values()
    ]
    own = {"name": ring.own.name, "key": _shown(ring.own)}
    return {"folder": str(ring.folder), "own": own, "trusted": trusted, "not_trusted": ring.unreadable()}


def _shown(key: "Key") -> str:
    """Return what tells a key from others: the public half for CURVE, or the fingerprint of the certificate."""
    from hashlib import sha256

    return key.public or f"sha256:{sha256(key.certificate_bytes).hexdigest()[:33]}"


def _ring(folder: Path | None) -> "KeyRing":
    from coopsim.client.keyring import KeyRing, default_folder

    return KeyRing((folder or default_folder()).expanduser())


def _usual_name() -> str:
    return re.sub(r"[^A-Za-z0-9._@-]", "-", f"{getpass.getuser()}@{socket.gethostname()}").lstrip("-._@")[:80] or "me"
