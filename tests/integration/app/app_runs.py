"""`coopsim` as a process, watched with deadlines."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

DEADLINE = 90.0
COOPSIM = (sys.executable, "-m", "coopsim")
QUIET = """
[ROBOT_1]
type single
name robot1
[ROBOT_2]
type single
name robot2
position 2 0 0
"""


def coopsim(*arguments: str, timeout: float = DEADLINE, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    env = {key: value for key, value in os.environ.items() if key != "DISPLAY"} | environment
    return subprocess.run([*COOPSIM, *arguments], capture_output=True, text=True, timeout=timeout, env=env, check=False)


class Running:
    """A `coopsim run` in a process group of its own, as a shell starts it."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COOPSIM, "run", *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        self.out = self.err = ""
        self._open = {pipe.fileno() for pipe in (self.process.stdout, self.process.stderr) if pipe}
        self._deadline = time.monotonic() + DEADLINE

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def until(self, pattern: str) -> re.Match[str]:
        """Read until what was printed matches."""
        while (match := re.search(pattern, self.out + self.err)) is None:
            assert self._open, f"{pattern!r} never came:\n{self.out}{self.err}"
            self._read()
        return match

    @property
    def endpoint(self) -> str:
        """Where the run answers, as soon as it does."""
        return self.until(r"answering on (tcp://\S+)")[1]

    def child(self, module: str) -> int:
        """Return the process id of the child that runs `module`."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        (child_pid,) = [int(child) for child in children if module in Path(f"/proc/{child}/cmdline").read_text()]
        return child_pid

    def interrupt(self) -> None:
        """Press Ctrl-C: the whole foreground group gets the signal, and has time for its end from now on."""
        self._deadline = time.monotonic() + DEADLINE
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> int:
        """Read to the end and return the exit code."""
        while self._open:
            self._read()
        return self.process.wait(DEADLINE)

    def _read(self) -> None:
        ready, _, _ = select.select(list(self._open), [], [], max(0.0, self._deadline - time.monotonic()))
        assert ready, f"nothing happened for too long:\n{self.out}{self.err}"
        for descriptor in ready:
            raw = os.read(descriptor, 65536)
            if not raw:
                self._open.discard(descriptor)
            elif self.process.stdout and descriptor == self.process.stdout.fileno():
                self.out += raw.decode()
            else:
                self.err += raw.decode()


def wait_for_end(*pids: int) -> None:
    """Wait until processes that are not our children have ended."""
    poll = select.poll()
    open_ones = set()
    for pid in pids:
        try:
            open_ones.add(os.pidfd_open(pid))
        except ProcessLookupError:
            continue
    for descriptor in open_ones:
        poll.register(descriptor, select.POLLIN)
    deadline = time.monotonic() + DEADLINE
    while open_ones and time.monotonic() < deadline:
        for descriptor, _ in poll.poll(1000):
            poll.unregister(descriptor)
            open_ones.discard(descriptor)
            os.close(descriptor)
    assert not open_ones, "a process did not end"


def rings_of(pid: int) -> list[str]:
    """Return the shared memory of a launcher."""
    return [name for name in os.listdir("/dev/shm") if name.startswith(f"coopsim-{pid}-")]
