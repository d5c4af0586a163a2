"""The file that tells programs where a run answers, and who has a port that is taken."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import coopsim.client
from coopsim.errors import NoReply, PortTaken
from coopsim.launch import addresses
from coopsim.launch.addresses import append_outcome, cure_of_taken_port, forget_ready, with_cure, write_ready_file
from coopsim.transport.control import ProcessFailed

PORTS = {"zmq": 5570, "tcp": 5571}


def config(ready: Path | None, recording: str = "") -> Any:
    shown = SimpleNamespace(file=recording) if recording else None
    access = SimpleNamespace(
        endpoints=lambda ports: {"endpoint": f"tcp://127.0.0.1:{ports['zmq']}"}, address="127.0.0.1"
    )
    options = SimpleNamespace(ready=ready, playback=shown, access=access, port=5570)
    spec = SimpleNamespace(scenario=SimpleNamespace(file="/scenes/yard.scenario"))
    return SimpleNamespace(options=options, spec=spec, run=7)


def test_programs_read_where_a_run_answers_and_which_process_it_is(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    assert write_ready_file(config(file), PORTS) is None
    assert json.loads(file.read_text()) == {
        "endpoint": "tcp://127.0.0.1:5570",
        "run": 7,
        "pid": os.getpid(),
        "scenario": "yard",
    }
    assert list(tmp_path.iterdir()) == [file]  # nothing half written is left


def test_of_a_recording_its_file_is_said_too(tmp_path: Path) -> None:
    write_ready_file(config(tmp_path / "ready.json", "a.mcap"), PORTS)
    assert json.loads((tmp_path / "ready.json").read_text())["recording"] == "a.mcap"


def test_without_the_option_nothing_is_written() -> None:
    assert write_ready_file(config(None), PORTS) is None
    append_outcome(config(None), 0, "done", {})


def test_a_file_that_cannot_be_written_ends_the_run_with_its_name(tmp_path: Path) -> None:
    outcome = write_ready_file(config(tmp_path / "nowhere" / "ready.json"), PORTS)
    assert outcome is not None
    assert (outcome.code, outcome.is_fault) == (1, True)
    assert re.fullmatch(r"--ready .*ready\.json cannot be written: No such file or directory", outcome.reason)


def test_the_end_is_added_to_the_file_of_this_run(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    write_ready_file(config(file), PORTS)
    append_outcome(config(file), 3, "the recorder died", {"file": "a.mcap", "time": 2.5, "size": 9})
    facts = json.loads(file.read_text())
    assert facts["run"] == 7
    assert facts["ended"] == {
        "code": 3,
        "reason": "the recorder died",
        "scene": "/scenes/yard.scenario",
        "file": "a.mcap",
        "time": 2.5,
    }


@pytest.mark.parametrize("text", ['{"pid": -1, "run": 8}', "no JSON", ""])
def test_the_file_of_another_run_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ready.json"
    file.write_text(text)
    append_outcome(config(file), 0, "done", {})
    assert file.read_text() == text


def test_the_file_of_an_earlier_run_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    file.write_text("{}")
    for _ in range(2):
        forget_ready(file)
        assert not file.exists()


class Answering:
    """Takes the place of a client of the run that has the port."""

    def __init__(self, **info: Any) -> None:
        self._info = info

    def info(self) -> dict[str, Any]:
        return self._info

    def close(self) -> None: ...


def test_a_run_that_has_the_port_is_named_with_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Answering(scenario="yard", process=4711, started=0.0)
    monkeypatch.setattr(coopsim.client, "connect", lambda *_args, **_more: client)
    cure = cure_of_taken_port("127.0.0.1", 5570)
    assert re.match(r"coopsim runs yard there \(process 4711, since \d\d:\d\d\): end it with Ctrl-C, ", cure)


def test_an_older_run_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coopsim.client, "connect", lambda *_args, **_more: Answering())
    assert cure_of_taken_port("127.0.0.1", 5570).startswith("coopsim runs a scene without a file there: end it")


def test_any_other_program_is_found_by_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_args: Any, **_more: Any) -> Any:
        raise NoReply("nothing answers")

    monkeypatch.setattr(coopsim.client, "connect", silent)
    assert cure_of_taken_port("127.0.0.1", 5570).startswith("Another program has the port (`ss -ltnp` names it)")


def test_the_cure_is_for_a_port_that_was_asked_for_and_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "cure_of_taken_port", lambda address, port: f"{address} {port}")
    taken = ProcessFailed(error=PortTaken.code, text="taken", cure="")
    options = config(None).options
    assert with_cure(taken, options).cure == "127.0.0.1 5570"
    unanswered = replace(taken, error=NoReply.code)
    assert with_cure(unanswered, options) is unanswered
    options.port = 0
    assert with_cure(taken, options) is taken
