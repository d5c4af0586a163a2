"""`coopsim game`: matches of squads, played by people or by computer players."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from coopsim.app import completing, talk
from coopsim.app.groups import Suggesting
from coopsim.app.options import endpoint_option, plugin_option
from coopsim.features.studies.commands.studied import Seeds
from coopsim.suggest import listed


@click.group(cls=Suggesting, short_help="Play matches of squads, or let computer players play many.")
def game() -> None:
    """Play matches of squads: a scenario with a section [GAME] says who plays with which robots."""


@game.command()
@click.argument("player")
@endpoint_option
def play(player: str, endpoint: str | None) -> int:
    """Command the squads of PLAYER in a match that runs: one order a line, until the end of input or of the match.

    Each line of the output is something that happened, with its simulated time. The computer player of PLAYER is
    silent meanwhile. In a terminal, Tab completes names and verbs. Exit code 1 where the match has no end: its logic,
    or the run, is gone.

    \b
    a gather wedge          take places around the middle of all
    a go_to 3 1.5 line      go somewhere as a whole
    a attack b2             surround a robot, a squad or a flag
    a defend south          stand around it
    a capture blue          fetch a flag
    a bring south           carry it home
    a stop
    a1 take 20              drive a1 by hand for 20 s; its squad goes on
    a1 drive 0.3 0          its speed [m/s] and turn [rad/s]
    a1 give
    ready                   begin, when all are (a match with a lobby)
    say well done           tell the other players
    help, ?                 these lines, with the names of the match
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.client import connect
    from coopsim.features.games.commands.order_words import completing
    from coopsim.features.games.commands.playing import TypedLines, missing, play_by_lines

    with connect(endpoint) as sim:
        facts: Any = sim.info().get("game")
        refused = missing(facts, player)
        if refused:
            talk.complain(refused)
            return 1
        squads = [
            f"{squad['name']} ({listed(squad['robots'])})" for squad in facts["squads"] if squad["player"] == player
        ]
        talk.note(f"{player} commands {', '.join(squads)}; the end of input (Ctrl-D) ends")
        with completing(facts, player, sys.stdin) as typed:
            has_end = play_by_lines(sim, player, typed or TypedLines(sys.stdin.fileno()))
    return 0 if has_end else 1


@game.command()
@click.argument("recording", required=False, type=click.Path(path_type=Path), shell_complete=completing.files)
@endpoint_option
def watch(recording: Path | None, endpoint: str | None) -> int:
    """Only watch a match: print what happens as sentences with times, until its end; no seat is claimed.

    The match runs, or is replayed, at the endpoint; with RECORDING it is read from that file at once. Exit code 1 where
    there is no match, or where it has no end: its logic, or the run, is gone.
    """
    from coopsim.client import connect
    from coopsim.features.games.commands.commentary import comment_on, comment_on_recording

    if recording is not None:
        return 0 if comment_on_recording(recording) else 1

    with connect(endpoint) as sim:
        if not isinstance(sim.info().get("game"), dict):
            talk.complain("no match is run there: its scenario has no section [GAME]")
            return 1
        return 0 if comment_on(sim) else 1


@game.command()
@click.argument("player")
@click.option(
    "--level", type=click.Choice(["easy", "normal", "hard"]), default="hard", show_default=True, help="How strong."
)
@endpoint_option
def bot(player: str, level: str, endpoint: str | None) -> int:
    """Let a computer player command the squads of PLAYER in a match that runs, as a program of its own.

    It sees what any player sees, and prints its orders. An easy one sends each squad to the nearest goal every 6 s of
    simulated time. A normal one decides every 2 s, prefers weak enemies, and goes after its own flag. A hard one keeps
    its squads together, lets attackers come, and attacks where few enemies reach it. Exit code 1 if the match has no
    end: its logic, or the run, is gone.
    """
    from coopsim.client import connect
    from coopsim.features.games.commands.computer_player import play_by_computer
    from coopsim.features.games.commands.playing import missing

    with connect(endpoint) as sim:
        refused = missing(sim.info().get("game"), player)
        if refused:
            talk.complain(refused)
            return 1
        return 0 if play_by_computer(sim, player, level) else 1


@game.command()
@plugin_option
@click.argument("file", shell_complete=completing.files)
@click.option("--seeds", type=Seeds(), default="10", show_default=True, help="How many, from 0, or which, as 5..14.")
@click.option("--jitter", default=0.2, show_default=True, help="Robots begin so far from their places at most [m].")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def trial(file: str, seeds: tuple[int, ...], jitter: float, *, as_json: bool) -> int:
    """Let the computer players of the scenario FILE play a match with each seed, and tell who wins.

    Exit code 1 where a match did not end, or a robot was where it must not be.
    """
    from coopsim.features.games.tournaments.trials import play_matches

    results = play_matches(file, seeds, jitter, None if as_json else _show)
    if as_json:
        talk.data(json.dumps(results, indent=2))
    else:
        wins = ", ".join(f"{name or 'nobody'} {count}" for name, count in results["wins"].items())
        talk.data(
            f"{results['finished']} of {results['matches']} finished, {results['violations']} violations; wins: {wins}"
        )
    return 0 if results["finished"] == results["matches"] and not results["violations"] else 1


@game.command()
@plugin_option
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--map", "file", default="duel", show_default=True, shell_complete=completing.files, help="The scenario.")
@click.option("--matches", type=click.IntRange(1, 100_000), default=20, show_default=True, help="Of each pair.")
@click.option("--seed", type=click.IntRange(0, 2**31), default=0, show_default=True, help="The first one.")
@click.option("--jitter", default=0.2, show_default=True, help="Robots begin so far from their places at most [m].")
@click.option("--processes", type=click.IntRange(1, 256), default=2, show_default=True, help="That play at once.")
@click.option("--out", type=click.Path(path_type=Path), help="File that keeps the results, as JSON, after each match.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def tournament(bots: tuple[str, ...], file: str, *, as_json: bool, **asked: Any) -> int:
    """Let computer players BOT... meet each other, as fast as it goes, and print who wins how often, with ratings.

    BOT is easy, normal, hard, or the name of one that a --plugin brings. Each seed is played twice with exchanged
    seats, and every other one with players listed the other way round. One BOT alone plays itself, which tells how fair
    a map is. Ctrl-C prints what was played until then. Exit code 1 where a match did not end, or a robot was where it
    must not be.
    """
    from coopsim.features.games.tournaments.report import hold_tournament

    return hold_tournament(file, bots, asked, as_json=as_json)


def _show(seed: int, result: dict[str, Any]) -> None:
    talk.data(f"seed {seed}: {result['winner'] or 'nobody'} after {result['time']:g} s: {result['reason']}")
