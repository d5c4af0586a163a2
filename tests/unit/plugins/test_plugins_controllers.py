"""Control laws that plugins bring: how they are started, and what is said when they fail."""

import sys
from pathlib import Path

import pytest
from plugin_sources import Put

from coopsim.features.laws import plugged
from coopsim.launch.controllers import controller_commands
from coopsim.robots import plug
from coopsim.scene import Controller

LAW = "def main(arguments):\n    {}\nPLUGINS = {{'controllers': {{'brief': main}}}}\n"


def test_a_loose_law_is_started_by_its_file_and_a_built_in_one_by_its_module(put: Put) -> None:
    path = put("brief.py", LAW.format("return 0"))
    plug(path)
    sections = [Controller("brief", ("robot1",)), Controller("wander", ("robot2",))]
    loose, built_in = controller_commands(sections, allow_commands=False)
    assert loose.name == "brief"
    assert loose.command == (
        *(sys.executable, "-P", "-m", "coopsim.features.laws.plugged", "brief", str(path)),
        *("--robots", "robot1"),
    )
    assert built_in.command[3] == "coopsim.features.laws.wander"


@pytest.mark.parametrize(
    ("body", "code"),
    [("return 3", 3), ("return None", 0), ("return 0 if arguments == ['--robots', 'a'] else 9", 0)],
)
def test_the_exit_code_is_what_main_returns(put: Put, body: str, code: int) -> None:
    path = put("brief.py", LAW.format(body))
    assert plugged.main(["brief", str(path), "--robots", "a"]) == code


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "brief: brief.py:2: controller brief: ZeroDivisionError: division by zero\n"),
        ("return 'x'.nothing", "brief: brief.py:2: controller brief: AttributeError: 'str' object has no"),
        ("from coopsim.errors import Late; raise Late('too late')", "brief: too late\n"),
    ],
)
def test_a_law_that_fails_is_told_with_file_and_line(
    put: Put, body: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plugged.main(["brief", str(put("brief.py", LAW.format(body))), "--robots", "a"]) == 1
    assert capsys.readouterr().err.startswith(words)


def test_wrong_usage_of_a_law_keeps_its_exit_code(put: Put) -> None:
    path = put("brief.py", LAW.format("raise SystemExit(2)"))
    with pytest.raises(SystemExit) as raised:
        plugged.main(["brief", str(path)])
    assert raised.value.code == 2


def test_a_law_that_is_gone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plugged.main(["brief", str(tmp_path / "brief.py")]) == 1
    assert plugged.main(["brief", ""]) == 1
    assert "controllers has no 'brief'" in capsys.readouterr().err
