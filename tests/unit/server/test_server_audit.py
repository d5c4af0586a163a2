"""Who did what: told once, shortened, bounded."""

from collections.abc import Callable

import pytest

from coopsim.message import Message
from coopsim.server.audit import MOST_LINES, WINDOW, Audit


@pytest.fixture
def audited(bench: Callable) -> Callable:
    """Return a maker of hosts that tell: `run = audited()`, then `lines(run)`."""
    return lambda: bench("real-time", is_audited=True)


def lines(run: object) -> list[str]:
    return [text for _, text in run.modules.audit.take()]  # type: ignore[attr-defined]


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
    told = [text for _, text in audit.take()]
    assert len(told) == MOST_LINES + 1
    assert told[-1] == "anna: pause"
    now[0] += WINDOW
    assert [text for _, text in audit.take()] == ["eve: 7 more lines left out"]
    audit.record("eve", "again")
    assert [text for _, text in audit.take(is_last=True)] == ["eve: again"]
