"""Check of a behaviour that a plugin brings."""

import inspect
from typing import Any

from coopsim.devices.checking import check_method, code_location
from coopsim.errors import PluginFailed
from coopsim.features.games.sections.game_spec import ORDER_WORDS


class _BehaviourContract:
    """Signatures of a behaviour; `coopsim.features.games.logic.squads.Behaviour` documents them."""

    def wants(self, intelligence: Any, view: Any) -> bool:
        raise NotImplementedError

    def act(self, intelligence: Any, view: Any) -> Any:
        raise NotImplementedError


def check_behaviour(name: str, thing: Any) -> None:
    """Check that `thing` can be a behaviour of a squad.

    Raises:
        PluginFailed: It cannot.
    """
    what = f"behaviour {name}"
    if not inspect.isclass(thing):
        raise PluginFailed(
            f"{what}: expected a class with wants(intelligence, view) and act(intelligence, view), got {thing!r}"
        )
    for method in ("wants", "act"):
        check_method(what, thing, _BehaviourContract, method)
    flaw = _flaw_of_behaviour(name, thing)
    if flaw:
        raise PluginFailed(f"{code_location(thing)}: {what}: {flaw}")


def _flaw_of_behaviour(name: str, thing: Any) -> str:
    """Return what is wrong with the values of the class, "" where they are right."""
    called, priority, takes = (getattr(thing, key, None) for key in ("name", "priority", "takes"))
    if called != name:
        return f"it is registered as {name!r}, so {thing.__name__} needs name = {name!r}, got {called!r}"
    if type(priority) is not int:
        return f"{thing.__name__} needs a whole number as its priority, got {priority!r}"
    if takes not in (None, *ORDER_WORDS):
        return f"takes says what words its order has: None, or one of {', '.join(ORDER_WORDS)}; got {takes!r}"
    if getattr(thing, "__abstractmethods__", None):
        return f"{thing.__name__} lacks {', '.join(sorted(thing.__abstractmethods__))}"
    try:
        inspect.signature(thing).bind()
    except TypeError:
        return f"{thing.__name__}() is called for each squad, without arguments"
    return ""
