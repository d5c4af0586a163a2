"""Swarm gaming (Hristoskova et al. 2012), 4.2 and 4.3: formations, and from an order to the commands of each robot.

G-32, G-34 to G-39, G-45 to G-50, G-54, G-55, G-68, G-78, G-79, G-84, G-103, G-107.
"""

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from test_papers_gaming_match import GO_TO, Played
from viewer_scenes import row

from coopsim.client.scene import SceneView
from coopsim.features.games.logic.field import Battlefield
from coopsim.features.games.sections.game_spec import price
from coopsim.features.laws.planning import (
    FORMATIONS,
    PlanningGrid,
    find_path,
    is_clear,
    offsets,
    plan_squad,
    printed_offsets,
    turn_points,
    turned_offsets,
)
from coopsim.geometry import Floats
from coopsim.robots import find_file, load
from coopsim.state import Visual

COUNTS = [2, 3, 5, 10]
GAMES = Path(__file__).parents[2] / "docs" / "games.md"


@pytest.mark.parametrize("count", COUNTS)
def test_a_line_lies_as_printed_where_the_squad_heads_up_the_page_g35(count: int) -> None:
    d, middle = 0.3, np.array([2.0, -1.0])
    printed = [(middle[0] + d * (i - (count - 1) / 2), middle[1]) for i in range(count)]
    assert middle + printed_offsets("line", count, d) == pytest.approx(np.array(printed))
    assert middle + turned_offsets(offsets("line", count, d), math.pi / 2) == pytest.approx(np.array(printed))


@pytest.mark.parametrize("count", COUNTS)
def test_a_circle_has_the_printed_angles_and_a_radius_that_leaves_the_spacing_g36_g39(count: int) -> None:
    d = 0.3
    printed = [
        (count * d * math.cos(math.radians(i * 360 / count)), count * d * math.sin(math.radians(i * 360 / count)))
        for i in range(count)
    ]
    assert printed_offsets("circle", count, d) == pytest.approx(np.array(printed))
    ours = offsets("circle", count, d)
    radius = np.hypot(*ours.T)
    assert ours == pytest.approx(np.array(printed) * radius[0] / (count * d))
    assert math.dist(ours[0], ours[1]) == pytest.approx(d)
    assert radius.max() < count * d / 3


@pytest.mark.parametrize("count", COUNTS)
def test_a_half_circle_is_printed_with_270_degrees_and_has_180_with_both_ends_here_g37_g39(count: int) -> None:
    d = 0.3
    angles = [math.radians(i * 270 / count) for i in range(count)]
    printed = [(count * d * math.cos(angle), count * d * math.sin(angle)) for angle in angles]
    assert printed_offsets("half_circle", count, d) == pytest.approx(np.array(printed))
    ours = offsets("half_circle", count, d)
    ends = np.degrees(np.arctan2(ours[[0, -1], 1], ours[[0, -1], 0]))
    assert ends == pytest.approx([90.0, -90.0])
    assert np.hypot(*ours.T) == pytest.approx(np.full(count, np.hypot(*ours[0])))
    assert math.dist(ours[0], ours[1]) == pytest.approx(d)


def test_a_wedge_and_an_inverse_wedge_are_two_diagonal_lines_g38_g39() -> None:
    for name, ahead in (("wedge", -1.0), ("inverse_wedge", 1.0)):
        places = offsets(name, 7, 0.5)
        assert places[0].tolist() == [0.0, 0.0]
        assert places[1:, 0] == pytest.approx(ahead * np.abs(places[1:, 1]))
        assert sorted(np.sign(places[1:, 1]).tolist()) == [-1.0] * 3 + [1.0] * 3


def test_each_robot_gets_the_place_in_the_formation_that_makes_all_ways_shortest_g45() -> None:
    grid, noise = PlanningGrid.covering((-9.0, -9.0), (9.0, 9.0), 0.1), np.random.default_rng(4)
    for formation in FORMATIONS:
        robots = noise.uniform(-2.0, 2.0, (5, 2))
        route = plan_squad(grid, robots, (6.0, 1.0), formation, 0.8)
        assert route is not None
        x, y = np.array([6.0, 1.0]) - robots.mean(axis=0)
        shape = robots.mean(axis=0) + turned_offsets(offsets(formation, 5, 0.8), math.atan2(y, x))
        ways = [float(np.hypot(*(robots - shape[[*order]]).T).sum()) for order in permutations(range(5))]
        assert float(np.hypot(*(robots - shape[route.places]).T).sum()) == pytest.approx(min(ways))


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    with ExitStack() as stack:
        text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
        (tmp_path / "match.scenario").write_text(text)
        yield Played(tmp_path / "match.scenario", stack)


def sequences(played: Played) -> dict[str, Floats]:
    """Return the points of the last sequence of each robot."""
    way_of = {}
    for command in played.sent:
        if command.command == "sequence":
            steps = np.reshape(command.values, (-1, 3))
            way_of[command.robot] = steps[steps[:, 0] == GO_TO, 1:]
    return way_of


def shares_of_line(way: Floats, start: Floats, turns: Floats, side: int) -> list[float]:
    """Return how much of its place in a line a robot keeps at each turn of its squad, which it passes in this order.

    Args:
        way: Of the robot, shape (n, 2) [m].
        start: Of the path of the squad, x and y [m].
        turns: Of that path, shape (k, 2) [m].
        side: 0 in the middle, 1 to the left of it, -1 to the right.
    """
    shares, at = [], 0
    for before, turn in pairwise((start, *turns)):
        x, y = (turn - before) / np.hypot(*(turn - before))
        gaps = way[at:] - turn
        beside, off = gaps @ (-y, x), np.abs(gaps @ (x, y))
        passes = np.flatnonzero((off < 1e-6) & (np.abs(beside) < 0.8 + 1e-6))
        assert passes.size
        at += int(passes[0]) + 1
        shares.append(round(float(beside[passes[0]]) / (0.8 * side or 1.0), 6) + 0.0)
    return shares


def test_gathering_behind_water_becomes_one_sequence_of_turn_points_for_each_robot_g32_g46_to_g50_g103(
    played: Played,
) -> None:
    goal = np.array([-1.0, 3.0])
    played.match.order("south_team", "a gather -1 3 line")
    played.play(0.1)
    assert [(command.robot, command.command) for command in played.sent] == [(f"a{n}", "sequence") for n in (1, 2, 3)]
    grid = played.match.field.grid(swims=False)
    ways = sequences(played)
    for name, way in ways.items():
        whole = np.vstack((played.model.position(played.model.robots[name]), way))
        assert len(way) > 1
        assert not is_clear(grid, whole[0], whole[-1])
        assert all(is_clear(grid, begin, end) for begin, end in pairwise(whole))
    last = np.array([way[-1] for way in ways.values()])
    assert last.mean(axis=0) == pytest.approx(goal, abs=0.05)
    assert sorted(np.diff(sorted(np.hypot(*(last - goal).T))).round(2).tolist()) == [0.0, 0.8]
    path = played.match.intelligences["a"].path
    assert path is not None
    robots = played.model.squads["a"].robots
    assert path[0] == pytest.approx(np.mean([played.model.position(robot) for robot in robots], axis=0), abs=0.05)
    turns, sides = turn_points(grid, path), {"a1": 0, "a2": 1, "a3": -1}
    kept = [shares_of_line(way, path[0], turns, sides[name]) for name, way in ways.items()]
    assert kept[0] == [0.0] * 3  # one path for all, and each goes past all of its turns in a place of its own
    assert all({*shares} <= {0.0, 0.25, 0.5, 1.0} and shares[-1] == 1.0 for shares in kept[1:])
    assert max(map(min, kept)) == 1.0  # only who would stand in the water is drawn in


def test_a_squad_goes_around_water_and_stands_in_its_formation_at_the_end_g34(played: Played) -> None:
    played.match.order("south_team", "a go_to 4 2 line")
    while played.play(1.0) or not played.match.intelligences["a"].is_at_rest(played.match.view):
        assert played.model.time < 60.0
    squad = played.model.squads["a"]
    places = np.array([played.model.position(robot) for robot in squad.robots])
    planned = np.array([played.match.intelligences["a"].ways[robot.name][-1] for robot in squad.robots])
    assert np.hypot(*(places - planned).T).max() < 0.15
    assert np.linalg.matrix_rank(planned - planned.mean(axis=0), tol=0.01) == 1
    assert not played.match.referee.violations


def around(played: Played, subject: str, line: str) -> Floats:
    """Return where robots are sent by an order, as seen from what it is about [m]."""
    player = "south_team" if line.startswith("a") else "north_team"
    assert played.match.order(player, line) == ""
    played.play(0.2)
    flag = played.match.view.model.flags.get(subject)
    at = np.array(flag.place) if flag else played.model.position(played.model.robots[subject])
    ways = played.match.intelligences[line[0]].ways
    return np.array([way[-1] for way in ways.values()]) - at


def spread(places: Floats) -> float:
    """Return how much of a turn places leave free at most, seen from the middle [degrees]."""
    angles = np.sort(np.degrees(np.arctan2(places[:, 1], places[:, 0])))
    return float(np.diff([*angles, angles[0] + 360.0]).max())


def test_what_stands_is_defended_in_a_circle_and_who_moves_or_is_attacked_in_a_half_circle_g54_g55(
    played: Played,
) -> None:
    assert spread(around(played, "red", "a defend red")) == pytest.approx(120.0, abs=25.0)
    for subject, line in (("a1", "a defend a1"), ("b2", "a attack b2")):
        places = around(played, subject, line)
        assert spread(places) == pytest.approx(180.0, abs=25.0)
        assert np.hypot(*places.T) == pytest.approx(0.57, abs=0.1)  # 0.8 m from each other, none in the middle


def table() -> dict[str, list[str]]:
    rows = re.findall(r"^\| `(game_\w+)` \| (.+) \|$", GAMES.read_text(encoding="utf-8"), re.MULTILINE)
    return {kind: [cell.strip() for cell in cells.split("|")] for kind, cells in rows}


def test_the_table_of_robot_types_says_what_distinguishes_them_g79_g107(tmp_path: Path) -> None:
    rows = table()
    assert [*rows] == [f"game_{name}" for name in ("scout", "tank", "infantry", "amphibian")]
    file = tmp_path / "all.scenario"
    file.write_text(
        "".join(f"[ROBOT_{n}]\ntype {type_name}\nname r{n}\nposition {n} 0 0\n" for n, type_name in enumerate(rows, 1))
    )
    types = load(file).types
    for kind, (body, speed, sonars, reach, damage, rate, water) in rows.items():
        settings = {device.name: device.settings for device in types[kind].devices}
        shooter = settings["shooter"]
        assert body == f"{types[kind].size[0]:g} m, {types[kind].mass:g} kg"
        assert speed == f"{settings['intelligence']['speed']:g} m/s"
        assert sonars == f"{settings['sonars']['reach']:g} m"
        assert (reach, damage, rate) == (f"{shooter['range']:g} m", f"{shooter['damage']:g}", f"{shooter['rate']:g} Hz")
        assert water == ("is floor" if settings["border"]["swims"] else "is a border")


def test_the_prices_are_those_that_are_told_g78_g107() -> None:
    text = GAMES.read_text(encoding="utf-8")
    prices = re.findall(r"(\d+) \((scout|infantry|amphibian|tank)\)", text)
    assert len(prices) == 4
    for cost, kind in prices:
        assert price(f"game_{kind}", 0.0, 0.0) == float(cost)
    assert price("game_tank", 100.0, 20.0) == 30.0 + 100.0 / 10.0 + 20.0 / 2.0


@pytest.mark.parametrize("x", [-0.6, 0.0, 0.6])
def test_the_path_of_a_squad_is_the_shortest_around_what_is_in_the_way_g34_g47_g60(x: float) -> None:
    grid = PlanningGrid.covering((-9.0, -9.0), (9.0, 9.0), 0.1)
    grid.block_polygon([(-2.5, -0.5), (4.0, -0.5), (4.0, 0.5), (-2.5, 0.5)], 0.25)
    robots = np.array([(x - 0.8, -5.0), (x, -5.0), (x + 0.8, -5.0)])
    route = plan_squad(grid, robots, (x, 5.0), "line", 0.8)
    assert route is not None
    length = float(np.hypot(*np.diff(route.path, axis=0).T).sum())
    past_left, past_right = (abs(x - end) for end in (-2.75, 4.25))
    straight = 2.0 * math.hypot(past_left, 5.0 - 0.75) + 1.5
    assert past_left < past_right
    way = np.vstack((robots.mean(axis=0), route.turns))
    assert float(np.hypot(*np.diff(way, axis=0).T).sum()) == pytest.approx(straight, rel=0.015)
    octile = 2.0 * (5.0 - 0.75 - past_left) + 2.0 * past_left * math.sqrt(2.0) + 1.5
    assert length == pytest.approx(octile, abs=0.3)  # along cells a diagonal step counts as it is long


def test_the_outside_of_a_border_that_turns_inwards_is_in_the_way_of_paths_g68_g84() -> None:
    corners = (-3.0, -3.0, 3.0, -3.0, 3.0, 3.0, 0.5, 3.0, 0.5, -1.0, -0.5, -1.0, -0.5, 3.0, -3.0, 3.0)
    border = row("field", "area", "border", visuals=(Visual("polygon", points=corners),))
    grid = Battlefield(SceneView(1, 0, (border,)), 0.2, ()).grid(swims=True)
    assert grid.is_blocked([(0.0, 2.0), (0.6, 2.0), (1.0, 2.0), (0.0, -2.0)]).tolist() == [True, True, False, False]
    path = find_path(grid, (-2.0, 2.0), (2.0, 2.0))
    assert path is not None
    assert path[:, 1].min() < -1.15  # around the part that is outside
