"""The program that already uses the port of a run."""

import time
from contextlib import closing
from dataclasses import replace

from coopsim.errors import CoopsimError, PortTaken
from coopsim.launch.options import RunOptions
from coopsim.transport.control import ProcessFailed

_PATIENCE = 1.0
_ANOTHER = "Another program has the port (`ss -ltnp` names it); --port 0 takes free ones, --port N others."


def with_cure(problem: ProcessFailed, options: RunOptions) -> ProcessFailed:
    """Return a problem with what only the launcher can find out: who has the port."""
    if problem.error != PortTaken.code or not options.port:
        return problem
    return replace(problem, cure=cure_of_taken_port(options.access.address, options.port))


def cure_of_taken_port(address: str, port: int) -> str:
    """Return what to do when a port is taken; asks whether a run of coopsim answers there."""
    from coopsim.client import connect

    try:
        with closing(connect(f"tcp://{address}:{port}", timeout=_PATIENCE)) as client:
            info = client.info()
    except CoopsimError:
        return _ANOTHER
    since = time.strftime("%H:%M", time.localtime(info["started"])) if "started" in info else "some time"
    process = f" (process {info['process']}, since {since})" if "process" in info else ""
    scene = info.get("scenario") or "a scene without a file"
    return f"coopsim runs {scene} there{process}: end it with Ctrl-C, or take free ports with --port 0."
