"""Session of a player who draws paths through a door and takes them back, and who backs a robot into a crate."""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import click, frame, send

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.games.window.battle import REACHED
from coopsim.robots import find_file

pytestmark = pytest.mark.integration
DEADLINE = 240.0
SIZE = (1280, 800)
MATCH = """
[WORLD]
file yard.world
[AREA_1]
type border
points -5.8 -2.8  5.8 -2.8  5.8 2.8  -5.8 2.8
[ROBOT_1]
type door
name door
position 0 0.62 0
[ROBOT_2]
type game_infantry
name a1
position -3 0.5 0
color red
[ROBOT_3]
type game_infantry
name a2
position -3 -0.5 0
color red
[ROBOT_4]
type game_infantry
name c1
position -4.2 -1.6 0
color red
[ROBOT_5]
type game_infantry
name b1
position 5.3 -2.3 0
orientation 0 0 180
color blue
[GAME]
rules death_match
time 3600
[PLAYER_1]
name west
[PLAYER_2]
name east
[SQUAD_1]
name a
player west
robots a1 a2
formation line
[SQUAD_2]
name c
player west
robots c1
[SQUAD_3]
name b
player east
robots b1
[CONTROLLER_1]
run game
robots a1 a2 c1 b1
"""


CRATE = """
[OBJECT_1]
type box
name crate
size 0.3 0.3 0.3
position -4.6 -1.6 0
"""


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("path")
    yard = find_file("passage.world", [".world"]).read_text(encoding="utf-8") + CRATE
    (folder / "yard.world").write_text(yard, encoding="utf-8")
    (folder / "gate.scenario").write_text(MATCH, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, OwnRun() as own:
        patch.chdir(folder)
        patch.setenv("COOPSIM_LOBBY", "0")
        own.begin(str(folder / "gate.scenario"))
        window = Application(ViewerLink(own.locate()), SIZE)
        window.settings.quality = "low"
        window.layouts["game"].client.sound.sounds.effects = False
        until(window, lambda: bool(window.session.names) and battle(window).is_told)
        frame(window, 10)
        window.session.turn_camera_to("top")
        frame(window, 4)
        yield window
        window.close()


def until(window: Application, holds: Callable[[], bool]) -> None:
    """Draw frames until something holds."""
    end = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < end, (talk(window), list(window.session.notes), battle(window).paths)
        frame(window)


def battle(window: Application) -> Any:
    return window.layouts["game"].client.battle.battle


def talk(window: Application) -> list[str]:
    return [line.text for line in window.layouts["game"].client.monitor.talk.lines]


def pixel(window: Application, x: float, y: float) -> tuple[int, int]:
    """Return where a place on the floor is seen, from the lower left corner of the window."""
    left, top, _, high = window.view
    (place,), _ = window.session.camera.project(np.array([[x, y, 0.05]]))
    return round(left + place[0]), round(window.window.height - top - high + place[1])


def drag(window: Application, *places: tuple[float, float], button: int = mouse.LEFT) -> None:
    points = [pixel(window, *place) for place in places]
    send(window, "on_mouse_motion", *points[0], 0, 0)
    send(window, "on_mouse_press", *points[0], button, 0)
    for point in points[1:]:
        send(window, "on_mouse_drag", *point, 0, 0, button, 0)
    send(window, "on_mouse_release", *points[-1], button, 0)


def position_of(window: Application, robot: str) -> tuple[float, float]:
    x, y = window.session.pose(robot)[:2]
    return float(x), float(y)


def along(*corners: tuple[float, float]) -> list[tuple[float, float]]:
    """Return places on straight lines between corners, a hand's breadth apart."""
    places = []
    for begin, end in itertools.pairwise(corners):
        places += [tuple(point) for point in np.linspace(begin, end, 12)]
    return places


def rest(window: Application, *robots: str) -> None:
    """Wait until robots have stood for a second of simulated time."""
    stood: list[tuple[float, Any]] = []

    def stands() -> bool:
        now = np.ravel([position_of(window, robot) for robot in robots])
        if not stood or math.dist(now, stood[0][1]) > 0.005:
            stood[:] = [(window.session.time, now)]
        return window.session.time - stood[0][0] > 1.0

    until(window, stands)


def test_a_drawn_path_is_seen_walked_through_a_door_and_gone_at_its_end_g53_g96(window: Application) -> None:
    drag(window, *along(position_of(window, "a1"), (-1.8, 1.6), (-1.2, 0.0), (2.0, 0.0), (3.0, 1.4)))
    keep(window, "drawn")
    path, walked = list(battle(window).paths["a"]), []
    assert len(path) > 6

    def is_over() -> bool:
        walked.append(battle(window).middle("a"))
        return "a" not in battle(window).paths

    until(window, is_over)
    keep(window, "walked")
    assert any("waits for door to open" in line for line in talk(window)), talk(window)
    orders = [line for line in talk(window) if line.startswith("west orders: a go_to")]
    assert len({*orders}) == len(orders) >= len(path), "one after the other, and none twice"
    for point in path[:-1]:
        assert min(math.dist(point, middle) for middle in walked) < REACHED, point
    rest(window, "a1", "a2")
    assert math.dist(battle(window).middle("a"), path[-1]) < 0.4


def test_another_order_removes_a_path_g53(window: Application) -> None:
    for order in (lambda: drag(window, (2.0, 1.0), button=mouse.RIGHT), lambda: click(window, "game.stop")):
        rest(window, "a1", "a2")
        drag(window, *along(position_of(window, "a1"), (4.0, -1.0), (1.0, -1.0)))
        assert "a" in battle(window).paths
        order()
        assert "a" not in battle(window).paths


def test_a_robot_that_is_backed_into_a_crate_turns_away_and_then_obeys_again_g64_g65(window: Application) -> None:
    begin = window.session.pose("c1")
    battle(window).choose(["c1"])
    click(window, "game.hand")
    until(window, lambda: any("c1 is driven by hand" in line for line in talk(window)))
    send(window, "on_key_press", key.DOWN, 0)
    until(window, lambda: abs(turn(window, "c1")) > 20.0)
    send(window, "on_key_release", key.DOWN, 0)
    rest(window, "c1")
    keep(window, "touched")
    assert turn(window, "c1") == pytest.approx(90.0, abs=5.0), "to where there is more room"
    assert window.session.pose("c1")[1] > begin[1] + 0.05, "and ahead"
    click(window, "game.hand")
    until(window, lambda: any("c1 follows its squad again" in line for line in talk(window)))
    click(window, "squad.c")
    drag(window, (-4.2, 1.6), button=mouse.RIGHT)
    until(window, lambda: math.dist(position_of(window, "c1"), (-4.2, 1.6)) < 0.3)


def turn(window: Application, robot: str) -> float:
    """Return where a robot looks, from the x axis to the left [degrees]."""
    pose = window.session.pose(robot)
    return math.degrees(2.0 * math.atan2(pose[6], pose[3]))
