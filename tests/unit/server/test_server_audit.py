"""Who did what: told once, shortened, bounded."""

from collections.abc import Callable

import pytest

from coopsim.client.roles import Role
from coopsim.message import Message
from coopsim.server.access.limits import limits_of
from coopsim.server.audit import MOST_KEPT, MOST_LINES, STRANGER_EVERY, WINDOW, Audit


@pytest.fixture
def audited(bench: Callable) -> Callable:
    """Return a maker of hosts that tell: `run = audited()`, then `lines(run)`."""
    return lambda: bench("real-time", is_audited=True)


def lines(run: object) -> list[str]:
    return [text for _, text in run.modules.audit.drain()]  # type: ignore[attr-defined]


def test_edits_and_claims_are_told_with_what_they_say(audited: Callable) -> None:
    run = audited()
    run.ask(Message("/sim/clock", command=14))
    run.ask(Message("/sim/world", command=13, params=("robot2",)))
    run.ask(Message("/robot1/motors", command=3, params=("max_speed", 0.25)))
    run.ask(Message("/sim/step", command=13, params=("robot1",)))
    assert lines(run) == [
        "someone on loopback: /sim/clock pause",
        "someone on loopback: /sim/world remove robot2",
        "someone on loopback: /robot1/motors set_parameter max_speed 0.25",
        "someone on loopback: /sim/step claim robot1",
    ]


def test_refusals_are_told_and_readings_and_commands_are_not(audited: Callable) -> None:
    run = audited()
    run.ask(Message("/robot1/sonars", command=10))
    run.ask(Message("/robot1/motors", command=10, data=(0.1, 0.0)))
    run.ask(Message("/sim/clock", command=11, params=("sideways",)))
    assert lines(run) == ["someone on loopback: /sim/clock set_mode sideways: refused, 203 BadArgument"]


def test_a_token_is_never_told(audited: Callable) -> None:
    run = audited()
    token = run.ask(Message("/sim/step", command=13, params=("robot1",))).params[0]
    run.ask(Message("/sim/step", command=14, params=(token,)), "b")
    assert not any(token in line for line in lines(run))


def test_text_of_strangers_is_one_short_line_that_no_terminal_obeys(audited: Callable) -> None:
    run = audited()
    run.ask(Message("/sim/world", command=13, params=("\x1b]0;owned\x07\n" + "x" * 5000,)))
    (line,) = lines(run)
    assert line.startswith("someone on loopback: /sim/world remove ?]0;owned?; xxx")
    assert len(line) < 200
    assert line.isprintable()


def test_without_keys_and_file_only_edits_of_the_simulation_are_told(bench: Callable) -> None:
    run = bench("real-time")
    run.ask(Message("/sim/step", command=13, params=("robot1",)))
    run.ask(Message("/robot1/motors", command=3, params=("max_speed", 0.25)))
    run.ask(Message("/sim/clock", command=14))
    assert lines(run) == ["someone on loopback: /sim/clock pause"]


def test_whoever_is_told_of_too_often_is_counted() -> None:
    now = [1000.0]
    audit = Audit(clock=lambda: now[0])
    for number in range(MOST_LINES + 7):
        audit.record("eve", f"deed {number}")
    audit.record("anna", "pause")
    lines = [text for _, text in audit.drain()]
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == "anna: pause"
    now[0] += WINDOW
    assert [text for _, text in audit.drain()] == ["eve: 7 more lines left out"]
    audit.record("eve", "again")
    assert [text for _, text in audit.drain(is_last=True)] == ["eve: again"]


def test_the_file_leaves_out_nothing_of_what_the_screen_counts(audited: Callable) -> None:
    run = audited()
    for _ in range(MOST_LINES + 1):
        run.ask(Message("/sim/clock", command=14))
    run.ask(Message("/sim/world", command=13, params=("robot2",)))
    assert not any("remove" in line for line in lines(run))
    kept = [text for _, text in run.modules.audit.drain_kept()]
    assert len(kept) == MOST_LINES + 2
    assert kept[-1] == "someone on loopback: /sim/world remove robot2"
    assert [text for _, text in run.modules.audit.drain(is_last=True)] == [
        "someone on loopback: 2 more lines are in the file alone"
    ]


def test_commands_of_every_tick_are_told_where_their_sender_may_not_give_them(audited: Callable) -> None:
    run = audited()
    run.session("eve").limits = limits_of("eve", Role("drive", ("robot1",)))
    drive = Message("/robot2/motors", command=10, data=(0.1, 0.0))
    run.ask(drive, "eve")
    run.ask(Message("/robot1/motors", command=10, data=(0.1, 0.0)), "eve")
    run.ask(Message("/sim/step", command=13, params=("robot1",)))
    run.ask(Message("/robot1/motors", command=10, data=(0.1, 0.0)), "eve")
    run.ask(Message("/robot1/motors", command=10, data=(0.1,)))
    assert [line.removeprefix("someone on loopback: ") for line in lines(run)] == [
        "/robot2/motors set_velocity 0.1 0: refused, 209 NotAllowed",
        "/sim/step claim robot1",
        "/robot1/motors set_velocity 0.1 0: refused, 204 OwnedByAnother",
    ]


def test_a_stranger_who_tries_again_and_again_is_told_of_once_a_minute_with_how_often() -> None:
    now = [1000.0]
    audit = Audit(is_kept=True, clock=lambda: now[0])
    for _ in range(100):
        audit.record_stranger("127.0.0.2", "its key is not trusted")
    assert [text for _, text in audit.drain()] == ["stranger: refused at 127.0.0.2: its key is not trusted"]
    now[0] += STRANGER_EVERY
    audit.record_stranger("127.0.0.2", "its key is not trusted")
    again = "stranger: refused at 127.0.0.2, 100 times more: its key is not trusted"
    assert [text for _, text in audit.drain(is_last=True)] == [again]
    assert len(audit.drain_kept()) == 2


def test_lines_that_nobody_takes_do_not_fill_the_memory_and_are_counted() -> None:
    audit = Audit(is_kept=True)
    for _ in range(MOST_KEPT + 5):
        audit.record("eve", "pause")
    kept = audit.drain_kept()
    assert len(kept) == MOST_KEPT + 1
    assert kept[-1][1].startswith("the audit: 5 lines lost")
    assert audit.drain_kept() == []
