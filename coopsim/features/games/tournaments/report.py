"""The report of a tournament: progress while it goes on, then its tables or JSON."""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from coopsim.app import talk
from coopsim.errors import BadArgument
from coopsim.features.games.logic.bots import bot_names, make_bot
from coopsim.features.games.sections.game_sections import game_of
from coopsim.features.games.tournaments.pairing import pairings
from coopsim.features.games.tournaments.playing import TournamentMatch, play_tournament
from coopsim.features.games.tournaments.standings import list_share, pair_shares, ratings, seat_share
from coopsim.robots import load
from coopsim.suggest import did_you_mean, listed

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""
_SAID_EVERY = 5.0
"""Between two lines of progress [s]."""


def hold_tournament(file: str, bots: Sequence[str], asked: Mapping[str, Any], *, as_json: bool) -> int:
    """Play all matches and print what came of them; return the exit code.

    Args:
        file: The scenario.
        bots: Names of the computer players.
        asked: `matches` of each pair, the first `seed`, `jitter` [m], `processes`, and `out`, the file that keeps the
            results, None = none does.
        as_json: Whether the results are printed as JSON.

    Raises:
        BadArgument: There is no such computer player, or the scenario is no match of two.
    """
    _check_bots(bots)
    spec = load(file)
    players = [player.name for player in game_of(spec).players]
    if len(players) != 2:
        got = f"{len(players)} players" if players else "no game"
        problem = BadArgument(f"a tournament takes a match of two players, {file} has {got}")
        raise problem.advise("leave --map out, or name one of the matches that `coopsim scenes` lists")
    rounds = pairings(bots, players, asked["matches"], asked["seed"])
    _keep(asked["out"], results_of(file, bots, players, ()))
    matches, said, is_stopped = list[TournamentMatch](), time.monotonic(), False
    with closing(play_tournament(spec, rounds, asked["jitter"], asked["processes"])) as played:
        try:
            for match in played:
                matches.append(match)
                _keep(asked["out"], results_of(file, bots, players, matches))
                if time.monotonic() - said >= _SAID_EVERY:
                    said = time.monotonic()
                    talk.note(f"{len(matches)} of {len(rounds)} matches")
        except KeyboardInterrupt:
            is_stopped = True
            talk.note(f"stopped: {len(matches)} of {len(rounds)} matches were played to their end")
    results = results_of(file, bots, players, matches)
    sys.stdout.write(json.dumps(results, indent=2) + "\n" if as_json else in_words(results))
    if is_stopped:
        return STOPPED
    return 0 if results["finished"] == results["matches"] and not results["violations"] else 1


def _keep(out: Path | None, results: Mapping[str, Any]) -> None:
    """Write the results so far into a file, whole at any instant; a file that cannot be written is named at once."""
    if out is None:
        return
    begun = out.with_name(f"{out.name}.begun")
    try:
        begun.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
        begun.replace(out)
    except OSError as problem:
        refusal = BadArgument(f"{out} cannot be written: {problem.strerror}")
        raise refusal.advise("name another file with --out") from None


def results_of(
    file: str, bots: Sequence[str], players: Sequence[str], matches: Sequence[TournamentMatch]
) -> dict[str, Any]:
    """Return what came of a tournament, as plain values."""
    shares = pair_shares(bots, matches)
    times = sorted(match.time for match in matches if match.is_over)
    return {
        "map": file,
        "matches": len(matches),
        "finished": len(times),
        "violations": sum(match.violations for match in matches),
        "errors": sorted({match.error for match in matches if match.error}),
        "median_time": times[len(times) // 2] if times else 0.0,
        "pairs": [share.to_json() for share in shares],
        "ratings": ratings(bots, shares),
        "seats": seat_share(players, matches).to_json(),
        "lists": list_share(players, matches).to_json(),
    }


def in_words(results: Mapping[str, Any]) -> str:
    """Return the tables of a tournament, for people."""
    rows = [*results["pairs"], results["seats"], results["lists"]]
    table = [("", "wins", "losses", "draws", "share", "95 % interval"), *map(_cells, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in table]
    if results["pairs"]:
        rated = [f"{name} {points:.0f}" for name, points in results["ratings"].items()]
        lines.append(f"ratings: {', '.join(rated)}")
    ended = f"{results['finished']} of {results['matches']} matches on {results['map']} ended"
    lines.append(f"{ended}, after {results['median_time']:g} s (median); {results['violations']} violations")
    return "\n".join([*lines, *results["errors"], ""])


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = row["interval"]
    counts = (f"{row[key]}" for key in ("wins", "losses", "draws"))
    share = "-" if row["share"] is None else f"{row['share']:.1%}"
    return (f"{row['first']} : {row['second']}", *counts, share, f"{low:.0%} to {high:.0%}")


def _check_bots(bots: Sequence[str]) -> None:
    names = bot_names()
    for name in bots:
        if name not in names:
            text = f"there is no computer player {name!r}{did_you_mean(name, names)}; {listed(names)}"
            raise BadArgument(text).bring(name).advise("name one of those, or one that a --plugin brings")
        make_bot("nobody", name)
    if len({*bots}) < len(bots):
        raise BadArgument("a computer player is named twice").advise("name each once; one alone plays itself")
