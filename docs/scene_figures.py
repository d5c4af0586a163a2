"""Makes pictures of the built-in scenes, and judges them over many seeds, for `docs/scenes.md`.

python docs/scene_figures.py pictures [NAME ...]     begin, middle and end of each scene: docs/scenes/NAME.png
python docs/scene_figures.py trials [NAME ...]       twenty seeds in lockstep: docs/scenes.json
python docs/scene_figures.py real-time [NAME ...]    ten seeds, as fast as the clock on the wall: docs/scenes.json

Without names: all scenes, or all that have goals; real time is for eight of them. `docs/generate.py` writes the page.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from coopsim.features.studies.job import Task, run_task
from coopsim.features.studies.trial import ScenarioJob, recording_of
from coopsim.robots import load
from coopsim.robots.finding import SCENARIOS

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "scenes.json"
SIZE, COLORS, WAYS, LONGEST = (480, 300), 128, 600.0, 60.0
REAL_TIME = ("circle", "crossing", "doorway", "fig4", "gap", "moving_obstacle", "moving_target", "transport")
_TRIALS = {"trials": ("lockstep", ("--seeds", "20")), "real-time": ("real-time", ("--seeds", "10", "--real-time"))}


def main(arguments: Sequence[str]) -> int:
    """Make what the first word says, of the scenes that the others name."""
    what, *names = arguments or [""]
    if what not in {"pictures", *_TRIALS}:
        sys.stderr.write(__doc__ or "")
        return 2
    for name in names or _usual(what):
        sys.stdout.write(f"{name}\n")
        if what == "pictures":
            picture(name)
        else:
            mode, words = _TRIALS[what]
            keep(name, mode, trial(name, words))
    return 0


def _usual(what: str) -> list[str]:
    if what == "real-time":
        return list(REAL_TIME)
    names = sorted(path.stem for path in SCENARIOS.glob("*.scenario"))
    return names if what == "pictures" else [name for name in names if load(name).scenario.goals]


# pictures


def picture(name: str, folder: Path = FOLDER / "scenes") -> Path:
    """Run a scene in this process and draw its beginning, middle and end side by side; return the file."""
    spec = load(name)
    with tempfile.TemporaryDirectory() as kept:
        seconds = min(spec.scenario.settings.duration or LONGEST, 2.0 * LONGEST)
        job, task = ScenarioJob(spec, seconds, record="all", folder=kept), Task(0, {}, spec.scenario.settings.seed)
        row = run_task(job, task)
        if row.get("error"):
            raise SystemExit(f"{name}: {row['error']}")
        strip = _strip(recording_of(job, task))
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.png"
    strip.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    return path


def _strip(recording: Path) -> Image.Image:
    from coopsim.features.desktop.layers import Layers
    from coopsim.features.desktop.offscreen import Offscreen
    from coopsim.features.desktop.shown import RecordedScene
    from coopsim.features.desktop.views import View

    strip = Image.new("RGB", (3 * SIZE[0] + 8, SIZE[1]), "white")
    shown = RecordedScene(recording)
    with Offscreen(SIZE) as offscreen:
        view = View(shown, offscreen, SIZE, "", WAYS, Layers.only(["grid"]))
        for place, seconds in enumerate((shown.begin, (shown.begin + shown.end) / 2.0, shown.end)):
            part = Image.fromarray(view.picture(seconds))
            ImageDraw.Draw(part).text((8, 6), f"{seconds:.0f} s", fill="black")
            strip.paste(part, (place * (SIZE[0] + 4), 0))
    shown.close()
    return strip


# trials


def trial(name: str, words: Sequence[str]) -> Mapping[str, Any]:
    """Return what `coopsim trial` says of a scene."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "coopsim", "trial", name, "--jitter", "0.1,5", *words, "--json"]
        out = subprocess.run([*command, "--out", f"{folder}/study"], stdout=subprocess.PIPE, check=False).stdout
    report: dict[str, Any] = json.loads(out)
    return report


def keep(name: str, mode: str, found: Mapping[str, Any]) -> None:
    """Write what became of the runs of a scene into `docs/scenes.json`."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results.setdefault(name, {})[mode] = summary(found)
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def summary(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a trial: how many runs met all goals, when, and the worst of each metric."""
    rows = [row for row in found["results"] if row["success"]]
    times = [max(goal["at"] for goal in row["goals"] if goal["at"] is not None) for row in rows]
    worst = {
        name: round(pick(values), 3)
        for name, pick in (("clearance", min), ("formation_error_free_rms", max), ("force_max", max))
        if (values := [row["metrics"][name] for row in rows if row["metrics"].get(name) is not None])
    }
    return {
        "runs": found["runs"],
        "met": found["successes"],
        "first": min(times, default=None),
        "last": max(times, default=None),
        **worst,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
