"""Loss of a recording when a process of the run is killed."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from coopsim.client import connect
from coopsim.errors import NoReply
from coopsim.recording import Recording, recover
from coopsim.testkit import Run

VICTIMS = ("recorder", "physics", "host", "launcher")
_RECORDED = 2.0  # s; a chunk is on the disk by then
_SECONDS = 30.0  # s; a process that has not begun by then never will
_STEP = 0.01  # s; the usual step


def lost_after(victim: str, path: Path) -> float:
    """Record a run in real time, kill one of its processes, and return how much of it is missing in the file [s].

    Args:
        victim: One of `VICTIMS`.
        path: Of the recording; it is given its index back, and every record is read.

    Raises:
        NoReply: The run did not begin, or the recorder did not end.
        RecordingError: The file cannot be read.
    """
    with Run("vee", "--no-controllers", "--record", str(path)) as run:
        with connect(run.endpoint) as simulation:
            _wait(lambda: simulation.recorder.status().duration > _RECORDED)
            recorder = run.recorder
            reached = int(simulation.clock.ping().tick)
            os.kill(getattr(run, victim), signal.SIGKILL)
        # the recorder survives the others: it writes what it has, and ends by itself
        if victim != "recorder":
            _wait(lambda: _is_over(recorder))
    recover(path)
    with Recording.open(path) as recording:
        kept = [int(tick) for _, block in recording.blocks() for tick in block.ticks]
    return max(0.0, (reached - kept[-1]) * _STEP)


def _is_over(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if is_true():
            return
        time.sleep(0.01)
    raise NoReply(f"it did not happen within {_SECONDS:g} s")
