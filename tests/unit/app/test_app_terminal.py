import io
import math
import os
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest

from coopsim.app import talk
from coopsim.app.line_writer import LineWriter
from coopsim.app.terminal import Terminal, awaited, status_line, summary_table
from coopsim.launch.report import RobotEnd, Summary

STATUS = {
    "mode": "lockstep",
    "paused": False,
    "tick": 1234,
    "time": 12.34,
    "real_time_factor": 2.5,
    "overruns": 3,
    "patience_fired": 0,
    "awaited": {},
    "patience": 0.0,
    "policy": "stop",
}


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_status_line_tells_time_factor_mode_and_overruns() -> None:
    assert status_line(STATUS) == "   12.34 s  x2.50    lockstep  overruns 3"


def test_the_status_line_says_who_is_awaited_longest_first() -> None:
    line = status_line({**STATUS, "awaited": {"robot1": 0.2, "robot2": 1.5}})
    assert line.endswith("waiting for robot2 (1.5 s), robot1 (0.2 s), without a time limit")


def test_many_awaited_robots_are_counted() -> None:
    many = {f"r{n}": float(n) for n in range(6)}
    assert awaited(many, 0.0, "wait") == (
        "waiting for r5 (5.0 s), r4 (4.0 s), r3 (3.0 s) and 3 more, without a time limit"
    )


def test_the_limit_of_waiting_and_what_follows_are_told() -> None:
    assert awaited({"r1": 0.2}, 0.5, "hold") == "waiting for r1 (0.2 s), at most 0.5 s each, then hold"


def test_a_first_client_is_awaited_without_a_name() -> None:
    assert awaited({"": 2.0}, 0.0, "stop") == "waiting for a client (2.0 s)"


def test_a_paused_run_says_so_and_patience_is_counted() -> None:
    line = status_line({**STATUS, "paused": True, "patience_fired": 2})
    assert "paused" in line
    assert "went on without a robot 2 times" in line


def test_a_recording_is_shown_with_its_size_and_what_is_missing() -> None:
    recording = {"size_bytes": 1_250_000, "gaps": 0}
    assert status_line({**STATUS, "recording": recording}).endswith("recording 1.2 MB")
    assert "3 records missing" in status_line({**STATUS, "recording": recording | {"gaps": 3}})
    waiting = status_line({**STATUS, "recording": recording | {"awaited": 3.21}})
    assert waiting.endswith("recording 1.2 MB, waiting for the recorder (3.2 s)")


def test_a_terminal_has_one_live_line_that_is_written_only_when_it_changes() -> None:
    out = Tty()
    terminal = Terminal(out)
    terminal.progress(STATUS)
    terminal.progress(STATUS)
    terminal.progress({**STATUS, "time": 13.0})
    terminal.done()
    assert out.getvalue().count("\r\x1b[2K") == 2
    assert out.getvalue().count("\n") == 1


def test_words_of_controllers_do_not_tear_the_live_line() -> None:
    err = Tty()
    terminal = Terminal(err)
    terminal.progress(STATUS)
    terminal.printed("formation", "at the target")
    assert "\r\x1b[2K[formation] at the target\n" in err.getvalue()
    assert err.getvalue().endswith(status_line(STATUS))
    assert err.getvalue().count(status_line(STATUS)) == 2


def logged(monkeypatch: pytest.MonkeyPatch, level: int, statuses: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lines of a log of a run that tells its status ten times a second."""
    monkeypatch.setattr("coopsim.app.talk._level", level)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    err, now = io.StringIO(), [0.0]
    terminal = Terminal(err, lambda: now[0], lambda: datetime(2026, 11, 21, 12, 3, 7))
    for tenth, status in enumerate(statuses):
        now[0] = tenth / 10
        terminal.progress({**STATUS, "time": now[0], **status})
    terminal.done()
    assert "\x1b" not in err.getvalue()
    return err.getvalue().splitlines()


@pytest.mark.parametrize(
    ("level", "times"),
    [
        (talk.USUAL, ["0.00", "60.00", "120.00"]),
        (talk.VERBOSE, [f"{5 * place:.2f}" for place in range(25)]),
        (talk.QUIET, []),
    ],
)
def test_a_log_tells_how_it_goes_now_and_then(monkeypatch: pytest.MonkeyPatch, level: int, times: list[str]) -> None:
    lines = logged(monkeypatch, level, [{}] * 1201)
    assert [line.split()[2] for line in lines] == times
    assert all(line.startswith("2026-11-21 12:03:07 ") for line in lines)


def test_a_log_tells_at_once_that_a_run_pauses_or_waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = [{"awaited": {"robot1": tenth / 10}} for tenth in range(20)]
    lines = logged(monkeypatch, talk.USUAL, [*[{}] * 20, *waits, *[{"paused": True}] * 20])
    assert [line.split()[2] for line in lines] == ["0.00", "3.00", "4.00"]
    assert lines[1].endswith("waiting for robot1 (1.0 s), without a time limit")
    assert " paused " in lines[2]


def test_who_did_something_is_told_with_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    said = []
    for err in (Tty(), io.StringIO()):
        Terminal(err, now=lambda: datetime(2026, 11, 21, 12, 3, 7)).audited("anna: /sim/clock pause")
        said.append(err.getvalue())
    assert said == ["12:03:07 anna: /sim/clock pause\n", "2026-11-21 12:03:07 anna: /sim/clock pause\n"]


def test_the_journal_stamps_its_lines_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", "9:42")
    err = io.StringIO()
    Terminal(err).note("hello")
    assert err.getvalue() == "hello\n"


def test_complaints_are_told_even_to_those_who_want_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.app.talk._level", talk.QUIET)
    err = io.StringIO()
    terminal = Terminal(err)
    terminal.note("answering")
    terminal.printed("formation", "hello")
    terminal.complain("robot1 is gone")
    assert err.getvalue().endswith("coopsim: robot1 is gone\n")
    assert err.getvalue().count("\n") == 1


def test_a_reader_who_stalls_holds_up_nobody_and_hears_of_what_was_left_out() -> None:
    reading, writing = os.pipe()
    with open(writing, "w") as stream:
        writer = LineWriter(stream, most=4)
        for place in range(400):
            writer.write(f"{place:05d}" * 1000)
        writer.close(0.01)
        assert os.read(reading, 65536).startswith(b"00000")
    os.close(reading)


def test_everything_is_written_before_a_writer_closes() -> None:
    reading, writing = os.pipe()
    with open(writing, "w") as stream:
        writer = LineWriter(stream)
        for place in range(100):
            writer.write(f"{place}\n")
        writer.close(60.0)
    with open(reading) as lines:
        assert [int(line) for line in lines] == list(range(100))


def test_the_table_at_the_end_shows_degrees_and_owners() -> None:
    robots = {
        "robot1": RobotEnd(1.0, -2.5, math.pi / 2, "formation"),
        "robot2": RobotEnd(0.0, 0.0, 0.0),
    }
    drawn = summary_table(Summary(600, 6.0, 3.0, 2, 0.0015, 1, "ab" * 16, robots))
    assert drawn.splitlines()[2].split() == ["robot1", "1.000", "-2.500", "90.0", "formation"]
    assert drawn.splitlines()[3].split() == ["robot2", "0.000", "0.000", "0.0", "-"]
    assert "600 ticks, 6.00 s simulated in 3.00 s (x2.00), 2 overruns, late by at most 1.5 ms" in drawn


def test_a_run_without_robots_or_time_has_totals_all_the_same() -> None:
    assert summary_table(Summary(0, 0.0, 0.0, 0, 0.0, 0, "", {})).startswith("0 ticks")


def test_lateness_is_told_in_units_that_people_read() -> None:
    drawn = summary_table(Summary(600, 6.0, 6.0, 2, 0.0121, 0, "", {}, 37e-9, 0.0121))
    assert "late by at most 12.1 ms (p50 0.0 us, p99 12.1 ms), " in drawn


def test_a_run_that_went_on_from_a_recording_tells_what_it_did_itself() -> None:
    went_on = Summary(1750, 17.5, 0.5, 0, 0.0, 0, "", {}, began_at=(1250, 12.5))
    assert summary_table(went_on).startswith("500 ticks, 5.00 s simulated in 0.50 s (x10.00)")
    assert went_on.to_json()["ticks"] == 1750
    was_reset = Summary(1750, 3.0, 0.5, 0, 0.0, 0, "", {}, began_at=(1250, 12.5))
    assert was_reset.own == (500, 3.0)


def test_the_table_of_many_robots_is_short() -> None:
    robots = {f"r{n}": RobotEnd(0.0, 0.0, 0.0) for n in range(1, 201)}
    drawn = summary_table(Summary(600, 6.0, 3.0, 2, 0.0015, 1, "ab" * 16, robots)).split("\n")
    assert drawn[21].startswith("r20 ")
    assert drawn[22] == "... and 180 more robots; `--json` has all of them"


def test_robots_that_answer_soon_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "waiting" not in status_line({**STATUS, "awaited": {"robot1": 0.02}})
    assert "waiting for robot1" in status_line({**STATUS, "awaited": {"robot1": 0.6}})


@pytest.mark.parametrize(("level", "rows"), [(talk.USUAL, 20), (talk.VERBOSE, 200)])
def test_of_many_robots_the_first_few_are_shown(monkeypatch: pytest.MonkeyPatch, level: int, rows: int) -> None:
    monkeypatch.setattr("coopsim.app.talk._level", level)
    robots = {f"r{place}": RobotEnd(0.0, 0.0, 0.0) for place in range(200)}
    drawn = summary_table(Summary(1, 0.01, 1.0, 0, 0.0, 0, "", robots))
    assert sum(line.startswith("r") and line[1].isdigit() for line in drawn.splitlines()) == rows
    assert ("and 180 more robots" in drawn) == (rows == 20)
