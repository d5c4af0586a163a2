import io
import math

from coopsim.app.terminal import Terminal, awaited, status_line, summary_table
from coopsim.launch import RobotEnd, Summary

STATUS = {
    "mode": "lockstep",
    "paused": False,
    "tick": 1234,
    "time": 12.34,
    "real_time_factor": 2.5,
    "overruns": 3,
    "patience_fired": 0,
    "awaited": {},
}


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_status_line_tells_time_factor_mode_and_overruns() -> None:
    assert status_line(STATUS) == "   12.34 s  x2.50    lockstep  overruns 3"


def test_the_status_line_says_who_is_awaited_longest_first() -> None:
    line = status_line({**STATUS, "awaited": {"robot1": 0.2, "robot2": 1.5}})
    assert line.endswith("waiting for robot2 (1.5 s), robot1 (0.2 s)")


def test_many_awaited_robots_are_counted() -> None:
    assert awaited({f"r{n}": float(n) for n in range(6)}) == "waiting for r5 (5.0 s), r4 (4.0 s), r3 (3.0 s) and 3 more"


def test_a_first_client_is_awaited_without_a_name() -> None:
    assert awaited({"": 2.0}) == "waiting for a first client (2.0 s)"


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
    terminal = Terminal(out, io.StringIO())
    terminal.progress(STATUS)
    terminal.progress(STATUS)
    terminal.progress({**STATUS, "time": 13.0})
    terminal.done()
    assert out.getvalue().count("\r\x1b[2K") == 2
    assert out.getvalue().count("\n") == 1


def test_words_of_controllers_do_not_tear_the_live_line() -> None:
    out, err = Tty(), io.StringIO()
    terminal = Terminal(out, err)
    terminal.progress(STATUS)
    terminal.printed("formation", "at the target")
    assert err.getvalue() == "[formation] at the target\n"
    assert out.getvalue().endswith(status_line(STATUS))
    assert out.getvalue().count(status_line(STATUS)) == 2


def test_a_pipe_gets_a_line_every_five_seconds_and_no_control_characters() -> None:
    out, now = io.StringIO(), [0.0]
    terminal = Terminal(out, io.StringIO(), clock=lambda: now[0])
    for tenth in range(101):
        now[0] = tenth / 10
        terminal.progress({**STATUS, "time": now[0]})
    terminal.done()
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["0.00", "5.00", "10.00"]
    assert "\x1b" not in out.getvalue()


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
