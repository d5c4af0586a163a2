"""Makes the pictures of `docs/arms.md`, and measures what the three arms do in the scene `pick_and_place`.

python docs/arm_figures.py pictures    docs/arms.png: the scene as it begins, while blocks are carried, and when all lie
python docs/arm_figures.py table       docs/arms.json: when each arm was done, and how far off its block lies

`docs/generate.py` writes the page.
"""

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.shown import RecordedScene
from coopsim.features.desktop.views import View
from coopsim.features.laws import reach
from coopsim.features.studies.job import Task, run_task
from coopsim.features.studies.trial import ScenarioJob, recording_of
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

FOLDER = Path(__file__).parent
SCENE, SECONDS, PUT_DOWN = "pick_and_place", 15.0, (0.0, 0.45, 0.0)
SIZE, COLORS, TIMES = (420, 360), 160, (0.0, 5.0, SECONDS)


def main(arguments: Sequence[str]) -> int:
    """Make what the only word says."""
    action = {"pictures": picture, "table": table}.get(" ".join(arguments))
    if action is None:
        sys.stderr.write(__doc__ or "")
        return 2
    action()
    return 0


def picture() -> None:
    """Draw the scene at three times, side by side."""
    with tempfile.TemporaryDirectory() as folder:
        spec = load(SCENE)
        job, task = ScenarioJob(spec, SECONDS, record="all", folder=folder), Task(0, {}, spec.scenario.settings.seed)
        row = run_task(job, task)
        if row.get("error"):
            raise SystemExit(f"{SCENE}: {row['error']}")
        shown = RecordedScene(recording_of(job, task))
        strip = Image.new("RGB", (len(TIMES) * (SIZE[0] + 4) - 4, SIZE[1]), "white")
        with Offscreen(SIZE) as offscreen:
            view = View(shown, offscreen, SIZE, "", 0.0, Layers.only(["grid"]))
            for place, seconds in enumerate(TIMES):
                strip.paste(Image.fromarray(view.picture(min(seconds, shown.end))), (place * (SIZE[0] + 4), 0))
        shown.close()
    strip.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(FOLDER / "arms.png", optimize=True)


def table() -> None:
    """Run each arm in this process and keep when it was done, and how far off its block lies."""
    spec = load(SCENE)
    kinds = {robot.name: robot.type for robot in spec.scenario.robots}
    rows = {}
    for law in spec.scenario.controllers:
        name, points = law.robots[0], next(entry.values[0] for entry in law.entries if entry.key == "points")
        simulation, said = Simulation(spec), io.StringIO()
        server = LocalServer(simulation, wait_for=(name,), duration=SECONDS)
        with contextlib.redirect_stdout(said):
            server.run(partial(reach.main, ["--robots", name, "--points", points]))
        placed = dict(zip(simulation.engine.names, simulation.engine.poses[:, :3], strict=True))
        error = float(np.linalg.norm(placed[f"block_{name}"] - placed[name] - PUT_DOWN))
        seconds = int(said.getvalue().rpartition("tick ")[2]) * simulation.step_ns * 1e-9
        rows[kinds[name]] = {"seconds": round(seconds, 1), "error": round(error, 3)}
    (FOLDER / "arms.json").write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
