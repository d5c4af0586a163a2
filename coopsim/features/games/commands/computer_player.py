"""A computer player as a client of its own: it sees what any player sees, and gives orders as one."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from coopsim.app import talk
from coopsim.errors import SimulationEnded

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.features.matches.sealing import SealedTalk

_PERIOD = 0.2
"""Between two looks [s], of real time."""


def play_by_computer(sim: "Client", player: str, level: str) -> bool:
    """Play until the match, or the run, ends, and print every order.

    Args:
        sim: The run.
        player: Whose squads are commanded.
        level: How strong it is.

    Returns:
        Whether the match had an end; if not, it is said why.
    """
    from coopsim.features.games.logic.bots import make_bot
    from coopsim.features.games.logic.watching import MatchWatcher
    from coopsim.features.matches.stream import RUN_ENDED

    watcher, bot, absence, is_ready = MatchWatcher(sim), make_bot(player, level), RUN_ENDED, False
    with contextlib.closing(watcher), contextlib.suppress(SimulationEnded):
        for _ in _beats(sim, player, watcher.talk):
            watcher.update()
            if watcher.is_over:
                absence = watcher.absence
                break
            if not watcher.is_told or not watcher.talk.is_told:
                continue  # nobody would hear it, or nothing can be sealed yet: each order is given once
            if watcher.lobby:
                if not is_ready:
                    sim.publish(f"/game/seats/{player}", "ready")
                is_ready = True
                continue
            for order in bot.orders(watcher.model_for(player), watcher.game["rules"]):
                for topic, text in watcher.talk.order(player, str(order)):
                    sim.publish(topic, text)
                talk.data(f"{watcher.model.time:6.1f} s  {order}")
    if watcher.result is not None:
        talk.data(f"{watcher.result['winner'] or 'nobody'} wins after {watcher.result['time']:g} s")
        return True
    talk.complain(absence)
    return False


def _beats(sim: "Client", player: str, words: "SealedTalk") -> Iterator[None]:
    """Hold the seat of a player, and yield now and then."""
    import threading

    from coopsim.features.games.commands.playing import seated

    pause = threading.Event()
    with seated(sim, player, words) as sit:
        while True:
            sit()
            yield
            pause.wait(_PERIOD)
