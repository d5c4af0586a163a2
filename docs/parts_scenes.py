"""Generated parts about the built-in scenes: their pictures, and what `docs/scene_figures.py` found over many seeds."""

import json
from pathlib import Path
from typing import Any

from coopsim.features.presentation import PRESENTATION
from coopsim.robots.finding import SCENARIOS, WORLDS
from coopsim.scene import read_scenario

_ACROSS = 5  # pictures in a row
FOLDER = Path(__file__).parent
_HEAD = "| scene | mode | goals met | reached after | smallest gap | error of a free formation, RMS | largest force |"


def pictures(_: str) -> str:
    """Return begin, middle and end of each scene, with its caption."""
    paths = [path for path in sorted(SCENARIOS.glob("*.scenario")) if (FOLDER / "scenes" / f"{path.stem}.png").exists()]
    return "\n\n".join(f"`{path.stem}`: {_caption(path)}.\n\n![{path.stem}](scenes/{path.stem}.png)" for path in paths)


def trials(_: str) -> str:
    """Return a row for each scene and mode."""
    results = json.loads((FOLDER / "scenes.json").read_text(encoding="utf-8"))
    rows = [
        _row(name, mode, result) for name, modes in sorted(results.items()) for mode, result in sorted(modes.items())
    ]
    return "\n".join([_HEAD, "|---" * 7 + "|", *rows])


def arms(_: str) -> str:
    """Return a row for each arm, as `docs/arm_figures.py` measured it."""
    results = json.loads((FOLDER / "arms.json").read_text(encoding="utf-8"))
    rows = [
        f"| `{kind}` | {result['seconds']:.1f} s | {1e3 * result['error']:.0f} mm |"
        for kind, result in sorted(results.items())
    ]
    return "\n".join(["| arm | done after | block off by |", "|---|---|---|", *rows])


def robots(_: str) -> str:
    """Return pictures of imported robots, five in a row, with package, file, links and joints."""
    results = json.loads((FOLDER / "robots.json").read_text(encoding="utf-8"))
    cells = [
        f"![{name}](robots/{name}.png)<br>**{name}**, {robot['joints']} joints, {robot['links']} links<br>"
        f"{robot['package']}: `{robot['file'].rpartition('/')[2]}`"
        for name, robot in results.items()
    ]
    cells += [" "] * (-len(cells) % _ACROSS)
    rows = [cells[first : first + _ACROSS] for first in range(0, len(cells), _ACROSS)]
    return "\n".join(["|" + "   |" * _ACROSS, "|---" * _ACROSS + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def _caption(path: Path) -> str:
    return PRESENTATION.of(read_scenario(path, (WORLDS,))[0]).caption.rstrip(".")


def _row(name: str, mode: str, found: dict[str, Any]) -> str:
    numbers = (("clearance", "m"), ("formation_error_free_rms", "m"), ("force_max", "N"))
    cells = [f"`{name}`", mode, f"{found['met']} of {found['runs']}", _span(found["first"], found["last"])]
    cells += [f"{found[key]:.3g} {unit}" if key in found else "" for key, unit in numbers]
    return f"| {' | '.join(cells)} |"


def _span(first: float | None, last: float | None) -> str:
    return "" if first is None or last is None else f"{first:.0f} to {last:.0f} s"
