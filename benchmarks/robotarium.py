"""Runs the examples of rps with rps itself and with coopsim, by turns: `benchmarks/robotarium.py FOLDER [NAME ...]`.

FOLDER is a clone of github.com/robotarium/robotarium_python_simulator, whose `rps` is used; nothing of it is kept here.
Both begin at the first places with the same seed, and nothing is drawn. A table in Markdown is printed row by row: the
one of docs/robotarium.md. The exit code is 1 where an example is unsafe in a way in which it is not with rps.
"""

import argparse
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 1
LIMIT = 1800.0  # s; examples that take longer, such as the one of the Kalman filter, are given up
KINDS = {"robots_outside_boundaries": "outside", "robots_too_close": "close", "exceeded_actuator_limits": "fast"}
"""Ways to be unsafe by their names in rps."""
HEAD = (
    "| example | steps there, here | mean distance [m] | largest [m] | at the end [m] | unsafe steps: `rps` | here "
    "| processor [s] there, here |\n|---|---|---|---|---|---|---|---|"
)
Floats = NDArray[np.float64]


def run_example(example: Path, out: Path, *, is_ours: bool, drives_first: bool = False) -> None:
    """Run an example in this process, and write poses, violations and seconds of the processor to a file `.npz`.

    Seconds are those of the whole process with all its threads: programs that run beside it do not count.

    Args:
        example: The program.
        out: Written.
        is_ours: Whether robots are those of coopsim.
        drives_first: Whether they drive to their first places, as they do where a script says nothing.
    """
    if is_ours:
        from coopsim.kept_methods import keep_methods

        keep_methods()
        import coopsim.app.main  # noqa: F401 - what the command needs besides
        from coopsim.memory import collect_seldom, uncollected

        with uncollected():  # as the command does
            from coopsim.features.others.quick_start import import_kernels

            import_kernels()
            from coopsim.features.others.own_runs import ShownRun
            from coopsim.features.others.robotarium.arena import ScriptOptions, ScriptRobots
            from coopsim.features.others.robotarium.script import prepare

            collect_seldom()
        arena = ScriptRobots(ScriptOptions(own=ShownRun(record=out.with_suffix(".mcap"))))
        prepare(example, (), arena, is_drawn=False, is_paced=False)
    module: Any = importlib.import_module("rps.robotarium")
    kind: Any = module.Robotarium
    log: list[Floats] = []
    instances: list[Any] = []

    class Logged(kind):  # type: ignore[misc]  # the class of rps, or ours
        show_figure: bool

        def __init__(self, **choices: Any) -> None:
            skipped = {} if drives_first else {"skip_initialization": True}
            super().__init__(**{**choices, **skipped, "sim_in_real_time": False})
            instances.append(self)

        def get_poses(self) -> Floats:
            poses: Floats = super().get_poses()
            log.append(poses.copy())
            return poses

        def step(self) -> None:
            is_shown, self.show_figure = self.show_figure, False
            super().step()
            self.show_figure = is_shown

    module.Robotarium = Logged
    np.random.seed(SEED)  # noqa: NPY002 - the generator that rps draws from
    sys.argv[:] = [str(example)]
    runpy.run_path(str(example), run_name="__main__")
    if is_ours:
        arena.end()
    seconds = time.process_time()
    unsafe = json.dumps({KINDS[name]: count for name, count in instances[-1]._errors.items()})  # noqa: SLF001 - of rps
    np.savez(out, poses=np.stack(log), unsafe=unsafe, seconds=seconds)


def compared(name: str, theirs: Any, ours: Any) -> tuple[str, bool]:
    """Return the row of an example, and whether it is unsafe in no way in which it is not with rps.

    Args:
        name: Of the example.
        theirs: What `run_example` wrote of rps.
        ours: The same of coopsim.
    """
    first, second = theirs["poses"], ours["poses"]
    count = min(len(first), len(second))
    distances = np.hypot(*(first[:count, :2] - second[:count, :2]).transpose(1, 0, 2))
    ends = np.hypot(*(first[-1, :2] - second[-1, :2]))
    unsafe = [json.loads(str(result["unsafe"])) for result in (theirs, ours)]
    words = [", ".join(f"{kind} {number}" for kind, number in kinds.items()) or "none" for kinds in unsafe]
    seconds = f"{float(theirs['seconds']):.1f}, {float(ours['seconds']):.1f}"
    row = (
        f"| `{name}` | {len(first)}, {len(second)} | {distances.mean():.4f} | {distances.max():.3f} | {ends.max():.3f} "
        f"| {words[0]} | {words[1]} | {seconds} |"
    )
    return row, set(unsafe[1]) <= set(unsafe[0])


def results_of(example: Path, package: Path, folder: Path, *, is_ours: bool, drives_first: bool = False) -> Any:
    """Run an example in a process of its own; return what it wrote, None where it did not end."""
    out = folder / f"{example.stem}-{'ours' if is_ours else 'theirs'}.npz"
    words = [sys.executable, __file__, "--run", str(example), str(out)]
    words += [*(["--ours"] if is_ours else []), *(["--drives-first"] if drives_first else [])]
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore"}
    try:
        subprocess.run(words, check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL, timeout=LIMIT)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"{example.stem}: {problem}", file=sys.stderr)
        return None
    return np.load(out)


def main(words: Sequence[str]) -> int:
    """Run examples by turns and print their rows; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="Examples by their names; default: all of them.")
    parser.add_argument(
        "--drives-first", action="store_true", help="Let robots drive to their first places; then ends alone compare."
    )
    choices = parser.parse_args(words)
    package = choices.folder.resolve()
    programs = sorted(package.glob("rps/examples/**/*.py"))
    examples = [file for file in programs if "Robotarium(" in file.read_text(encoding="utf-8")]
    examples = [file for file in examples if not choices.names or file.stem in choices.names]
    print(HEAD, flush=True)
    is_safe = True
    with tempfile.TemporaryDirectory(prefix="coopsim-robotarium-") as folder:
        for example in examples:
            theirs, ours = (
                results_of(example, package, Path(folder), is_ours=is_ours, drives_first=choices.drives_first)
                for is_ours in (False, True)
            )
            if theirs is not None and ours is not None:
                row, is_alike = compared(example.stem, theirs, ours)
                is_safe = is_safe and is_alike
                print(row, flush=True)
    return int(not is_safe)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run_example(
            Path(sys.argv[2]),
            Path(sys.argv[3]),
            is_ours="--ours" in sys.argv,
            drives_first="--drives-first" in sys.argv,
        )
    else:
        sys.exit(main(sys.argv[1:]))
