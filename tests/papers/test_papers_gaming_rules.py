"""Swarm gaming (Hristoskova et al. 2012): what the rules of a match come to, played by robots. G-16 to G-102.

Each test plays with the parts that matches use, and checks a number that the rules, or the robots' types, state.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from test_papers_gaming_match import Played, Shouting

from coopsim.features.games.logic.behaviours import standard
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.squads import Arbitrator

RANGE, DAMAGE, PERIOD = 2.5, 12.0, 1.0
"""Of infantry, as docs/games.md has them [m, points, s]."""
GAME = """\
[AREA_1]
type border
points -9 -9  9 -9  9 9  -9 9
[AREA_2]
type base
name home
points -8 -8  -6 -8  -6 -6  -8 -6
[TARGET]
red -7 -7 0
blue 4 0 0
[GAME]
rules {rules}
time {time}
[PLAYER_1]
name one
flag red
base home
[PLAYER_2]
name two
flag blue
base home
[SQUAD_1]
name a
player one
robots a*
power {power}
[SQUAD_2]
name b
player two
robots b*
power 0
"""
WALL = "[FLOOR]\n[OBJECT_1]\ntype box\nname wall\nsize 0.1 1 0.6\nposition {x} {y} 0\nmass 0\n"
Place = tuple[float, float]


def robots(own: list[Place], enemies: list[Place]) -> str:
    """Return sections of a1, a2 ... that look east, and of b1, b2 ... that look west."""
    placed = [(f"a{n}", at, 0) for n, at in enumerate(own, 1)] + [(f"b{n}", at, 180) for n, at in enumerate(enemies, 1)]
    return "".join(
        f"[ROBOT_{k}]\ntype game_infantry\nname {name}\nposition {x} {y} 0\norientation 0 0 {turn}\n"
        for k, (name, (x, y), turn) in enumerate(placed, 1)
    )


@pytest.fixture
def begun(tmp_path: Path) -> Iterator:
    with ExitStack() as stack:

        def begin(own: list[Place], enemies: list[Place], wall: Place | None = None, **options: object) -> Played:
            text = GAME.format(**{"rules": "death_match", "time": 60, "power": 20} | options) + robots(own, enemies)
            if wall is not None:
                (tmp_path / "wall.world").write_text(WALL.format(x=wall[0], y=wall[1]))
                text = "[WORLD]\nfile wall.world\n" + text
            (tmp_path / "match.scenario").write_text(text)
            return Played(tmp_path / "match.scenario", stack)

        yield begin


def test_each_shot_takes_the_damage_of_its_shooter_and_one_of_its_power_at_its_rate_g24_g59_g72(begun) -> None:
    played = begun([(0.0, 0.0)], [(2.0, 0.0)])
    shooter, victim = played.model.robots["a1"], played.model.robots["b1"]
    shots, times = 0.0, []
    while len(times) < 4:
        played.play(0.1)
        if shooter.power < 20.0 - shots:
            shots = 20.0 - shooter.power
            times.append(played.model.time)
        assert victim.health == 100.0 - DAMAGE * shots
        assert played.model.time < 6.0
    assert np.diff(times) == pytest.approx([PERIOD] * 3, abs=0.11)  # a look is every 0.1 s
    assert played.stepper.readings["a1"].shooter.shots == shots == 4.0


@pytest.mark.parametrize(("gap", "reaches"), [(RANGE - 0.1, True), (RANGE + 0.1, False)])
def test_shooters_and_squads_reach_as_far_as_their_range_and_no_farther_g58_g72(
    begun, gap: float, reaches: bool
) -> None:
    played = begun([(0.0, 0.0)], [(gap, 0.0)])
    aimed = played.sim.robot("a1")
    aimed.shooter.shoot(played.sim.robots().index("b1"))  # past the squad: the shooter itself knows its range
    played.play(1.5)
    assert (played.stepper.readings["a1"].shooter.shots > 0.0) == reaches
    assert (played.model.robots["b1"].health < 100.0) == reaches
    assert any(command.command == "shoot" for command in played.sent) == reaches


@pytest.mark.parametrize("hides", ["wall", "robot"])
def test_robots_shoot_at_the_nearest_enemy_that_they_see_not_through_walls_and_robots_g58(begun, hides: str) -> None:
    between = (0.9, 0.0)
    own = [(0.0, 0.0), between] if hides == "robot" else [(0.0, 0.0)]
    played = begun(own, [(1.8, 0.0), (0.0, 2.3)], wall=between if hides == "wall" else None)
    played.play(0.3)
    assert played.match.intelligences["a"].aims["a1"] == played.model.robots["b2"].number
    played.play(2.0)
    readings = played.stepper.readings["a1"].shooter
    assert (readings.shots > 0.0, readings.target) == (True, played.model.robots["b2"].number)


@pytest.mark.parametrize(("away", "may"), [(0.5, True), (0.8, False)])
def test_a_flag_is_picked_up_within_reach_and_not_from_farther_away_g23_g32_g102(begun, away: float, may: bool) -> None:
    played = begun([(4.0 - away, 0.0)], [(8.0, 8.0)], rules="capture_the_flag")
    played.play(0.2)
    played.sim.robot("a1").intelligence.pick_up(1)
    played.play(0.5)
    assert played.model.flags["blue"].carrier == ("a1" if may else "")
    assert ("illegal pick up" in played.rules()) == (not may)


def test_who_falls_drops_the_flag_there_and_another_one_may_take_it_g17_g59_g80(begun) -> None:
    played = begun([(8.0, 8.0)], [(-6.6, -7.0), (-6.0, -7.0)], rules="capture_the_flag")
    carrier, blue = played.model.robots["b1"], played.model.flags["red"]
    played.play(0.2)
    played.sim.robot("b1").intelligence.pick_up(0)
    played.play(0.3)
    assert (blue.carrier, carrier.holding) == ("b1", "red")
    played.match.referee._eliminate(carrier, played.model.robots["a1"])
    played.play(0.3)
    assert (blue.carrier, carrier.holding) == ("", "")
    assert blue.place == pytest.approx(played.model.position(carrier), abs=0.05)
    assert "dropped" in played.rules()


@pytest.mark.parametrize(("weaker", "winner"), [("a1", "two"), ("b1", "one"), ("", "")])
def test_when_the_time_is_over_the_most_health_wins_and_equal_health_is_a_draw_g80(begun, weaker, winner) -> None:
    played = begun([(0.0, 0.0)], [(8.0, 8.0)], time=1)
    if weaker:
        played.model.robots[weaker].health = 40.0
    assert not played.play(0.8)
    assert played.play(1.0)
    result = played.match.result()
    assert (result["winner"], result["reason"], result["time"]) == (
        winner,
        "the time is over",
        pytest.approx(1.0, abs=0.11),
    )


def test_in_a_match_the_highest_behaviour_is_activated_whatever_the_order_they_came_in_g29_g31_g41(begun) -> None:
    played = begun([(0.0, 0.0)], [(2.0, 0.0)])
    played.match.order("one", "a go_to -5 0")
    active = []
    for _ in range(3):
        played.play(0.1)
        active.append(played.match.intelligences["a"].active)
    assert active == ["shoot", "go_to", ""]  # 50 before 20, then nothing is new
    for behaviours in ([Shouting(), *standard()], [*standard(), Shouting()]):
        arbitrator = Arbitrator(behaviours)
        intelligence = played.match.intelligences["a"]
        intelligence.accept(SquadOrder("a", "stop"))
        assert [command.command for command in arbitrator.decide(intelligence, played.match.view)] == ["beep"]
        assert intelligence.active == "shout"


def test_orders_count_from_who_holds_the_seat_alone_and_are_refused_with_their_source_g16_g23_g26(begun) -> None:
    played = begun([(0.0, 0.0)], [(8.0, 8.0)])
    with played.server.connect() as player, played.server.connect() as stranger, player.listen("/game/log") as heard:
        player.publish("/game/seats/one", "claim")
        played.play(0.2)
        stranger.publish("/game/orders/one", "a go_to 5 5")
        played.play(0.3)
        assert played.match.intelligences["a"].order is None
        player.publish("/game/orders/one", "a go_to -5 0")
        played.play(0.3)
        assert str(played.match.intelligences["a"].order) == "a go_to -5 0"
        lines = [event.text for _ in range(9) if (event := heard.hear(0.0)) is not None]
    (refused,) = [line for line in lines if "illegal order" in line]
    assert "the seat of one is held by" in refused
    holder = played.match.intake.seats.holder("one")
    source, _, text = refused.partition(": illegal order: ")
    assert holder in text
    assert source not in ("", holder)


@pytest.mark.parametrize(("edge", "turn"), [("left", -90.0), ("right", 90.0)])
def test_a_border_on_one_side_turns_a_robot_by_a_quarter_to_the_other_g67(begun, edge: str, turn: float) -> None:
    y, way = (8.4, 45.0) if edge == "left" else (-8.4, -45.0)
    played = begun([(0.0, y)], [(8.0, -y)])
    robot = played.sim.robot("a1")
    robot.intelligence.rotate(np.radians(way))
    for _ in range(30):
        played.stepper.step({})
    robot.intelligence.go_to(4.0, y + 4.0 * np.sign(way))
    course, courses = way, []
    for _ in range(60):
        seen = played.stepper.step({})["a1"]
        w, _, _, z = seen.pose.orientation
        courses.append(float(np.degrees(2.0 * np.arctan2(z, w))))
        if seen.intelligence.reflex == 3.0:
            course = courses[-1]
        elif course != way:
            break
    assert course == pytest.approx(way + turn, abs=12.0)
    assert max(np.abs(np.array(courses) + 0.5 * way - way)) < 100.0
