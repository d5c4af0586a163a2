"""A server of forks starts our own processes as children of the launcher, and is gone with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coopsim.launch.child import Child
from coopsim.launch.fork_server import ForkServer
from coopsim.launch.forked_process import ForkedProcess

_BEGIN = """
import json, os, signal, sys, types
from coopsim.interpreter import module_command
from coopsim.processors import one_thread
with one_thread():
    from coopsim.launch.child import Child
    from coopsim.launch.fork_server import ForkServer
FILE = '''
import gc, json, os, signal, sys
def main(arguments):
    print(json.dumps({"arguments": arguments, "parent": os.getppid(), "group": os.getpgid(0) == os.getpid(),
        "session": os.getsid(0) == os.getpid(), "open": sorted(map(int, os.listdir("/proc/self/fd")))[:-1],
        "told": os.environ.get("TOLD"), "words": open("/proc/self/cmdline").read().split(chr(0)),
        "terminates": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "numpy": "numpy" in sys.modules,
        "collects": gc.isenabled(), "frozen": gc.get_freeze_count(),
        "blas": os.environ.get("OPENBLAS_NUM_THREADS"), "input": sys.stdin.read()}), flush=True)
    if arguments[:1] == ["raise"]:
        raise ValueError("x" * 5)
    if arguments[:1] == ["wait"]:
        signal.pause()
    return 7
'''
import importlib.util
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "coopsim.launch.trial_process":
            open(FOLDER + "/trial_process.py", "w").write(FILE)
            return importlib.util.spec_from_file_location(name, FOLDER + "/trial_process.py")
sys.meta_path.insert(0, Finder())
COMMAND = module_command("coopsim.launch.trial_process")
signal.signal(signal.SIGTERM, lambda *_: print("the command's handler"))
"""


def _said(code: str, folder: Path) -> tuple[str, str]:
    """Run a program that begins with the module of a process; return its output, and that on stderr."""
    program = f"FOLDER = {str(folder)!r}\n{_BEGIN}\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True, input="of the command"
    )
    return done.stdout, done.stderr


def test_a_fork_is_what_a_program_begun_from_nothing_would_be(tmp_path: Path) -> None:
    code = """
reader, writer = os.pipe()
with ForkServer.beside("numpy", "coopsim.launch.trial_process") as server:
    child = Child("trial", [*COMMAND, "a", "b"], pass_fds=[writer], environment={"TOLD": "yes"}, server=server)
    child.wait(30.0)
print(json.dumps({"code": child.code, "ending": child.ending, "mine": os.getpid(), "writer": writer}))
"""
    out, err = _said(code, tmp_path)
    mine, its = eval(out), eval(err, {"true": True, "false": False, "null": None})
    assert (mine["code"], mine["ending"]) == (7, "ended with exit code 7")
    assert its["arguments"] == ["a", "b"]
    assert its["parent"] == mine["mine"]
    assert its["group"]
    assert its["session"]
    assert its["open"][:3] == [0, 1, 2]
    assert mine["writer"] in its["open"]
    assert len(its["open"]) == 5  # and its last words
    assert its["told"] == "yes"
    assert "coopsim.launch.trial_process" in its["words"]
    assert its["terminates"]
    assert its["numpy"]
    assert its["collects"]
    assert its["frozen"] > 10_000, "what the server has read is looked at by no collection of a fork"
    assert its["blas"] is None
    assert its["input"] == ""


def test_forks_end_as_other_processes_do(tmp_path: Path) -> None:
    code = """
with ForkServer.beside("coopsim.launch.trial_process") as server:
    raising = Child("trial", [*COMMAND, "raise"], server=server)
    waiting = Child("trial", [*COMMAND, "wait"], server=server)
raising.wait(30.0)
waiting.wait(0.01)
runs = not waiting.ended
waiting.terminate()
waiting.wait(30.0)
killed = Child("trial", [*COMMAND, "wait"], server=None)
print([raising.code, waiting.ending, runs, type(waiting.process).__name__])
killed.reap()
"""
    out, err = _said(code, tmp_path)
    assert eval(out) == [1, "was killed by SIGTERM", True, "ForkedProcess"]
    assert "ValueError: xxxxx" in err


def test_where_there_is_no_server_processes_begin_from_nothing(tmp_path: Path) -> None:
    code = """
import threading
with ForkServer.beside("no.such.module") as lost:
    os.waitpid(lost._pid, 0)
    names = [type(Child("trial", [sys.executable, "-c", "0"], server=lost).process).__name__]
    names.append(type(Child("trial", [*COMMAND], server=lost).process).__name__)
os.environ["COOPSIM_FORK"] = "no"
with ForkServer.beside("coopsim.launch.trial_process") as server:
    names.append(server)
del os.environ["COOPSIM_FORK"]
end = threading.Event()
thread = threading.Thread(target=end.wait)
thread.start()
with ForkServer.beside("coopsim.launch.trial_process") as server:
    names.append(server)
end.set()
thread.join()
print(names)
"""
    out, _ = _said(code, tmp_path)
    assert eval(out) == ["Popen", "Popen", None, None]


def test_a_server_that_does_not_answer_is_ended_and_the_process_begins_from_nothing(tmp_path: Path) -> None:
    code = """
with ForkServer.beside("coopsim.launch.trial_process") as server:
    server._channel.settimeout(0.05)
    os.kill(server._pid, signal.SIGSTOP)
    child = Child("trial", COMMAND, server=server)
    print([type(child.process).__name__, server._channel.fileno()])
    child.reap()
"""
    out, _ = _said(code, tmp_path)
    assert eval(out) == ["Popen", -1]


def test_a_server_ends_with_its_command(tmp_path: Path) -> None:
    code = """
with ForkServer.beside("coopsim.launch.trial_process") as server:
    print(server._pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    program = f"FOLDER = {str(tmp_path)!r}\n{_BEGIN}\n{code}"
    # its output ends when nobody has it open any more: neither the command nor the server
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_command_of_others_is_none_of_ours() -> None:
    assert ForkServer.knows((sys.executable, "-P", "-m", "coopsim.launch.host_process", "5"))
    assert not ForkServer.knows((sys.executable, "-m", "coopsim.launch.host_process"))
    assert not ForkServer.knows((sys.executable, "-P", "-m", "coopsim.features.laws.wander"))
    assert not ForkServer.knows((sys.executable, "-P", "-m"))


def test_waiting_for_a_fork_has_a_limit_and_its_code_is_kept() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], stdin=subprocess.PIPE)
    process = ForkedProcess(child.pid)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.02)
    assert process.poll() is None
    assert child.stdin is not None
    child.stdin.close()
    assert process.wait(30.0) == 3
    process.kill()
    assert (process.wait(), process.poll()) == (3, 3)
    child.returncode = 3


_COMMAND = "from coopsim.__main__ import main; main()"


def _children(pid: int) -> dict[str, list[str]]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    commands = [Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8") for child in file.read_text().split()]
    words = [command.split("\0") for command in commands]
    return {word: line for line in words for word in line if word.startswith("coopsim.launch.")}


@pytest.mark.parametrize("choice", ["yes", "no"])
def test_the_processes_of_a_run_are_forks_unless_that_is_refused(choice: str, tmp_path: Path) -> None:
    ready, film = tmp_path / "ready.json", tmp_path / "film.mcap"
    words = ["run", "single", "--port", "0", "--no-gui", "--ready", str(ready), "--record", str(film)]
    command = [sys.executable, "-c", _COMMAND, *words]
    environment = {**os.environ, "COOPSIM_FORK": choice}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as run:
        deadline = time.monotonic() + 120.0
        while not ready.exists() and run.poll() is None and time.monotonic() < deadline:
            os.sched_yield()
        children = _children(run.pid)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    processes = ("host", "physics", "recorder")
    assert sorted(children) == [f"coopsim.launch.{process}_process" for process in processes]
    # a program begun from nothing is given the numbers of its descriptors as arguments, a fork shows none
    assert all(any("ring" in word for word in line) == (choice == "no") for line in children.values())
    assert film.stat().st_size > 0
    assert not list(Path("/dev/shm").glob(f"coopsim-{run.pid}-*"))
    Child("nobody", [sys.executable, "-c", "0"]).reap()
