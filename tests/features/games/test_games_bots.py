"""Computer players: what the hard one sees in a battlefield, and that plugins bring further ones."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim import plugins
from coopsim.errors import NoSuchPlugin, PluginFailed
from coopsim.features.games.logic.army import Advances, best_strike, fire_of, stand_off, strength
from coopsim.features.games.logic.bots import bot_names, make_bot
from coopsim.features.games.logic.hard_bot import HardBot, RaidPlan
from coopsim.features.games.logic.model import DataModel, Flag, RobotState, SquadState
from coopsim.features.games.logic.sniping import DangerMap, sniper_of


def battlefield(*places: tuple[str, float, float], health: float = 100.0) -> DataModel:
    """Return a model of robots, those of "west" in squad w and those of "east" in squad e."""
    robots = [
        RobotState(
            f"{player[0]}{index}", player, player[0], index, index, frozenset(), health, 20.0, 12.0, 2.5, 0.15,
            rate=1.0, speed=0.5,
        )
        for index, (player, _, _) in enumerate(places)
    ]  # fmt: skip
    squads = {
        name[0]: SquadState(name[0], name, [robot for robot in robots if robot.player == name], "line", 0.8)
        for name in ("west", "east")
    }
    positions = np.array([place[1:] for place in places])
    flags = {"red": Flag("red", "west", (-5.0, 0.0)), "blue": Flag("blue", "east", (5.0, 0.0))}
    bases = {"west": "west_base", "east": "east_base"}
    return DataModel({robot.name: robot for robot in robots}, squads, flags, bases, positions)


def test_a_strike_comes_from_the_end_of_a_line_where_one_enemy_reaches() -> None:
    model = battlefield(("west", -6.0, 0.0), *[("east", 0.0, 1.4 * row) for row in range(-2, 3)])
    army, enemies = [model.squads["w"]], model.squads["e"].alive
    strike = best_strike(model, army, enemies)
    assert strike.target.name in {"e1", "e5"}
    middle_exposure = sum(np.hypot(stand_off(army[0]), 1.4 * row) < 3.1 for row in range(-2, 3)) * fire_of(enemies[0])
    assert strike.exposure < middle_exposure
    x, y = strike.squad_position(model, stand_off(army[0]))
    gap = np.hypot(*(model.position(strike.target) - (x, y)))
    assert gap == pytest.approx(stand_off(army[0]))
    model.blocked = lambda places: places[:, 1] > -10.0  # nobody can be anywhere
    assert best_strike(model, army, enemies).exposure >= 1000.0


def test_the_strength_of_an_army_grows_with_its_square_and_needs_shots() -> None:
    model = battlefield(("west", 0.0, 0.0), ("west", 1.0, 0.0), ("east", 5.0, 0.0))
    west, east = model.squads["w"].alive, model.squads["e"].alive
    assert strength(west) == 4.0 * strength(east)
    west[0].power = 0.5
    assert strength(west) == 2.0 * strength(east)


def test_who_is_pushed_about_does_not_come_and_who_approaches_does() -> None:
    model, advances = battlefield(("west", 0.0, 0.0), ("east", 8.0, 0.0), ("east", 8.0, 3.0)), Advances()
    enemies, center, coming = model.squads["e"].alive, np.zeros(2), list[list[str]]()
    for second in range(12):
        model.time = float(second)
        model.positions[1] = 8.0 - 0.5 * second, 0.0
        model.positions[2] = 8.0 + 0.3 * (-1) ** second, 3.0
        coming.append([robot.name for robot in advances.coming(model, enemies, center, 4.0)])
    assert coming[0] == ["e1", "e2"]  # nobody is known to stand yet
    assert coming[-1] == ["e1"]


def test_the_hard_one_stands_while_somebody_comes_and_then_musters_out_of_range() -> None:
    model = battlefield(("west", -6.0, 0.0), ("west", -6.0, 1.0), ("east", 4.0, 0.0), ("east", 4.0, 1.0))
    bot = make_bot("west", "hard")
    assert [order.verb for order in bot.orders(model, "death_match")] == ["split"]
    model.time = 0.6
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w stop"]
    assert bot.orders(model, "death_match") == []  # it thinks now and then
    model.time = 9.9
    assert bot.orders(model, "death_match") == []  # who has just been seen may still turn and gather
    model.time = 11.0
    (order,) = bot.orders(model, "death_match")
    assert order.verb == "go_to"
    assert order.point is not None
    assert min(np.hypot(*(model.positions[2:] - order.point).T)) > 2.5
    model.positions[:2] = order.point
    model.time = 12.0
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w attack e"]


def test_while_enemies_come_the_army_of_the_hard_one_stands_in_line_across_their_way_and_nobody_goes_alone() -> None:
    model = battlefield(*[("west", -6.0, y) for y in (-2.5, 0.0, 2.5)], ("east", 6.0, 0.0))
    squad, bot = model.squads["w"], HardBot("west")
    lone = {name: replace(squad, name=name, robots=[robot]) for name, robot in zip("wxy", squad.robots, strict=True)}
    model.squads, model.flags = {**lone, "e": model.squads["e"]}, {}
    model.squads["e"].robots[0].health = 900.0  # not so weak that all strike at once
    model.robots["w1"].range = 4.0  # who could shoot from where nobody reaches it stays, too
    orders = {order.squad: order for order in bot.orders(model, "death_match")}
    assert {name: order.verb for name, order in orders.items()} == {"w": "go_to", "x": "stop", "y": "go_to"}
    assert [orders["w"].point, orders["y"].point] == [(-6.0, -0.9), (-6.0, 0.9)]
    model.positions[:3, 1] = -0.9, 0.0, 0.9
    model.positions[3, 0] = 5.0
    model.time = 9.0
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w stop", "y stop"]
    model.positions[3, 0], model.time = 2.0, 12.0
    assert bot.orders(model, "death_match") == []  # it still comes
    model.time = 17.0  # it stands: the tank goes, the others wait
    assert [(order.squad, order.verb) for order in bot.orders(model, "death_match")] == [("x", "go_to")]
    model.positions[3, 0], model.time = 0.4, 19.0
    assert [str(order) for order in bot.orders(model, "death_match")] == ["x stop"]


def army_of_three(health: float) -> tuple[DataModel, HardBot]:
    """Return three robots of the west, each a squad, the first one slow and reaching far; a standing enemy; its foe."""
    model = battlefield(*[("west", -6.0, y) for y in (-0.9, 0.0, 0.9)], ("east", 0.0, 0.0))
    squad, bot = model.squads["w"], HardBot("west")
    lone = {name: replace(squad, name=name, robots=[robot]) for name, robot in zip("wxy", squad.robots, strict=True)}
    model.squads, model.flags, model.limit = {**lone, "e": model.squads["e"]}, {}, 150.0
    model.robots["w0"].range, model.robots["w0"].speed = 4.0, 0.3
    model.squads["e"].robots[0].health = health
    bot.orders(model, "death_match")
    return model, bot


def verbs_at(model: DataModel, bot: HardBot, time: float) -> dict[str, str]:
    model.time = time
    return {order.squad: order.verb for order in bot.orders(model, "death_match")}


@pytest.mark.parametrize(
    ("health", "time", "who_goes"),
    [
        (500.0, 20.0, "wxy"),  # 1.8 times the strength: all gather for the strike
        (600.0, 20.0, "w"),  # 1.5 times: the one that reaches far alone
        (600.0, 90.0, "wxy"),  # the time runs out
        (500.0, 130.0, "w"),  # it has run out
    ],
)
def test_an_army_strikes_when_it_is_strong_enough_and_sooner_as_the_time_runs_out(
    health: float, time: float, who_goes: str
) -> None:
    model, bot = army_of_three(health)
    assert {squad for squad, verb in verbs_at(model, bot, time).items() if verb == "go_to"} == set(who_goes)


def test_a_strike_goes_on_though_the_army_is_hurt_and_who_meets_an_enemy_fights_it() -> None:
    model, bot = army_of_three(500.0)
    assert set(verbs_at(model, bot, 20.0).values()) == {"go_to"}
    model.squads["e"].robots[0].health = 700.0  # no more than 1.3 times the strength
    assert "stop" not in verbs_at(model, bot, 21.0).values()
    model.positions[:3] = (-2.5, -0.5), (-2.4, 0.0), (-2.5, 0.5)
    assert verbs_at(model, bot, 50.0) == dict.fromkeys("wxy", "attack")
    model.squads["e"].robots[0].health = 1000.0  # the enemy is the stronger one
    assert "attack" not in verbs_at(model, bot, 52.0).values()


def test_in_a_strike_who_would_arrive_early_waits_out_of_range() -> None:
    model, bot = army_of_three(500.0)
    verbs_at(model, bot, 20.0)
    model.positions[:3] = (-6.9, 0.0), (-4.5, -0.5), (-4.5, 0.5)
    assert verbs_at(model, bot, 50.0) == {"w": "go_to", "x": "stop", "y": "stop"}
    model.positions[0] = -3.9, 0.0
    assert verbs_at(model, bot, 60.0) == {"w": "stop", "x": "go_to", "y": "go_to"}  # it shoots from where it is


def test_squads_gather_where_robots_can_be() -> None:
    model, bot = army_of_three(500.0)
    model.blocked = lambda places: np.abs(places[:, 0]) > 4.0
    model.time = 20.0
    points = [order.point for order in bot.orders(model, "death_match") if order.verb == "go_to"]
    assert len(points) == 3
    assert all(point is not None and abs(point[0]) <= 4.0 for point in points)


def test_who_mills_about_where_it_began_does_not_come() -> None:
    model, advances = battlefield(("west", 0.0, 0.0), ("east", 8.0, 0.0)), Advances()
    coming = []
    for second in range(40):
        model.time = float(second)
        model.positions[1, 0] = 8.0 + 1.4 * math.sin(second)
        coming.append(bool(advances.coming(model, model.squads["e"].alive, np.zeros(2), 4.0)))
    assert coming == [True] * 10 + [False] * 30


def test_the_normal_one_waits_for_who_comes_and_attacks_who_is_near_or_stands() -> None:
    model = battlefield(("west", -6.0, 0.0), ("east", 4.0, 0.0))
    model.flags = {}
    bot = make_bot("west", "normal")
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w stop"]
    for second in range(2, 20, 2):
        model.time, model.positions[1, 0] = float(second), 4.0 - 0.4 * second
        before = bot.orders(model, "death_match")
        if before:
            break
    assert [str(order) for order in before] == ["w attack e"]
    assert model.positions[1, 0] == pytest.approx(-1.6)  # 4.4 m away
    model.positions[1, 0] = 4.0
    standing = make_bot("west", "normal")
    assert [str(order) for order in standing.orders(model, "death_match")] == ["w stop"]
    model.time += 10.5
    assert [str(order) for order in standing.orders(model, "death_match")] == ["w attack e"]


def test_a_raid_fetches_flags_when_enemies_are_weak_brings_them_home_and_stops_thieves() -> None:
    model = battlefield(("west", -4.0, 0.0), ("east", 4.0, 0.0))
    squads, enemies, raid = [model.squads["w"]], model.squads["e"].alive, RaidPlan("west")
    assert raid.orders(squads, enemies, model) == []
    enemies[0].health = 30.0
    assert [str(order) for order in raid.orders(squads, enemies, model)] == ["w capture blue"]
    model.robots["w0"].holding = model.flags["blue"].carrier = "blue"
    assert [str(order) for order in raid.orders(squads, enemies, model)] == ["w bring west_base"]
    model.robots["w0"].holding, model.flags["red"].carrier = "", "e1"
    assert [str(order) for order in raid.orders(squads, enemies, model)] == ["w attack e1"]


def test_plugins_bring_computer_players_and_their_faults_are_told(tmp_path: Path) -> None:
    file = tmp_path / "own_bots.py"
    file.write_text(
        "class Idle:\n    def __init__(self, player):\n        pass\n    def orders(self, model, rules):\n"
        "        return []\n\n\nclass Mute:\n    def __init__(self, player):\n        pass\n\n\n"
        "class Broken:\n    def __init__(self):\n        pass\n\n\n"
        "PLUGINS = {'bots': {'idle': Idle, 'mute': Mute, 'broken': Broken}}\n"
    )
    plugins.add(file)
    try:
        assert bot_names() == ["easy", "normal", "hard", "broken", "idle", "mute"]
        assert make_bot("west", "idle").player == "west"
        with pytest.raises(PluginFailed, match="mute: expected a method orders"):
            make_bot("west", "mute")
        with pytest.raises(PluginFailed, match="computer player broken"):
            make_bot("west", "broken")
    finally:
        plugins.forget(file)
    with pytest.raises(NoSuchPlugin):
        make_bot("west", "idle")


def test_the_middle_of_an_army_that_hunts_goes_along_with_it() -> None:
    model = battlefield(*[("west", -20.0, float(row)) for row in (-1, 0, 1)], ("east", 20.0, 0.0))
    bot = HardBot("west")
    bot.orders(model, "death_match")  # each robot is to be a squad
    for x in (-20.0, -12.0, -4.0):
        model.positions[:3, 0] = x
        model.time += 1.0
        bot.orders(model, "death_match")
        assert bot._strike is None, "three against one strike at once"
        assert bot._anchor is not None
        assert bot._anchor.tolist() == [x, 0.0]


def test_the_middle_from_which_a_strike_began_stays_while_it_is_under_way() -> None:
    model = battlefield(*[("west", -20.0, float(row)) for row in (-1, 0, 1)], ("east", 20.0, 0.0))
    bot = HardBot("west")
    bot.orders(model, "death_match")  # each robot is to be a squad
    model.time = 1.0
    bot.orders(model, "death_match")
    begun = bot._anchor.tolist()
    bot._strike = best_strike(model, [model.squads["w"]], model.squads["e"].alive)
    model.positions[:3, 0] = -12.0
    model.time += 1.0
    bot.orders(model, "death_match")
    assert bot._anchor.tolist() == begun == [-20.0, 0.0]


def test_a_tank_finds_a_place_to_shoot_from_where_nobody_reaches_it_and_a_way_that_hurts_least() -> None:
    model = battlefield(("west", -8.0, 0.0), ("east", 0.0, 0.0), ("east", 0.0, 4.0))
    model.robots["w0"].range = 4.0
    enemies = model.squads["e"].alive
    danger = DangerMap(model, enemies)
    place, leg = danger.safe_place(model.positions[0], 4.0)
    gaps = np.hypot(*(model.positions[1:] - place).T)
    assert 2.8 < gaps.min() < 4.0
    assert danger.is_good(place, 4.0)
    assert not danger.is_good(place, 2.5)
    assert danger.damage(np.linspace(model.positions[0], leg, 20)).max() == 0.0
    model.robots["e1"].range = model.robots["e2"].range = 4.0
    assert DangerMap(model, enemies).safe_place(model.positions[0], 4.0) is None
    enemies[0].power = enemies[1].power = 0.0
    assert DangerMap(model, enemies).damage(model.positions).tolist() == [0.0, 0.0, 0.0]


def test_a_way_leads_around_enemies_and_walls_and_out_of_their_range() -> None:
    model = battlefield(("west", -8.0, 0.0), ("east", 0.0, 0.0), ("east", 8.0, 0.0))
    model.robots["w0"].range = 4.0
    model.robots["e1"].range = 4.2
    model.blocked = lambda places: (np.abs(places[:, 1]) < 4.0) & (np.abs(places[:, 0] + 6.0) < 0.3)
    danger = DangerMap(model, model.squads["e"].alive)
    position, hurt, points = model.positions[0], 0.0, 0
    place, _ = danger.safe_place(position, 4.0)
    assert np.hypot(*(place - (8.0, 0.0))) < 4.0
    while np.hypot(*(place - position)) > 0.1:
        _, leg = danger.safe_place(position, 4.0)
        way = np.linspace(position, leg, 20)
        hurt += danger.damage(way).sum()
        assert not model.blocked(way).any()
        position, points = leg, points + 1
        assert points < 20
    assert hurt == 0.0
    refuge, _ = danger.refuge(np.array([7.0, 1.0]))
    assert danger.damage(refuge[np.newaxis])[0] == 0.0
    assert np.hypot(*(refuge - (8.0, 0.0))) < 3.5
    model.blocked = lambda places: np.ones(len(places), np.bool_)
    assert DangerMap(model, model.squads["e"].alive).refuge(np.array([7.0, 1.0])) is None


def test_only_a_robot_that_is_a_squad_by_itself_and_has_shots_snipes() -> None:
    model = battlefield(("west", -8.0, 0.0), ("west", -8.0, 1.0), ("east", 0.0, 0.0))
    squad = model.squads["w"]
    assert sniper_of([squad]) is None
    lone = [replace(squad, name=name, robots=[robot]) for name, robot in zip("xy", squad.robots, strict=True)]
    squad.robots[1].range = 4.0
    assert sniper_of(lone).name == "y"
    squad.robots[1].power = 0.0
    assert sniper_of(lone).name == "x"


def test_the_hard_one_makes_each_robot_a_squad_once_and_not_where_flags_are_fetched() -> None:
    model = battlefield(("west", -6.0, 0.0), ("west", -6.0, 1.0), ("east", 6.0, 0.0))
    bot = HardBot("west")
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w split w_w1 w1"]
    model.time = 1.0
    assert [str(order) for order in bot.orders(model, "death_match")] == ["w stop"]
    assert [order.verb for order in HardBot("west").orders(model, "capture_the_flag")] == ["capture"]


def test_who_is_ahead_leaves_the_range_of_those_who_stand_and_who_is_behind_strikes() -> None:
    model = battlefield(("west", -2.0, 0.0), ("west", -2.0, 9.0), ("east", 0.0, 0.0), ("east", 0.0, 2.0))
    bot, squad = HardBot("west"), model.squads["w"]
    lone = [replace(squad, name=name, robots=[robot]) for name, robot in zip("wx", squad.robots, strict=True)]
    model.squads = {"w": lone[0], "x": lone[1], "e": model.squads["e"]}
    enemies = model.squads["e"].alive
    enemies[0].health, model.flags = 50.0, {}
    away = bot._keep_away([model.squads["w"], model.squads["x"]], enemies, model)
    assert [order.verb for order in away] == ["go_to", "stop"]
    assert min(np.hypot(*(model.positions[2:] - away[0].point).T)) > 2.5
    for time in (0.0, 0.6, 10.2):
        model.time = time
        orders = bot.orders(model, "death_match")
    assert [(order.squad, order.verb) for order in orders] == [("w", "go_to"), ("x", "stop")]
    behind = HardBot("west")
    enemies[0].health = 250.0
    for time in (10.2, 20.4):
        model.time = time
        orders = behind.orders(model, "death_match")
    assert [order.verb for order in orders] == ["go_to", "go_to"]
