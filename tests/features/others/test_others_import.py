import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coopsim.app.main import run
from coopsim.errors import BadFile
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.writing import texts
from coopsim.robots import load

YAML = """
world: {width: 8, height: 6}
robot:
  - {kinematics: {name: diff}, state: [1, 1, 0.5], goal: [7, 5], behavior: {name: orca}}
  - {kinematics: {name: acker}, shape: {name: rectangle, length: 1.0, width: 0.5, wheelbase: 0.6}, state: [4, 2, 0]}
obstacle:
  - {shape: {name: rectangle, length: 1.5, width: 1.2}, state: [6, 2, 1], color: k}
  - {shape: {name: linestring, vertices: [[0, 0], [1, 0], [1, 1]]}, state: [2, 3]}
"""
STAGE = 'model( size [1 1 0.5] pose [2 0 0 30] )\nposition( name "a b" size [0.4 0.4 0.2] ctrl "wander" )\n'
ARGOS = '<argos-configuration><arena size="4,4,1"><foot-bot id="f"/></arena></argos-configuration>'
CYLINDER = "<collision name='c'><geometry><cylinder><radius>0.5</radius></cylinder></geometry></collision>"
MODEL = f"<model name='m'><pose>1 2 0 0 0 0.3</pose><link name='l'>{CYLINDER}</link></model>"
SDF = f"<sdf version='1.9'><world name='w'>{MODEL}</world></sdf>"
FILES = {"mine.sdf": SDF, "mine.yaml": YAML, "mine.world": STAGE, "mine.argos": ARGOS}


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_is_read_as_it_was_meant(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(FILES[name], encoding="utf-8")
    assert run(["import", "world", name, "-o", "out"]) == 0
    plan, spec = read_plan(Path(name)), load(tmp_path / "out" / "mine.scenario")
    assert [robot.name for robot in spec.scenario.robots] == [robot.name for robot in plan.robots]
    for placed, planned in zip(spec.scenario.robots, plan.robots, strict=True):
        x, y, _ = planned.pose
        assert placed.position[:2] == pytest.approx((x - plan.middle[0], y - plan.middle[1]), abs=1e-6)
    assert [controller.run for controller in spec.scenario.controllers] == [use.law for use in plan.laws]


def test_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.argos").write_text(ARGOS, encoding="utf-8")
    assert run(["import", "world", "mine.argos"]) == 0
    before = Path("mine/mine.world").read_text(encoding="utf-8")
    assert run(["import", "world", "mine.argos"]) != 0
    assert "there already, and not overwritten" in capsys.readouterr().err
    assert Path("mine/mine.world").read_text(encoding="utf-8") == before


def test_the_report_is_for_people_and_for_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("world: {step_time: 0.1}\n", encoding="utf-8")
    assert run(["import", "world", "mine.yaml", "--report", "-o", "a"]) == 0
    assert "mine.yaml:1: step_time: ticks take 0.01 s" in capsys.readouterr().out
    assert run(["import", "world", "mine.yaml", "--json", "-o", "b"]) == 0
    (loss,) = json.loads(capsys.readouterr().out)
    assert (loss["place"], loss["key"]) == ("mine.yaml:1", "step_time")


def test_other_suffixes_are_refused_with_those_that_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    with pytest.raises(BadFile, match=r"expected a \.yaml of IR-SIM, a \.world of Stage or Gazebo"):
        read_plan(tmp_path / "a.txt")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(FILES)), cut=st.integers(0, 400), junk=st.text("()[]{}<>\"'#:-,&*!\n 0aé", max_size=12)
)
def test_damaged_files_are_read_or_refused_in_words(name: str, cut: int, junk: str, tmp_path: Path) -> None:
    text = FILES[name]
    place = cut % len(text)
    file = tmp_path / name
    file.write_text(text[:place] + junk + text[place + len(junk) :], encoding="utf-8")
    with contextlib.suppress(BadFile):
        assert f"{file.stem}.world" in texts(read_plan(file), file.stem)
