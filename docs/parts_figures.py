"""Generated parts with numbers: what pages say in numbers about speed and size comes from `benchmarks/results`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_HIDDEN = ("robots", "real_time_factor")
_NAMES = {"value": "measured", "ok": "kept"}

CLAIMS = (
    ("1000 robots with wheels, servos and eleven sonar rays each, on one core", "tick", ("W", 1000)),
    ("100 of them", "tick", ("W", 100)),
    (
        "a lockstep step of ten robots, each driven by a process of its own",
        "lockstep",
        "10 robots in 10 processes, ZeroMQ",
    ),
    ("what recording adds to a tick of 100 robots", "record", "cost of a tick, 100 robots at 100 Hz"),
    ("a recorded hour of ten robots", "record", "an hour of 10 robots"),
    ("proof of a recording, of ten robots", "record", "verify, 10 robots"),
    (
        "how long a killed controller holds up the others",
        "faults",
        "a controller killed (SIGKILL): others' longest step",
    ),
    ("installation into an empty environment", "install", "Python 3.11: install"),
    ("its size", "install", "Python 3.11: size"),
    ("`make run` on a bare Debian, until robots move", "first_hour", "make run, until robots move"),
)
"""What the README says in numbers: words, benchmark, case."""

_WORDS = {"x": "{} times as fast as real time", "s": "{} s", "packages": "{} packages", "%": "{} %"}


def figures(name: str) -> str:
    """Return the table of a benchmark, and how it was measured."""
    if not (RESULTS / f"{name}.json").exists():
        return "Not measured yet; `make figures` does it."
    saved = load(name)
    rows = [_folded(row) for row in saved["results"]]
    columns = [column for column in dict.fromkeys(key for row in rows for key in row) if _is_said(rows, column)]
    lines = [_line([_NAMES.get(column, column.replace("_", " ")) for column in columns]), "|---" * len(columns) + "|"]
    lines += [_line([_text(row.get(column)) for column in columns]) for row in rows]
    return "\n".join([_measured(saved), "", *lines])


def claims(_: str) -> str:
    """Return what the README says in numbers, each with the command that prints it."""
    lines = ["| what | here | printed by |", "|---|---|---|"]
    for words, name, case in CLAIMS:
        if (RESULTS / f"{name}.json").exists():
            saved = load(name)
            lines += [
                _line([words, _amount(row), f"`{saved['command']}`"]) for row in saved["results"] if _is(row, case)
            ]
    return "\n".join(lines)


def machine(_: str) -> str:
    """Return on what, and with which versions, the figures were measured."""
    machines = {_machine(load(file.stem)) for file in sorted(RESULTS.glob("*.json"))}
    return "\n".join(f"* {machine_text}" for machine_text in sorted(machines))


def load(name: str) -> dict[str, Any]:
    """Return a saved run of a benchmark."""
    saved: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return saved


def _measured(saved: Mapping[str, Any]) -> str:
    rows = [row for row in saved["results"] if row.get("ok") is not None]
    kept = sum(bool(row["ok"]) for row in rows)
    bounds = f" {kept} of {len(rows)} bounds kept." if rows else ""
    return f"`{saved['command']}`, {saved['taken']}, {saved['seconds']:.0f} s; load {saved['load']:g} before.{bounds}"


def _machine(saved: Mapping[str, Any]) -> str:
    computer, versions = saved["machine"], ", ".join(f"{name} {version}" for name, version in saved["versions"].items())
    return (
        f"{computer['cpu']}, {computer['cores']} cores, {computer['memory_gb']:g} GB, {computer['system']}; {versions}"
    )


def _folded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose case says how many robots there are."""
    case = f"{row['case']}, {row['robots']} robots" if "robots" in row else row["case"]
    return {"case": case, **{key: value for key, value in row.items() if key not in {"case", *_HIDDEN}}}


def _is(row: Mapping[str, Any], case: str | tuple[str, int]) -> bool:
    return (row["case"], row.get("robots")) == case if isinstance(case, tuple) else row["case"] == case


def _is_said(rows: list[dict[str, Any]], column: str) -> bool:
    return any(row.get(column) is not None for row in rows)


def _amount(row: Mapping[str, Any]) -> str:
    value = _text(row["value"])
    return _WORDS.get(row["unit"], "{} " + row["unit"]).format(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
