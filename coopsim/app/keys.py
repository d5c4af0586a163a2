"""`coopsim keys`."""

import getpass
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim.app import talk
from coopsim.app.groups import Suggesting

if TYPE_CHECKING:
    from coopsim.client.keyring import KeyRing

_FOLDER = click.option(
    "--folder", type=click.Path(path_type=Path), envvar="COOPSIM_KEYS", help="Where they are [~/.config/coopsim/keys]."
)


@click.group(cls=Suggesting, short_help="Make and trust the keys that guard a simulation.")
def keys() -> None:
    """Make and trust the keys that guard a simulation which others can reach.

    \b
    here                                      there
    coopsim keys new                          coopsim keys new
    coopsim keys trust anna.pub               coopsim keys trust lab.pub
    coopsim run formation --bind 192.168.1.7  COOPSIM_KEYS=~/.config/coopsim/keys \\
                                              coopsim ls --endpoint tcp://192.168.1.7:5570
    """  # noqa: D301 - click's mark for lines it must not wrap


@keys.command()
@click.argument("name", required=False)
@_FOLDER
def new(name: str | None, folder: Path | None) -> None:
    """Make a key pair, called NAME [user@machine]; its .pub file is for others, its .key file for nobody."""
    ring = _ring(folder)
    path = ring.new(name or _usual_name())
    talk.data(f"{path}\n  for others: `coopsim keys trust {path.name}` lets you in there")


@keys.command(name="list")
@_FOLDER
def list_(folder: Path | None) -> int:
    """List our key and those we trust; who removes a file of `trusted` trusts its key no longer."""
    from coopsim.errors import NoKey

    ring = _ring(folder)
    try:
        own = ring.own
        talk.data(f"own      {own.public}  {own.name}")
    except NoKey as problem:
        talk.complain(str(problem))
        return 1
    for key in ring.trusted().values():
        talk.data(f"trusted  {key.public}  {key.name}")
    talk.data(f"in {ring.folder}")
    return 0


@keys.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="What to call it [the name of the file].")
@_FOLDER
def trust(file: Path, name: str | None, folder: Path | None) -> None:
    """Trust the public key in FILE: as a client here, and as a server when we are a client there."""
    from coopsim.client.keyring import Key, read_key

    key = read_key(file)
    path = _ring(folder).trust(Key(name or key.name, key.public))
    talk.data(f"trusted: {key.public} as {path.stem}, in {path}")


def _ring(folder: Path | None) -> "KeyRing":
    from coopsim.client.keyring import KeyRing, default_folder

    return KeyRing((folder or default_folder()).expanduser())


def _usual_name() -> str:
    return re.sub(r"[^A-Za-z0-9._@-]", "-", f"{getpass.getuser()}@{socket.gethostname()}").lstrip("-._@")[:80] or "me"
