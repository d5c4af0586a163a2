import sys

import pytest

from coopsim.errors import BadFile, NoSuchPlugin
from coopsim.launch.controllers import controller_commands
from coopsim.scene import Controller, Span

FORMATION = Controller(
    "formation", ("robot1", "robot2"), (("shape", ("triangle",)), ("spacing", ("0.8",)), ("gains", ("1", "2")))
)


def test_every_key_of_a_section_becomes_an_argument() -> None:
    (controller,) = controller_commands([FORMATION], allow_commands=False)
    assert controller.command == (
        *(sys.executable, "-P", "-m", "coopsim.features.laws.formation"),
        *("--robots", "robot1", "robot2", "--shape", "triangle", "--spacing", "0.8", "--gains", "1", "2"),
    )


def test_a_value_may_begin_with_a_dash() -> None:
    section = Controller("orca", ("robot1",), (("goals", ("-4,0;4,0",)), ("speed", ("0.5",))))
    (controller,) = controller_commands([section], allow_commands=False)
    assert controller.command[-3:] == ("--goals=-4,0;4,0", "--speed", "0.5")


def test_controllers_of_the_same_law_have_names_of_their_own() -> None:
    wander = [Controller("wander", (f"robot{n}",)) for n in (1, 2, 3)]
    assert [controller_command.name for controller_command in controller_commands(wander, allow_commands=False)] == [
        "wander",
        "wander#2",
        "wander#3",
    ]


def test_a_command_needs_permission() -> None:
    section = Controller("./mine --fast 'a b'", ("robot1",), span=Span("a.scenario", 9, 1))
    with pytest.raises(NoSuchPlugin, match=r"a.scenario:9:1: .*formation, .*seek, .*wander.*--allow-commands"):
        controller_commands([section], allow_commands=False)
    (controller,) = controller_commands([section], allow_commands=True)
    assert controller.command == ("./mine", "--fast", "a b", "--robots", "robot1")
    assert controller.name == "mine"


def test_a_command_is_called_after_its_program() -> None:
    sections = [Controller(run, ()) for run in ("/usr/bin/python3 a/mine.py --fast", "python -m mine", "./bin/mine x")]
    assert [controller_command.name for controller_command in controller_commands(sections, allow_commands=True)] == [
        "mine.py",
        "python",
        "mine",
    ]


def test_a_command_with_an_open_quotation_mark_is_the_files_fault() -> None:
    with pytest.raises(BadFile, match=r"a.scenario:2:1: run say 'hello: no closing quotation"):
        controller_commands([Controller("say 'hello", (), span=Span("a.scenario", 2, 1))], allow_commands=True)
