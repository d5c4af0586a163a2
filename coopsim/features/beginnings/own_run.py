"""A run that this program began as a process of its own: where it answers, and its end."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from coopsim.app import talk
from coopsim.errors import NoReply

_LOOKING = 0.05  # s; twenty looks a second for a file that comes
_STOPPING = 20.0  # s; longer than a run takes to close its recording, or it would be killed over it


def awaited_endpoint(ready: Path, is_over: Callable[[], bool] = lambda: False) -> str:
    """Return where a run answers, as soon as it does.

    Args:
        ready: File that the run tells it.
        is_over: Whether nobody will ever write it.

    Raises:
        NoReply: It is over.
    """
    while not ready.exists():
        if is_over():
            raise NoReply("the run did not start; its messages stand above this line")
        time.sleep(_LOOKING)
    return str(json.loads(ready.read_text(encoding="utf-8"))["zmq"])


def end_run(process: "subprocess.Popen[bytes]") -> None:
    """Let a run end as by Ctrl-C, so that it closes its recording."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            talk.note("the run did not end; it is ended now")
            process.kill()
            process.wait()
