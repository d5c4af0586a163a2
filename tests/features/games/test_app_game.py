"""`coopsim game`: what a player types, and sees."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim.client import Stepper
from coopsim.features.games.commands.game import game as command
from coopsim.features.games.commands.playing import TypedLines, help_text, missing, play_by_lines
from coopsim.features.games.logic.match import Match
from coopsim.features.games.sections.game_sections import game_of
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


class Typist:
    """Types a line each time it is asked, while something else happens.

    Args:
        lines: What it types.
        between: Called before each line, and once after the last one.
    """

    def __init__(self, lines: list[str], between: Callable[[], object]) -> None:
        self._lines, self._between = lines, between
        self.asked: list[None] = []
        self.is_over = False

    def read_lines(self) -> list[str]:
        self._between()
        self.is_over = not self._lines
        return [] if self.is_over else [self._lines.pop(0)]


@pytest.fixture(scope="module")
def match() -> Iterator[tuple[LocalServer, Stepper, Match]]:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        yield server, stepper, Match(sim, stepper)


def test_lines_are_orders_and_what_happens_is_printed_until_the_match_ends(
    match: tuple[LocalServer, Stepper, Match], capsys: pytest.CaptureFixture[str]
) -> None:
    server, stepper, logic = match
    assert [bot.player for bot in logic.bots] == ["south_team", "north_team"]

    def between() -> None:
        logic.referee.reason = "the test is over" if typist.is_over else ""
        logic.decide(stepper.step({}))

    typist = Typist(["a go_to 1 -4 line", "a go_two 1 1", "b stop", "x" * 100_000, "a stop"], between)
    with server.connect() as sim:
        play_by_lines(sim, "south_team", typist, 600.0)  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert "0.2 s  south_team: order: a go_to 1 -4 line\n" in out
    assert "south_team: illegal order: squads do not know 'go_two'; did you mean 'go_to'?" in out
    assert "south_team: illegal order: squad b is north_team's\n" in out
    assert "north_team: order: b " in out
    assert out.endswith(" s: the test is over\n")
    assert "coopsim: " in err  # the long line
    # the computer player of who plays says nothing any more
    assert [bot.player for bot in logic.bots] == ["north_team"]


def test_orders_wait_for_the_logic_of_the_match_and_are_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    server, begun = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False), list[Match]()
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as person:

        def between() -> None:
            if len(typist.asked) > 3:  # it comes late
                begun.append(begun[-1] if begun else Match(sim, stepper))
                begun[-1].referee.reason = "the test is over" if len(begun) > 20 else ""
                begun[-1].decide(stepper.step({}))
            typist.asked.append(None)

        typist = Typist(["a go_to 1 -4 line"], between)
        play_by_lines(person, "south_team", typist, 600.0, lambda: float(len(typist.asked)))  # type: ignore[arg-type]
        begun[-1].close()
    out, err = capsys.readouterr()
    assert "south_team: order: a go_to 1 -4 line\n" in out
    assert err.count("orders wait for it") == 1


def test_a_question_while_the_logic_is_not_there_is_no_order_that_waits(capsys: pytest.CaptureFixture[str]) -> None:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as person:
        typist = Typist(["help"], lambda: typist.asked.append(None))
        play_by_lines(person, "south_team", typist, 6.0, lambda: float(len(typist.asked)))  # type: ignore[arg-type]
    assert "orders wait" not in capsys.readouterr().err


def test_who_joins_a_match_that_goes_on_gives_orders_at_once(
    match: tuple[LocalServer, Stepper, Match], capsys: pytest.CaptureFixture[str]
) -> None:
    """The logic tells its key every 2 s, which is long for who has typed an order: a claim has it told again."""
    server, stepper, logic = match
    logic.referee.reason = ""
    while logic.secrecy._due - logic.model.time < 1.5:
        logic.decide(stepper.step({}))
    joined = logic.model.time

    def between() -> None:
        ordered = any(entry.text == "a stop" and entry.time > joined for entry in logic.model.log)
        logic.referee.reason = "the test is over" if ordered or logic.model.time > joined + 5.0 else ""
        logic.decide(stepper.step({}))

    with server.connect() as sim:
        play_by_lines(sim, "south_team", Typist(["a stop"], between), 600.0, lambda: logic.model.time)  # type: ignore[arg-type]
    assert logic.model.time - joined < 1.0
    out, err = capsys.readouterr()
    assert "south_team: order: a stop\n" in out
    assert "orders wait" not in err


def test_typed_lines_are_taken_as_they_come() -> None:
    read, write = os.pipe()
    try:
        typed = TypedLines(read)
        assert typed.read_lines() == []
        os.write(write, b"a stop\n\n  b gather  \nc go")
        assert (typed.read_lines(), typed.is_over) == (["a stop", "b gather"], False)
        os.write(write, b"_to 1 1 \xff")
    finally:
        os.close(write)
    assert (typed.read_lines(), typed.is_over) == (["c go_to 1 1 \N{REPLACEMENT CHARACTER}"], True)
    assert typed.read_lines() == []
    os.close(read)


def test_players_that_nobody_can_play_are_refused() -> None:
    game = game_of(load("capture_the_flag")).facts["game"]
    assert missing(game, "south_team") == ""
    said = "there is no player 'south_taem'; did you mean 'south_team'?; south_team, north_team"
    assert missing(game, "south_taem") == said
    assert missing(None, "ann") == "no match is run there: its scenario has no section [GAME]"


def test_matches_of_computer_players_are_told_and_exit_by_their_end(tmp_path: Path) -> None:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("time        110", "time        2")
    (tmp_path / "short.scenario").write_text(text)
    done = CliRunner().invoke(command, ["trial", str(tmp_path / "short.scenario"), "--seeds", "2"])
    assert "seed 1: nobody after 2 s: the time is over\n" in done.output
    assert done.output.endswith("2 of 2 finished, 0 violations; wins: nobody 2\n")


@pytest.mark.parametrize("asked", ["help", "?"])
def test_help_names_what_may_be_typed_in_this_match_and_is_no_order(
    asked: str, match: tuple[LocalServer, Stepper, Match], capsys: pytest.CaptureFixture[str]
) -> None:
    server, stepper, logic = match
    logged = len(logic.model.log)

    def between() -> None:
        logic.referee.reason = "the test is over" if typist.is_over else ""
        logic.decide(stepper.step({}))

    typist = Typist([asked], between)
    with server.connect() as sim:
        play_by_lines(sim, "south_team", typist, 600.0)  # type: ignore[arg-type]
    out = capsys.readouterr().out
    assert "squads of south_team: a (a1, a2, a3)\n" in out
    rows = out[out.index("a gather") : out.index("to all; Ctrl-D leaves")].splitlines()
    typed = {row.split("  ")[0] for row in rows}
    assert {"a capture blue", "a bring south", "a1 take [SECONDS]", "say WORDS"} <= typed
    # what may be typed and what it does stand in two columns
    assert len({len(row) - len(row.split("  ", 1)[1].lstrip()) for row in rows if "  " in row}) == 1
    assert not [entry for entry in logic.model.log[logged:] if entry.rule.startswith("illegal")]


def test_help_names_behaviours_of_plugins_where_a_squad_has_them() -> None:
    game = game_of(load("capture_the_flag")).facts["game"]
    assert "as its plugin says" not in help_text(game, "south_team")
    squads = [{**squad, "behaviours": ["patrol"]} if squad["name"] == "a" else squad for squad in game["squads"]]
    text = help_text({**game, "squads": squads}, "south_team")
    assert [row.split("  ")[-1] for row in text.splitlines() if row.startswith("a patrol ...")] == [
        "as its plugin says"
    ]
    assert "patrol" not in help_text({**game, "squads": squads}, "north_team")
