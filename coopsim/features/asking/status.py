"""`coopsim status`."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import click

from coopsim.app import talk
from coopsim.app.options import endpoint_option
from coopsim.errors import MalformedMessage


@click.command(short_help="Show how a running simulation goes.")
@endpoint_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def status(endpoint: str | None, *, as_json: bool) -> None:
    """Show how a running simulation goes: mode, time, real-time factor, who is awaited, clients, what is recorded."""
    from coopsim.client import connect

    with connect(endpoint) as simulation, _of_a_simulation():
        clock, info, recorded = simulation.clock.status(), simulation.info(), simulation.recorder.status()
        shown = facts(clock, info) | {"recorder": recording(recorded)}
        text = json.dumps(shown) if as_json else "\n".join(lines(shown))
    talk.data(text)


@contextlib.contextmanager
def _of_a_simulation() -> Iterator[None]:
    """Report a server that answers by the protocol but is no simulation."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, LookupError, OverflowError) as problem:
        raise MalformedMessage(f"a server answers at this address, but not as a simulation does: {problem}") from None


def facts(clock: Any, info: dict[str, Any]) -> dict[str, Any]:
    """Return what the clock and `/sim/info` say, by name."""
    numbers = ("tick", "patience_fired", "overruns", "clients")
    about = {name: info.get(name, "") for name in ("scenario", "engine")}
    shown: dict[str, Any] = {**about, "mode": clock.mode, "paused": bool(clock.paused)}
    shown |= {name: int(getattr(clock, name)) for name in numbers}
    shown |= {name: getattr(clock, name) for name in ("time", "step", "speed", "real_time_factor", "max_lateness")}
    shown |= {"patience": clock.patience, "policy": clock.policy}
    shown |= {"faults": {str(kind): int(count) for kind, count in info.get("faults", {}).items()}}
    shown |= {"cameras": str(info.get("cameras", ""))}
    shown |= {"replay_of": str(info.get("recording", "")), "recorded_run": int(info.get("recorded_run", 0))}
    return shown | {"slipped": clock.slipped, "awaited": json.loads(clock.awaited), "robots": info.get("robots", 0)}


def recording(recorded: Any) -> dict[str, Any]:
    """Return what `/sim/recorder` says, by name."""
    numbers = {name: int(getattr(recorded, name)) for name in ("ticks", "size_bytes", "gaps")}
    shown = {"recording": bool(recorded.recording), "file": recorded.file, "problem": recorded.problem}
    return {**shown, "duration": recorded.duration, **numbers}


def lines(shown: dict[str, Any]) -> list[str]:
    """Return it for people."""
    from coopsim.app.table import counted
    from coopsim.app.terminal import awaited, limit

    wanted = f", x{shown['speed']:g} asked for" if shown["mode"] == "real-time" else ""
    fired = f", went on without a robot {shown['patience_fired']} times" if shown["patience_fired"] else ""
    waits = limit(shown["patience"], shown["policy"])
    whom = awaited(shown["awaited"], shown["patience"], shown["policy"]) if shown["awaited"] else f"waits {waits}"
    engine = f", engine {shown['engine']}" if shown["engine"] else ""
    is_replay = bool(shown.get("replay_of"))
    # a replay waits for nobody and records nothing: to speak of that would make it look like a run
    live = [] if is_replay else [f"lockstep {whom}{fired}", f"recorder {recorder(shown['recorder'])}"]
    return [
        *([replayed(shown)] if is_replay else []),
        f"scenario {shown['scenario']}{engine}, {counted(shown['robots'], 'robot')}, "
        f"{counted(shown['clients'], 'client')}",
        f"mode     {shown['mode']}{' when it was recorded' if is_replay else ''}"
        f"{', paused' if shown['paused'] else ''}",
        f"time     {shown['time']:.2f} s, tick {shown['tick']} of {shown['step']:g} s",
        f"pace     x{shown['real_time_factor']:.2f}{wanted}, {shown['overruns']} overruns, late by at most "
        f"{shown['max_lateness'] * 1e3:.1f} ms, {shown['slipped']:.2f} s slipped",
        *live,
        *([f"cameras  {shown['cameras']}: `coopsim call /sim/renderer set NAME` does"] if shown.get("cameras") else []),
        *(f"bug      {kind}, {counted(count, 'time')}; please report it" for kind, count in shown["faults"].items()),
    ]


def replayed(shown: dict[str, Any]) -> str:
    """Return of which recording it is a replay."""
    number = f", run {shown['recorded_run']}" if shown.get("recorded_run") else ""
    return f"replay   of {shown['replay_of']}{number}: what was recorded is shown, nothing is simulated"


def recorder(shown: dict[str, Any]) -> str:
    """Return the state of the recording, and its problem."""
    if not shown["file"]:
        return "nothing is recorded"
    missing = f", {shown['gaps']} records missing" if shown["gaps"] else ""
    problem = f"; {shown['problem']}" if shown["problem"] else ""
    size = f"{shown['duration']:.2f} s, {shown['size_bytes'] / 1e6:.1f} MB{missing}{problem}"
    return f"{'writes' if shown['recording'] else 'wrote'} {shown['file']}: {size}"
