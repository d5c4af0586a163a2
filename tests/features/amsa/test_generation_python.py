"""Systems of components as processes in Python: their text; that they run is tested in tests/papers."""

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim import plugins
from coopsim.errors import BadFile, PluginClash
from coopsim.features.amsa.commands.generate import generate
from coopsim.features.amsa.components import load_scenario, load_system
from coopsim.features.amsa.generation import python_processes
from coopsim.features.amsa.generation.python_processes import BROUGHT

TEMPLATES = """
Template Source { output count : int, word : text  parameter { bool on = true; text name = "a\\"b"; double free; } }
Template Sink { input count : int, word : text }
"""
SYSTEM = """
templates "t.amsatemplate";
System Mixed {
    data word = "none";
    sensor source : Source @ 10/3 Hz { count -> count; word -> word; name = "it's"; }
    observer sink : Sink @ 2 Hz { count <- count; word <- word; }
}
"""


def texts(folder: Path, text: str = SYSTEM, templates: str = TEMPLATES) -> dict[str, str]:
    (folder / "t.amsatemplate").write_text(templates)
    (folder / "s.amsa").write_text(text)
    return {
        str(python_process.path): python_process.text
        for python_process in python_processes(load_system(folder / "s.amsa"))
    }


def test_all_files_are_python_with_the_values_of_the_model(tmp_path: Path) -> None:
    files = texts(tmp_path)
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec", ast.PyCF_ONLY_AST)
    assert "rate=Fraction(10, 3)" in files["leaves/source.py"]
    assert 'Parameter("name", str, "it\'s",' in files["leaves/source.py"]
    assert "before={'source': 3}, initial={'count': 0, 'word': 'none'}" in files["leaves/sink.py"]
    assert "UNIT = Fraction(1, 10)" in files["scenario_node.py"]
    assert 'return 0, ""' in files["domain/Source.py"]


def test_what_installed_components_do_is_taken_from_there() -> None:
    files = {
        str(python_process.path): python_process
        for python_process in python_processes(load_system("challenge"), [load_scenario("scenario2")])
    }
    assert "from coopsim.features.amsa.components.rovers import RoverGps as GPS" in files["domain/GPS.py"].text
    assert files["domain/GPS.py"].once
    assert "(Fraction(100, 1), True, {'MyFollowerController': {'Kv': 0.05}})" in files["scenario_node.py"].text


@pytest.mark.parametrize(
    ("system", "templates", "said"),
    [
        ("System Empty { }", TEMPLATES, "has no leaves"),
        (SYSTEM.replace("sensor source", "sensor scenarioNode"), TEMPLATES, "is what plays scenarios"),
        (SYSTEM.replace(": Sink", ": lambda"), TEMPLATES.replace("Sink", "lambda"), "'lambda' is a word of Python"),
    ],
)
def test_names_that_python_does_not_take_are_refused(tmp_path: Path, system: str, templates: str, said: str) -> None:
    with pytest.raises(BadFile, match=said):
        texts(tmp_path, system, templates)


def test_packages_for_python_and_for_ros_share_a_folder(tmp_path: Path) -> None:
    runner = CliRunner()
    for target in ("ros1", "python", "ros1"):
        result = runner.invoke(generate, [target, "challenge", "-o", str(tmp_path)])
        assert result.exit_code == 0, result.output
        assert "removed" not in result.output
    assert (tmp_path / "run.py").exists()
    assert (tmp_path / "package.xml").exists()


COMPONENT = """
import helper

def step(inputs, parameters):
    return helper.count(), "x"

PLUGINS = {"components": {"Source": step}}
"""


def brought(folder: Path, name: str, text: str, **neighbours: str) -> Path:
    folder.mkdir(exist_ok=True)
    for module, source in neighbours.items():
        (folder / f"{module}.py").write_text(source)
    (folder / name).write_text(text)
    return folder / name


def test_files_that_say_what_templates_do_are_copied_with_what_they_import(tmp_path: Path) -> None:
    path = brought(
        tmp_path / "own", "own_source.py", COMPONENT, helper="import deeper\n\ndef count():\n    return 1\n", deeper=""
    )
    plugins.add(path)
    try:
        files = texts(tmp_path)
    finally:
        plugins.forget(path)
    copies = {str(BROUGHT / name) for name in ("own_source.py", "helper.py", "deeper.py")}
    assert copies | {"brought.py"} <= files.keys()
    assert files[str(BROUGHT / "own_source.py")] == COMPONENT
    assert "own_source.py" in files["domain/Source.py"]
    assert "brought.py" not in texts(tmp_path)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    first = brought(
        tmp_path / "a", "one.py", 'import helper\nPLUGINS = {"components": {"Source": lambda i, p: (0, "")}}', helper=""
    )
    second = brought(
        tmp_path / "b", "two.py", 'import helper\nPLUGINS = {"components": {"Sink": lambda i, p: None}}', helper=""
    )
    for path in (first, second):
        plugins.add(path)
    try:
        with pytest.raises(PluginClash, match=r"helper\.py have one name; rename one"):
            texts(tmp_path)
    finally:
        plugins.forget(first)
        plugins.forget(second)
