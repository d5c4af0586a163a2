"""A recording with one thing changed and right check sums is found, and what was changed is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from forger import Forgery, Opened, forge, nudged, restate

from coopsim.features.differences.comparison import diff
from coopsim.features.proof.verify import verify
from coopsim.recording import Recording, recover
from coopsim.replay.about import attachments, metadata
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import RUN, spec_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Continue, Insert, Pause, Restore, SetMode, SetSpeed, Step, TakeSnapshot
from coopsim.testkit.recorded_run import RecordedRun

SCENE = """[SIMULATION]
mode lockstep
seed 3
[WORLD]
file yard.world
[ROBOT_1]
type cart
name robot1
[ROBOT_2]
type cart
name robot2
position 0 2 0
[EVENT_1]
at 0.4
set robot1.sonars.noise 0.05
[EVENT_2]
at 1.2
reset all
"""
WORLD = "[FLOOR]\nsize 20 20 0\n[OBJECT_1]\nname crate\ntype box\nsize 0.4 0.4 0.4\nposition 3 0 0\nmass 5\n"
LATE = "[ROBOT_1]\ntype cart\nname late\nposition -2 -2 0\n"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of everything that a forger may change: edits, events, snapshots, another pace."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "yard.world").write_text(WORLD)
    (folder / "yard.scenario").write_text(SCENE)
    kind = Path(load("single").types["single"].span.file).read_text()
    (folder / "cart.robot").write_text(kind)
    spec = load(folder / "yard.scenario")
    path = folder / "honest.mcap"
    texts = attachments(spec, {})
    assert set(texts) == {RUN, "yard.scenario", "yard.world", "cart.robot"}
    with RecordedRun(Simulation(spec), path, metadata=metadata(spec, {}), attachments=texts, mode="lockstep") as run:
        for name in ("robot1", "robot2"):
            run.simulation.command(name, "motors", 10, (0.3, 0.1))
        run.tick(60)
        run.edit(TakeSnapshot("a"))
        run.edit(Insert(LATE))
        run.tick(90)
        run.edit(Restore("a"))
        run.edit(Pause())
        run.edit(Step(3))
        run.tick(3)
        run.edit(Step(9))
        run.tick(2)
        run.edit(Continue())  # ends the step
        run.edit(Pause())
        run.edit(Continue())
        run.edit(SetSpeed(2.0))
        run.edit(SetMode("free"))
        run.tick(150)
    return path


def table(name: str, row: int = 7, column: int = 0, way: float = 1.0) -> Forgery:
    def change(opened: Opened) -> None:
        opened.ticks()[0][name][row, column] += way

    return change


def head(name: str, way: int = 1, *, row: int | None = 20) -> Forgery:
    def change(opened: Opened) -> None:
        for column in opened.head(name) if row is None else opened.head(name)[:1]:
            column[slice(None) if row is None else slice(row, row + 1)] += way

    return change


def dropped(kind: str) -> Forgery:
    def change(opened: Opened) -> None:
        for content in opened.edits():
            content["edits"] = [edit for edit in content["edits"] if edit["edit"] != kind]

    return change


def frame(number: int, change: Callable[[dict[str, Any]], None]) -> Forgery:
    return lambda opened: restate(change)(opened.frames()[number])


def motors(state: dict[str, Any]) -> dict[str, Any]:
    devices: dict[str, Any] = state["blocks"]["cart"]["devices"]
    return devices


def all_poses(opened: Opened) -> None:
    for content in opened.ticks():
        content["poses"][:, 0] += 5.0


def all_readings(opened: Opened) -> None:
    for content in opened.ticks():
        content["readings"][:] = 1.0


def reversed_bodies(opened: Opened) -> None:
    layout = next(iter(opened.layouts.values()))
    layout["bodies"] = layout["bodies"][::-1]


def painted(opened: Opened) -> None:
    for layout in opened.layouts.values():
        for visuals in layout["looks"]:
            visuals[0]["color"] = [0.0, 1.0, 0.0]


def without_looks(opened: Opened) -> None:
    for layout in opened.layouts.values():
        del layout["looks"]
        for entity in layout["entities"]:
            entity.pop("visuals")
            entity.pop("is_wall", None)


def changed_event(opened: Opened) -> None:
    event = next(edit for content in opened.edits() for edit in content["edits"] if "event" in edit)
    event["value"] = 0.5


def dropped_events(opened: Opened) -> None:
    for content in opened.edits():
        content["edits"] = [edit for edit in content["edits"] if "event" not in edit]


def text(name: str, old: str, new: str) -> Forgery:
    def change(opened: Opened) -> None:
        assert old in opened.attachments[name]
        opened.attachments[name] = opened.attachments[name].replace(old, new)

    return change


def said(name: str, value: Any) -> Forgery:
    return lambda opened: opened.metadata.update({name: value})


def generation(opened: Opened) -> None:
    for content in opened.ticks():
        content["generation"] += 4
    opened.layouts = {number + 4: {**layout, "generation": number + 4} for number, layout in opened.layouts.items()}


def other_mass(state: dict[str, Any]) -> None:
    bodies = msgpack.unpackb(state["bodies"])
    next(body for body in bodies[1] if body[0] == "crate")[2] = 50.0
    state["bodies"] = msgpack.packb(bodies)


def change_in(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda state: state.update({name: value})


def remember(state: dict[str, Any]) -> None:
    memory = motors(state)["motors"]["memory"]
    memory["travel"] = nudged(memory["travel"])


def retune(state: dict[str, Any]) -> None:
    parameters = motors(state)["motors"]["parameters"]
    parameters["gain"] = nudged(parameters["gain"], 1, 100.0)


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "all poses": (all_poses, "pose.x"),
    "one pose": (table("poses"), "pose.x"),
    "the last bit of a pose": (table("poses", 30, 1, 1e-7), "pose.y"),
    "one twist": (table("twists"), "twist.vx"),
    "all readings": (all_readings, "motors.v"),
    "one reading": (table("readings", 9, 6), "sonars.ranges"),
    "a stamp": (table("commands", 40, 0), "motors.stamp"),
    "a command": (table("commands", 40, 2), "twist.vx"),
    "time of all records": (head("time_ns", 1_000_000_000, row=None), "time_ns"),
    "time of one record": (head("time_ns"), "time_ns"),
    "position": (head("position_ns"), "position_ns"),
    "tick": (head("tick"), "tick"),
    "step": (head("step_ns", 1000, row=None), "step_ns"),
    "mode of one record": (head("mode"), "mode"),
    "mode of all records": (head("mode", 1, row=None), "mode"),
    "pause": (head("flags", 1), "paused"),
    "the end": (head("flags", 2), "ended"),
    "overruns": (head("overruns", 7), "overruns"),
    "lateness": (head("max_lateness_ns", 9), "max_lateness_ns"),
    "slipped": (head("slipped_ns", 9), "slipped_ns"),
    "wall time": (head("wall_ns", 1 << 40), "wall_ns"),
    "revision": (head("revision", 3), "number of the record"),
    "revision that goes back": (head("revision", (1 << 64) - 5), "number of the record"),
    "speed": (table("speed"), "speed"),
    "generation": (generation, "generation"),
    "layout": (reversed_bodies, "layout bodies"),
    "looks": (painted, "layout entities[0].visuals[0]"),
    "events changed": (changed_event, "timed events"),
    "events dropped": (dropped_events, "timed events"),
    "insert dropped": (dropped("insert"), "type"),
    "snapshot dropped": (dropped("snapshot"), "snapshots.a"),
    "restore dropped": (dropped("restore"), ""),
    "pause dropped": (dropped("pause"), "paused"),
    "memory": (frame(1, remember), "motors.memory.travel"),
    "parameters": (frame(1, retune), "motors.parameters.gain"),
    "seed of a key frame": (frame(2, change_in("seed", 4)), "key frame seed"),
    "seed of the first key frame": (frame(0, change_in("seed", 4)), ""),
    "events done": (frame(2, change_in("events_done", 0)), "events_done"),
    "mass of a body": (frame(1, other_mass), "key frame bodies"),
    "scenario": (text("yard.scenario", "position 0 2 0", "position 0 3 0"), "attachments: scenario.robots"),
    "world": (text("yard.world", "mass 5", "mass 6"), "attachments: scenario.world.objects"),
    "robot": (text("cart.robot", "max_force   40", "max_force   41"), "attachments: types.cart.devices"),
    "run.json": (text(RUN, '"seed":3', '"seed":4'), "metadata seed"),
    "metadata seed": (said("seed", 5), "metadata seed"),
    "metadata engine": (said("engine", "mujoco"), "metadata engine"),
    "metadata step": (said("step", 0.02), "metadata step"),
}


def test_the_honest_recording_is_identical(honest: Path, tmp_path: Path) -> None:
    same = forge(honest, tmp_path / "same.mcap", lambda _: None)
    older = forge(honest, tmp_path / "older.mcap", without_looks)  # as versions before the looks wrote it
    for path in (honest, same, older):
        with Recording.open(path) as recording:
            verdict = verify(recording, spec_of(recording))
        assert verdict.difference is None, str(verdict.difference)
        assert (verdict.outcome, verdict.ticks, verdict.total) == (Outcome.IDENTICAL, 305, 305)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found_and_named(honest: Path, tmp_path: Path, name: str) -> None:
    forgery, field = FORGERIES[name]
    path = forge(honest, tmp_path / "forged.mcap", forgery)
    with Recording.open(path) as recording:
        verdict = verify(recording, spec_of(recording))
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.outcome.exit_code == 1
    assert verdict.difference is not None
    assert field in verdict.difference.mismatch.field, str(verdict.difference)
    assert "-" not in str(verdict.difference).partition("records")[0].split(":")[0]


def test_where_a_forgery_is_found(honest: Path, tmp_path: Path) -> None:
    with Recording.open(forge(honest, tmp_path / "a.mcap", table("poses"))) as recording:
        difference = verify(recording, spec_of(recording)).difference
    assert difference is not None
    assert (difference.tick, difference.mismatch.entity) == (7, "crate")


def test_diff_finds_what_is_shown_otherwise(honest: Path, tmp_path: Path) -> None:
    forged = forge(honest, tmp_path / "a.mcap", all_poses)
    with Recording.open(honest) as left, Recording.open(forged) as right:
        comparison = diff(left, right)
    assert comparison.outcome is Outcome.DIFFERENT
    assert comparison.difference is not None
    assert comparison.difference.mismatch.field == "pose.x"


def test_recover_does_not_call_a_damaged_recording_complete(honest: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with Recording.open(honest) as recording:
        offset = recording.index.places[1].offset
    raw = bytearray(honest.read_bytes())
    raw[offset + 200] ^= 0xFF
    path.write_bytes(raw)
    recovered = recover(path, tmp_path / "b.mcap")
    assert not recovered.was_complete
    assert recovered.damaged_chunks == 1


def test_what_verify_says_as_json(honest: Path) -> None:
    with Recording.open(honest) as recording:
        said = json.loads(json.dumps(verify(recording, spec_of(recording)).to_json()))
    assert (said["outcome"], said["compared"], said["total"]) == ("identical", 305, 305)
