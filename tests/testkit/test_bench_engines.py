"""Commands that take an engine: `check`, `run`, `compare`, `bench engines`."""

import json
from pathlib import Path

import pytest

from coopsim.app.main import run
from coopsim.features.studies.commands.compare import _repeated
from coopsim.testkit.bench import engines as bench_engines
from coopsim.testkit.bench.measuring.engine_scenes import Exchanged, carried_bar, exchanged, free_motion, one_contact

TILTED = "[OBJECT_1]\ntype box\nsize 2 1 0.2\nposition 1 0 0\norientation 0 20 0\n"
SCENE = "[WORLD]\nfile hill.world\n[ROBOT_1]\ntype single\n"


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.fixture
def hill(tmp_path: Path) -> Path:
    (tmp_path / "hill.world").write_text(TILTED)
    file = tmp_path / "hill.scenario"
    file.write_text(SCENE)
    return file


def test_check_says_what_the_engine_of_a_scenario_cannot_hold(hill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(hill)]) == 1
    assert "hill.world:1:1: the pymunk engine cannot hold 'object_1': it is tilted" in capsys.readouterr().out
    hill.write_text(SCENE + "[SIMULATION]\nengine mujoco\n")
    assert run(["check", str(hill)]) == 0
    assert run(["check", "--engine", "kinematic", str(hill)]) == 1
    assert "the kinematic engine" in capsys.readouterr().out


def test_check_asks_no_engine_about_a_world_or_a_robot_alone(hill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = hill.with_suffix(".world")
    assert run(["check", str(world), "single.robot"]) in {0, 1}
    assert "engine" not in capsys.readouterr().out
    assert run(["check", str(world), "--engine", "pymunk"]) == 1
    assert "pymunk" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "formation", "--engine", "mujocoo"],
        ["check", "formation", "--engine", "mujocoo"],
        ["bench", "tick", "--engine", "mujocoo"],
        ["compare", "formation", "--engines", "pymunk", "mujocoo"],
    ],
)
def test_a_mistyped_engine_is_wrong_usage_with_a_hint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert (
        "no engine 'mujocoo' (mujocoo → mujoco?); known: flight, kinematic, mujoco, pymunk" in capsys.readouterr().err
    )


@pytest.mark.parametrize("given", [["pymunk"], ["pymunk", "pymunk"], []])
def test_compare_needs_two_different_engines(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "formation", "--engines", *given]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_compare_says_at_once_what_an_engine_cannot_hold(hill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(hill), "--engines", "mujoco", "pymunk", "kinematic"]) == 1
    complaint = capsys.readouterr().err
    assert "hill.world:1:1: the pymunk engine" in complaint
    assert "hill.world:1:1: the kinematic engine" in complaint


def test_engines_are_all_words_up_to_the_next_option() -> None:
    both = ["--engines", "pymunk", "--engines", "mujoco"]
    assert _repeated(["a", "--engines", "pymunk", "mujoco", "--json"]) == ["a", *both, "--json"]
    assert _repeated(["--engines", "pymunk", "mujoco", "a"]) == [*both, "a"]
    assert _repeated(["a", "--engines", "pymunk,mujoco"]) == ["a", *both]
    assert _repeated(["--duration", "5", "--engines", "pymunk", "mujoco", "a"]) == ["--duration", "5", *both, "a"]
    assert _repeated(["a", "--engines"]) == ["a"]


def test_free_motion_is_the_same_on_all_engines() -> None:
    assert free_motion(("pymunk", "mujoco", "kinematic"), 6.0, robots=3) <= bench_engines.FREE_BOUND


def test_a_crate_that_is_pushed_stays_near_on_the_other_engine() -> None:
    apart = one_contact(("pymunk", "mujoco"), 5.0, pairs=5)
    assert apart.shape == (10,)
    assert 0.0 < sorted(apart)[5] <= bench_engines.CONTACT_BOUND


def test_a_carried_bar_pulls_alike_on_both_engines() -> None:
    (way, force), (other_way, other_force) = carried_bar("pymunk"), carried_bar("mujoco")
    assert force.min() > 20.0
    assert other_way == pytest.approx(way, rel=bench_engines.BAR_BOUND / 100)
    assert other_force == pytest.approx(force, rel=bench_engines.BAR_BOUND / 100)


def test_an_exchange_keeps_poses() -> None:
    exchange = exchanged(("pymunk", "mujoco", "kinematic"), robots=10)
    assert isinstance(exchange, Exchanged)
    assert exchange.seconds > 0.0
    assert exchange.moved <= bench_engines.MOVED_BOUND


def test_rows_say_whether_bounds_are_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {"real_time_factor": 2.0, "us_per_robot_step": 5.0, "seconds": 0.6, "moved": 0.0}
    monkeypatch.setattr(bench_engines, "_apart", lambda _: outcomes)
    monkeypatch.setattr(bench_engines, "CASES", (bench_engines.crowds, bench_engines.exchange))
    assert run(["bench", "engines", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])["results"]
    assert [row["ok"] for row in rows] == [None, False, None, False, True]
    assert rows[0]["case"] == "pymunk, 1000 robots with 11 rays at 100 Hz, a tick"
    assert (rows[0]["value"], rows[0]["unit"], rows[1]["raw"]) == (5000.0, "us", 5000.0)
    assert set(rows[0]) == {"case", "unit", "value", "raw", "ratio", "bound", "ok"}


def test_a_measuring_process_that_fails_says_why() -> None:
    with pytest.raises(bench_engines.click.ClickException, match="ZeroDivisionError"):
        bench_engines._apart("1 / 0")
    assert bench_engines._apart(
        "from coopsim.testkit.bench.measuring.engine_scenes import Exchanged; found = Exchanged(1.0, 2.0)"
    ) == {
        "seconds": 1.0,
        "moved": 2.0,
    }
