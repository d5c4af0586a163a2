"""Recordings with right check sums and wrong contents: refused in words that name the file, by every command."""

import random
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from coopsim.app.main import cli
from coopsim.errors import CoopsimError, DamagedRecording
from coopsim.recording import Recording
from coopsim.testkit.fuzz import Fuzzer
from coopsim.testkit.fuzz.recorded import Parts, put_together, split_recording
from coopsim.testkit.fuzz.recordings import READERS, mutant, recording, sample

MUTANTS = 100
COMMANDS = (
    ("info",),
    ("verify",),
    ("diff", "SAMPLE"),
    ("export", "--csv", "OUT", "--jsonl", "OUT", "--html", "OUT/page.html"),
    ("plot", "--paths", "OUT.svg"),
    ("plot", "--reading", "robot1.sonars", "OUT.svg"),
    ("recover", "--to", "OUT.mcap"),
)


def test_a_recording_that_is_put_together_again_is_the_same() -> None:
    assert split_recording(put_together(split_recording(sample()))) == split_recording(sample())


def test_a_seed_decides_every_byte_that_readers_are_fed_with() -> None:
    anew = sample.__wrapped__()
    assert anew == sample()
    first, again = ([mutant(anew, chance) for _ in range(5)] for chance in (random.Random(7), random.Random(7)))
    assert first == again


@pytest.mark.parametrize("is_new", [False, True], ids=["fixed", "new"])
def test_mutants_are_read_or_refused_in_words(is_new: bool) -> None:
    seed = secrets.randbelow(1_000_000) if is_new else 19
    fuzzer = Fuzzer(recording, [sample()], seed, mutate=mutant)
    for _ in range(MUTANTS):
        fuzzer.turn()
    problems = [finding.what for finding in fuzzer.findings]
    assert problems == [], f"once more: coopsim fuzz recordings --seed {seed} --count {MUTANTS + 1}"
    assert is_new or len(fuzzer.kinds) > 30, "mutants reach nothing"


@pytest.mark.parametrize("reader", READERS)
def test_the_sample_survives_every_reader(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "sample.mcap"
    file.write_bytes(sample())
    assert READERS[reader](file)


def edits(parts: Parts) -> list[dict[str, Any]]:
    """Return the first edits of a recording."""
    return next(
        message.content["edits"] for chunk in parts.chunks for message in chunk if message.topic == "/coopsim/edits"
    )


def content(parts: Parts, topic: str) -> dict[str, Any]:
    """Return the first message of a channel."""
    document: dict[str, Any] = next(
        message.content for chunk in parts.chunks for message in chunk if message.topic == topic
    )
    return document


def wrong_row(parts: Parts) -> None:
    next(message for chunk in parts.chunks for message in chunk if message.topic == "/coopsim/edits").content["row"] = (
        2**64 - 1
    )


def wrong_tick(parts: Parts) -> None:
    next(message for chunk in parts.chunks for message in chunk if message.topic == "/coopsim/edits").content[
        "tick"
    ] = None


def wrong_index(parts: Parts) -> None:
    parts.index[0][0][6] = [None, None]


def wrong_hashes(parts: Parts) -> None:
    content(parts, "/coopsim/ticks")["hashes"] = None


def wrong_names(parts: Parts) -> None:
    content(parts, "/coopsim/layouts")["bodies"].append("nobody")


def wrong_width(parts: Parts) -> None:
    content(parts, "/coopsim/layouts")["types"][0]["modules"][0]["reading_width"] = 10**9


def wrong_body(parts: Parts) -> None:
    content(parts, "/coopsim/layouts")["entities"][1]["body"] = 77


def wrong_edit(parts: Parts) -> None:
    del edits(parts)[0]["edit"]


def wrong_state(parts: Parts) -> None:
    del content(parts, "/coopsim/keyframes")["state"]["objects"]


def wrong_object(parts: Parts) -> None:
    content(parts, "/coopsim/keyframes")["state"]["objects"][0]["mass"] = "heavy"


def wrong_event(parts: Parts) -> None:
    parts.texts["run.json"]["scenario"]["events"][0]["set"][0][0] = "noise"


def wrong_shape(parts: Parts) -> None:
    parts.texts["run.json"]["scenario"]["world"]["objects"][1]["shape"] = "BOX"


def wrong_sizes(parts: Parts) -> None:
    crate = parts.texts["run.json"]["scenario"]["world"]["objects"][1]
    crate |= {"size": [0.0, 0.0, 0.0], "orientation": [0.3, 0.0, 0.0]}


def wrong_metadata(parts: Parts) -> None:
    parts.metadata["seed"] = {"a": 1}


WRONG = (
    *(wrong_row, wrong_tick, wrong_index, wrong_hashes, wrong_names, wrong_width, wrong_body),
    *(wrong_edit, wrong_state, wrong_object, wrong_event, wrong_shape, wrong_sizes, wrong_metadata),
)


@pytest.mark.parametrize("spoil", WRONG, ids=lambda it: it.__name__)
def test_every_command_tells_what_is_wrong(tmp_path: Path, spoil: Any) -> None:
    parts = split_recording(sample())
    spoil(parts)
    file, original = tmp_path / "spoilt.mcap", tmp_path / "sample.mcap"
    file.write_bytes(put_together(parts))
    original.write_bytes(sample())
    problems = []
    for name, *arguments in COMMANDS:
        words = [str(tmp_path / argument.lower()) if argument.startswith("OUT") else argument for argument in arguments]
        words = [str(original) if word == "SAMPLE" else word for word in words]
        (tmp_path / "out.mcap").unlink(missing_ok=True)
        result = CliRunner().invoke(cli, [name, str(file), *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            problems.append(result.exception)
    assert all(isinstance(problem, CoopsimError) for problem in problems), problems
    assert all("please report" not in str(problem) for problem in problems), problems
    if spoil not in (wrong_index, wrong_state, wrong_object):  # made anew; told by the verdict of `verify`
        assert problems
    assert all("spoilt.mcap" in str(problem) for problem in problems if isinstance(problem, DamagedRecording)), problems


def _spoil_settings(parts: Parts, spoil: Callable[[dict[str, Any]], object]) -> None:
    """Change the settings of sonars wherever a recording says them."""
    for chunk in parts.chunks:
        for message in chunk:
            if message.topic == "/coopsim/keyframes":
                for device in message.content["state"]["types"]["single"]["devices"]:
                    if device["kind"] == "sonars":
                        spoil(device["settings"])


@pytest.mark.parametrize(
    "spoil", [lambda it: it.pop("count"), lambda it: it.update(reach=".."), lambda it: it.update(count=10**9)]
)
def test_a_page_is_made_whatever_the_settings_of_sonars_are(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], object]
) -> None:
    """What came after the recording has its default; rays that cannot be are not drawn."""
    parts = split_recording(sample())
    _spoil_settings(parts, spoil)
    file = tmp_path / "other.mcap"
    file.write_bytes(put_together(parts))
    assert READERS["page"](file)


def test_a_damaged_edit_is_located_by_file_ticks_and_part(tmp_path: Path) -> None:
    parts = split_recording(sample())
    wrong_tick(parts)
    file = tmp_path / "spoilt.mcap"
    file.write_bytes(put_together(parts))
    expected = r"spoilt\.mcap, ticks 0 to \d+ \(chunk at byte \d+\): .*tick: expected a whole number from 0, found None"
    with Recording.open(file) as recording, pytest.raises(DamagedRecording, match=expected):
        list(recording.edits())


def test_what_nobody_foresaw_is_told_as_damage_that_should_be_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unforeseen(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("coopsim.features.files.facts.engines", unforeseen)
    file = tmp_path / "sample.mcap"
    file.write_bytes(sample())
    result = CliRunner().invoke(cli, ["info", str(file)])
    assert isinstance(result.exception, DamagedRecording)
    assert re.search(r"sample\.mcap: .*ZeroDivisionError at test_fuzz_recordings.*please report", str(result.exception))
