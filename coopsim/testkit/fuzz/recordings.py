"""Recordings with right check sums and wrong contents, read in every way that there is.

Every reader refuses them in words, or reads what is there; it raises nothing else, ends, and keeps within its memory.
"""

import itertools
import random
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from coopsim.errors import CoopsimError
from coopsim.features.differences.comparison import diff
from coopsim.features.export.files import export_tables
from coopsim.features.export.series import distances, readings, ways
from coopsim.features.files.facts import facts_of
from coopsim.features.pictures.html_page import page
from coopsim.features.pictures.scene import scene_of_recording
from coopsim.features.proof.verify import verify
from coopsim.features.web import film
from coopsim.recording import Recording, recover
from coopsim.replay.continuing import Instant, continuation
from coopsim.replay.playable import PlayableRecording
from coopsim.replay.run_json import RUN, spec_of, spec_to_json
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Event, Object, RobotPlacement, Scenario, TargetSpec, World
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert, Remove, Restore, SetParameter, TakeSnapshot
from coopsim.testkit.fuzz.misfits import changed
from coopsim.testkit.fuzz.recorded import Parts, put_together, split_recording
from coopsim.testkit.recorded_run import RecordedRun

Reader = Callable[[Path], object]
_LATE = "[ROBOT_1]\ntype scout\nname late\nposition 1.0 0.1 0\n"
_NOISE = SetParameter("robot1", "sonars", "noise", 0.05)
_BEGAN = {"utc_ns": 1_700_000_000_000_000_000, "monotonic_ns": 0}  # any date, always the same


@cache
def sample() -> bytes:
    """Return a short recording in which everything happens, the same bytes each time."""
    objects = (
        Object("wall_1", "box", (0.2, 10.0, 0.5), (5.0, 0.0, 0.0), is_wall=True),
        Object("crate", "box", (0.4, 0.4, 0.4), (2.0, 0.0, 0.0), mass=5.0),
    )
    robots = tuple(RobotPlacement(f"robot{i}", "single", (-2.0, 1.5 * i, 0.0)) for i in (1, 2))
    events = (Event(0.05, (("robot1.sonars.noise", "0.05"),)),)
    scenario = Scenario(World(objects=objects), (TargetSpec("red", (4.0, 3.0, 0.0)),), robots, events=events)
    spec = RunSpec(scenario, {"single": load_type("single")})
    about = {
        "scenario": "sample",
        "seed": 0,
        "engine": "pymunk",
        "step": 0.01,
        "mode": "free",
        "flags": {},
        "began": _BEGAN,
    }
    with tempfile.TemporaryDirectory(prefix="coopsim-fuzz-") as folder:
        path, texts, clock = Path(folder) / "sample.mcap", {RUN: spec_to_json(spec)}, itertools.count(0.0, 0.01)
        simulation = Simulation(spec)
        with RecordedRun(simulation, path, metadata=about, attachments=texts, clock=clock.__next__) as run:
            run.simulation.command("robot1", "motors", 10, (0.4, 0.1))
            run.tick(8)
            for edit in (Insert(_LATE), TakeSnapshot("a"), _NOISE):
                run.edit(edit)
            run.tick(4)
            run.edit(Restore("a"))
            run.edit(Remove("crate"))
            run.tick(2)
        return path.read_bytes()


def mutant(_: bytes, chance: random.Random, __: Sequence[bytes] = ()) -> bytes:
    """Return the sample with one to three places changed, every check sum and offset right."""
    while True:
        with suppress(ValueError, OverflowError, TypeError, UnicodeError):  # no file can hold what came of it
            return put_together(changed(_apart(), chance))


@cache
def _apart() -> Parts:
    return split_recording(sample())


def recording(raw: bytes) -> None:
    """Read a recording as `coopsim info` does, and in one more way that its bytes decide.

    Raises:
        CoopsimError: It is damaged.
    """
    with tempfile.TemporaryDirectory(prefix="coopsim-fuzz-") as folder:
        path = Path(folder) / "fuzzed.mcap"
        path.write_bytes(raw)
        names = list(READERS)
        with suppress(CoopsimError):
            READERS[names[zlib.crc32(raw) % len(names)]](path)
        _facts(path)


def _facts(path: Path) -> object:
    with Recording.open(path) as recording:
        return str(facts_of(recording))


def _verified(path: Path) -> object:
    with Recording.open(path) as recording:
        return verify(recording, spec_of(recording)).to_json()


def _compared(path: Path) -> object:
    original = path.with_name("sample.mcap")
    original.write_bytes(sample())
    with Recording.open(path) as recording, Recording.open(original) as original_recording:
        return diff(recording, original_recording).to_json(), str(diff(original_recording, recording))


def _tables(kind: str) -> Reader:
    def export(path: Path) -> object:
        with Recording.open(path) as recording:
            return export_tables(recording, kind, path.parent / kind)

    return export


def _page(path: Path) -> object:
    with Recording.open(path) as recording:
        return page(recording)


def _film(path: Path) -> object:
    with Recording.open(path) as recording:
        return film.page(recording)


def _plotted(path: Path) -> object:
    with Recording.open(path) as recording:
        pairs = [("robot1", "crate")]
        return (
            scene_of_recording(recording),
            ways(recording),
            readings(recording, "robot1.sonars"),
            distances(recording, pairs),
        )


def _played(path: Path) -> object:
    playable = PlayableRecording(path)
    try:
        for number in (0, len(playable) // 2, len(playable) - 1):
            layout, record = playable.at(number)
            playable.number_at(playable.position_ns(number))
            with suppress(CoopsimError):
                playable.parameters.value(number, "robot1", "sonars", "noise")
            str((layout, record.edits, record.mode, playable.facts, record.poses.tolist()))
        return playable.end_ns
    finally:
        playable.close()


def _recovered(path: Path) -> object:
    whole = path.with_name("whole.mcap")
    recovery = recover(path, whole)
    with Recording.open(whole) as recording:
        return recovery, len(list(recording.records()))


def _continued(path: Path) -> object:
    with Recording.open(path) as recording:
        return continuation(recording, spec_of(recording), Instant(path))


READERS: Mapping[str, Reader] = {
    "verify": _verified,
    "diff": _compared,
    "csv": _tables("csv"),
    "jsonl": _tables("jsonl"),
    "page": _film,
    "flat page": _page,
    "plot": _plotted,
    "replay": _played,
    "recover": _recovered,
    "continue": _continued,
}
"""Ways to read a recording, besides `info`."""
