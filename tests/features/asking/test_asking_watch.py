import json
import math

import pytest

from coopsim.app.main import run
from coopsim.features.asking.watch import json_line, line
from coopsim.inprocess import LocalServer
from coopsim.interfaces import ODOMETRY, SONARS
from coopsim.robots import load
from coopsim.simulation import Simulation

POSE, RANGES = ODOMETRY.command("pose"), SONARS.command("ranges")


def test_numbers_stand_below_one_another_to_the_millimetre() -> None:
    lines = [line(7, [POSE], [(1.25, -4.38105e-11, 0.1)]), line(1234, [POSE], [(-11.0, 2.0, -math.pi)])]
    assert lines[0] == "       7  x    1.250 m  y    0.000 m  heading    0.100 rad"
    assert lines[1] == "    1234  x  -11.000 m  y    2.000 m  heading   -3.142 rad"


def test_many_numbers_of_one_reading_stand_below_one_another() -> None:
    shown = [line(1, [RANGES], [([near] * 3,)]) for near in (0.5, 2.25)]
    assert shown[0] == "       1  ranges    0.500    0.500    0.500 m"
    assert len(shown[0]) == len(shown[1])


def test_a_script_reads_an_object_a_line_with_what_each_command_gives() -> None:
    plain = json.loads(json_line(7, [POSE, RANGES], [(1.25, -2.0, 0.1), ([0.5, math.inf],)]))
    assert plain == {"tick": 7, "pose": {"x": 1.25, "y": -2.0, "heading": 0.1}, "ranges": {"ranges": [0.5, None]}}


def test_watch_prints_as_many_objects_as_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LocalServer(Simulation(load("single")), is_hashed=False)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    connection = server.connect()
    monkeypatch.setattr("coopsim.client.connect", lambda *_, **__: connection)
    assert run(["watch", "/robot1/sonars", "ranges", "--count", "1", "--json"]) == 0
    (shown,) = capsys.readouterr().out.splitlines()
    assert len(json.loads(shown)["ranges"]["ranges"]) == 11
