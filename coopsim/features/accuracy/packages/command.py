"""`coopsim bench models`: robots of installed Python packages, and whether they move as their home simulators say."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import click

from coopsim.app import talk
from coopsim.features.accuracy.packages.descriptions import (
    PACKAGES,
    Description,
    descriptions,
    installed_packages,
)
from coopsim.features.accuracy.packages.jobs import all_judged
from coopsim.features.accuracy.packages.verdicts import ModelVerdict
from coopsim.features.files.figures import at_least, at_most, show
from coopsim.interpreter import install_command

LOADED, MOVED, STOOD, UNKNOWN = 0.95, 0.65, 0.82, 0.13
"""Parts of the descriptions that must load, move and stand as at home, and that may move otherwise for no known reason:
as measured (0.98, 0.68, 0.85, 0.11), with room for new releases."""
_NEAR, _NEAR_PART = 5e-3, 0.02
"""A link is where its home simulator has it within 5 mm, or within a fiftieth of its way."""
_LONGEST = 90  # letters of a reason


@click.command()
@click.option(
    "--package", "chosen", multiple=True, metavar="NAME", help="Descriptions of this package alone; repeatable."
)
@click.option("--only", metavar="WORD", help="Descriptions whose path holds this word.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Robots at a time.")
@click.option("--quick", is_flag=True, help="Three descriptions of each package: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def models(chosen: Sequence[str], only: str | None, jobs: int, quick: bool, as_json: bool) -> int:
    """Read every robot of the installed packages that ship descriptions, and let it move for 1 s without commands.

    Its home simulator computes the same motion: bare MuJoCo for MJCF, PyBullet for URDF and SDF, both at 1 ms.
    value: mean distance of a link's origin from where it has it, in mm, with nothing to touch; raw: the link's mean
    way in mm. stands: dropped on a floor; a robot falls whose links sink by a tenth of their mean height.
    """
    folders = installed_packages()
    unknown = sorted(set(chosen) - {name for name, _ in PACKAGES})
    if unknown:
        raise click.UsageError(f"no package {unknown[0]!r} in the list: {', '.join(name for name, _ in PACKAGES)}")
    missing = [name for name, _ in PACKAGES if name not in folders]
    wanted = [name for name in folders if not chosen or name in chosen]
    if missing:
        talk.note(f"not installed: {', '.join(missing)}; {install_command(*missing)}")
    if not wanted:
        raise click.ClickException("no package with robots is installed; install one of those above")
    subjects = [subject for package in wanted for subject in _subjects(package, folders[package], only, is_quick=quick)]
    if not subjects:
        raise click.UsageError(f"no description holds {only!r}")
    verdicts, start = [], monotonic()
    for verdict in all_judged(subjects, jobs):
        verdicts.append(verdict)
        progress = f"{len(verdicts)} of {len(subjects)}, {monotonic() - start:.0f} s"
        talk.note(f"{progress}: {verdict.package}/{verdict.name}")
    verdicts.sort(key=lambda verdict: (wanted.index(verdict.package), verdict.name))
    totals = _totals(verdicts)
    show([*totals, *map(_row, verdicts)], as_json=as_json)
    return int(not all(row.get("ok", True) for row in totals))


def _subjects(package: str, folder: Path, only: str | None, *, is_quick: bool) -> Iterable[Description]:
    every = (robot for robot in descriptions(package, folder) if only is None or only in robot.name)
    return islice(every, 3) if is_quick else every


def _totals(verdicts: Sequence[ModelVerdict]) -> list[dict[str, Any]]:
    """Return rows of the parts that load, move and stand, among those that their home simulators load."""
    rows = []
    at_home = [verdict for verdict in verdicts if not verdict.home_refused]
    for package in dict.fromkeys(verdict.package for verdict in verdicts):
        own = [verdict for verdict in at_home if verdict.package == package]
        loaded = [verdict for verdict in own if not verdict.refused]
        rows.append(
            {"case": f"{package}: load, of {len(own)} that load at home", "unit": "robots", "value": len(loaded)}
        )
    loaded = [verdict for verdict in at_home if not verdict.refused]
    compared = [verdict for verdict in loaded if verdict.error is not None]
    stood = [verdict for verdict in loaded if verdict.stands is not None]
    near = sum(map(is_near, compared))
    agreed = sum(verdict.stands == verdict.home_stands for verdict in stood)
    for case, count, among, least in (
        ("load", len(loaded), at_home, LOADED),
        ("move as at home", near, compared, MOVED),
        ("stand or fall as at home", agreed, stood, STOOD),
    ):
        if among:
            rows.append(at_least(f"all: {case}, {count} of {len(among)}", "part", count / len(among), least))
    if compared:
        count = sum(not is_near(verdict) and not verdict.changed for verdict in compared)
        case = f"all: move otherwise, and why is not known, {count} of {len(compared)}"
        rows.append(at_most(case, "part", count / len(compared), UNKNOWN))
    return rows


def is_near(verdict: ModelVerdict) -> bool:
    """Return whether a robot's links are where the home simulator has them."""
    error, moved = verdict.error, verdict.moved
    return error is not None and moved is not None and error <= max(_NEAR, _NEAR_PART * moved)


def _row(verdict: ModelVerdict) -> dict[str, Any]:
    error, moved = verdict.error, verdict.moved
    return {
        "case": f"{verdict.package}: {verdict.name}",
        "unit": "mm" if error is not None else None,
        "value": None if error is None else float(f"{1e3 * error:.3g}"),
        "raw": None if moved is None else float(f"{1e3 * moved:.3g}"),
        "links": verdict.links or None,
        "home": verdict.home,
        "stands": _standing(verdict),
        "note": _note(verdict),
    }


def _standing(verdict: ModelVerdict) -> str | None:
    if verdict.stands is None:
        return None
    ours, home = ("stands" if stands else "falls" for stands in (verdict.stands, verdict.home_stands))
    return ours if ours == home else f"{ours}, at home {home}"


def _note(verdict: ModelVerdict) -> str | None:
    """Return why a description does not load, or may move otherwise."""
    if verdict.refused:
        text = f"refused: {verdict.refused}"
    elif verdict.home_refused:
        text = f"loads; at home: {verdict.home_refused}"
    else:
        text = "" if verdict.error is None or is_near(verdict) else verdict.changed
    line = " ".join(text.split())
    return (line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}...") or None
