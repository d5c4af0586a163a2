"""The layout of a match: its agents with their presentations, and where these are in the window."""

from pathlib import Path

from coopsim.errors import CoopsimError, NoReply, NoSuchFile, SimulationEnded
from coopsim.features.desktop.documents import SCENES
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.panel_list import Panel, WindowContext
from coopsim.features.games.window.battle_mouse import BattleMouse
from coopsim.features.games.window.battlefield import BattlefieldView, SquadPanel
from coopsim.features.games.window.by_hand import ManualDriving
from coopsim.features.games.window.client import MatchClient
from coopsim.features.games.window.match_panels import ChatPanel, MonitorPanel, SetupPanel
from coopsim.features.games.window.pac import PacAgent

_NEXT = "next-match.scenario"


class GameLayout:
    """The game client in the window.

    Args:
        context: The window; its documents open the next match.

    Attributes:
        agents: All of them, each of three parts.
        panels: Of this layout.
        mouse_tool: The mouse over the battlefield.
        battlefield: What is drawn over the picture.
    """

    def __init__(self, context: WindowContext) -> None:
        session = context.session
        self.client = client = MatchClient(session)
        self._session, self._documents = session, context.documents
        self.mouse_tool = BattleMouse(session, client.battle)
        self.battlefield = BattlefieldView(session, client.battle.battle)
        hand = ManualDriving(session, client.battle, context.teleoperation)
        squads, chat = SquadPanel(client.battle, hand), ChatPanel(client.chat)
        monitor = MonitorPanel(client.monitor.talk)
        setup = SetupPanel(client.setup, client.battle, client.sound, self.begin)
        self.agents = (
            PacAgent(client.battle.battle, (self.battlefield, squads), client.battle),
            PacAgent(client.chat.talk, chat, client.chat),
            PacAgent(client.monitor.talk, monitor, client.monitor),
            PacAgent(client.setup.setup, setup, client.setup),
            PacAgent(client.sound.sounds, client.speaker, client.sound),
        )
        self.panels = (
            Panel("Squads", "right", squads.draw, "game"),
            Panel("Set-up", "left", setup.draw, "game"),
            Panel("Messages", "below", monitor.draw, "game"),
            Panel("Chat", "below right", chat.draw, "game"),
        )

    @property
    def is_live(self) -> bool:
        """Whether what is shown is a match: then the mouse commands squads."""
        return self.client.is_match

    def update(self) -> bool:
        """Take in what came; return whether another match has begun."""
        is_new = self.client.update()
        self._session.named_elsewhere = frozenset(self.battlefield.named) if self.is_live else frozenset()
        return is_new

    def draw(self, view: Rectangle, scale: float) -> None:
        """Draw health, paths and targets over the picture."""
        self.battlefield.draw(view, scale)

    def close(self) -> None:
        """Give the seat back."""
        self.client.leave()

    def begin(self) -> None:
        """Begin the next match, with what the set-up says: it is written into a file, and opened.

        Where the run has ended with its match, it is made out of the file that the run came from.
        """
        if self._session.link.facts.connection == "lost":
            self._begin_anew()
            return
        self._session.link.ask(
            lambda simulation: simulation.module("/sim/world").save(_NEXT, 0, 1).files,
            then=lambda _: self._write(Path(_NEXT), Path(_NEXT)),
            failed=self._report,
        )

    def _report(self, problem: CoopsimError) -> None:
        if isinstance(problem, NoReply | SimulationEnded):
            self._begin_anew()
        else:
            self._session.note(str(problem).partition("\n")[0])

    def _begin_anew(self) -> None:
        from coopsim.robots import find_file, is_built_in  # here, for the first picture does not wait for them

        file = self._documents.file
        if not file:
            self._session.note("the run has ended, and which file it came from is not known here: open one")
            return
        try:
            path = find_file(file, SCENES)
        except NoSuchFile as problem:
            self._session.note(str(problem))
        else:
            self._write(path, (Path() if is_built_in(path) else path.parent) / _NEXT)

    def _write(self, source: Path, path: Path) -> None:
        """Write a scenario with what the set-up says, and open it."""
        try:
            text = source.read_text(encoding="utf-8")
            path.write_text(self.client.setup.setup.written(text), encoding="utf-8")
        except OSError as problem:
            self._session.note(f"{path} cannot be written: {problem.strerror}")
        else:
            self._documents.open(str(path.resolve()))
