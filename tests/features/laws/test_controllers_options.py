"""Command lines of control laws."""

import runpy
import sys
from dataclasses import fields

import pytest

from coopsim.features.laws import formation, options, wander
from coopsim.features.laws.formation_law import FormationParameters
from coopsim.features.laws.wander import WanderParameters
from coopsim.plugins import load, registered


@pytest.mark.parametrize(
    ("law", "parameters"), [(FormationParameters, formation.PARAMETERS), (WanderParameters, wander.PARAMETERS)]
)
def test_a_law_has_a_value_for_every_parameter_it_declares(law: type, parameters: tuple[object, ...]) -> None:
    assert [field.name for field in fields(law)] == [parameter.name for parameter in parameters]
    assert all(parameter.check(parameter.default) == parameter.default for parameter in parameters)


def test_keys_of_a_scenario_are_options() -> None:
    parser = options.parser("formation", "", formation.PARAMETERS)
    line = ["--robots", "robot1", "robot2", "--shape", "vee", "--spacing", "1.2", "--target", "blue", "--speed", "0.3"]
    chosen = parser.parse_args(line)
    law = options.chosen(chosen, FormationParameters, formation.PARAMETERS)
    assert chosen.robots == ["robot1", "robot2"]
    assert (law.shape, law.spacing, law.target, law.speed, law.tolerance) == ("vee", 1.2, "blue", 0.3, 0.3)


@pytest.mark.parametrize("name", ["cruise", "formation", "transport_helper", "transport_leader", "wander"])
def test_control_laws_are_registered(name: str) -> None:
    assert name in registered("controllers")
    assert callable(load("controllers", name).main)
    assert load("controllers", name).PARAMETERS


@pytest.mark.parametrize(
    ("main", "line", "text"),
    [
        (formation.main, [], "the following arguments are required: --robots"),
        (formation.main, ["--robots", "a", "--shape", "square"], "'square' is none of triangle, line, column, vee"),
        (formation.main, ["--robots", "a", "--shape", "triangel"], "did you mean 'triangle'"),
        (formation.main, ["--robots", "a", "--speed", "fast"], "argument --speed: expected a number, got 'fast'"),
        (formation.main, ["--robots", "a", "--spacing", "-1"], "spacing must lie within 0.1 and 20 m, got -1"),
        (wander.main, ["--robots", "a", "--speed", "nan"], "speed must be a finite number"),
        (wander.main, ["--robots", "a", "--colour", "red"], "unrecognized arguments: --colour red"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(
    main: object, line: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(line)
    assert caught.value.code == 2
    assert text in capsys.readouterr().err


def test_help_names_units_ranges_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        formation.main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    assert "distance between neighbours, centre to centre [m], default 0.8" in text
    assert "Exit code 0: done" in text


def test_no_server_ends_with_1_and_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOPSIM_TIMEOUT", "0.05")
    assert wander.main(["--robots", "robot1", "--endpoint", "tcp://127.0.0.1:9"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wander: no reply from /sim/clock at tcp://127.0.0.1:9")
    assert "coopsim run" in line


LAWS = [plugin.name for plugin in registered("controllers").values() if not plugin.is_foreign]


@pytest.mark.parametrize("name", [name for name in LAWS if name != "game"])  # the logic of a match, which is `match`
def test_a_control_law_and_its_file_have_one_name(name: str) -> None:
    entry = registered("controllers")[name].entry
    assert entry is not None
    assert entry.module.rpartition(".")[2] == name


@pytest.mark.parametrize("name", LAWS)
def test_every_control_law_is_a_program(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = registered("controllers")[name].entry
    assert entry is not None
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.delitem(sys.modules, entry.module, raising=False)  # else Python warns that it was imported before
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(entry.module, run_name="__main__")
    assert ended.value.code == 0
    assert "--robots NAME" in capsys.readouterr().out
