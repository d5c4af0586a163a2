"""Typed clients: what is checked in is what the interfaces give, and strangers' words harm nothing."""

import ast
import re
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim.app.main import Commands
from coopsim.errors import BadArgument, all_errors
from coopsim.features.client_generation import DIALECTS, client_files, client_model
from coopsim.features.client_generation.command import LANGUAGES, built_in
from coopsim.features.client_generation.model import Place, about, places
from coopsim.features.client_generation.naming import camel, constant, pascal, snake
from coopsim.features.client_generation.types import type_of
from coopsim.interfaces import MOTORS, Command, Effect, Field, Interface, Parameter

CLIENTS = Path(__file__).parents[3] / "clients"
FOLDERS: dict[str, str] = runpy.run_path(str(CLIENTS / "generate.py"))["FOLDERS"]
COMMENTS = ("*", "/*", "//", "--", "%", '"')
HOSTILE = 'a */ b """ c \\u000a d\n#include <x> --[[ ]] // {@e} </summary> \x00'


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_client_in_the_repository_is_what_the_interfaces_give(language: str) -> None:
    for file in client_files(DIALECTS[language], built_in().values()):
        stored = CLIENTS / FOLDERS[language] / file.path
        assert stored.read_text(encoding="utf-8") == file.text, "run make typed-clients"


def test_the_command_knows_all_languages() -> None:
    assert set(LANGUAGES) == set(DIALECTS) == set(FOLDERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_parameter_and_error_is_there(language: str) -> None:
    dialect = DIALECTS[language]
    text = "".join(file.text for file in client_files(dialect, built_in().values()))
    for interface in built_in().values():
        for command in interface.commands:
            name = dialect.method(command.name).rstrip("_")
            assert re.search(rf"(\b|_){name}_?\b", text), (interface.kind, command.name)
        for parameter in interface.parameters:
            assert f'"{parameter.name}"' in text or f"'{parameter.name}'" in text
    for number in all_errors():
        assert number % 100 == 0 or str(number) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_stranger_says_stays_in_comments(language: str) -> None:
    command = Command(10, "class", HOSTILE, (Field("return", "m", HOSTILE),), (Field("import", "m", HOSTILE),))
    interface = Interface("strange", HOSTILE, (command,), (Parameter("def", str, HOSTILE, HOSTILE, summary=HOSTILE),))
    for file in client_files(DIALECTS[language], [interface]):
        if file.path.suffix == ".py":
            ast.parse(file.text)
            continue
        outside = [
            line for line in file.text.splitlines() if "#include <x>" in line and not line.strip().startswith(COMMENTS)
        ]
        assert not outside
        opened = file.text.replace("/*?*/", "")  # an annotation in C#
        assert "/*" not in opened or "*/ b" not in opened


@pytest.mark.parametrize("name", ["", "1st", "a b", "a-b", "ä", "x" * 65, 'a"; drop()'])
def test_a_name_that_no_program_can_have_is_refused(name: str) -> None:
    with pytest.raises(BadArgument, match="can be no name in a program"):
        client_model([Interface("strange", "", (Command(10, name),))])


PACKAGES = {
    "python": "from coopsim_client.",
    "typescript": 'from "coopsim-client/',
    "go": "coopsim.example/client",
    "rust": "use coopsim::",
    "java": "import coopsim.modules.Module;",
    "csharp": "namespace Coopsim",
    "c": '#include "coopsim_',
    "cpp": "using namespace coopsim;",
    "lua": 'require "coopsim_stepping"',
    "matlab": "< CoopsimModule",
}


@pytest.mark.parametrize(("language", "library"), PACKAGES.items(), ids=PACKAGES)
def test_what_does_not_go_beside_the_library_names_it_as_a_package(language: str, library: str) -> None:
    file = client_files(DIALECTS[language], [MOTORS], is_beside=False)[0]
    assert library in file.text


def test_names_follow_conventions() -> None:
    name = "set_wheel_speeds"
    assert (pascal(name), camel(name), constant(name)) == ("SetWheelSpeeds", "setWheelSpeeds", "SET_WHEEL_SPEEDS")
    assert constant("NoSuchName") == "NO_SUCH_NAME"
    assert snake("NoSuchName") == "no_such_name"


def test_values_behind_a_run_are_counted_from_the_end() -> None:
    fields = [Field("a", "m"), Field("run", "m", count="count"), Field("b", "m"), Field("c", "m", count=2)]
    assert places(fields) == [Place(0, 1), Place(1, 0, 3), Place(-3, 1), Place(-2, 2)]


def test_runs_of_one_unknown_length_share_equally_and_others_are_not_told_apart() -> None:
    same = [Field("a", "m", count="count"), Field("b", "m", count="count")]
    assert places(same) == [Place(0, 0, 0, 0, 2), Place(0, 0, 0, 1, 2)]
    fields = [Field("a", "m", count="count"), Field("b", "m", count="width")]
    assert places(fields) == [Place(0, 0), Place(0, 0)]


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        (Field("v", "m/s"), "float"),
        (Field("v", "m/s", count=3), "floats"),
        (Field("mode", choices=("a", "b")), "text"),
        (Field("yes", choices=(0, 1)), "int"),
        (Field("count", low=1, high=9), "int"),
        (Field("share", low=0.5, high=1.5), "float"),
        (Field("name", default=""), "text"),
        (Field("names", count=0), "values"),
        (Field("pixels", count=0, encoding="png"), "texts"),
    ],
)
def test_types_are_what_the_description_shows(field: Field, kind: str) -> None:
    assert type_of("strange", "read", field) == kind


def test_unit_limits_default_and_columns_are_told() -> None:
    field = Field("v", "m/s", "forward speed", default=0.0, low=0.0, high=2.0, columns=("a", "b"))
    assert about(field) == "[m/s] forward speed; 0 to 2; default 0.0; rows of a, b"
    assert about(Field("mode", choices=("a", "b"))) == "one of a, b"


def test_names_that_would_hide_others_get_longer() -> None:
    commands = (Command(10, "ping"), Command(11, "get_gain", effect=Effect.SERVE))
    model = client_model([Interface("strange", "", commands, (Parameter("gain", float, 1.0),))]).interfaces[0]
    assert [command.name for command in model.commands] == ["ping_command", "get_gain"]
    assert (model.parameters[0].getter, model.parameters[0].setter) == ("get_gain_parameter", "set_gain_parameter")


def test_a_step_brings_the_first_command_that_sets() -> None:
    model = client_model([MOTORS]).interfaces[0]
    assert model.setting is not None
    assert (model.setting.name, [reading.name for reading in model.readings]) == (
        "set_velocity",
        ["v", "w", "left", "right"],
    )


def test_the_command_writes_and_leaves_what_is_somebodys_own(tmp_path: Path) -> None:
    words = ["generate", "client", "python", "-o", str(tmp_path)]
    first = CliRunner().invoke(Commands(), words)
    assert first.exit_code == 0, first.output
    assert {file.name for file in tmp_path.iterdir()} == {"modules.py", "aio_modules.py", "error_codes.py"}
    (tmp_path / "error_codes.py").write_text("MINE = 1\n")
    second = CliRunner().invoke(Commands(), words)
    assert "it is yours" in second.output
    assert (tmp_path / "error_codes.py").read_text() == "MINE = 1\n"
