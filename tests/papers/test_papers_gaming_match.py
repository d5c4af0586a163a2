"""Swarm gaming (Hristoskova et al. 2012): logic, squads and matches. G-16 to G-63 and G-78 to G-84."""

import itertools
import math
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from coopsim.features.games.logic.behaviours import standard
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import Arbitrator, MatchView, SquadIntelligence
from coopsim.features.games.tournaments.trials import play_matches
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

GO_TO, PICK_UP = 12.0, 14.0
ACTION_RADIUS = 1.0


class Played:
    """A match whose time a test lets pass."""

    def __init__(self, file: object, stack: ExitStack) -> None:
        self.server = LocalServer(Simulation(load(str(file))), is_hashed=False)
        self.sim = stack.enter_context(self.server.connect())
        self.stepper = stack.enter_context(self.sim.stepper(every=10))
        self.match = Match(self.sim, self.stepper)
        self.model = self.match.model
        self.sent: list[RobotCommand] = []
        carry = self.match.broker.carry
        self.match.broker.carry = lambda those: (self.sent.extend(those), carry(those))[1]  # type: ignore[method-assign]
        self.stepper.step({})

    def play(self, seconds: float) -> bool:
        """Return whether it is over."""
        return any(self.match.decide(self.stepper.step({})) is None for _ in range(round(10 * seconds)))

    def rules(self) -> list[str]:
        return [entry.rule for entry in self.model.log]


@pytest.fixture
def begun(tmp_path) -> Iterator:
    """Begin a match of people: no computer player says anything."""
    with ExitStack() as stack:

        def begin(name: str = "capture_the_flag") -> Played:
            text = find_file(name, [".scenario"]).read_text().replace("bot         ", "bot none\n#")
            (tmp_path / "match.scenario").write_text(text)
            return Played(tmp_path / "match.scenario", stack)

        yield begin


def steps_of(command: RobotCommand) -> list[float]:
    return [value for value in command.values[::3] if value]


def test_capturing_the_flag_becomes_ten_go_to_and_one_pick_up_g42_g49_g81_g82_g83_g84(begun) -> None:
    played = begun()
    assert played.match.order("south_team", "a capture blue") == ""
    played.play(0.2)
    sequences = [command for command in played.sent if command.command == "sequence"]
    assert [sequence.robot for sequence in sequences] == ["a1", "a2", "a3"]
    steps = [step for sequence in sequences for step in steps_of(sequence)]
    assert (steps.count(GO_TO), steps.count(PICK_UP), len(steps)) == (10, 1, 11)
    rows = [[tuple(row) for row in np.reshape(sequence.values, (-1, 3)).tolist() if row[0]] for sequence in sequences]
    assert sum(len({*way}) for way in rows) == 11  # no robot is sent twice to the same place
    assert [way[-1] for way in rows if way[-1][0] == PICK_UP] == [(PICK_UP, 1.0, 0.0)]
    last = [way[-1] for way in played.match.intelligences["a"].ways.values()]
    gaps = sorted(math.dist(a, b) for a, b in itertools.combinations(last, 2))
    assert gaps == pytest.approx([0.8, 0.8, 0.8 * math.sqrt(2.0)], abs=0.01)  # a wedge at the flag, as in figure 6


def test_the_flag_is_fetched_around_the_water_and_brought_home_g17_g60_g68_g80(begun) -> None:
    played = begun()
    played.match.order("south_team", "a capture blue")
    while "picked up" not in played.rules():
        assert not played.play(1.0)
        assert played.model.time < 60.0
    played.match.order("south_team", "a bring south")
    while not played.play(1.0):
        assert played.model.time < 110.0
    result = played.match.result()
    assert (result["winner"], result["violations"]) == ("south_team", [])
    assert "brought blue home" in result["reason"]


def test_robots_that_are_not_in_formation_gather_first_g43_g52(begun) -> None:
    played = begun()
    played.match.order("north_team", "b go_to 4 4 circle")
    played.play(0.2)
    gathering = [command.values[1:3] for command in played.sent if command.command == "sequence"]
    assert len(gathering) == 3
    middle = played.model.middle(played.model.squads["b"])
    assert np.mean(gathering, axis=0) == pytest.approx(middle, abs=0.3)


def test_without_a_point_squads_gather_at_their_middle_g44_g51(begun) -> None:
    played = begun()
    played.play(0.1)
    played.match.order("north_team", "b gather wedge")
    middle = played.model.middle(played.model.squads["b"])
    played.play(0.5)
    assert played.match.intelligences["b"].planned_for == pytest.approx(middle, abs=0.02), "where nobody stands"
    played.play(7.5)
    places = np.array([played.model.position(robot) for robot in played.model.squads["b"].robots])
    assert places.mean(axis=0) == pytest.approx(middle, abs=0.6)
    gaps = sorted(float(np.hypot(*(a - b))) for a, b in itertools.combinations(places, 2))
    assert gaps == pytest.approx([0.8, 0.8, 0.8 * math.sqrt(2.0)], abs=0.15)  # two arms at right angles


def test_who_is_attacked_is_followed_once_it_leaves_its_action_radius_g56_g57(begun) -> None:
    played = begun()
    played.match.order("south_team", "a attack b2")
    played.play(0.2)
    intelligence, before = played.match.intelligences["a"], len(played.sent)
    planned_for, moved, path = intelligence.planned_for, 0.0, intelligence.path
    assert planned_for == pytest.approx(played.model.position(played.model.robots["b2"]), abs=0.1)
    played.match.order("north_team", "b go_to 4 4")
    while not (
        new := [command for command in played.sent[before:] if command.robot == "a1" and command.command == "sequence"]
    ):
        assert moved <= ACTION_RADIUS
        played.play(0.1)
        moved = np.hypot(*(played.model.position(played.model.robots["b2"]) - planned_for))
    assert ACTION_RADIUS < moved < ACTION_RADIUS + 0.2
    kept = (intelligence.path[:, np.newaxis] == path).all(axis=2).any(axis=1)
    assert kept.sum() > 10
    assert not kept[0]  # where the attackers are by now
    anew = intelligence.path[1:][~kept[1:]]
    assert np.hypot(*(anew - intelligence.planned_for).T).max() <= ACTION_RADIUS + 0.1
    played.play(8.0)
    assert len(
        [command for command in played.sent[before:] if command.robot == "a1" and command.command == "sequence"]
    ) > len(new)
    assert intelligence.planned_for == pytest.approx(played.model.position(played.model.robots["b2"]), abs=1.2)


@pytest.mark.parametrize(
    ("player", "line", "said"),
    [
        ("south_team", "b go_to 1 1", "squad b is north_team's"),
        ("south_team", "c go_to 1 1", "there is no squad c"),
        ("stranger", "a stop", "squad a is south_team's"),
        ("south_team", "a go_too 1 1", "squads do not know 'go_too'"),
        ("south_team", "a go_to 1", "expected x and y"),
        ("south_team", "a go_to nan 1", "must be finite"),
        ("south_team", "a capture south", "there is no flag south"),
        ("south_team", "a capture red", "red is south_team's own flag"),
        ("south_team", "a attack b9", "there is nothing called b9; did you mean"),
        ("south_team", "a defend sout", "there is nothing called sout; did you mean 'south'?"),
        (
            "south_team",
            "",
            "an order is SQUAD and one of: gather [X Y] [FORMATION], go_to X Y [FORMATION], attack NAME",
        ),
        ("south_team", "help", "an order is SQUAD and one of: gather"),
        ("south_team", "a attack a", "a is south_team's own"),
        ("south_team", "a attack a2", "a2 is south_team's own"),
        ("south_team", "a attack red", "red is south_team's own flag"),
        ("south_team", "a defend b1", "b1 is north_team's, and may be attacked"),
        ("south_team", "a defend b", "b is north_team's, and may be attacked"),
        ("south_team", "a bring north", "north is north_team's base, and south is south_team's"),
    ],
)
def test_illegal_orders_are_refused_and_logged_with_their_source_g23_g26(begun, player, line, said) -> None:
    played = begun()
    assert said in played.match.order(player, line)
    assert (played.model.log[-1].source, played.model.log[-1].rule) == (player, "illegal order")
    played.play(0.2)
    assert played.sent == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (RobotCommand("b1", "intelligence", "go_to", (0.0, 0.0)), "b1 is north_team's"),
        (RobotCommand("x1", "intelligence", "stop"), "there is no robot x1"),
        (RobotCommand("a1", "shooter", "shoot", (1.0,)), "may not shoot at a2"),
        (RobotCommand("a1", "shooter", "shoot", (99.0,)), "may not shoot at nobody"),
        (RobotCommand("a1", "intelligence", "dance"), "/a1/intelligence knows no dance"),
        (RobotCommand("a1", "hat", "stop"), "a1 has no hat"),
    ],
)
def test_the_broker_lets_no_command_pass_that_the_rules_forbid_g23_g25(begun, command, said) -> None:
    played = begun()
    played.match.broker.send("south_team", [command])
    assert said in played.model.log[-1].text
    assert played.sent == []


def test_who_has_no_power_or_health_neither_shoots_nor_drives_g24_g59(begun) -> None:
    """G-23: the data model blocks what the rules forbid."""
    played = begun()
    played.model.robots["a1"].power = 0.0
    played.model.robots["a2"].health = 0.0
    target = (float(played.model.robots["b1"].number),)
    assert "no power" in played.match.broker.refusal("south_team", RobotCommand("a1", "shooter", "shoot", target))
    assert "no health" in played.match.broker.refusal("south_team", RobotCommand("a2", "intelligence", "stop"))


def test_flags_are_not_picked_up_from_afar_g23_g102(begun) -> None:
    played = begun()
    played.sim.robot("a1").intelligence.pick_up(1)
    played.play(0.5)
    assert "illegal pick up" in played.rules()
    assert played.model.flags["blue"].carrier == ""
    assert played.stepper.readings["a1"].intelligence.holding == -1.0


def test_orders_come_by_the_event_channel_and_what_happens_goes_by_it_g9_g18_g40(begun) -> None:
    played = begun()
    with played.server.connect() as player, player.listen("/game/log") as heard:
        player.publish("/game/orders/south_team", "a go_to 1 -4")
        player.publish("/game/orders/south_team", "b stop")
        played.play(0.5)
        texts = [event.text for _ in range(2) if (event := heard.hear(0.0)) is not None]
    assert texts == ["south_team: order: a go_to 1 -4", "south_team: illegal order: squad b is north_team's"]


def test_shots_take_health_and_the_last_player_with_robots_wins_a_death_match_g58_g59_g72_g80(begun) -> None:
    played = begun("death_match")
    for robot in played.model.squads["b"].robots:
        robot.health = 10.0
    played.match.order("west", "a attack b")
    while not played.play(1.0):
        assert played.model.time < 120.0
    result = played.match.result()
    assert (result["winner"], result["casualties"]["east"], result["violations"]) == ("west", 4, [])


class Shouting:
    """A behaviour of one's own."""

    name, priority = "shout", 90

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        return intelligence.order is not None and intelligence.order.verb == "stop"

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        intelligence.order = None
        return [RobotCommand(robot.name, "intelligence", "beep") for robot in intelligence.squad.alive]


def test_one_behaviour_is_active_the_highest_and_anybody_may_add_one_g29_g30_g41(begun) -> None:
    played = begun()
    arbitrator = Arbitrator(standard())
    played.match.arbitrators["a"] = arbitrator
    arbitrator.add(Shouting())
    played.match.order("south_team", "a stop")
    played.play(0.1)
    assert played.match.intelligences["a"].active == "shout"
    assert [command.command for command in played.sent] == ["beep"] * 3
    played.match.order("south_team", "a go_to 1 -4")
    played.play(0.1)
    assert played.match.intelligences["a"].active == "go_to"


@pytest.mark.parametrize(("point", "there"), [("100 100", (5.7, 5.2)), ("-3 0", None), ("4 -4", ())])
def test_who_is_sent_where_nobody_can_stand_is_told_where_it_goes_g26_g68(begun, point: str, there) -> None:
    played = begun()
    assert played.match.order("south_team", f"a go_to {point}") == ""
    played.play(0.2)
    texts = [entry.text for entry in played.model.log if entry.rule == "elsewhere"]
    if there == ():
        assert texts == []
        return
    (text,) = texts
    x, y = (float(word) for word in text.rpartition(" goes to ")[2].split())
    assert not played.match.field.grid(swims=False).is_blocked((x, y))
    assert played.match.intelligences["a"].path[-1] == pytest.approx((x, y), abs=0.06)
    if there:
        assert (x, y) == pytest.approx(there, abs=0.2)


def test_a_match_in_lockstep_is_the_same_for_the_same_seed_and_another_one_for_another_g80(tmp_path) -> None:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("time        110", "time 12")
    assert "time 12" in text
    (tmp_path / "match.scenario").write_text(text)
    first, again, reseeded = play_matches(str(tmp_path / "match.scenario"), [4, 4, 5], 0.2)["results"]
    assert first == again
    assert first["time"] > 11.0
    assert {**first, "seed": 0} != {**reseeded, "seed": 0}
