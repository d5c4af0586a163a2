"""Addresses of a run: the file of `--ready`, and who has the port that the run wanted."""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim.errors import CoopsimError, PortTaken
from coopsim.launch.config import LaunchConfig
from coopsim.launch.options import RunOptions
from coopsim.launch.outcome import RunOutcome
from coopsim.transport.control import ProcessFailed


# The file that tells programs where a run answers, as soon as it does: `--ready FILE`.
def forget_ready(path: Path) -> None:
    """Remove the file of an earlier run, so that no program takes it for this one's."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def write_ready_file(config: LaunchConfig, ports: Mapping[str, int]) -> RunOutcome | None:
    """Write the file, if one is asked for; return the outcome of the run if that fails."""
    path = config.options.ready
    if path is None:
        return None
    try:
        _write(path, _facts(config, ports))
    except OSError as problem:
        return RunOutcome(1, f"--ready {path} cannot be written: {problem.strerror}", is_fault=True)
    return None


def append_outcome(config: LaunchConfig, code: int, reason: str, recording: Mapping[str, Any]) -> None:
    """Add to the file how the run ended, for a window that stays; without the file nobody wants to know."""
    path = config.options.ready
    if path is None or not path.exists():
        return
    with contextlib.suppress(OSError, ValueError):
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts.get("pid") == os.getpid():
            kept = {name: recording[name] for name in ("file", "time") if name in recording}
            _write(
                path, {**facts, "ended": {"code": code, "reason": reason, "scene": config.spec.scenario.file, **kept}}
            )


def _facts(config: LaunchConfig, ports: Mapping[str, int]) -> dict[str, Any]:
    shown = config.options.playback
    return {
        **config.options.access.endpoints(ports),
        "run": config.run,
        "pid": os.getpid(),
        "scenario": Path(config.spec.scenario.file).stem,
        **({"recording": shown.file} if shown is not None else {}),
    }


def _write(path: Path, facts: Mapping[str, Any]) -> None:
    """Write `facts` as JSON, atomically."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(json.dumps(facts) + "\n", encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


# The program that already uses the port of a run.
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
