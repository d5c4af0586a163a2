"""Programs of tests that are forked off are what programs are that were begun from nothing."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import forked_python
import pytest

SAYS = """
import json, os, sys
there = [it for it in map(int, os.listdir("/proc/self/fd")) if it > 2 and os.path.exists(f"/proc/self/fd/{it}")]
command = open("/proc/self/cmdline").read().split(chr(0))
print(json.dumps({
    "arguments": sys.argv[1:], "folder": os.getcwd(), "parent": os.getppid(), "group": os.getpgid(0),
    "session": os.getsid(0), "word": os.environ.get("WORD"), "name": __name__, "file": __file__, "path": sys.path[0],
    "pid": os.getpid(), "command": command, "there": there, "read": sys.stdin.read(),
    "is_forked": "numba" in sys.modules,
}))
sys.exit(7)
"""
WAITS = "import sys, signal\nprint('here', flush=True)\nsignal.pause()\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "says.py"
    file.write_text(SAYS, encoding="utf-8")
    return file


def said(program: Path, popen: Any, **options: Any) -> dict[str, Any]:
    """Run it with one argument and return what it says; its exit code is 7."""
    command = [sys.executable, str(program), "one argument"]
    with popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options) as process:
        out, _ = process.communicate("given")
    assert process.returncode == 7
    report = dict(json.loads(out))
    assert report["pid"] == process.pid
    return report


def test_a_forked_program_sees_what_one_sees_that_was_begun_from_nothing(program: Path, tmp_path: Path) -> None:
    options = {"cwd": tmp_path, "env": {**os.environ, "WORD": "told"}}
    forked, plain = (
        said(program, popen, **options) for popen in (forked_python.ForkingPopen, forked_python.PlainPopen)
    )
    assert (forked.pop("is_forked"), plain.pop("is_forked")) == (True, False)
    assert forked.pop("command")[:3] == plain.pop("command")[:3]
    for own in ("pid", "group", "session"):
        assert (forked.pop(own), plain.pop(own)) != (None, None)
    assert forked == plain
    assert forked["parent"] == os.getpid()


def test_it_has_the_descriptors_that_it_is_given_and_no_other(program: Path) -> None:
    reading, writing = os.pipe()
    report = said(program, forked_python.ForkingPopen, pass_fds=[writing])
    assert report["there"] == [writing]
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    ("option", "word"), [({"start_new_session": True}, "session"), ({"process_group": 0}, "group")]
)
def test_it_has_a_session_or_a_group_of_its_own(program: Path, option: dict[str, Any], word: str) -> None:
    report = said(program, forked_python.ForkingPopen, **option)
    assert report[word] == report["pid"]
    assert report["is_forked"]


@pytest.mark.parametrize("change", [{"NUMBA_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "5"}])
def test_variables_that_are_read_at_its_begin_begin_it_from_nothing(program: Path, change: dict[str, str]) -> None:
    assert not said(program, forked_python.ForkingPopen, env=os.environ | change)["is_forked"]


def test_a_process_that_was_forked_off_begins_programs_from_nothing(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of its own would read for seconds, while a recorder has to give signs of life."""
    assert said(program, forked_python.ForkingPopen)["is_forked"]
    monkeypatch.setattr(forked_python.Server, "is_mine", False)
    assert not said(program, forked_python.ForkingPopen)["is_forked"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_ends_by_the_signals_that_it_is_sent(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "waits.py"
    file.write_text(WAITS, encoding="utf-8")
    with forked_python.ForkingPopen([sys.executable, str(file)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(number)
        assert process.wait(60) == -number


def test_an_exception_is_told_and_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "fails.py"
    file.write_text("raise ValueError('of its own')\n", encoding="utf-8")
    with forked_python.ForkingPopen([sys.executable, str(file)], stderr=subprocess.PIPE, text=True) as process:
        _, errors = process.communicate()
    assert process.returncode == 1
    assert errors.endswith("ValueError: of its own\n")


@pytest.mark.parametrize("options", [(), ("-P",), ("-P", "-u")])
def test_a_module_of_coopsim_is_forked_and_has_its_arguments(options: tuple[str, ...]) -> None:
    command = [sys.executable, *options, "-m", "coopsim", "nothing"]
    with forked_python.ForkingPopen(command, stderr=subprocess.PIPE, text=True) as process:
        _, errors = process.communicate()
    assert process.returncode == 2
    assert "there is no command 'nothing'" in errors


@pytest.mark.parametrize("popen", [forked_python.ForkingPopen, forked_python.PlainPopen])
def test_option_p_keeps_its_folder_out_of_the_modules(program: Path, popen: Any) -> None:
    command = [sys.executable, "-P", str(program), "one argument"]
    with popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        out, _ = process.communicate("given")
    assert json.loads(out)["path"] != str(program.parent)


def test_a_folder_that_is_not_there_is_told_as_ever(program: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        forked_python.ForkingPopen([sys.executable, str(program)], cwd=tmp_path / "nowhere")
