"""A real run of the simulator for the blocks of a page."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coopsim.robots.finding import find_file

ENDS_WITHIN = 120.0
_READY = re.compile(rb"answering on (tcp://\S+) \(ZeroMQ[^)]*\)(?: and (\S+) \(plain TCP\))?.*\n")


@dataclass(frozen=True)
class Live:
    """Where a run answers."""

    zmq: str
    tcp: str

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to find it."""
        return {"COOPSIM_ENDPOINT": self.zmq, "COOPSIM_TCP": self.tcp}


@contextlib.contextmanager
def live(
    arguments: list[str], folder: Path, word: str = "run", *, python: str = sys.executable, is_literal: bool = False
) -> Iterator[Live]:
    """Run `coopsim run ARGUMENTS`, or another command, until the end of the block.

    Args:
        arguments: Of the command.
        folder: Where it runs.
        word: The command.
        python: Interpreter of the environment that coopsim is installed in.
        is_literal: Whether it takes the usual ports, as it does where a reader types it; else free ones.

    Raises:
        AssertionError: It ends before it answers, or in another way than it was told to.
    """
    more = [] if is_literal else ["--no-gui", "--port", "0"]
    if word == "run" and not is_literal and "--duration" not in arguments and not _is_lockstep(arguments, folder):
        more += ["--duration", "3600"]  # a busy machine needs longer than a scene may last
    command = [python, "-m", "coopsim", word, *arguments, *more]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
    try:
        yield _await(process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=ENDS_WITHIN)
    assert process.returncode in {0, 128 + signal.SIGTERM}, rest.decode()


def _is_lockstep(arguments: list[str], folder: Path) -> bool:
    """Whether time passes with steps, or as fast as it can: what ends at once for a reader ends at once here, too."""
    if "--mode" in arguments:
        return arguments[arguments.index("--mode") + 1] != "real-time"
    own = folder / arguments[0]
    text = (own if own.exists() else find_file(arguments[0])).read_text(encoding="utf-8")
    return re.search(r"^mode\s+(lockstep|free)", text, re.MULTILINE) is not None


def _await(process: "subprocess.Popen[bytes]") -> Live:
    assert process.stdout is not None
    printed = b""
    # a run that is not ready in time ends by itself and says so; one that compiles kernels first may take minutes
    while output := os.read(process.stdout.fileno(), 65536):
        printed += output
        match = _READY.search(printed)
        if match:
            return Live(match[1].decode(), (match[2] or b"").decode())
    code = process.wait(ENDS_WITHIN)
    raise AssertionError(f"the run has ended with {code} before it answered: {printed.decode()}")
