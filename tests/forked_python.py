"""Programs of coopsim in tests: forked off a process that has imported what they need, not begun from nothing.

Reading numpy, numba and coopsim costs every process of a run up to a second of CPU time, which is most of what tests of
runs cost. So each process that runs tests has a server beside it, which has read all of that and does nothing else; a
program is a fork of it. The server forks twice: the process in between ends, and the program becomes a child of whoever
asked, with its process id, its exit code, its signals and its descriptors, as one that was begun from nothing. A
program `coopsim` gets a server of its own, forked before it does anything: the processes of a run come from there.

Forked are `python -m coopsim...` and `python FILE.py`. What a fork cannot do in the same way is begun from nothing, as
ever: another interpreter, options of Python, other variables of Python and its libraries. So are the programs of the
wheel, of the tutorial as it is typed, of `python -c`, and of all that a shell starts. `COOPSIM_TESTS_FORK=no` begins
all of them from nothing.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib
import io
import os
import pickle
import runpy
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

PRELOADED = (
    "coopsim.app.main",
    "coopsim.features.files.replay",
    "coopsim.app.run",
    "coopsim.client",
    "coopsim.features.laws.formation",
    "coopsim.inprocess",
    "coopsim.launch.host_process",
    "coopsim.launch.launcher",
    "coopsim.launch.physics_process",
    "coopsim.launch.playback_process",
    "coopsim.launch.recorder_process",
    "coopsim.features.proof.verify",
)
"""Modules with all that they import; each is read again where it is the program itself."""

_STARTING = "coopsim", "coopsim.features.desktop.commands.bound_run"
"""Programs that start processes of runs; each gets a server of its own."""
_READ_AT_IMPORT = ("HOME", "LANG", "LC_", "LD_", "MKL_", "NUMBA_", "OMP_", "OPENBLAS_", "PYTHON", "TMPDIR", "XDG_CACHE")
_UNBUFFERED = "PYTHONUNBUFFERED"
_OPTIONS = ("-u", "-P")
_ROOM_FOR_WORDS = " " * 4000
_LARGEST = 1 << 20
_MOST_DESCRIPTORS = 64
_SET_SUBREAPER, _SET_MEMORY, _END_OF_WORDS = 36, 35, 9
_prctl = ctypes.CDLL(None).prctl
PlainPopen = subprocess.Popen


class Program(NamedTuple):
    """A program that is to run.

    Attributes:
        words: The command line after the interpreter: `-m` and a module, or a file, then arguments.
        folder: Where it runs.
        environment: All of its variables.
        descriptors: The numbers by which it knows the files that come with it.
        is_session: Whether it begins a session of its own.
        group: Which group of processes it belongs to: 0 = its own, -1 = that of whoever asks.
        is_unbuffered: Whether what it prints is written at once.
        is_safe: Whether the folder where it runs holds no modules for it (`-P`).
        before: Called in its process before it begins.
    """

    words: list[str]
    folder: str
    environment: dict[str, str]
    descriptors: tuple[int, ...]
    is_session: bool
    group: int
    is_unbuffered: bool
    is_safe: bool
    before: Callable[[], object] | None


class Server:
    """What forks programs, as those see it who want one.

    Args:
        channel: To the server's process.
        process: That process, where this one started it.
    """

    def __init__(self, channel: socket.socket, process: "subprocess.Popen[bytes] | None" = None) -> None:
        self._channel, self._process = channel, process
        self._asking = threading.Lock()
        self._owner = os.getpid()

    @classmethod
    def begin(cls) -> "Server":
        """Start one from nothing."""
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, __file__, str(its.fileno()), _ROOM_FOR_WORDS]
        environment = {name: word for name, word in os.environ.items() if name not in _read_at_import(os.environ)}
        process = PlainPopen(command, env=environment | _BASE, pass_fds=[its.fileno()], stdin=subprocess.DEVNULL)
        its.close()
        return cls(mine, process)

    @property
    def is_mine(self) -> bool:
        """Whether this process may ask, rather than the one that it was forked off."""
        return self._owner == os.getpid()

    def fork(self, program: Program, files: list[int]) -> int:
        """Start a program as a child of this process and return its process id."""
        with self._asking:
            _prctl(_SET_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(self._channel, [pickle.dumps(tuple(program))], files)
                return int(self._channel.recv(64))
            finally:
                _prctl(_SET_SUBREAPER, 0, 0, 0, 0)


class ForkingPopen(PlainPopen):
    """Forks programs of coopsim off the server of this process, and starts all others from nothing."""

    server: Server | None = None

    def _execute_child(self, *given: Any) -> None:
        args, executable, before, _, kept, folder, environment, _, _, shell, *rest = given
        pipes, (gid, gids, uid, umask, is_session, group) = rest[:6], rest[7:]
        variables = dict(os.environ if environment is None else environment)
        is_plain = not shell and not executable and (gid, gids, uid, umask) == (None, None, None, -1)
        words, options = _words_of(args, variables)
        place, numbers = os.path.abspath(folder or "."), (0, 1, 2, *kept)
        is_plain = is_plain and os.path.isdir(place) and (words[:1] == ["-m"] or _is_file(place, words))
        if not is_plain or not words or not _can_be_told(before) or _is_fork():
            super()._execute_child(*given)
            return
        is_unbuffered, is_safe = "-u" in options or _UNBUFFERED in variables, "-P" in options
        program = Program(words, place, variables, numbers, bool(is_session), group, is_unbuffered, is_safe, before)
        standard = [pipe if pipe != -1 else number for number, pipe in enumerate((pipes[0], pipes[3], pipes[5]))]
        self.pid = _server().fork(program, [*standard, *kept])
        self._child_created = True
        self._close_pipe_fds(*pipes)


def install() -> None:
    """Let this process fork what it can."""
    if os.environ.get("COOPSIM_TESTS_FORK") != "no":
        subprocess.Popen = ForkingPopen


def _is_fork() -> bool:
    """Return whether the server is that of the process which this one was forked off.

    A server of its own would read for seconds on a busy machine, and a recorder that waits for it counts as dead.
    """
    return ForkingPopen.server is not None and not ForkingPopen.server.is_mine


def _server() -> Server:
    if ForkingPopen.server is None:
        ForkingPopen.server = Server.begin()
    return ForkingPopen.server


def _words_of(args: Any, variables: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """Return the words of a program that a fork can be, and the options of Python before them; no words = it cannot."""
    words = [] if isinstance(args, str | bytes | os.PathLike) else [os.fspath(word) for word in args]
    if len(words) < 2 or words[0] != sys.executable or _read_at_import(variables) != _BASE:
        return [], set()
    first = next((place for place, word in enumerate(words) if place and word not in _OPTIONS), len(words))
    options, words = set(words[1:first]), words[first:]
    is_module = words[:1] == ["-m"] and words[1].partition(".")[0] == "coopsim"
    return words if is_module or (words[:1] and words[0].endswith(".py")) else [], options


def _is_file(place: str, words: list[str]) -> bool:
    return bool(words) and os.path.isfile(os.path.join(place, words[0]))


def _can_be_told(before: object) -> bool:
    try:
        return bool(pickle.dumps(before))
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _read_at_import(variables: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in variables if name.startswith(_READ_AT_IMPORT) and name != _UNBUFFERED]
    return {name: variables[name] for name in names}


_BASE = _read_at_import(os.environ)


def serve(channel: socket.socket) -> Program:
    """Fork a program for each that is asked for, until nobody can ask any more; in the program, return what it is."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(channel, _LARGEST, _MOST_DESCRIPTORS)
        if not message:
            os._exit(0)
        program = Program(*pickle.loads(message))
        if _forked_twice(channel):
            channel.close()
            _become_program(program, files)
            return program
        for file in files:
            os.close(file)


def _forked_twice(channel: socket.socket) -> bool:
    """Return True in the new process, once it is a child of whoever asked, and False in this one."""
    number_read, number_written = os.pipe()
    go_read, go_written = os.pipe()
    placed_read, placed_written = os.pipe()
    between = _fork()
    if between == 0:
        program = _fork()
        if program == 0:
            os.close(go_written)
            os.read(go_read, 1)  # until the process in between has ended
            return True
        os.write(number_written, str(program).encode())
        os._exit(0)
    os.waitpid(between, 0)
    os.close(go_written)
    os.close(placed_written)
    number, _ = os.read(number_read, 64), os.read(placed_read, 1)  # it closes the other end when it is in its place
    for end in (number_read, number_written, go_read, placed_read):
        os.close(end)
    with contextlib.suppress(BrokenPipeError):  # it was killed while it asked
        channel.send(number)
    return False


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy has threads, which it begins again in a fork
        return os.fork()


def _become_program(program: Program, files: list[int]) -> None:
    """Make this process what a program sees that was begun from nothing."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if program.is_session:
        os.setsid()
    elif program.group >= 0:
        os.setpgid(0, program.group)
    above = max([*program.descriptors, *files]) + 1
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, above) for file in files]
    for file, number in zip(moved, program.descriptors, strict=True):
        os.dup2(file, number)
    _close_all_but(program.descriptors)
    os.chdir(program.folder)
    os.environ.clear()
    os.environ.update(program.environment)
    _open_standard(is_unbuffered=program.is_unbuffered)
    _show_words([sys.executable, *program.words])


def _close_all_but(numbers: Iterable[int]) -> None:
    low = 0
    for number in sorted(numbers):
        if low < number:  # an empty range is no range to the system
            os.closerange(low, number)
        low = number + 1
    os.closerange(low, 1 << 16)


def _open_standard(*, is_unbuffered: bool) -> None:
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    for name, number, errors in (("stdout", 1, "strict"), ("stderr", 2, "backslashreplace")):
        raw = io.FileIO(number, "w", closefd=False)
        stream = io.TextIOWrapper(
            raw if is_unbuffered else io.BufferedWriter(raw),
            encoding="utf-8",
            errors=errors,
            line_buffering=raw.isatty() or number == 2,
            write_through=is_unbuffered,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _show_words(words: list[str]) -> None:
    """Let the system show these words as the command of this process."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    text = b"".join(os.fsencode(word) + b"\0" for word in words)[: end - begin]
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, text, len(text))


def _run(program: Program) -> None:
    sys.orig_argv = [sys.executable, *program.words]
    importlib.invalidate_caches()
    if program.before is not None:
        program.before()
    if program.words[0] != "-m":
        sys.argv = program.words[:]
        if not program.is_safe:
            sys.path.insert(0, os.path.dirname(os.path.realpath(program.words[0])))
        _run_file(program.words[0])
        return
    _, module, *arguments = program.words
    sys.argv = [module, *arguments]
    if not program.is_safe:
        sys.path.insert(0, program.folder)
    if module != "coopsim":
        sys.modules.pop(module, None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _run_file(file: str) -> None:
    """Run a file in a module `__main__` that is nothing but the file, and stays until the end."""
    sys.modules["__main__"] = module = type(sys)("__main__")
    module.__dict__.update(__file__=file, __builtins__=__builtins__)
    exec(compile(Path(file).read_bytes(), file, "exec"), module.__dict__)


def main(channel: socket.socket) -> None:
    """Read everything and serve; in a program, run it: its end is the end of this process."""
    sys.path.pop(0)  # the folder of this file
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    program = serve(channel)
    while program.words[:1] == ["-m"] and program.words[1] in _STARTING:
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if _fork():
            its.close()
            ForkingPopen.server = Server(mine)
            install()
            break
        mine.close()
        _stand_apart(its)
        program = serve(its)
    _run(program)


def _stand_apart(channel: socket.socket) -> None:
    """Hold nothing of the program that this process was forked off, but the channel to it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    _close_all_but((0, 1, 2, channel.fileno()))
    _show_words(["server", "of", "forks"])


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
