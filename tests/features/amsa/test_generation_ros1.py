"""Systems of components as packages for ROS 1: text alone; what it does under ROS is in tests/papers."""

import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as some

from coopsim.errors import BadFile
from coopsim.features.amsa.commands.generate import generate
from coopsim.features.amsa.components import SystemModel, load_scenario, load_system
from coopsim.features.amsa.generation import cpp, ros1_package

TEMPLATES = """
Template Source {
    output count : int, name : text, default : bool
    parameter { bool on = true; text word = "a\\"b"; int many = 3 in 0 .. 9; double free; }
}
Template Sink { input count : int, name : text, default : bool }
"""
SYSTEM = """
templates "t.amsatemplate";
System Mixed {
    data count = 4;
    sensor source : Source @ 10/3 Hz { count -> count; name -> name; default -> flag; }
    observer sink : Sink @ 2 Hz { count <- count; name <- name; default <- flag; }
}
"""


def system(folder: Path, text: str = SYSTEM, templates: str = TEMPLATES) -> SystemModel:
    (folder / "t.amsatemplate").write_text(templates)
    (folder / "s.amsa").write_text(text)
    return load_system(folder / "s.amsa")


def texts(model: SystemModel) -> dict[str, str]:
    return {str(file.path): file.text for file in ros1_package(model)}


def test_types_initial_values_and_exact_frequencies_are_those_of_the_model(tmp_path: Path) -> None:
    files = texts(system(tmp_path))
    source, sink = files["src/source.cpp"], files["src/sink.cpp"]
    assert 'node("source", 10, 3, {});' in source
    assert 'node("sink", 2, 1, {{"source", 10, 3}});' in sink
    assert "inputs.count = 4;" in sink
    assert "bool default_{};" in files["include/mixed/Sink.h"]
    assert 'node.input("flag", inputs.default_, {10, 3, true});' in sink
    assert '<std::string> word_value(node, "word", "a\\042b", ' in source
    assert '(node, "many", 3, 0.0, 9.0)' in source
    assert "-std::numeric_limits<double>::infinity()" in source
    assert "<name>mixed</name>" in files["package.xml"]


def test_a_launch_file_gives_every_parameter_its_type(tmp_path: Path) -> None:
    launch = texts(system(tmp_path))["launch/mixed.launch"]
    assert '<param name="on" type="bool" value="true" />' in launch
    assert """<param name="word" type="str" value='a"b' />""" in launch


def test_code_of_a_domain_that_there_is_stays_as_it_is_when_all_is_generated_again(tmp_path: Path) -> None:
    files = {str(file.path): file for file in ros1_package(system(tmp_path), domain={"Source": "// mine\n"})}
    source, sink, leaf = (files[f"src/{name}.cpp"] for name in ("domain/Source", "domain/Sink", "source"))
    assert (source.text, source.once) == ("// mine\n", True)
    assert sink.once
    assert not leaf.once


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("System Mixed", "System _mixed"), "ROS takes no name '_mixed'"),
        (("sensor source", "sensor scenarioNode"), "the node that plays scenarios"),
        (("sensor source", "sensor double"), "'double' is a word of C++"),
        (("count -> count;", "count -> cöunt;"), "ROS takes no name 'cöunt'"),
    ],
)
def test_names_that_ros_does_not_take_are_told_with_their_place(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    text = SYSTEM.replace(*change).replace(
        "count <- count", "count <- cöunt" if "cöunt" in change[1] else "count <- count"
    )
    if "cöunt" in change[1]:
        text = text.replace("data count", "data cöunt")
    model = system(tmp_path, text)
    with pytest.raises(BadFile, match=r"s\.amsa:\d+:\d+: ") as problem:
        ros1_package(model)
    assert said in str(problem.value)


def test_whole_numbers_beyond_those_of_ros_and_systems_without_leaves_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="32 bits, got 4294967296"):
        ros1_package(system(tmp_path, templates=TEMPLATES.replace("3 in 0 .. 9", "4294967296")))
    with pytest.raises(BadFile, match="has no leaves"):
        ros1_package(system(tmp_path, "System empty { }"))


@given(some.text(max_size=30))
def test_texts_in_c_are_printable_and_end_where_they_should(text: str) -> None:
    shown = cpp.quoted(text)
    assert shown.isascii()
    assert shown.isprintable()
    inner = shown[1:-1].encode("ascii").decode("unicode_escape").encode("latin-1")
    assert inner.decode("utf-8") == text
    assert '"' not in shown[1:-1]


@given(some.floats(allow_nan=False))
def test_numbers_in_c_are_exact(value: float) -> None:
    text = cpp.number(value)
    assert ("infinity" in text) if math.isinf(value) else float(text) == value


def test_the_command_takes_the_scenarios_that_fit_and_keeps_what_people_wrote(tmp_path: Path) -> None:
    runner = CliRunner()
    out = tmp_path / "package"
    first = runner.invoke(generate, ["ros1", "challenge", "-o", str(out)])
    assert first.exit_code == 0, first.output
    assert "scenarios: scenario1, scenario2" in first.output
    law = out / "src/domain/FollowerController.cpp"
    law.write_text("// mine\n")
    again = runner.invoke(generate, ["ros1", "challenge", "-o", str(out), "--scenario", "scenario2"])
    assert law.read_text() == "// mine\n"
    assert f"wrote {out / 'src/scenarioNode.cpp'}" in again.output
    assert "scenario1" not in (out / "src/scenarioNode.cpp").read_text()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(generate, ["ros1", "challenge", "-o", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert "cannot be written" in result.output


def test_a_scenario_for_another_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="motorCoef"):
        ros1_package(system(tmp_path), [load_scenario("scenario1")])
