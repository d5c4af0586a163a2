"""The root of the agents of a match: takes in what is told, and sends what its player does."""

import time
from typing import TYPE_CHECKING

import numpy as np

from coopsim.features.games.window.battle import Battle
from coopsim.features.games.window.battle_control import BattleControl
from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.features.games.window.setting_up import MatchSetup, SetupControl
from coopsim.features.games.window.sound import Player, SoundControl, Sounds, Speaker, play
from coopsim.features.games.window.talk import ChatControl, MonitorControl, Talk
from coopsim.features.matches.events import LOBBY_LINE, LobbyNews, match_result, match_status
from coopsim.geometry import Floats, Pose

if TYPE_CHECKING:
    from coopsim.features.desktop.session import ViewerSession
    from coopsim.message import ChannelEvent

_HERE_EVERY = 2.0  # s; a few times within the lease of a seat in a lobby


class MatchClient:
    """A match as one of its players sees and commands it.

    Args:
        session: What is shown.
        player: Plays sounds.

    Attributes:
        control: Of the root; the controls of the agents lie below it.
    """

    def __init__(self, session: "ViewerSession", player: Player = play) -> None:
        self._session = session
        self.speaker = Speaker(player)
        self.battle, self.chat = BattleControl(Battle()), ChatControl(Talk())
        self.monitor, self.setup = MonitorControl(Talk()), SetupControl(MatchSetup())
        self.sound = SoundControl(Sounds(), self.speaker)
        self.control = PacControl(self._hear)
        for part in (self.battle, self.chat, self.monitor, self.setup, self.sound):
            self.control.adopt(part)
        self._game: object = None
        self._seat, self._due = "", 0.0
        self._needs_kinds, self._unseen, self._lobby = False, set[str](), LobbyNews()

    @property
    def is_match(self) -> bool:
        """Whether what is shown is a match."""
        return self._game is not None

    def update(self) -> bool:
        """Take in what came; return whether another match has begun."""
        session, link = self._session, self._session.link
        game = link.facts.game
        is_new = game is not None and game is not self._game
        self.battle.battle.is_recorded = link.facts.playback is not None
        if game is not self._game:
            self._game, self._seat, self._needs_kinds = game, "", game is not None
            self._lobby = LobbyNews()
            if game is not None:
                self.control.broadcast(Happening("match", facts=game))
        if self._needs_kinds and game is not None and session.model.entities:
            kinds = {row.name: row.type for row in session.model.entities if row.kind == "robot"}
            self.setup.setup.begin(game, kinds)
            self.battle.battle.colors = session.model.robot_colors
            self._needs_kinds = False
        while link.events:
            self._receive(link.events.popleft())
        poses = {name: session.pose(name) for name in self.battle.battle.fighters}
        self._hide_unseen()
        self.battle.advance({name: _floor(pose) for name, pose in poses.items() if pose is not None}, session.time)
        self._stay()
        return is_new

    def _hide_unseen(self) -> None:
        """Let robots vanish from the picture that this player does not see, and marks of flags that are away."""
        battle = self.battle.battle
        unseen = {name for name in battle.fighters if battle.is_hidden(name)}
        unseen |= {name for name in battle.flags if battle.is_away(name)}
        for name in sorted(unseen ^ self._unseen):
            self._session.hide(name, hidden=name in unseen)
        self._unseen = unseen

    def leave(self) -> None:
        """Give the seat back."""
        if self._seat:
            self._publish(f"/game/seats/{self._seat}", "release")
            self._seat = ""

    def _receive(self, event: "ChannelEvent") -> None:
        at = event.data[0] if event.data else self._session.time
        kind = event.topic.split("/")[2]
        if kind == "log":
            self.control.broadcast(Happening("log", event.text, time=at))
        elif kind == "chat":
            self.control.broadcast(Happening("chat", f"{event.topic.rpartition('/')[2]}: {event.text}", time=at))
        elif kind == "end" and (result := match_result(event.text)):
            self.control.broadcast(Happening("end", event.text, result, at))
        elif kind == "status" and (status := match_status(event.text)):
            self.control.broadcast(Happening("status", facts=status, time=at))
        news = self._lobby.text(event)
        if news and kind == "status":  # who came late has not heard it in the log
            self.control.broadcast(Happening("log", LOBBY_LINE + news, time=at))

    def _hear(self, happening: Happening) -> None:
        player = self.battle.battle.player
        if happening.topic == "order":
            self._sit_down(player)
            talk = self._session.link.talk
            order = happening.text
            for event in [(f"/game/orders/{player}", order)] if talk is None else talk.order(player, order):
                self._publish(*event)
        elif happening.topic == "ready" and player:
            self._sit_down(player)
            self._publish(f"/game/seats/{player}", "ready")
        elif happening.topic == "say":
            if player:
                self._sit_down(player)  # nobody else believes what is said in the name of a player
            self._publish(f"/game/chat/{player or 'guest'}", happening.text)
        elif happening.topic == "player":
            self.leave()

    def _sit_down(self, player: str) -> None:
        if self._seat != player:
            self.leave()
            self._seat, self._due = player, time.monotonic() + _HERE_EVERY
            self._publish(f"/game/seats/{player}", "claim")

    def _stay(self) -> None:
        """Say now and then that somebody plays here; name the key to a logic that has not heard it."""
        talk = self._session.link.talk
        for event in talk.introduction(self._seat) if talk is not None and self._seat else []:
            self._publish(*event)
        if self._seat and time.monotonic() >= self._due:
            self._due = time.monotonic() + _HERE_EVERY
            topic = f"/game/seats/{self._seat}"
            # nobody asked for it: where no run answers, the window says so already
            self._session.link.ask(lambda simulation: simulation.publish(topic, "here"))

    def _publish(self, topic: str, text: str) -> None:
        def report(problem: Exception) -> None:
            self._session.note(str(problem).partition("\n")[0])

        self._session.link.ask(lambda simulation: simulation.publish(topic, text), failed=report)


def _floor(pose: Pose) -> Floats:
    return np.array(pose[:2])
