"""`cruise` drives on whatever is in the way."""

import json
from pathlib import Path

import pytest
from app_runs import coopsim

pytestmark = pytest.mark.integration
SCENE = """
[ROBOT_1]
type single
name robot1
[ROBOT_2]
type {kind}
name robot2
position 0 2 0
[SIMULATION]
mode lockstep
duration 5
[CONTROLLER_1]
run cruise
robots robot1 robot2
v 0.2
w 0.1
seconds 2
"""


def run(folder: Path, kind: str) -> tuple[int, str, str]:
    file = folder / "pair.scenario"
    file.write_text(SCENE.format(kind=kind))
    done = coopsim("run", str(file), "--port", "0", "--json")
    return done.returncode, done.stdout, done.stderr


def test_robots_drive_on_for_so_long_and_stop(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, "single")
    report = json.loads(out.splitlines()[-1])
    assert code == 0
    assert report["sim_time"] == pytest.approx(2.0, abs=0.1)
    for robot in report["robots"].values():
        assert robot["heading"] == pytest.approx(0.2, abs=0.03)
    assert report["robots"]["robot1"]["x"] == pytest.approx(0.4, abs=0.03)


def test_robots_of_two_types_are_refused_with_the_way_out(tmp_path: Path) -> None:
    code, _, err = run(tmp_path, "scout")
    assert code == 1
    assert "robots must be of one type; give the others a controller of their own" in err
