"""Renderers by name: on the command line, in the environment, from a plugin; and what is said where one is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.app.main import run
from coopsim.errors import BadArgument, CannotDraw, PluginFailed
from coopsim.features.desktop.cameras.service import open_painter
from coopsim.features.desktop.rendering import (
    VARIABLE,
    SceneRenderer,
    choose,
    chosen_name,
    open_renderer,
    renderer_names,
)
from coopsim.features.renderers import egl
from coopsim.robots import plug

PLUGIN = """
from coopsim.features.desktop.rendering import SceneRenderer
import numpy as np


class Grey(SceneRenderer):
    def begin(self, rows, camera, order):
        width, height = camera.size
        picture = np.full((height, width), 0x808080, np.uint32)
        return lambda: picture

    def close(self):
        pass


PLUGINS = {"renderers": {"grey": Grey}}
"""


@pytest.fixture
def grey(tmp_path: Path) -> Path:
    """Return a file with a renderer; whatever was loaded of it is forgotten in the end."""
    path = tmp_path / "grey.py"
    path.write_text(PLUGIN)
    yield path
    plugins.forget(path)


def test_the_built_in_renderer_comes_first_and_draws_unless_another_one_is_named() -> None:
    assert renderer_names()[:2] == ["opengl", "mujoco"]
    assert chosen_name({}) == chosen_name({VARIABLE: ""}) == "opengl"
    assert chosen_name({VARIABLE: "mujoco"}) == "mujoco"


def test_processes_that_are_started_inherit_the_choice() -> None:
    environment = {"PATH": "/bin"}
    choose("mujoco", environment)
    assert environment == {"PATH": "/bin", VARIABLE: "mujoco"}
    with pytest.raises(BadArgument, match="no renderer 'opngl'"):
        choose("opngl", environment)
    assert environment[VARIABLE] == "mujoco"


def test_a_wrong_name_in_the_environment_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "opngl")
    with pytest.raises(BadArgument, match=f"{VARIABLE}: there is no renderer 'opngl'.*did you mean 'opengl'"):
        chosen_name()
    with pytest.raises(CannotDraw, match="did you mean 'opengl'"):  # each request for an image is told
        open_painter()


@pytest.mark.parametrize("command", ["screenshot", "video", "run", "replay", "gui", "view", "export"])
def test_every_command_that_draws_takes_a_renderer(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert "--renderer" in capsys.readouterr().out
    assert run([command, "--renderer", "mujcoo", "a.mcap", "b.png"]) == 2
    assert "invalid value for '--renderer': there is no renderer 'mujcoo'" in capsys.readouterr().err


def test_without_egl_the_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egl, "_LIBRARY", "libEGL_that_is_not_there.so.1")
    with pytest.raises(CannotDraw, match=r"EGL is missing .*libEGL_that_is_not_there") as caught:
        open_renderer("mujoco")
    assert "apt-get install libegl1" in caught.value.cure


WITHOUT = """
import sys
sys.modules[{package!r}] = None
from coopsim.app.main import run
sys.exit(run(["renderers", "--json"]))
"""


@pytest.mark.parametrize(
    ("package", "name", "text"), [("mujoco", "mujoco", "needs the package MuJoCo"), ("pyglet", "opengl", "pyglet")]
)
def test_a_package_that_is_missing_is_named_with_what_installs_it(package: str, name: str, text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(package=package)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    problems = {facts["name"]: facts["problem"] for facts in json.loads(done.stdout)["renderers"]}
    assert text in problems[name]
    assert "pip install" in problems[name]
    assert [choice for choice, problem in problems.items() if not problem] == [*({"opengl", "mujoco"} - {name})]


def test_a_file_brings_a_renderer(grey: Path) -> None:
    plug(grey)
    assert renderer_names() == ["opengl", "grey", "mujoco"]
    with open_renderer("grey") as renderer:
        assert isinstance(renderer, SceneRenderer)
        assert renderer.abilities == frozenset()


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (
            "class Grey(SceneRenderer)",
            "class Grey",
            r"grey.py:\d+: renderer grey: Grey must derive from .*SceneRenderer",
        ),
        ("    def close(self):\n        pass\n", "", r"grey.py:\d+: renderer grey: Grey lacks close"),
        ("rows, camera, order", "rows, camera", r"grey.py:\d+: .*begin"),
        ("    def begin", "    abilities = frozenset({'dept'})\n\n    def begin", "no 'dept'; did you mean 'depth'"),
        ('{"grey": Grey}', '{"grey": 3}', "renderer grey: expected a class"),
    ],
)
def test_a_renderer_with_a_mistake_is_refused_with_its_place(grey: Path, before: str, after: str, text: str) -> None:
    grey.write_text(PLUGIN.replace(before, after))
    with pytest.raises(PluginFailed, match=text):
        plug(grey)


def test_the_list_says_what_each_draws(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "mujoco")
    assert run(["renderers", "--json"]) == 0
    facts = {facts["name"]: facts for facts in json.loads(capsys.readouterr().out)["renderers"]}
    assert facts["mujoco"]["is_chosen"]
    assert not facts["opengl"]["is_chosen"]
    assert "outlines" in facts["opengl"]["draws"]
    assert "outlines" not in facts["mujoco"]["draws"]


def test_the_command_checks_a_renderer_of_a_file_and_fails_where_it_breaks_the_contract(
    grey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["renderers", "grey", "--plugin", str(grey), "--check"]) == 1
    out = capsys.readouterr().out
    assert "the renderer grey breaks the contract in " in out
    assert "shapes have their colours: box: no colour, expected red" in out
    assert run(["renderers", "gray", "--plugin", str(grey)]) == 1
    assert "did you mean 'grey'" in capsys.readouterr().err
