"""Session of two first players: a real run of a match with a lobby and fog, a window for each, from lobby to result."""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, implot
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import click, frame, send

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.link import ViewerLink

pytestmark = pytest.mark.integration
DEADLINE = 120.0
# all shots that there are leave everybody on the field, however long the windows take for their orders
MATCH = """
[WORLD]
file duel
[ROBOT_1]
type game_tank
name a1
position 0 3.2 0
color red
[ROBOT_2]
type game_infantry
name a2
position 0 4.2 0
color red
[ROBOT_3]
type game_infantry
name b1
position 3.4 3.2 0
color blue
[ROBOT_4]
type game_infantry
name b2
position 7 -5 0
color blue
[GAME]
rules death_match
time 3600
lobby 3600
budget 10000
fog yes
[PLAYER_1]
name west
[PLAYER_2]
name east
[SQUAD_1]
name a
player west
robots a1 a2
health 1000
[SQUAD_2]
name b
player east
robots b1 b2
health 1000
[CONTROLLER_1]
run game
robots a1 a2 b1 b2
"""


class TwoWindows:
    """The windows of both players: one is drawn after the other."""

    def __init__(self, endpoint: str) -> None:
        self._contexts: dict[int, tuple[Any, Any]] = {}
        self.west, self.east = (self._open(endpoint) for _ in range(2))

    def _open(self, endpoint: str) -> Application:
        window = Application(ViewerLink(endpoint), (1280, 800))
        self._contexts[id(window)] = imgui.get_current_context(), implot.get_current_context()
        window.settings.quality = "low"
        window.layouts["game"].client.sound.sounds.effects = False
        return window

    def use(self, window: Application) -> Application:
        """Let what is drawn and pressed next be in this window: a process usually has one."""
        user_interface, plots = self._contexts[id(window)]
        imgui.set_current_context(user_interface)
        implot.set_current_context(plots)
        window.window.switch_to()
        frame(window, 3)
        return window

    @property
    def both(self) -> tuple[Application, Application]:
        return self.west, self.east

    def until(self, holds: Callable[[Application], bool]) -> None:
        """Draw frames of both until something holds for each."""
        end = time.monotonic() + DEADLINE
        while not all([holds(window) for window in self.both]):  # noqa: C419 - each is asked
            assert time.monotonic() < end, [(talk(window), list(window.session.notes)) for window in self.both]
            for window in self.both:
                self.use(window)


def battle(window: Application) -> Any:
    return window.layouts["game"].client.battle.battle


def talk(window: Application) -> list[str]:
    """Return what a player has read of the match."""
    return [line.text for line in window.layouts["game"].client.monitor.talk.lines]


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoWindows]:
    folder = tmp_path_factory.mktemp("match")
    (folder / "meeting.scenario").write_text(MATCH, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, OwnRun() as own:
        patch.chdir(folder)
        own.begin(str(folder / "meeting.scenario"))
        windows = TwoWindows(own.locate())
        windows.until(lambda window: bool(window.session.names) and battle(window).is_told)
        yield windows
        for window in windows.both:
            windows.use(window).close()


def drive_by_hand(windows: TwoWindows, window: Application) -> None:
    """Drive b2 by the keys faster than its type can, and give it back: the logic is asked for what it can."""
    windows.use(window)
    battle(window).choose(["b2"])
    before = window.session.pose("b2")
    click(window, "game.hand")
    windows.until(lambda own: own is not window or any("b2 is driven by hand" in line for line in talk(own)))
    send(window, "on_key_press", key.UP, 0)
    windows.until(lambda own: own is not window or math.dist(own.session.pose("b2")[:2], before[:2]) > 0.2)
    windows.use(window)
    send(window, "on_key_release", key.UP, 0)
    click(window, "game.hand")
    windows.until(lambda own: own is not window or any("b2 follows its squad again" in line for line in talk(own)))
    assert not any("Illegal" in line for line in talk(window)), talk(window)


def test_two_players_meet_in_the_lobby_fight_in_fog_and_both_read_the_result(
    windows: TwoWindows, tmp_path: Path
) -> None:
    west, east = windows.both
    windows.use(east)
    click(east, "game.player")
    click(east, "game.player.east")
    assert (battle(west).player, battle(east).player) == ("west", "east")
    for window in windows.both:
        windows.use(window)
        click(window, "game.ready")
    windows.until(lambda window: any("the match begins in" in line for line in talk(window)))
    keep(windows.use(west), "lobby")
    windows.until(lambda window: any(line.endswith("the match begins") for line in talk(window)))
    windows.until(lambda window: bool(battle(window).seen))
    # a tank sees 4 m far, and so does infantry: a1 and b1 see each other, and nobody sees b2
    assert battle(west).seen["west"] == ["b1"]
    windows.use(west)
    assert west.session.hidden == {"b2"}
    click(west, "squad.a")
    click(west, "game.split")
    windows.until(lambda window: "a_2" in battle(window).squads)
    windows.use(west)
    click(west, "squad.a")
    click(west, "game.help")
    windows.until(lambda window: window is east or any("orders: a_2 defend a1" in line for line in talk(window)))
    drive_by_hand(windows, east)
    windows.use(west)
    click(west, "squad.a")
    click(west, "game.attack")
    windows.until(lambda window: window is east or any("orders: a attack b1" in line for line in talk(window)))
    assert not any("orders: a " in line for line in talk(east)), "orders of others are secret"
    keep(windows.use(west), "fog")
    windows.until(lambda window: battle(window).fighters["b1"].health < 1000.0)
    for robot in ("b1", "b2"):  # who is removed is out: the match ends by no clock, however slow the machine is
        west.session.ask("/sim/world", "remove", robot)
    windows.until(lambda window: bool(battle(window).result))
    assert {battle(window).result["winner"] for window in windows.both} == {"west"}
    windows.until(lambda window: any("orders: a attack b1" in line for line in talk(window)))
    windows.use(west)
    assert west.session.hidden == set(), "nothing is secret when it is over"
    for window, name in zip(windows.both, ("result_west", "result_east"), strict=True):
        keep(windows.use(window), name)
        assert "Traceback" not in "\n".join(window.session.notes)
        assert window.session.is_connected
