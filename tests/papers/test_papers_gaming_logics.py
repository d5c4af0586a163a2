"""Swarm gaming (Hristoskova et al. 2012): several game logics of one match are connected. G-19, and G-26 of them."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from coopsim.app.main import run as coopsim
from coopsim.client import Stepper, connect
from coopsim.features.games.logic.match import Match
from coopsim.robots import check, find_file
from coopsim.testkit import Run

SOUTH, NORTH = ("a1", "a2", "a3"), ("b1", "b2", "b3")


def scenario(south: Sequence[str] = SOUTH, north: Sequence[str] = NORTH, time: float = 110, bot: str = "none") -> str:
    """Return the capture of the flag with a logic for each player."""
    text = find_file("capture_the_flag", [".scenario"]).read_text()
    text = text[: text.index("[CONTROLLER_1]")].replace("bot         ", f"bot {bot}\n#")
    text = text.replace("time        110", f"time {time}")
    logics = (f"[CONTROLLER_{n}]\nrun game\nrobots {' '.join(names)}\n" for n, names in enumerate((south, north), 1))
    return text + "".join(logics)


class TwoLogics:
    """Two logics of one match, each with connections of its own, that look one after the other."""

    def __init__(self, endpoint: str, stack: ExitStack) -> None:
        self.sims = [stack.enter_context(connect(endpoint)) for _ in range(2)]
        teams = zip(self.sims, (SOUTH, NORTH), strict=True)
        self.steppers = [stack.enter_context(sim.stepper(team, every=10)) for sim, team in teams]
        pairs = zip(self.sims, self.steppers, strict=True)
        self.south, self.north = (stack.enter_context(closing(Match(*pair))) for pair in pairs)
        self.threads = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(2)]
        self.playing = [self.south, self.north]
        self.person = stack.enter_context(connect(endpoint))
        self.heard = stack.enter_context(self.person.listen("/game/log", "/game/end"))

    def play(self, seconds: float, *logics: Match) -> list[Match]:
        """Let these logics look and all robots go on; return the logics that ended."""
        for _ in range(round(10 * seconds)):
            looks = zip(self.threads, self.playing, self.steppers, strict=True)
            asked = [thread.submit(self.decide, match, stepper, logics) for thread, match, stepper in looks]
            if ended := [match for future in asked if (match := future.result()) is not None]:
                return ended
        return []

    def decide(self, match: Match, stepper: Stepper, logics: Sequence[Match]) -> Match | None:
        """Step, and decide unless the logic hangs; return the match if it has ended."""
        seen = stepper.step({})
        return match if match in (logics or self.playing) and match.decide(seen) is None else None

    def close_south(self) -> None:
        """Let the process of the first logic be gone."""
        self.threads[0].submit(self.sims[0].close).result()
        del self.steppers[0], self.playing[0], self.threads[0]

    def log_texts(self) -> list[str]:
        """Return what was said until now: events come in the order in which they were published."""
        self.person.publish("/game/log", "until now")
        texts = []
        while (event := self.heard.hear(30.0)) is not None and event.text != "until now":
            texts.append(event.text)
        assert event is not None
        return texts


@pytest.fixture
def two() -> Iterator:
    with ExitStack() as stack:

        def begin(**options: object) -> TwoLogics:
            run = stack.enter_context(Run(scenario(**options), "--no-controllers"))  # type: ignore[arg-type]
            return TwoLogics(run.endpoint, stack)

        yield begin


def test_two_processes_play_one_match_that_is_recorded_and_verified_g19(tmp_path: Path) -> None:
    file = tmp_path / "two.mcap"
    with Run(scenario(time=4, bot="hard"), "--record", str(file)) as run:
        code = run.wait()
    assert code == 0, run.printed
    said = [line for line in run.printed.splitlines() if "game: " in line]
    assert [line.partition("]")[2] for line in said] == [" game: nobody wins after 4 s: the time is over"]
    assert coopsim(["verify", str(file)]) == 0


def test_each_player_is_answered_by_one_logic_and_one_is_the_referee_g19(two) -> None:
    played = two()
    assert (played.south.logics.own, played.north.logics.own) == ({"south_team"}, {"north_team"})
    assert [played.south.logics.presides, played.north.logics.presides] == [True, False]
    played.play(0.3)
    played.person.publish("/game/orders/north_team", "b go_to -4 4")
    played.person.publish("/game/orders/south_team", "b stop")
    played.person.publish("/game/orders/nobody", "b stop")
    played.play(2.0)
    said = [text for text in played.log_texts() if "seat" not in text]
    assert sorted(line.partition(": ")[2] for line in said) == [
        "illegal order: squad b is north_team's",
        "illegal order: there is no player nobody",
        "order: b go_to -4 4",
    ]
    assert played.north.intelligences["b"].ways.keys() == {*NORTH}
    assert played.south.intelligences["b"].order is None
    places = [match.model.position(match.model.robots["b1"]).tolist() for match in (played.south, played.north)]
    assert places[0] == places[1] != [-5.0, 4.6]


def test_shots_count_alike_for_both_logics_and_the_referee_alone_tells_the_end_g19(two) -> None:
    played = two()
    for match in (played.south, played.north):
        for name in NORTH:
            match.model.robots[name].health = 0.0 if name != "b1" else 12.0
    played.south.order("south_team", "a attack b1")
    while not (ended := played.play(1.0)):
        assert played.south.model.time < 100.0
    assert ended[0] is played.south
    assert played.north.model.robots["b1"].health == 0.0
    assert (ended[1:] or played.play(0.1, played.north)) == [played.north]  # at once, or with its next look
    texts = played.log_texts()
    assert [text for text in texts if " out: " in text] == [
        next(text for text in texts if "b1 is out, shot by a" in text)
    ]
    assert [json.loads(text)["winner"] for text in texts if text.startswith("{")] == ["south_team"]


def test_where_a_logic_vanishes_the_other_one_commands_its_squads_and_is_the_referee_g19(two) -> None:
    played = two(time=8, bot="hard")
    played.play(1.0)
    assert [bot.player for bot in played.north.bots] == ["north_team"]
    played.close_south()
    ended = played.play(10.0, played.north)
    assert ended == [played.north]
    assert played.north.result()["reason"] == "the time is over"
    assert [bot.player for bot in played.north.bots] == ["north_team", "south_team"]
    assert {*played.steppers[0].robots} == {*SOUTH, *NORTH}
    texts = played.log_texts()
    assert [text.partition(": ")[0] for text in texts if ": vanished: " in text] == ["logic of south_team"]
    assert any(text.startswith("south_team: order: a ") for text in texts[texts.index(_vanished(texts)) :])
    assert sum(text.startswith("{") for text in texts) == 1


def _vanished(told: list[str]) -> str:
    return next(text for text in told if ": vanished: " in text)


def test_logics_that_disagree_are_logged_with_their_source_and_the_referee_counts_g19_g26(two) -> None:
    played = two()
    played.play(1.0)
    played.north.model.robots["a2"].health = 55.0
    played.south.model.robots["b1"].power = 3.0
    played.south.model.robots["b2"].health = 0.0
    played.north.order("north_team", "b go_to 4 4")
    played.play(6.0)  # all is told every 2 s, and counts 3 s after what was found here last
    texts = [line for line in played.log_texts() if "disagreement" in line]
    text = "a2 has health 55, power 20 here, and health 100, power 20 there, which counts"
    assert f"logic of south_team: disagreement: {text}" in texts
    assert sorted(line.split()[4] for line in texts) == ["a2", "b1", "b2"]
    robots = played.north.model.robots
    assert (robots["a2"].health, robots["b1"].power, robots["b2"].is_alive) == (100.0, 3.0, False)
    assert [robot.name for robot in played.north.intelligences["b"].squad.obeying] == ["b1", "b3"]


def test_a_logic_that_tells_nothing_for_long_is_no_referee_until_it_is_back_g19(two) -> None:
    played = two()
    played.play(0.5)
    played.play(6.0, played.north)
    assert played.north.logics.presides
    assert played.north.logics.own == {"north_team"}  # it lives, and so its robots stay its own
    played.play(0.5)
    assert not played.north.logics.presides
    rules = [text.split(": ")[1] for text in played.log_texts() if text.startswith("logic of ")]
    assert rules == ["silent", "referee"]


def test_who_is_no_logic_tells_neither_health_nor_the_end_g19_g26(two) -> None:
    played = two()
    played.play(0.5)
    status = {"robots": [["a1", 1.0, 1.0, ""]], "flags": {}}
    played.person.publish("/game/status", json.dumps(status), (0.5,))
    played.person.publish("/game/end", json.dumps({"winner": "me", "reason": "because", "time": 1.0}))
    assert played.play(3.0) == []
    assert played.north.model.robots["a1"].health == 100.0
    (line,) = [text for text in played.log_texts() if "illegal status" in text]
    assert line.endswith("is not the referee: what it tells on /game/status does not count")


def test_robots_of_one_player_at_two_logics_are_refused_with_file_and_line_g19(tmp_path: Path) -> None:
    (tmp_path / "split.scenario").write_text(scenario(south=("a1", "a2"), north=("a3", *NORTH)))
    problems = [str(problem) for problem in check(tmp_path / "split.scenario")]
    assert len(problems) == 2
    assert "lacks 'a3' of player 'south_team'" in problems[0]
    assert "split.scenario:" in problems[0]


def test_fog_and_several_logics_are_refused_with_file_and_line_g19(tmp_path: Path) -> None:
    (tmp_path / "fog.scenario").write_text(scenario().replace("[GAME]\n", "[GAME]\nfog yes\n"))
    (problem,) = (str(problem) for problem in check(tmp_path / "fog.scenario"))
    assert "a match with fog has one logic: several tell each other where all robots are" in problem
    assert "fog.scenario:" in problem
