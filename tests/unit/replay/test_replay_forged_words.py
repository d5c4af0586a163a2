"""What a recording says in words is proved, or listed as what the file alone says: a forgery of each is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forger import Forgery, Opened, forge, nudged, restate

from coopsim.features.proof.verdict import Verdict
from coopsim.features.proof.verify import verify
from coopsim.recording import HEADS, Recording
from coopsim.recording.ending import Ending, digest
from coopsim.replay.about import BEGINS_RUN, attachments, metadata
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import RUN, spec_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Note, OfferModule, PublishEvents, Reset, SetParameter, WithdrawModule, WriteModule
from coopsim.testkit.recorded_run import RecordedRun

SCENE = """[SIMULATION]
mode lockstep
seed 3
[WORLD]
file yard.world
[ROBOT_1]
type single
name robot1
[VIEW]
caption one robot in a yard
[CONTROLLER_1]
run wander
robots robot1
[GOAL_1]
reach 2 0 0.5
within 5
"""
WORLD = """[FLOOR]
size 20 20 0
texture floor.png
[OBJECT_1]
name crate
type box
size 0.4 0.4 0.4
position 3 0 0
mass 5
mesh crate.stl
[MAP]
image plan.pgm
resolution 0.5
origin -8 -8
"""
PLAN = b"P5 4 4 255\n" + bytes([255, 0, 255, 255] * 4)
EVENT = PublishEvents(["lap"], ["done"], ["robot1"], [3], [1], [1.0])
PROBE = {"values": [{"name": "level", "unit": "m"}]}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording with textures, a mesh, a map, told values, events and notes; a reset comes before a second."""
    folder = tmp_path_factory.mktemp("words")
    files = {"yard.world": WORLD.encode(), "yard.scenario": SCENE.encode(), "plan.pgm": PLAN}
    for name, content in {**files, "floor.png": b"p", "crate.stl": b"s"}.items():
        (folder / name).write_bytes(content)
    spec, path = load(folder / "yard.scenario"), folder / "honest.mcap"
    texts = attachments(spec, {})
    assert set(texts) == {RUN, "yard.scenario", "yard.world", "single.robot"}
    said = metadata(spec, {}, run=7, notes={"operator": "Ada"}, controllers=spec.scenario.controllers)
    said["begins"] = BEGINS_RUN
    with RecordedRun(Simulation(spec), path, metadata=said, attachments=texts, mode="lockstep") as run:
        run.simulation.command("robot1", "motors", 10, (0.3, 0.1))
        run.tick(10)
        run.edit(OfferModule("/probe", PROBE))
        run.edit(WriteModule("/probe", {"level": 0.5}, 1))
        run.edit(EVENT)
        run.edit(Note("stopped by hand", "robot1"))
        run.tick(20)
        run.edit(WithdrawModule("/probe"))
        run.edit(SetParameter("robot1", "motors", "gain", "2.0"))
        run.tick(20)
        run.edit(Reset("all"))
        run.tick(130)
    return path


def verdict_on(path: Path) -> Verdict:
    with Recording.open(path) as recording:
        return verify(recording, spec_of(recording))


def text(name: str, old: str, new: str, *, is_listed: bool = False) -> Forgery:
    """Change an attached text, and the list of what is attached where the forger thinks of it."""

    def change(opened: Opened) -> None:
        assert old in opened.attachments[name]
        opened.attachments[name] = opened.attachments[name].replace(old, new)
        if is_listed:
            opened.metadata["attached"][name] = digest(opened.attachments[name])

    return change


def replaced(name: str, content: str) -> Forgery:
    return lambda opened: opened.attachments.update({name: content})


def without(name: str) -> Forgery:
    return lambda opened: opened.attachments.pop(name) and None


def said(name: str, value: Any) -> Forgery:
    return lambda opened: opened.metadata.update({name: value})


def unsaid(name: str) -> Forgery:
    return lambda opened: opened.metadata.pop(name) and None


def first_frame(name: str) -> Forgery:
    def change(state: dict[str, Any]) -> None:
        parameters = state["blocks"]["single"]["devices"]["motors"]["parameters"]
        parameters[name] = nudged(parameters[name], 0, 0.125)

    return lambda opened: restate(change)(opened.frames()[0])


def edits(change: Callable[[list[dict[str, Any]]], None]) -> Forgery:
    def forgery(opened: Opened) -> None:
        for content in opened.edits():
            change(content["edits"])

    return forgery


def changed(kind: str, **values: Any) -> Forgery:
    def change(found: list[dict[str, Any]]) -> None:
        for edit in found:
            edit.update(values if edit["edit"] == kind else {})

    return edits(change)


def added(opened: Opened) -> None:
    content = next(edit_ for edit_ in opened.edits() if any(edit["edit"] == "note" for edit in edit_["edits"]))
    content["edits"].append(Note("reached its goal", "robot1").to_plain())


def cut(records: int, *, ending: bool = True) -> Forgery:
    """Drop the last records; the file is closed properly."""

    def change(opened: Opened) -> None:
        last = next(message for _, _, message in reversed(opened.chunks[-1]) if "heads" in message)
        last["records"] -= records
        for name in ("heads", "speed", "commands", "poses", "twists", "readings"):
            last[name] = last[name][:-records]
        last["hashes"] = last["hashes"][: -16 * records]
        for name in ("tick", "revision", "position_ns"):
            last[name][1] = int(last["heads"][-1, HEADS.index(name)])
        if not ending:
            opened.ending = ""

    return change


def gap(opened: Opened) -> None:
    opened.ticks()[1]["gap"] += 3


def parent(opened: Opened) -> None:
    """Say that it goes on from another run, so that less be asked."""
    opened.metadata["parent"] = {"file": "other.mcap", "tick": 0, "time": 0.0, "exact": True, "seamless": True}
    opened.metadata.pop("begins")
    text("yard.scenario", "seed 3", "seed 3\npatience 2", is_listed=True)(opened)


DIFFERENT: dict[str, tuple[Forgery, str]] = {
    "a world of its own": (replaced("yard.world", "this is a forged world"), "attachment yard.scenario"),
    "a scenario of its own": (replaced("yard.scenario", "this is a forged scenario"), "attachment yard.scenario"),
    "a world beside textures": (text("yard.world", "mass 5", "mass 6"), "attachments: scenario.world.objects"),
    "a texture": (text("yard.world", "floor.png", "other.png"), "attachments: scenario.world.floor.texture"),
    "a mesh": (text("yard.world", "crate.stl", "other.stl"), "attachments: scenario.world.objects"),
    "a map": (text("yard.world", "resolution 0.5", "resolution 0.6"), "attachments: scenario.world.objects"),
    "a goal": (text("yard.scenario", "within 5", "within 9"), "attachments: scenario.goals"),
    "a caption in the text": (text("yard.scenario", "in a yard", "in a hall"), "metadata caption"),
    "a comment": (replaced("single.robot", "# harmless\n"), "attach"),
    "a robot of no interest": (text("single.robot", "small mobile", "large mobile"), "attachment single.robot"),
    "a text added": (replaced("result.txt", "all goals reached"), "attachment result.txt"),
    "a caption": (said("caption", "two robots"), "metadata caption"),
    "a caption dropped": (unsaid("caption"), "metadata caption"),
    "a game": (said("game", {"rules": "flag"}), "metadata game"),
    "controllers": (said("controllers", [{"run": "seek", "robots": ["robot1"]}]), "metadata controllers"),
    "a gain in key frame 0": (first_frame("gain"), "key frame blocks.single.devices.motors.parameters.gain"),
    "a speed in key frame 0": (first_frame("max_speed"), "key frame blocks.single.devices.motors.parameters"),
    "a gap": (gap, "gap"),
    "a parent and other settings": (parent, "attachments: scenario.settings.patience"),
}
STATED: dict[str, tuple[Forgery, str, str]] = {
    "an offer": (changed("offer_module", content={"values": []}), "told values", "ticks 10 to 30"),
    "a value": (changed("write_module", values={"level": 9.0}), "told values", "write_module /probe"),
    "a count": (changed("write_module", count=5), "told values", "write_module /probe"),
    "a withdrawal": (changed("withdraw_module", module="/other"), "told values", "withdraw_module /other"),
    "an event": (changed("publish_events", texts=["lost"]), "published events", "publish_events, tick 10"),
    "a note": (added, "notes of the run", "reached its goal robot1"),
    "notes": (said("notes", {"operator": "Eve"}), "metadata notes", "operator Eve"),
    "the date": (said("began", {"utc_ns": 5, "monotonic_ns": 6}), "metadata began", "utc_ns 5"),
    "the run": (said("run", 9), "metadata run", "9"),
    "versions": (said("versions", {"numpy": "1.0"}), "metadata versions", "numpy 1.0"),
    "a parent": (said("parent", {"file": "other.mcap", "tick": 3}), "metadata parent", "file other.mcap"),
    "plugins": (said("plugins", [{"file": "a.py", "sha256": "ab" * 32}]), "metadata plugins", "a.py sha256 abab"),
}
PARTIAL: dict[str, tuple[Forgery, str]] = {
    "the scenario dropped": (without("yard.scenario"), "yard.scenario is missing"),
    "the world dropped": (without("yard.world"), "yard.world"),
    "the last records dropped": (cut(2), "2 records are missing at the end"),
    "the last records and the ending dropped": (cut(2, ending=False), "nothing says that these are all records"),
}


def test_a_recording_with_textures_meshes_and_a_map_is_proved_with_its_texts(honest: Path) -> None:
    verdict = verdict_on(honest)
    assert verdict.outcome is Outcome.IDENTICAL, (verdict.difference, verdict.breaks, verdict.open)
    proved = {claim.kind: claim.where for claim in verdict.proved}
    assert proved["attached texts"] == "single.robot, yard.scenario, yard.world"
    assert proved["first state"] == "the one that run.json makes"
    assert proved["metadata of the texts"] == "caption"
    stated = {claim.kind: claim.where for claim in verdict.stated}
    assert (
        stated["told values"]
        == "1 offer_module /probe, 1 withdraw_module /probe, 1 write_module /probe, ticks 10 to 30"
    )
    assert stated["metadata notes"] == "operator Ada"
    assert "attached texts" not in stated
    assert verdict.to_json()["as_the_file_says"][0].keys() == {"kind", "where"}


def test_a_map_whose_picture_is_gone_is_named_and_the_rest_is_proved(honest: Path) -> None:
    picture = honest.parent / "plan.pgm"
    kept = picture.read_bytes()
    picture.unlink()
    try:
        verdict = verdict_on(honest)
    finally:
        picture.write_bytes(kept)
    assert (verdict.outcome, verdict.outcome.exit_code, verdict.ticks) == (Outcome.PARTIAL, 4, 180)
    assert verdict.open == (
        "the attached texts cannot be read without plan.pgm: put the file where it lay, or beside the recording",
    )


@pytest.mark.parametrize("name", ["floor.png", "crate.stl"])
def test_a_picture_that_only_shows_something_need_not_be_here(honest: Path, name: str) -> None:
    file = honest.parent / name
    kept = file.read_bytes()
    file.unlink()
    try:
        assert verdict_on(honest).identical
    finally:
        file.write_bytes(kept)


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_forged_word_is_found_and_named(honest: Path, name: str) -> None:
    forgery, field = DIFFERENT[name]
    verdict = verdict_on(_forged(honest, forgery))
    assert verdict.outcome is Outcome.DIFFERENT, verdict
    assert verdict.difference is not None
    assert field in verdict.difference.mismatch.field, str(verdict.difference)


@pytest.mark.parametrize("name", STATED)
def test_a_word_that_nobody_can_prove_is_listed_with_its_place(honest: Path, name: str) -> None:
    forgery, kind, where = STATED[name]
    verdict = verdict_on(_forged(honest, forgery))
    assert verdict.difference is None, str(verdict.difference)
    listed = {claim.kind: claim.where for claim in verdict.stated}
    assert where in listed[kind]
    assert kind not in {claim.kind for claim in verdict.proved}


@pytest.mark.parametrize("name", PARTIAL)
def test_what_is_dropped_is_missed(honest: Path, name: str) -> None:
    forgery, words = PARTIAL[name]
    verdict = verdict_on(_forged(honest, forgery))
    assert (verdict.outcome, verdict.outcome.exit_code) == (Outcome.PARTIAL, 4), verdict.difference
    assert words in " ".join([*map(str, verdict.breaks), *verdict.open])


def test_an_ending_that_says_less_than_there_is_is_found(honest: Path) -> None:
    def shorter(opened: Opened) -> None:
        opened.ending = Ending(100, 99, 90).pack()

    verdict = verdict_on(_forged(honest, shorter))
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.difference is not None
    assert verdict.difference.mismatch.field == "end"


def _forged(honest: Path, forgery: Forgery) -> Path:
    """Write the forgery beside the honest recording, where its files lie."""
    target = honest.parent / "forged.mcap"
    target.unlink(missing_ok=True)
    return forge(honest, target, forgery)
