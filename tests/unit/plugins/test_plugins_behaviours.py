"""Behaviours of squads that plugins bring: what is said where their class is wrong."""

import inspect

import pytest
from plugin_sources import Put

from coopsim.errors import PluginClash, PluginFailed
from coopsim.features.games.logic import behaviours
from coopsim.features.games.logic.squads import Behaviour
from coopsim.features.games.sections import behaviour_check
from coopsim.launch.controllers import controller_commands
from coopsim.robots import plug
from coopsim.robots.plugging import check_plugin
from coopsim.scene import Controller

HEAD = "class Flee:\n    name, priority, takes = {}\n\n"
WANTS = "    def wants(self, intelligence, view):\n        return False\n\n"
ACT = "    def act(self, intelligence, view):\n        return []\n\n"
PLUGINS = "PLUGINS = {'behaviours': {'flee': Flee}}\n"
RIGHT = HEAD.format("'flee', 5, None") + WANTS + ACT + PLUGINS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Flee = 3\n" + PLUGINS,
            "behaviour flee: expected a class with wants(intelligence, view) and act(intelligence, view), got 3",
        ),
        (HEAD.format("'flee', 5, None") + ACT + PLUGINS, "flee.py:1: behaviour flee: Flee has no method wants("),
        (
            RIGHT.replace("act(self, intelligence, view)", "act(self)"),
            "flee.py:7: behaviour flee: act(self, intelligence, view) is",
        ),
        (RIGHT.replace("'flee', 5", "'fly', 5"), "needs name = 'flee', got 'fly'"),
        (RIGHT.replace("5, None", "'high', None"), "needs a whole number as its priority, got 'high'"),
        (RIGHT.replace("5, None", "5, 'words'"), "takes says what words its order has: None, or one of nothing, name"),
        (
            RIGHT.replace("    def wants", "    def __init__(self, a):\n        pass\n\n    def wants"),
            "without arguments",
        ),
        (
            "from coopsim.features.games.logic.behaviours import Ordered\nclass Flee(Ordered):\n    name = 'flee'\n"
            + PLUGINS,
            "flee.py:2: behaviour flee: Flee lacks carry_out",
        ),
    ],
)
def test_a_wrong_class_is_told_with_its_place(put: Put, text: str, said: str) -> None:
    with pytest.raises(PluginFailed) as raised:
        plug(put("flee.py", text))
    assert said in str(raised.value)


def test_a_name_that_is_built_in_is_refused(put: Put) -> None:
    with pytest.raises(PluginClash) as raised:
        plug(put("flee.py", RIGHT.replace("'flee'", "'attack'")))
    assert (
        "registers the behaviour 'attack', which coopsim.features.games.logic.behaviours:AttackSquad registers already"
        in str(raised.value)
    )


def test_the_process_of_a_match_loads_what_brings_behaviours_and_others_do_not(put: Put) -> None:
    path = put("flee.py", RIGHT)
    plug(path)
    plug(put("brief.py", "def main(arguments):\n    pass\nPLUGINS = {'controllers': {'brief': main}}\n"))
    game, wander, brief = controller_commands(
        [Controller("game", ("a",)), Controller("wander", ("b",)), Controller("brief", ("c",))], allow_commands=False
    )
    assert game.command[1:8] == ("-P", "-m", "coopsim.features.laws.plugged", "--plugin", str(path), "game", "")
    assert wander.command[1:4] == ("-P", "-m", "coopsim.features.laws.wander")
    assert "--plugin" not in brief.command


def test_what_is_checked_is_what_the_documented_interface_says() -> None:
    for method in ("wants", "act"):
        ours = inspect.signature(getattr(Behaviour, method)).parameters
        assert list(ours) == list(inspect.signature(getattr(behaviour_check._BehaviourContract, method)).parameters)


def test_all_standard_behaviours_are_registered_and_right() -> None:
    from coopsim import plugins

    kinds = {name: plugins.load("behaviours", name) for name in plugins.registered("behaviours")}
    assert {type(behaviour) for behaviour in behaviours.standard()} <= set(kinds.values())
    for name, kind in kinds.items():
        check_plugin("behaviours", name, kind)
