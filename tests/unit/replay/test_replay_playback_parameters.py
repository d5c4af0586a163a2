"""What parameters were at an instant of a recording."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replay_scenes import NEWCOMER, record, spec
from replay_stage import Stage

from coopsim.recording import Recording
from coopsim.replay.parameters import ParameterHistory
from coopsim.robots.plain import to_plain
from coopsim.simulation import Simulation
from coopsim.state.edits import (
    AppliedEdit,
    ClockReset,
    Insert,
    Load,
    Remove,
    Reset,
    Restore,
    SetParameter,
    TakeSnapshot,
)

Show = Callable[..., Stage]


def get(stage: Stage, robot: str, module: str, name: str) -> Any:
    answer = stage.edit("get_parameter", robot=robot, module=module, name=name)
    return answer.params[0] if not answer.error else answer.error


@pytest.mark.parametrize(
    ("seconds", "noise"), [(0.0, 0.0), (0.99, 0.0), (1.0, 0.05), (1.5, 0.05), (2.49, 0.05), (2.5, 0.0), (3.0, 0.0)]
)
def test_parameters_are_what_they_were_then(show: Show, seconds: float, noise: float) -> None:
    stage = show(paused=True)
    stage.call("seek", seconds)
    assert get(stage, "robot1", "sonars", "noise") == noise
    assert get(stage, "robot2", "sonars", "noise") == 0.0
    assert get(stage, "robot1", "sonars", "count") == 11
    assert get(stage, "robot1", "motors", "max_speed") == 0.5


def test_of_a_robot_that_has_just_come_they_are_those_of_its_file(show: Show) -> None:
    stage = show(paused=True)
    assert get(stage, "robot3", "sonars", "reach") == 201
    for seconds in (1.5, 2.4):
        stage.call("seek", seconds)
        assert get(stage, "robot3", "sonars", "reach") == get(stage, "robot1", "sonars", "reach") > 0.0


@pytest.mark.parametrize(
    ("robot", "module", "name", "error"),
    [("robot7", "sonars", "noise", 201), ("robot1", "laser", "noise", 201), ("robot1", "sonars", "colour", 202)],
)
def test_what_was_not_there_has_no_parameters(show: Show, robot: str, module: str, name: str, error: int) -> None:
    assert get(show(), robot, module, name) == error


def test_they_agree_with_the_simulation_at_every_record(tmp_path: Path) -> None:
    def change(robot: str, name: str, value: float | str) -> SetParameter:
        return SetParameter(robot, "sonars", name, value)

    edits = {
        3: [change("robot1", "noise", 0.1), change("robot2", "reach", 1.5)],
        60: [AppliedEdit(change("robot1", "noise", "0.25"), is_event=True)],
        90: [Remove("robot1")],
        95: [Insert("[ROBOT_1]\ntype single\nname robot1\nposition -1 -1 0\n")],
        120: [Insert(NEWCOMER), change("robot3", "noise", 0.5)],
        130: [Reset("poses")],
        140: [ClockReset()],
        150: [change("robot2", "noise", 0.01)],
    }
    truth: list[dict[str, float]] = []

    def watch(simulation: Simulation, _: object) -> None:
        truth.append(
            {
                f"{robot} {name}": float(block.devices["sonars"].parameters[name][row])
                for block in simulation.tables.blocks
                for robot, row in block.row.items()
                for name in ("noise", "reach")
            }
        )

    path = record(tmp_path / "a.mcap", 180, edits=edits, watch=watch)
    with Recording.open(path) as recording:
        parameters = ParameterHistory(recording)
        for number in [*range(0, len(truth), 7), *range(len(truth) - 1, 0, -11)]:
            for key, value in truth[number].items():
                robot, name = key.split()
                assert parameters.value(number, robot, "sonars", name) == value, (number, key)


def test_what_the_recording_does_not_tell_is_an_error(show: Show, tmp_path: Path) -> None:
    stage = show(record(tmp_path / "a.mcap", 10, keyframes=False), paused=True)
    assert get(stage, "robot1", "sonars", "noise") == 602


def test_a_value_is_unknown_after_a_snapshot_was_put_back_until_it_is_set_or_saved_again(tmp_path: Path) -> None:
    setting = SetParameter("robot2", "sonars", "noise", 0.3)
    edits = {10: [TakeSnapshot("a")], 20: [Restore("a")], 30: [setting]}
    stage = Stage(record(tmp_path / "a.mcap", 120, edits=edits), paused=True)
    try:
        values_at = {seconds: _both(stage, seconds) for seconds in (0.19, 0.25, 0.35, 1.1)}
    finally:
        stage.close()
    assert values_at == {0.19: (0.0, 0.0), 0.25: (602, 602), 0.35: (602, 0.3), 1.1: (0.0, 0.3)}


def test_a_value_is_unknown_after_another_scene_was_loaded_until_it_is_saved_again(tmp_path: Path) -> None:
    loaded = Load("pair.scenario", to_plain(spec(tmp_path)))
    noisy = SetParameter("robot1", "sonars", "noise", 0.3)
    stage = Stage(record(tmp_path / "a.mcap", 120, edits={5: [noisy], 20: [loaded]}), paused=True)
    try:
        values_at = {seconds: _both(stage, seconds) for seconds in (0.19, 0.25, 1.1)}
    finally:
        stage.close()
    assert values_at == {0.19: (0.3, 0.0), 0.25: (602, 602), 1.1: (0.0, 0.0)}


def _both(stage: Stage, seconds: float) -> tuple[Any, Any]:
    stage.call("seek", seconds)
    return get(stage, "robot1", "sonars", "noise"), get(stage, "robot2", "sonars", "noise")
