"""Computer players by name: easy, normal and hard, and those that plugins bring."""

from collections.abc import Callable, Mapping
from typing import Protocol

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.features.games.logic.easy_bot import EasyBot, NormalBot
from coopsim.features.games.logic.hard_bot import HardBot
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.orders import SquadOrder


class Bot(Protocol):
    """A computer player: implement this, and register it in the group `bots`; it is made with its player's name.

    Attributes:
        player: Whose squads it commands.
    """

    player: str

    def orders(self, model: DataModel, rules: str) -> list[SquadOrder]:
        """Return what it orders now; asked at each look of the match."""
        ...


_LEVELS: Mapping[str, Callable[[str], Bot]] = {"easy": EasyBot, "normal": NormalBot, "hard": HardBot}


def bot_names() -> list[str]:
    """Return the names of all computer players, the built-in ones first."""
    return [*_LEVELS, *sorted(plugins.registered("bots"))]


def make_bot(player: str, name: str) -> Bot:
    """Return a computer player.

    Args:
        player: Whose squads it commands.
        name: "easy", "normal", "hard", or the name of one that a plugin brings.

    Raises:
        NoSuchPlugin: There is none of this name.
        PluginFailed: The one of a plugin cannot be made.
    """
    if name in _LEVELS:
        return _LEVELS[name](player)
    with plugins.blamed(f"computer player {name}"):
        own_bot: Bot = plugins.load("bots", name)(player)
    if not callable(getattr(own_bot, "orders", None)):
        raise PluginFailed(f"computer player {name}: expected a method orders(model, rules), it has none")
    own_bot.player = player
    return own_bot
