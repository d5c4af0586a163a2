"""What was recorded in real runs is proved, compared and continued by other processes."""

from pathlib import Path

import pytest
from offline_runs import CRASH, completed, coopsim, last_json, recorded

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two robots that nobody drives, and an event."""
    file = tmp_path_factory.mktemp("crash") / "crash.scenario"
    file.write_text(CRASH)
    return str(file)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory, crash: str) -> Path:
    """Their recording, which no test changes."""
    return recorded(tmp_path_factory.mktemp("crashed") / "crashed.mcap", crash, PYTHONHASHSEED="0")


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of robots with controllers, which no test changes."""
    path = tmp_path_factory.mktemp("driven") / "driven.mcap"
    return recorded(path, "formation", "--mode", "lockstep", "--duration", "3")


@pytest.mark.parametrize(("mode", "seconds"), [("real-time", "2"), ("lockstep", "3"), ("free", "3")])
def test_recordings_of_every_mode_are_proved(
    tmp_path: Path, mode: str, seconds: str, request: pytest.FixtureRequest
) -> None:
    if mode == "lockstep":
        path = request.getfixturevalue("driven")
    else:
        path = recorded(tmp_path / "a.mcap", "formation", "--mode", mode, "--duration", seconds)
    verdict = last_json(coopsim("verify", str(path), "--json"))
    assert verdict["identical"] is True
    assert verdict["ticks"] >= 100 * int(seconds)
    assert verdict["first_difference"] is None
    assert verdict["breaks"] == []


def test_the_same_run_in_processes_with_other_hash_seeds_is_the_same_bit_by_bit(
    tmp_path: Path, crash: str, crashed: Path
) -> None:
    for repeated in [recorded(tmp_path / f"{seed}.mcap", crash, PYTHONHASHSEED=seed) for seed in ("1", "4711")]:
        comparison = last_json(coopsim("diff", str(crashed), str(repeated), "--json"))
        assert (comparison["identical"], comparison["ticks"]) == (True, 400)
    verdicts = [last_json(coopsim("verify", str(crashed), "--json", PYTHONHASHSEED=seed)) for seed in ("2", "3")]
    assert [(verdict["identical"], verdict["ticks"]) for verdict in verdicts] == [(True, 400)] * 2


def test_every_continuation_is_the_same_and_names_its_parent_and_instant(tmp_path: Path, crashed: Path) -> None:
    parent = crashed
    options = ("--duration", "2", "--set", "robot2.sonars.noise=0.1", "--no-gui", "--port", "0")
    children = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.mcap"
        done = coopsim(
            "run", "--from", f"{parent}@1.57", *options, "--record", str(path), PYTHONHASHSEED=str(ord(name))
        )
        assert "goes on from tick 157 (1.570 s)" in done.stderr
        children.append(path)
    comparison = last_json(coopsim("diff", *map(str, children), "--json"))
    assert (comparison["identical"], comparison["ticks"]) == (True, 200)
    facts = last_json(coopsim("info", str(children[0]), "--json"))
    assert (facts["first_tick"], facts["last_tick"], facts["begin"]) == (157, 357, 1.57)
    assert facts["parent"] == {
        "file": str(parent),
        "tick": 157,
        "time": 1.57,
        "set": ["robot2.sonars.noise=0.1"],
        "exact": True,
        "seamless": True,
        "run": facts["parent"]["run"],
    }
    for path in children:
        assert last_json(coopsim("verify", str(path), "--json"))["ticks"] == 200
    differing = completed("diff", str(parent), str(children[0]))
    assert differing.returncode == 1
    assert "tick 158 (1.580 s): robot2 sonars.ranges[" in differing.stdout


def test_a_continuation_of_a_continuation_goes_on_beyond_the_end_of_its_scenario(tmp_path: Path, crashed: Path) -> None:
    tail = ("--no-gui", "--port", "0", "--duration", "1", "--record")
    coopsim("run", "--from", str(crashed), *tail, str(tmp_path / "child.mcap"))
    coopsim("run", "--from", f"{tmp_path / 'child.mcap'}@tick:450", *tail, str(tmp_path / "grandchild.mcap"))
    facts = last_json(coopsim("info", str(tmp_path / "grandchild.mcap"), "--json"))
    assert (facts["begin"], facts["end"], facts["parent"]["tick"]) == (4.5, 5.5, 450)


def test_controllers_start_afresh_against_the_continued_state(tmp_path: Path, driven: Path) -> None:
    tail = ("--no-gui", "--port", "0", "--duration", "1", "--record")
    coopsim("run", "--from", f"{driven}@2", *tail, str(tmp_path / "driven.mcap"))
    coopsim("run", "--from", f"{driven}@2", "--mode", "free", "--no-controllers", *tail, str(tmp_path / "alone.mcap"))
    for name, is_driven in (("driven", True), ("alone", False)):
        path = tmp_path / f"{name}.mcap"
        assert last_json(coopsim("verify", str(path), "--json"))["identical"]
        coopsim("export", str(path), "--csv", str(tmp_path / name))
        rows = (tmp_path / name / "commands.csv").read_text().splitlines()[1:]
        assert any(int(row.split(",")[0]) > 250 for row in rows) == is_driven


def test_a_page_and_plots_are_made_of_a_real_recording(tmp_path: Path, crashed: Path) -> None:
    coopsim("export", str(crashed), "--html", str(tmp_path / "a.html"))
    coopsim("plot", str(crashed), "--paths", str(tmp_path / "a.svg"))
    assert "event: robot1.sonars.noise = 0.05" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "robot2" in (tmp_path / "a.svg").read_text(encoding="utf-8")
