"""What `coopsim status` says about recordings."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.app.main import run
from coopsim.features.asking.status import lines, recorder, recording

NOTHING = {"recording": 0, "file": "", "problem": "", "duration": 0.0, "ticks": 0.0, "size_bytes": 0.0, "gaps": 0.0}
SOMETHING = {**NOTHING, "recording": 1, "file": "a.mcap", "duration": 12.5, "size_bytes": 2.5e6}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (NOTHING, "nothing is recorded"),
        (SOMETHING, "writes a.mcap: 12.50 s, 2.5 MB"),
        (SOMETHING | {"recording": 0}, "wrote a.mcap: 12.50 s, 2.5 MB"),
        (SOMETHING | {"gaps": 3.0}, "writes a.mcap: 12.50 s, 2.5 MB, 3 records missing"),
        (SOMETHING | {"problem": "the run waits"}, "writes a.mcap: 12.50 s, 2.5 MB; the run waits"),
    ],
)
def test_status_says_what_is_recorded_and_what_is_wrong_with_it(told: dict[str, Any], words: str) -> None:
    assert recorder(recording(SimpleNamespace(**told))) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 robots, 2 clients"), (1, "1 robot, 2 clients")])
def test_status_counts_as_people_do(number: int, words: str) -> None:
    status = {"scenario": "single", "engine": "", "robots": number, "clients": 2, "mode": "free", "paused": False}
    pace = {"time": 0.0, "tick": 0, "step": 0.01, "real_time_factor": 0.0, "overruns": 0, "max_lateness": 0.0}
    rest = {"slipped": 0.0, "awaited": {}, "patience_fired": 0, "recorder": recording(SimpleNamespace(**NOTHING))}
    rest |= {"patience": 0.0, "policy": "stop", "faults": {"the lane: KeyError at lane.py:7": 2}}
    assert words in lines(status | pace | rest)[0]
    assert lines(status | pace | rest)[-1] == "bug      the lane: KeyError at lane.py:7, 2 times; please report it"


def test_status_of_a_replay_says_that_it_is_one_and_of_which_file() -> None:
    status = {"scenario": "single", "engine": "pymunk", "robots": 1, "clients": 1, "mode": "lockstep", "paused": True}
    pace = {"time": 1.5, "tick": 150, "step": 0.01, "real_time_factor": 0.0, "overruns": 0, "max_lateness": 0.0}
    rest = {"slipped": 0.0, "awaited": {}, "patience_fired": 0, "recorder": recording(SimpleNamespace(**NOTHING))}
    rest |= {"patience": 0.0, "policy": "stop", "faults": {}, "replay_of": "run.mcap", "recorded_run": 7}
    said = lines(status | pace | rest)
    assert said[0] == "replay   of run.mcap, run 7: what was recorded is shown, nothing is simulated"
    assert "mode     lockstep when it was recorded, paused" in said
    assert not [line for line in said if line.startswith(("lockstep", "recorder"))]


class Odd:
    """A client of a server that answers, but not like a simulation."""

    def __init__(self, **answers: Any) -> None:
        self.clock = SimpleNamespace(**answers)
        self.recorder = SimpleNamespace(status=lambda: SimpleNamespace(**NOTHING))

    def __enter__(self) -> "Odd":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def info(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(
    "answers",
    [{}, {"status": lambda: 5}, {"status": lambda: SimpleNamespace(mode="x", paused="y")}],
)
def test_a_server_that_is_no_simulation_is_said_so(
    answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("coopsim.client.connect", lambda _: Odd(**answers))
    assert run(["status"]) == 1
    assert "but not as a simulation does" in capsys.readouterr().err
