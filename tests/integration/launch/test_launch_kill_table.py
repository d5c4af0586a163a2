"""Who dies, what happens; the processes are stand-ins, the signals and the ends of pipes are real."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from launch_scenes import Seen, python, spec

from coopsim.launch.report import Report

pytestmark = pytest.mark.integration
Launch = Callable[..., Report]


def rings() -> list[str]:
    return [name for name in os.listdir("/dev/shm") if name.startswith(f"coopsim-{os.getpid()}-")]


def test_a_run_ends_with_the_summaries_of_both_processes_when_its_time_is_over(launch: Launch, view: Seen) -> None:
    report = launch(physics="duration")
    assert report.exit_code == 0
    assert report.summary is not None
    assert report.summary.to_json() == {
        "ticks": 7,
        "sim_time": 0.07,
        "wall_time": 0.5,
        "overruns": 1,
        "max_lateness": 0.002,
        "slipped": 0.0,
        "lateness_p50": None,
        "lateness_p99": None,
        "patience_fired": 2,
        "state_hash": "ab" * 16,
        "robots": {"robot1": {"x": 1.0, "y": 2.0, "heading": 0.5, "owner": "me"}},
    }
    assert view.complaints == []


def test_a_file_tells_where_the_run_answers_and_which_run_it_is(launch: Launch, tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    file.write_text("of an earlier run")
    runs = []
    for _ in range(2):
        assert launch(physics="duration", ready=file).exit_code == 0
        document = json.loads(file.read_text())
        assert document["zmq"].startswith("tcp://127.0.0.1:")
        assert document["pid"] == os.getpid()
        runs.append(document["run"])
    assert len(set(runs)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["ready.json"]


def test_a_file_that_cannot_be_written_ends_the_run_in_words(launch: Launch, view: Seen, tmp_path: Path) -> None:
    report = launch(ready=tmp_path / "none" / "ready.json")
    assert report.exit_code == 1
    assert any("ready.json cannot be written: No such file or directory" in complaint for complaint in view.complaints)


def test_no_file_tells_of_a_run_that_never_answered(launch: Launch, tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    file.write_text("of an earlier run")
    launch(host="mute", ready=file, start=0.5)
    assert not file.exists()


def test_nothing_is_left_in_shared_memory(launch: Launch) -> None:
    launch(physics="duration")
    assert rings() == []


@pytest.mark.parametrize(("physics", "host", "name"), [("suicide", "good", "physics"), ("good", "suicide", "host")])
def test_a_process_that_is_killed_is_named_with_its_signal(
    launch: Launch, view: Seen, physics: str, host: str, name: str
) -> None:
    report = launch(physics, host)
    assert report.exit_code == 3
    assert view.complaints == [f"the {name} process was killed by SIGKILL"]


def test_a_process_that_ends_unasked_is_named_with_its_exit_code(launch: Launch, view: Seen) -> None:
    report = launch(host="crash")
    assert (report.exit_code, report.summary) == (3, None)
    assert view.complaints == ["the host process ended with exit code 7"]


def test_a_problem_is_told_in_its_own_words_and_is_the_runs_fault(launch: Launch, view: Seen) -> None:
    report = launch(host="problem")
    assert report.exit_code == 1
    (complaint,) = view.complaints
    assert complaint.startswith("port 5570 is in use\n  error 505: ")
    assert "--port" in complaint


def test_a_process_that_is_never_ready_is_given_up(launch: Launch, view: Seen) -> None:
    report = launch(physics="mute", start=12.0, stop=0.2)
    assert report.exit_code == 3
    assert view.complaints[0] == "the physics process was not ready after 12 s"


def test_a_process_that_does_not_stop_is_killed(launch: Launch, view: Seen) -> None:
    report = launch(physics="duration", host="deaf", stop=2.0)
    assert report.exit_code == 3
    assert view.complaints == ["the host process did not stop within 2 s and was killed"]


def test_a_run_is_over_when_all_its_controllers_have_ended(launch: Launch, view: Seen) -> None:
    report = launch(spec=spec(python("print('here')"), python("pass")))
    assert (report.exit_code, report.reason) == (0, "all controllers have ended")
    assert [line for _, line in view.lines] == ["here"]


def test_a_controller_that_fails_is_reported_with_its_last_words_and_the_others_go_on(
    launch: Launch, view: Seen, tmp_path: Path
) -> None:
    ended = tmp_path / "ended"
    os.mkfifo(ended)
    first = python(f"open({str(ended)!r}, 'w').write('.'); raise SystemExit('no way')")
    second = python(f"open({str(ended)!r}).read(); print('still here')")
    report = launch(spec=spec(first, second))
    assert report.exit_code == 1
    assert "with an error" in report.reason
    (complaint,) = view.complaints
    assert "(drives robot1) ended with exit code 1; its last words:\n    no way" in complaint
    assert "still here" in [line for _, line in view.lines]


def test_a_controller_that_cannot_be_started_is_a_failure(launch: Launch, view: Seen) -> None:
    report = launch(spec=spec("/nowhere/program"))
    assert report.exit_code == 1
    assert "cannot be started: /nowhere/program" in view.complaints[0]


def test_a_controller_that_ignores_being_asked_is_killed_with_all_it_started(
    launch: Launch, view: Seen, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    stubborn = python(
        "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork();"
        f"open({str(pipe)!r}, 'w').write('.') if os.fork() else None; signal.pause()"
    )
    report = launch(physics="duration", spec=spec(stubborn), grace=0.3)
    assert report.exit_code == 0
    # a pipe without writers ends: nobody of that session is left
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_controllers_find_the_run_by_their_environment(
    launch: Launch, view: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = python("import os; print(os.environ['COOPSIM_ENDPOINT'], os.environ['COOPSIM_TIMEOUT'])")
    monkeypatch.delenv("COOPSIM_TIMEOUT", raising=False)
    launch(spec=spec(program))
    monkeypatch.setenv("COOPSIM_TIMEOUT", "0.7")
    launch(spec=spec(program))
    assert [line for _, line in view.lines] == ["tcp://127.0.0.1:5570 10", "tcp://127.0.0.1:5570 0.7"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_a_signal_stops_everything_in_order_and_the_summary_is_still_there(
    launch: Launch, view: Seen, number: signal.Signals, code: int
) -> None:
    waits = python(f"import os, signal; os.kill(os.getppid(), {int(number)}); signal.pause()")
    report = launch(spec=spec(waits))
    assert report.exit_code == code
    assert report.summary is not None
    assert view.complaints == []


def test_a_second_ctrl_c_waits_for_nobody(launch: Launch, view: Seen) -> None:
    waits = python(
        "import os, signal; signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getppid(), signal.SIGINT));"
        "os.kill(os.getppid(), signal.SIGINT)\nwhile True: signal.pause()"
    )
    report = launch(physics="deaf", host="deaf", spec=spec(waits), grace=60.0, stop=60.0)
    assert report.exit_code == 130


def test_handlers_of_signals_are_put_back(launch: Launch) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    launch(physics="duration")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)] == before


def test_lockstep_without_anybody_to_wait_for_says_so_once(launch: Launch, view: Seen) -> None:
    launch(physics="duration", spec=spec(mode="lockstep"))
    assert [note for note in view.notes if "lockstep" in note] == [
        "lockstep: waiting until a client claims or commands a robot; see --wait-for and [CONTROLLER_n]"
    ]


def test_progress_is_shown_as_the_host_tells_it(launch: Launch, view: Seen) -> None:
    launch(spec=spec(python("pass")))
    assert view.statuses
    assert view.statuses[0]["awaited"] == {"robot1": 0.4}


def test_a_process_that_compiles_may_take_longer_to_be_ready(launch: Launch, view: Seen) -> None:
    report = launch(physics="compiles for long", start=12.0)
    assert (report.exit_code, view.complaints) == (0, [])


@pytest.mark.parametrize("behaviour", ["duration", "compiles"])
def test_compiling_is_told_while_it_happens_and_only_then(launch: Launch, view: Seen, behaviour: str) -> None:
    launch(physics=behaviour)
    assert any("kernels are being compiled" in note for note in view.notes) == (behaviour == "compiles")
