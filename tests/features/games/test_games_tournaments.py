"""Tournaments: pairings that favour nobody, shares, ratings, and the command that plays and prints them."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from coopsim.errors import BadArgument
from coopsim.features.games.commands.game import game as command
from coopsim.features.games.sections.game_sections import game_of
from coopsim.features.games.tournaments import playing, report
from coopsim.features.games.tournaments.pairing import Pairing, paired_spec, pairings
from coopsim.features.games.tournaments.playing import TournamentMatch
from coopsim.features.games.tournaments.report import hold_tournament
from coopsim.features.games.tournaments.standings import list_share, pair_shares, ratings, seat_share, share_of
from coopsim.robots import load


def test_each_pair_meets_in_both_seats_and_both_orders_with_the_same_seeds() -> None:
    rounds = pairings(["a", "b", "c"], ["west", "east"], 8, 5)
    assert len(rounds) == 24
    assert [pairing.number for pairing in rounds] == [*range(24)]
    seats = Counter((pairing.bots["west"], pairing.bots["east"], pairing.is_reversed) for pairing in rounds)
    assert set(seats.values()) == {2}
    assert len(seats) == 12
    assert {pairing.seed for pairing in rounds} == {5, 6, 7, 8}
    alone = pairings(["a"], ["west", "east"], 4, 0)
    assert [pairing.seed for pairing in alone] == [0, 1, 2, 3]
    assert [pairing.is_reversed for pairing in alone] == [False, True, False, True]


def test_a_pairing_seats_its_bots_and_turns_the_lists_round() -> None:
    spec = load("duel")
    turned = game_of(paired_spec(spec, Pairing(0, {"west": "hard", "east": "easy"}, 0, is_reversed=True)))
    assert [(player.name, player.bot) for player in turned.players] == [("east", "easy"), ("west", "hard")]
    assert [squad.name for squad in turned.squads] == [squad.name for squad in game_of(spec).squads][::-1]


def played(winner: str, *, is_reversed: bool = False, is_over: bool = True) -> TournamentMatch:
    """Return a match between a in the west and b in the east."""
    return TournamentMatch(Pairing(0, {"west": "a", "east": "b"}, 0, is_reversed), winner, 10.0, 0, is_over)


def test_shares_count_draws_half_and_leave_out_what_did_not_end() -> None:
    matches = [played("west"), played("west", is_reversed=True), played("east"), played(""), played("", is_over=False)]
    (share,) = pair_shares(["a", "b"], matches)
    assert (share.wins, share.losses, share.draws, share.share) == (2, 1, 1, 0.625)
    assert seat_share(["west", "east"], matches).wins == 2
    listed = list_share(["west", "east"], matches)
    assert (listed.wins, listed.losses, listed.draws) == (1, 2, 1)


def test_the_interval_is_that_of_wilson() -> None:
    low, high = share_of("a", "b", ["a"] * 8 + ["b"] * 2).interval
    assert low == pytest.approx(0.4902, abs=1e-4)
    assert high == pytest.approx(0.9433, abs=1e-4)
    assert share_of("a", "b", ["a"] * 5).interval[1] == pytest.approx(1.0)


def test_ratings_differ_as_shares_do_and_stay_finite() -> None:
    shares = [
        share_of("a", "b", ["a"] * 900 + ["b"] * 100),
        share_of("b", "c", ["b"] * 900 + ["c"] * 100),
        share_of("a", "c", ["a"] * 1000),
    ]
    rated = ratings(["c", "b", "a"], shares)
    assert list(rated) == ["a", "b", "c"]
    assert sum(rated.values()) == pytest.approx(3000.0, abs=0.5)
    assert rated["a"] - rated["b"] > 300.0
    assert ratings(["a", "b"], [share_of("a", "b", ["b"])])["b"] < 2000.0


def test_the_command_plays_prints_json_and_refuses_what_is_not_there() -> None:
    runner = CliRunner()
    asked = ["tournament", "hard", "easy", "--matches", "2", "--processes", "1", "--json"]
    result = runner.invoke(command, asked, standalone_mode=False)
    assert result.return_value == 0, result.output
    results = json.loads(result.stdout)
    assert (results["matches"], results["finished"], results["violations"]) == (2, 2, 0)
    assert sum(results["pairs"][0][key] for key in ("wins", "losses", "draws")) == 2
    for words, text in (
        (["hrd"], "there is no computer player 'hrd'; did you mean 'hard'?"),
        (["hard", "hard"], "a computer player is named twice"),
        (["hard", "--map", "four_players"], "takes a match of two players, four_players has 4 players"),
        (["hard", "--map", "single"], "takes a match of two players, single has no game"),
    ):
        refused = runner.invoke(command, ["tournament", *words], standalone_mode=False)
        assert text in str(refused.exception)


ASKED: dict[str, Any] = {"matches": 4, "seed": 0, "jitter": 0.2, "processes": 1}


@pytest.mark.parametrize("count", [0, 2])
def test_ctrl_c_prints_and_keeps_the_table_so_far(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, count: int
) -> None:
    def interrupted(*_: object) -> Iterator[TournamentMatch]:
        pairing = Pairing(0, {"west": "hard", "east": "easy"}, 0, is_reversed=False)
        yield from [TournamentMatch(pairing, "west", 10.0, 0, is_over=True)] * count
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "play_tournament", interrupted)
    asked = {**ASKED, "out": tmp_path / "table.json"}
    assert hold_tournament("duel", ["hard", "easy"], asked, as_json=False) == 130
    printed = capsys.readouterr()
    assert f"stopped: {count} of 4 matches" in printed.err
    row = next(line.split() for line in printed.out.splitlines() if line.startswith("hard : easy"))
    assert row[3:7] == [str(count), "0", "0", "100.0%" if count else "-"]
    kept = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert (kept["matches"], kept["pairs"][0]["wins"]) == (count, count)
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"]


def test_a_file_that_cannot_be_written_is_named_before_a_match_is_played(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="cannot be written") as refused:
        hold_tournament("duel", ["hard", "easy"], {**ASKED, "out": tmp_path / "no" / "table.json"}, as_json=False)
    assert "--out" in refused.value.cure


def test_a_match_whose_process_is_killed_again_and_again_is_a_sentence_below_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"number": 0, "error": "its process died 3 times (exit code -9)"}
    monkeypatch.setattr(playing, "LocalPool", lambda *_: SimpleNamespace(rows=lambda _: iter([row])))
    assert hold_tournament("duel", ["hard", "easy"], {**ASKED, "matches": 1, "out": None}, as_json=False) == 1
    *_, ended, problem = capsys.readouterr().out.splitlines()
    assert ended.startswith("0 of 1 matches on duel ended")
    assert problem == row["error"]
