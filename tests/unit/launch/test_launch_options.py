from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import BadFile, CannotRecord
from coopsim.launch.options import RunOptions, awaited_robots, check_record, overlay, started_controllers
from coopsim.recording import Writer
from coopsim.robots import RunSpec
from coopsim.scene import Controller, Entry, RobotPlacement, Scenario, Settings, Span


def spec(settings: Settings | None = None) -> RunSpec:
    robots = tuple(RobotPlacement(f"robot{n}", "single") for n in (1, 2, 3))
    controllers = (Controller("wander", ("robot3",)), Controller("formation", ("robot2", "robot1")))
    return RunSpec(Scenario(robots=robots, controllers=controllers, settings=settings or Settings(), file="a.scenario"))


def test_the_command_line_wins_over_the_file() -> None:
    settings = Settings(mode="lockstep", seed=7, speed=3.0)
    chosen = overlay(spec(settings), RunOptions(mode="free", duration=2.0)).scenario.settings
    assert (chosen.mode, chosen.duration, chosen.seed, chosen.speed) == ("free", 2.0, 7, 3.0)


def test_a_seed_of_zero_wins_too() -> None:
    assert overlay(spec(Settings(seed=7)), RunOptions(seed=0)).scenario.settings.seed == 0


def test_a_step_below_10_ms_in_a_file_needs_permission() -> None:
    """C-32."""
    step = Entry("step", ("0.001",), Span("a.scenario", 6, 1, 4), (Span("a.scenario", 6, 8, 5),))
    small = spec(Settings(step=0.001, span=Span("a.scenario", 4, 1), entries=(step,)))
    with pytest.raises(BadFile, match=r"a.scenario:6:8: step 0.001 s is below 10 ms; add --allow-small-step"):
        overlay(small, RunOptions())
    assert overlay(small, RunOptions(allow_small_step=True)).scenario.settings.step == 0.001


def test_lockstep_waits_for_the_robots_of_the_controllers_unless_told_otherwise() -> None:
    assert awaited_robots(spec(), RunOptions()) == ("robot1", "robot2", "robot3")
    assert awaited_robots(spec(), RunOptions(controllers=False)) == ()
    assert awaited_robots(spec(), RunOptions(wait_for=2)) == 2
    assert awaited_robots(spec(), RunOptions(wait_for=("robot2",))) == ("robot2",)


def test_a_robot_to_wait_for_must_exist() -> None:
    with pytest.raises(BadFile, match="no robot robot9 to wait for; it has: robot1, robot2, robot3"):
        awaited_robots(spec(), RunOptions(wait_for=("robot1", "robot9")))


def test_no_controllers_starts_none() -> None:
    assert len(started_controllers(spec(), RunOptions())) == 2
    assert started_controllers(spec(), RunOptions(controllers=False)) == ()


def test_flags_are_what_differs_from_the_defaults_but_for_where_it_is_recorded() -> None:
    options = RunOptions(mode="free", seed=0, wait_for=("robot1",), record=Path("a.mcap"), overwrite=True, tracks=True)
    assert options.flags == {"mode": "free", "seed": 0, "wait_for": ("robot1",)}
    assert replace(options, foxglove=True).flags == options.flags
    assert RunOptions().flags == {}


def test_a_recording_needs_a_place_that_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    check_record(RunOptions())
    check_record(RunOptions(record=path))
    check_record(RunOptions(record=tmp_path / "new" / "a.mcap"))
    path.write_text("mine")
    check_record(RunOptions(record=path, overwrite=True))
    with pytest.raises(CannotRecord, match="exists already; add --overwrite"):
        check_record(RunOptions(record=path))
    with Writer(tmp_path / "live.mcap"), pytest.raises(CannotRecord, match="a run is recording to this file just now"):
        check_record(RunOptions(record=tmp_path / "live.mcap", overwrite=True))
    with pytest.raises(CannotRecord, match="there is no folder"):
        check_record(RunOptions(record=tmp_path / "no" / "no" / "a.mcap"))
    check_record(RunOptions(record=tmp_path))  # a new file in it
    (tmp_path / "b.foxglove.mcap").write_text("mine")
    check_record(RunOptions(record=tmp_path / "b.mcap"))
    with pytest.raises(CannotRecord, match=r"b\.foxglove\.mcap: the file exists already; add --overwrite"):
        check_record(RunOptions(record=tmp_path / "b.mcap", foxglove=True))
