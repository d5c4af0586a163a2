"""A simulation in a process of its own, for benchmarks that measure it from outside."""

import contextlib
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from coopsim.errors import NoReply

_ANSWERING = re.compile(r"answering on (tcp://\S+)")


@contextlib.contextmanager
def running(scenario: str, options: Sequence[str] = (), *, seconds: float = 30.0) -> Iterator[str]:
    """Start `coopsim run SCENARIO` on free ports, give its endpoint, and stop it in the end.

    Raises:
        NoReply: It did not begin to answer within `seconds`.
    """
    command = [sys.executable, "-u", "-m", "coopsim", "run", scenario, "--no-gui", "--no-controllers", "--port", "0"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield _endpoint(process, seconds)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=seconds)


def _endpoint(process: "subprocess.Popen[str]", seconds: float) -> str:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    end, said = time.monotonic() + seconds, ""
    while time.monotonic() < end and process.poll() is None:
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        line = process.stdout.readline()
        said += line
        if match := _ANSWERING.search(line):
            return match[1]
    raise NoReply(f"the simulation did not begin within {seconds:g} s; it said:\n{said}")
