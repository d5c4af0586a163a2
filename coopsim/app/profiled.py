"""The report of `coopsim run --profile`: what a tick cost, and how many robots there would be time for."""

from collections.abc import Mapping
from typing import Any

from coopsim.app.capacity import largest
from coopsim.app.table import table
from coopsim.errors import CoopsimError
from coopsim.robots import RunSpec

_FEW_WORDS = {"commands": "events, commands", "hash": "state hash"}
_OF_PARTS = ("mean", "slowest", "late")


def completed(profile: Mapping[str, Any], spec: RunSpec, period: float) -> dict[str, Any]:
    """Return a profile with what it means on this machine.

    Args:
        profile: What the physics process measured (`simulation.profiling.Profile.to_plain`).
        spec: What was run, with the step it was run with.
        period: Real time of a tick, as the run was asked for [s].
    """
    summary = {**profile, "period": period, "load": profile["tick"]["mean"] / period, "largest": None}
    try:
        return {**summary, "largest": largest(spec, period, profile["phases"]["record"])}
    except CoopsimError as problem:  # the run itself is over, and its figures stand
        return {**summary, "problem": f"a crowd of such robots cannot be built: {problem}"}


def profile_table(profile: Mapping[str, Any]) -> str:
    """Return a completed profile as a table: phases in the order of the tick, the devices of each below it."""
    period, rows = profile["period"], []
    for phase, spent in profile["phases"].items():
        rows.append((_FEW_WORDS.get(phase, phase), *_cells(spent, period)))
        devices = [device for device in profile["devices"] if device["phase"] == phase]
        rows += [(f"  {device['kind']}", *_cells(device["mean"], period)) for device in devices]
    tick = profile["tick"]
    rows.append(("tick", *_cells(tick["mean"], period)))
    summary = (
        f"{profile['ticks']} ticks of {period * 1e3:g} ms each: half of them took at most {tick['p50'] * 1e6:.0f} us, "
        f"99 of 100 at most {tick['p99'] * 1e6:.0f} us"
    )
    costs_table = table(("phase", "us", f"% of {period * 1e3:g} ms"), rows)
    return "\n".join(filter(None, (costs_table, _parts(profile), summary, _room(profile))))


def _parts(profile: Mapping[str, Any]) -> str:
    """Return what leaves of components on board cost, as a table."""
    rows = [
        (f"{leaf['robots']}.{leaf['name']}", leaf["steps"], *(f"{leaf[name] * 1e6:.1f}" for name in _OF_PARTS))
        for leaf in profile.get("parts", ())
    ]
    return table(("leaf", "measured", "mean us", "slowest us", "late us"), rows) if rows else ""


def _room(profile: Mapping[str, Any]) -> str:
    if profile["largest"] is None:
        return str(profile.get("problem", ""))
    return f"this machine has time for about {profile['largest']} such robots at this step"


def _cells(seconds: float, period: float) -> tuple[str, str]:
    return f"{seconds * 1e6:.1f}", f"{100.0 * seconds / period:.2f}"
