"""`coopsim new`: files to begin with, that run at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.app.main import run
from coopsim.errors import CoopsimError
from coopsim.features.beginnings.command import DRIVERS, KINDS, PACKAGES, TEMPLATES
from coopsim.robots import check, load, plug

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    for loose in plugins.loose_files():
        plugins.forget(loose.path)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "component"])
def test_what_is_written_is_right_and_says_how_it_is_run(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", kind, "my_first"]) == 0
    printed = capsys.readouterr().out
    assert sorted(path.name for path in Path().iterdir()) == sorted(
        f"my_first.{suffix.partition('.')[2]}" for suffix in KINDS[kind]
    )
    if Path("my_first.py").exists():
        plug("my_first.py")
    assert check("my_first.scenario") == []
    assert load("my_first.scenario").scenario.robots
    assert "run it: coopsim run my_first.scenario" in printed
    assert ("--plugin my_first.py" in printed) == Path("my_first.py").exists()


@pytest.mark.parametrize("name", ["random", "queue", "numpy", "numba"])
def test_the_name_of_a_module_is_refused_with_another_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "metric", name]) == 2
    assert f"take another name, such as my_{name}" in capsys.readouterr().err
    assert list(Path().iterdir()) == []
    assert run(["new", "metric", f"my_{name}"]) == 0


def test_a_component_that_is_written_runs_and_is_in_the_usual_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "component", "my_first"]) == 0
    assert "run it: coopsim components run my_first.amsa --plugin my_first.py" in capsys.readouterr().out
    assert run(["components", "run", "my_first.amsa", "--plugin", "my_first.py", "--duration", "30"]) == 0
    begin, largest, last, *errors, settled = capsys.readouterr().out.splitlines()[2].split()
    assert (begin, largest, last) == ("0", "2.00", "2.00")
    assert errors == ["0.00", "0.00", "0.00"]  # the largest, rms, and overshoot
    assert 0.0 < float(settled) < 20.0
    assert run(["components", "format", "--check", "my_first.amsa", "my_first.amsatemplate"]) == 0


@pytest.mark.parametrize(
    "options",
    [
        ["sensor", "gas"],
        ["sensor", "gas", "--arrays"],
        ["program", "coast"],
        ["controller", "chaser"],
        ["metric", "haste"],
        ["component", "keep_level"],
        ["driver", "python", "arm"],
        ["renderer", "night"],
    ],
)
def test_what_is_written_keeps_our_own_style(options: list[str]) -> None:
    assert run(["new", *options]) == 0
    files = [str(file) for file in Path().rglob("*.py")]
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for words in (
        [*ruff, "format", "--check", *config],
        [*ruff, "check", *config, "--ignore", "ARG002,S403,INP001,T201"],
    ):
        done = subprocess.run([*words, *files], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("language", DRIVERS)
def test_two_drivers_in_a_folder_share_what_is_not_their_own(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "driver", language, "arm"]) == 0
    assert run(["new", "driver", language, "leg"]) == 0
    assert capsys.readouterr().out.count("wrote coopsim_driver") == len(list(Path().glob("coopsim_driver.*")))
    assert "/leg/gripper" in next(Path().glob("leg.*")).read_text(encoding="utf-8")
    shared = next(Path().glob("coopsim_driver.*"))
    shared.write_text("mine", encoding="utf-8")
    assert run(["new", "driver", language, "third"]) == 1
    assert "there already" in capsys.readouterr().err
    assert shared.read_text(encoding="utf-8") == "mine"
    assert not list(Path().glob("third.*"))


def test_a_class_is_called_as_python_people_call_them() -> None:
    assert run(["new", "sensor", "wet_floor_2"]) == 0
    assert plugins.load("devices", plugsensor("wet_floor_2.py")).__name__ == "WetFloor2"


def plugsensor(file: str) -> str:
    (name,) = plug(file).offers["devices"]
    return name


def test_nothing_is_overwritten_and_then_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gas.robot").write_text("mine")
    assert run(["new", "sensor", "gas"]) == 1
    assert "gas.robot: there already" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["gas.robot"]
    assert Path("gas.robot").read_text() == "mine"


def test_a_folder_is_made_and_one_that_cannot_be_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "robot", "crawler", "--into", "a/b"]) == 0
    assert load("a/b/crawler.scenario").types["crawler"]
    Path("file").write_text("")
    assert run(["new", "robot", "crawler", "--into", "file/b"]) == 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["sensor", "Lamp"], "cannot be a name"),
        (["sensor", "class"], "cannot be a name"),
        (["sensor", "2nd"], "cannot be a name"),
        (["sensor", "../x"], "cannot be a name"),
        (["sensor", "sonars"], "devices has 'sonars' already"),
        (["robot", "single"], "robots has 'single' already"),
        (["renderer", "opengl"], "renderers has 'opengl' already"),
        (["controller", "wander"], "controllers has 'wander' already"),
        (["teapot", "x"], "teapot"),
        (["robot", "rover", "--arrays"], "--arrays belongs to a sensor"),
        (["robot", "rover", "crawler"], "a robot takes a name alone"),
        (["driver", "arm"], "takes a language and a name: coopsim new driver python|c|cpp|go|rust NAME"),
        (["driver", "cobol", "arm"], "takes a language and a name"),
        (["driver", "c", "sim"], "'sim' is taken"),
        (["driver", "c", "Arm"], "cannot be a name"),
    ],
)
def test_wrong_usage_writes_nothing(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", *options]) == 2
    assert words in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_a_renderer_is_a_package_that_is_installed_tested_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S-76: a package brings what draws; the checker looks at its pixels."""
    assert run(["new", "renderer", "dusk"]) == 0
    assert sorted(path.name for path in Path("dusk").iterdir()) == ["dusk.py", "pyproject.toml", "test_dusk.py"]
    assert " install dusk && coopsim renderers dusk --check" in capsys.readouterr().out
    assert run(["new", "renderer", "dusk"]) == 1
    assert "nothing was written" in capsys.readouterr().err
    folder = tmp_path / "installed"
    options = ["--quiet", "--no-deps", "--target", str(folder)]
    _succeed([sys.executable, "-m", "pip", "install", *options, "./dusk"])
    elsewhere = {**os.environ, "PYTHONPATH": str(folder)}
    checked = _succeed([sys.executable, "-m", "coopsim", "renderers", "dusk", "--check"], env=elsewhere)
    assert "dusk: 30 passed, 0 failed, 0 not offered" in checked
    tested = _succeed([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "dusk"], env=elsewhere)
    assert "1 passed" in tested


def _succeed(words: list[str], env: dict[str, str] | None = None) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_template_belongs_to_a_kind() -> None:
    expected = {f"{file}.template" for files in KINDS.values() for file in files} | {"sensor_arrays.py.template"}
    assert {path.name for path in TEMPLATES.iterdir() if path.is_file()} == expected
    for kind, files in PACKAGES.items():
        assert {path.name for path in (TEMPLATES / kind).iterdir()} == {f"{file}.template" for file in files}
    drivers = {f"{file}.template" for files, _ in DRIVERS.values() for file in files}
    assert {path.relative_to(TEMPLATES / "driver").as_posix() for path in TEMPLATES.glob("driver/*/*")} == drivers


def test_both_ways_of_writing_a_sensor_read_the_same() -> None:
    """A device per robot and one on arrays differ in their speed alone, noise included."""
    from coopsim.simulation import Simulation

    seen = []
    for more in ([], ["--arrays"]):
        folder = Path("arrays" if more else "robots")
        assert run(["new", "sensor", "gas", "--into", str(folder), *more]) == 0
        plug(folder / "gas.py")
        simulation = Simulation(load(folder / "gas.scenario"))
        for _ in range(20):
            simulation.tick()
        seen.append(simulation.reading("robot1", "gas").tolist())
        plugins.forget(folder / "gas.py")
    assert seen[0] == pytest.approx(seen[1], abs=1e-12)
    assert seen[0][0] != 0.2


def test_without_the_plugin_the_files_say_what_is_missing() -> None:
    assert run(["new", "sensor", "gas"]) == 0
    with pytest.raises(CoopsimError, match="no device type 'gas'"):
        load("gas.scenario")
