"""Control laws that are functions: given to a study by a program, or a file beside a scenario."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.client import Readings
from coopsim.errors import BadArgument, BadFile, PluginFailed
from coopsim.features.laws import plugged
from coopsim.features.studies import sweep
from coopsim.features.studies.job import run_task
from coopsim.features.studies.study import StudyOptions, plan
from coopsim.inprocess import LocalServer
from coopsim.launch.controllers import controller_commands
from coopsim.replay.about import attachments, metadata
from coopsim.robots import check, load
from coopsim.simulation import Simulation

SCENE = """[ROBOT_1]
type single
name robot1
[SIMULATION]
duration 0.5
[CONTROLLER_1]
run {run}
robots robot1
"""
LAW = """
class law:
    \"\"\"Robots turn ever faster.\"\"\"

    def __init__(self, speed=0.3):
        self.speed, self.calls = speed, 0

    def __call__(self, seen):
        self.calls += 1
        return {robot: (self.speed, 0.01 * self.calls) for robot in seen.robots}
"""
PLUGIN = f"""{LAW}

from coopsim.features.laws import options
from coopsim.features.laws.process import drive
from coopsim.interfaces import Parameter

PARAMETERS = (Parameter("speed", float, 0.3),)


def main(arguments=None):
    chosen = options.parser("turner", "", PARAMETERS).parse_args(arguments)
    return drive("turner", chosen.robots, chosen.endpoint, lambda *_: law(chosen.law_speed))


PLUGINS = {{"controllers": {{"turner": main}}}}
"""


class Turner:
    """The same as in the files."""

    def __init__(self, speed: float = 0.3) -> None:
        self.speed, self.calls = speed, 0

    def __call__(self, seen: Readings) -> dict[str, tuple[float, float]]:
        self.calls += 1
        return dict.fromkeys(seen.robots, (self.speed, 0.01 * self.calls))


def needy(_seen: Readings, gain: float) -> None:
    """Have a parameter without a default."""
    del gain


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    before = plugins.loose_files()
    yield
    for loose in plugins.loose_files():
        if loose not in before:
            plugins.forget(loose.path)


def scene(folder: Path, run: str, more: str = "", text: str = LAW) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "turner.py").write_text(text, encoding="utf-8")
    path = folder / "own.scenario"
    path.write_text(SCENE.format(run=run) + more, encoding="utf-8")
    return path


def hashes(path: Path, setting: str) -> list[str]:
    study = plan(path, [setting], StudyOptions())
    rows = [run_task(study.job, task) for task in study.tasks]
    assert not any("error" in row for row in rows), rows
    return [row["state_hash"] for row in rows]


def test_a_function_a_file_and_a_plugin_give_the_same_rows(tmp_path: Path) -> None:
    bare = scene(tmp_path / "bare", "cruise")
    given = sweep(bare, ["Turner.speed=0.1,0.3"], law=Turner, workers=1)
    rows = {row["values"]["Turner.speed"]: row for row in given}
    assert rows["0.3"]["metrics"]["path_length_mean"] > 2 * rows["0.1"]["metrics"]["path_length_mean"]
    by_file = hashes(scene(tmp_path / "file", "./turner.py"), "turner.speed=0.1,0.3")
    plugins.add(tmp_path / "file" / "turner.py")
    for loose in plugins.loose_files():
        plugins.forget(loose.path)
    brought = scene(tmp_path / "plugin", "turner", text=PLUGIN)
    plugins.add(brought.parent / "turner.py")
    by_plugin = hashes(brought, "turner.speed=0.1,0.3")
    assert [rows["0.1"]["state_hash"], rows["0.3"]["state_hash"]] == by_file == by_plugin


def test_processes_begun_from_nothing_find_a_law_by_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.features.studies.pool.can_fork", lambda _: False)
    (row,) = sweep("single", law=Turner, duration=0.3, workers=1)
    assert "error" not in row
    assert row["metrics"]["path_length_mean"] > 0.05


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda _: None, "test_studies_law.py:[0-9]+: law: a lambda cannot be found"),
        (partial(Turner), "which stands in something else"),
        (Turner(0.3).__call__, "which stands in something else"),
        (needy, "needy: parameter gain has no default"),
    ],
)
def test_a_law_that_other_processes_cannot_find_is_refused(law: object, said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        sweep("single", law=law, duration=0.1)  # type: ignore[arg-type]  # some are none


def test_a_program_that_calls_sweep_while_it_is_read_is_told_so(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from coopsim.features.studies import sweep\n\n\ndef onwards(seen):\n    return None\n\n\n"
        "list(sweep('single', law=onwards, duration=0.1))\n",
        encoding="utf-8",
    )
    with pytest.raises(PluginFailed, match="put the call under `if __name__ == '__main__':`"):
        plugins.add(f"{program}::onwards")


def test_a_file_of_a_scenario_is_started_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load(scene(tmp_path / "own", "./turner.py", "speed 0.2\n"))
    monkeypatch.chdir("/")
    (command,) = controller_commands(spec.scenario.controllers, allow_commands=False)
    assert command.name == "turner.py"
    words = command.command[command.command.index("coopsim.features.laws.plugged") + 1 :]
    assert words[:2] == ("turner", str(tmp_path / "own" / "turner.py"))
    simulation = Simulation(spec)
    assert LocalServer(simulation, duration=0.5).run(partial(plugged.main, words)) == [0]
    assert simulation.engine.planar[0, 0] == pytest.approx(0.1, abs=0.02)
    assert attachments(spec)["turner.py"] == LAW
    (named,) = [plugin for plugin in metadata(spec, {})["plugins"] if plugin["file"] == "turner.py"]
    assert named["controllers"] == ["turner"]


@pytest.mark.parametrize(
    ("run", "more", "text", "said"),
    [
        ("./turnr.py", "", LAW, "own.scenario:7:5: control law ./turnr.py cannot be used"),
        ("./../turner.py", "", LAW, "own.scenario:7:5: './../turner.py': a file that a scenario runs lies beside it"),
        ("./turner.py", "speeed 1\n", LAW, "own.scenario:9:1: control law ./turner.py knows no key 'speeed'"),
        ("./turner.py", "speed fast\n", LAW, "own.scenario:9:7: speed"),
        ("./turner.py", "", "x = 1\n", "the file registers nothing"),
        ("./turner.py", "", "def law(seen, gain):\n    pass\n", "parameter gain has no default"),
        ("./turner.py", "", "import nothing_of_this_name\n", "turner.py:1"),
    ],
)
def test_a_file_that_is_no_law_is_named_where_the_scenario_says_it(
    tmp_path: Path, run: str, more: str, text: str, said: str
) -> None:
    path = scene(tmp_path / "own", run, more, text)
    lines = "\n".join(map(str, check(path)))
    assert said in lines
    with pytest.raises(BadFile):
        load(path)


def test_the_newest_text_of_a_file_counts_and_another_folder_may_have_one_of_its_name(tmp_path: Path) -> None:
    first = hashes(scene(tmp_path / "own", "./turner.py"), "turner.speed=0.1")
    changed = hashes(scene(tmp_path / "own", "./turner.py", text=LAW.replace("0.01", "0.05")), "turner.speed=0.1")
    other_folder = hashes(scene(tmp_path / "other", "./turner.py"), "turner.speed=0.1")
    assert first == other_folder != changed
