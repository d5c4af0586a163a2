"""The file that tells programs where a run answers, as soon as it does: `--ready FILE`."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coopsim.launch.config import LaunchConfig
from coopsim.launch.outcome import RunOutcome


def forget_ready(path: Path) -> None:
    """Remove the file of an earlier run, so that no program takes it for this one's."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def tell_ready(config: LaunchConfig, ports: Mapping[str, int]) -> RunOutcome | None:
    """Write the file, if one is asked for; return the outcome of the run if that fails."""
    path = config.options.ready
    if path is None:
        return None
    try:
        _write(path, _facts(config, ports))
    except OSError as problem:
        return RunOutcome(1, f"--ready {path} cannot be written: {problem.strerror}", is_fault=True)
    return None


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
