"""Where the first hour takes place: a bare Debian, or an empty folder of this machine."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[1]
SUITE = "bookworm"
CLONE = "coopsim"
_SETTINGS = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_DEFAULT_TIMEOUT", "PIP_CERT")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")
_NETWORK = ("etc/resolv.conf", "etc/pip.conf")
_TRUSTED = "etc/ssl/certs/ca-certificates.crt"
_TRUSTED_THERE = "etc/this-machine.crt"
_MOUNTS = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"'


class Place(Protocol):
    """Where commands are typed.

    Attributes:
        about: What it is, in words.
        preparing: What has to be installed before; empty = nothing.
    """

    about: str
    preparing: str

    def write(self, name: str, text: str) -> None:
        """Write a file into the folder of the clone."""
        ...

    def begin(self, command: str, **environment: str) -> "subprocess.Popen[str]":
        """Start a command in the folder of the clone, its output in one pipe."""
        ...


class Debian:
    """A Debian with nothing in it, made by debootstrap; needs to be root, in a mount namespace of its own.

    Args:
        folder: Where it is made; if there is one already, it is used as it is.
    """

    about = f"a bare Debian ({SUITE}, `debootstrap --variant=minbase`) in a folder of its own"
    preparing = (
        "apt-get -qq update && apt-get -qq -y install --no-install-recommends python3 python3-pip make > /dev/null"
    )

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not (folder / "etc" / "debian_version").exists():
            subprocess.run(["debootstrap", "--variant=minbase", SUITE, str(folder)], check=True, stdout=sys.stderr)
        self._clone = folder / "root" / CLONE
        copy_clone(self._clone)
        # the network is this machine's; packages that bring certificates write theirs over those in the usual place
        for name, target in ((_TRUSTED, _TRUSTED_THERE), *zip(_NETWORK, _NETWORK, strict=True)):
            if (Path("/") / name).exists():
                shutil.copyfile(Path("/") / name, folder / target)

    def write(self, name: str, text: str) -> None:
        """Write a file into the folder of the clone."""
        (self._clone / name).write_text(text, encoding="utf-8")

    def begin(self, command: str, **environment: str) -> "subprocess.Popen[str]":
        """Start a command inside."""
        home = f"/root/{CLONE}"
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        variables = {
            "HOME": "/root",
            "PATH": path,
            "DEBIAN_FRONTEND": "noninteractive",
            "TERM": "dumb",
            **network(),
            **environment,
        }
        if (self._folder / _TRUSTED_THERE).exists():
            variables["PIP_CERT"] = f"/{_TRUSTED_THERE}"
        inside = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), "sh", "-c"]
        outside = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", _MOUNTS, str(self._folder)]
        return begin([*outside, *inside, f"cd {home} && {command}"], {**os.environ})


class Here:
    """An empty folder of this machine, with a home of its own; its Python is this machine's."""

    about = "an empty folder of a machine that had Python, pip and make, with an empty home"
    preparing = ""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clone = folder / CLONE
        (folder / "home").mkdir(parents=True)
        copy_clone(self._clone)

    def write(self, name: str, text: str) -> None:
        """Write a file into the folder of the clone."""
        (self._clone / name).write_text(text, encoding="utf-8")

    def begin(self, command: str, **environment: str) -> "subprocess.Popen[str]":
        """Start a command in the clone."""
        variables = {"HOME": str(self._folder / "home"), "PATH": os.environ["PATH"], **network(), **environment}
        return begin(["sh", "-c", command], variables, self._clone)


def begin(command: list[str], environment: Mapping[str, str], cwd: Path | None = None) -> "subprocess.Popen[str]":
    """Start a command in a group of its own, its output in one pipe."""
    return subprocess.Popen(
        command,
        cwd=cwd,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def end(process: "subprocess.Popen[str]") -> str:
    """End a command that was started, with all its children, and return the rest of its output."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        return process.communicate(timeout=60.0)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def network() -> dict[str, str]:
    """Return what this machine needs to reach the package index."""
    names = [*_SETTINGS, *_PROXIES, *map(str.upper, _PROXIES)]
    return {name: os.environ[name] for name in names if name in os.environ}


def copy_clone(folder: Path) -> None:
    """Copy what a clone would hold: files that are tracked, and new ones that are not ignored."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, folder / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
