"""Two machines: network namespaces joined by a cable where rights allow, else this one and a proxy."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from coopsim.testkit import Chaos, ChaosProxy

ADDRESS, OTHER = "10.213.77.1", "10.213.77.2"


@dataclass
class Machines:
    """Where the server runs, where the client runs, and the cable between them.

    Attributes:
        server: Words before a command that runs on the server's machine.
        client: Words before a command that runs on the client's machine.
        options: What `coopsim run` needs to be reached from there.
    """

    server: tuple[str, ...] = ()
    client: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    proxy: ChaosProxy | None = None

    @property
    def are_two(self) -> bool:
        return bool(self.server)

    @contextlib.contextmanager
    def cable(self, endpoint: str) -> Iterator[str]:
        """Join the machines; give the endpoint as the client's machine sees it."""
        if self.are_two:
            yield endpoint
            return
        with ChaosProxy(endpoint) as self.proxy:
            yield self.proxy.endpoint

    def pull(self) -> None:
        """Pull the cable: nothing passes, and nobody is told."""
        self._set("down", Chaos(drop=1.0))

    def plug(self) -> None:
        """Put the cable back."""
        self._set("up", Chaos())

    def _set(self, state: str, chaos: Chaos) -> None:
        if self.proxy is not None:
            self.proxy.chaos = chaos
        else:
            _ip("link", "set", "cable", state, within=self.client)


def _ip(*words: str, within: tuple[str, ...] = ()) -> None:
    subprocess.run([*within, "ip", *words], check=True, capture_output=True, timeout=20)


@contextlib.contextmanager
def machines() -> Iterator[Machines]:
    """Give two machines as far as rights allow; everything is gone in the end."""
    names = [f"coopsim-{side}-{os.getpid()}" for side in ("left", "right")]
    left, right = (("ip", "netns", "exec", name) for name in names)
    with contextlib.ExitStack() as undo:
        try:
            if shutil.which("ip") is None:
                raise PermissionError("there is no program `ip`")
            for name in names:
                _ip("netns", "add", name)
                undo.callback(_ip, "netns", "delete", name)
            _ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "cable", "netns", names[1])
            for within, address in ((left, ADDRESS), (right, OTHER)):
                _ip("address", "add", f"{address}/24", "dev", "cable", within=within)
                for device in ("lo", "cable"):
                    _ip("link", "set", device, "up", within=within)
        except (PermissionError, subprocess.CalledProcessError):
            yield Machines()
            return
        yield Machines(left, right, ("--bind", ADDRESS, "--insecure"))
