"""A process that has read what the processes of a run need, and forks them off itself.

A program that begins from nothing reads numpy, numba and the simulator first, half a second in each process of a run. A
fork has all of that and shares the memory of it. The server is itself a fork of the command `coopsim`, made before that
has threads, sockets or libraries, and reads while the command reads the scene. It forks twice: the process in between
ends, and the program becomes a child of the launcher, with its process id, its exit code and its signals, as one that
was begun from nothing.

Source: the way of `multiprocessing.forkserver`, whose processes stay children of the server.
"""

import ctypes
import fcntl
import gc
import importlib
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from coopsim.interpreter import module_command
from coopsim.memory import uncollected
from coopsim.processors import one_thread

_CHOICE = "COOPSIM_FORK"
"""Variable that says `no` where processes shall begin from nothing, for a library that does not stand a fork."""
_OURS = module_command("coopsim.launch.")  # what commands of our own processes begin with
_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
"""Signals that a command or its launcher handles, each in its own way."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # from linux/prctl.h; Python has no names for them
_BEGIN_OF_WORDS, _END_OF_WORDS = 45, 46  # fields of /proc/PID/stat after the name, see proc(5): arg_start, arg_end
_MOST_DESCRIPTORS = 64  # of one program; a run has three cameras, two channels, three wake-ups
_LARGEST_DESCRIPTOR = 1 << 16
_LARGEST_REQUEST = 1 << 20  # bytes, most of them variables
_PATIENCE = 60.0
"""Seconds for reading all modules on a busy machine; then programs begin from nothing."""


class _Program(NamedTuple):
    """A program that is to run.

    Attributes:
        command: Python, its options, `-m`, the module and its arguments.
        environment: Variables on top of the server's.
        descriptors: The numbers by which it knows the files that come with the request.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    descriptors: tuple[int, ...]


class ForkServer:
    """The end of whoever wants programs; `close` ends the server.

    Args:
        modules: What it reads at once, in this order, with all that they import.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._channel, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(_PATIENCE)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # it would be written by both
        # a handler of the command's must not run in the fork
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        try:
            self._pid = os.fork()
            if self._pid == 0:
                _run(lambda: _serve(its, modules))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        its.close()

    @classmethod
    @contextmanager
    def beside(cls, *modules: str) -> Iterator["ForkServer | None"]:
        """Have a server while entered; None where this process cannot be forked, or shall not be."""
        server = cls(modules) if is_single_threaded() and os.environ.get(_CHOICE) != "no" else None
        try:
            yield server
        finally:
            if server is not None:
                server.close()

    @staticmethod
    def knows(command: Sequence[str]) -> bool:
        """Return whether a command begins one of our own processes."""
        *python, module = _OURS
        return [*command[: len(python)]] == python and "".join(command[len(python) : len(_OURS)]).startswith(module)

    def fork(self, command: Sequence[str], descriptors: Sequence[int], environment: Mapping[str, str]) -> int:
        """Start what a command of our own begins, in a session of its own, with its output on stderr.

        Args:
            command: Python, its options, `-m`, the module and its arguments.
            descriptors: It inherits them by their numbers.
            environment: Variables on top of those of this process.

        Returns:
            Its process id; it is a child of this process.

        Raises:
            OSError: The server is gone, or does not answer.
        """
        program = _Program(tuple(command), {**os.environ, **environment}, tuple(descriptors))
        _become_parent_of_orphans(True)
        try:
            socket.send_fds(self._channel, [json.dumps(program).encode()], [*descriptors])
            answer = self._channel.recv(64)
        except OSError:
            self.close()  # a late answer would be a second process beside the one that is begun in its place
            raise
        finally:
            _become_parent_of_orphans(False)
        if not answer:
            raise OSError("the server of forks has ended")
        return int(answer)

    def close(self) -> None:
        """End the server, and wait for that; its programs are no children of it and run on."""
        if self._channel.fileno() < 0:
            return
        self._channel.close()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # it may still be reading
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def is_single_threaded() -> bool:
    """Return whether this process has one thread: others would be missing in a fork, and what they hold stay locked.

    Only Linux tells, which also makes children of others' orphans.
    """
    tasks = Path("/proc/self/task")
    return sys.platform.startswith("linux") and tasks.is_dir() and len(os.listdir(tasks)) == 1


def _become_parent_of_orphans(is_parent: bool) -> None:
    """Have children of processes that this one started become its own when their parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, int(is_parent))


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None).prctl(option, value, 0, 0, 0):
        raise OSError(f"prctl({option}) is refused")


def _serve(channel: socket.socket, modules: Sequence[str]) -> int:
    """Read modules, then fork a program for each request, until nobody can ask any more; return the exit code."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # who reads the command's output would wait for it
    _leave_command()
    _close_all_but((0, 1, 2, channel.fileno()))
    _show_words(("coopsim fork server",))
    try:
        # nothing that a run computes with numpy is worth a thread, and threads cannot be forked; what is read stays
        with uncollected(), one_thread():
            for name in modules:
                importlib.import_module(name)
    except ImportError:  # the programs themselves will say so
        return 1
    # the collector writes to what it looks at, which would be copied for each fork; to look once takes 30 ms of a start
    gc.freeze()
    while True:
        message, files, _, _ = socket.recv_fds(channel, _LARGEST_REQUEST, _MOST_DESCRIPTORS)
        if not message:
            return 0
        program = _Program(*json.loads(message))
        if _fork_twice(channel):
            channel.close()
            return _begin(program, files)
        for file in files:
            os.close(file)


def _fork_twice(channel: socket.socket) -> bool:
    """Return True in the new process, once it is a child of whoever asked, and False in this one."""
    number_read, number_written = os.pipe()
    go_read, go_written = os.pipe()
    between = os.fork()
    if between == 0:
        program = os.fork()
        if program == 0:
            os.close(go_written)
            os.read(go_read, 1)  # until the process in between has ended
            for end in (number_read, number_written, go_read):
                os.close(end)
            return True
        os.write(number_written, str(program).encode())
        os._exit(0)
    os.waitpid(between, 0)
    number = os.read(number_read, 64)
    for end in (number_read, number_written, go_read, go_written):
        os.close(end)
    with suppress(BrokenPipeError):  # whoever asked was killed
        channel.send(number)
    return False


def _begin(program: _Program, files: Sequence[int]) -> int:
    """Make this process what it would be as a program begun from nothing; run it and return its exit code."""
    os.setsid()
    above = max([*program.descriptors, *files, 2]) + 1
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, above) for file in files]
    for file, number in zip(moved, program.descriptors, strict=True):
        os.dup2(file, number)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    _close_all_but((0, 1, 2, *program.descriptors))
    os.environ.update(program.environment)
    module, *arguments = program.command[len(_OURS) - 1 :]
    sys.argv = [module, *arguments]
    _show_words(program.command)
    np = sys.modules.get("numpy")
    if np is not None:
        np.random.seed()  # Python's own begin anew in a fork, those of numpy would be the same in all
    main: Callable[[list[str]], int] = importlib.import_module(module).main
    return main(arguments)


def _run(program: Callable[[], int]) -> NoReturn:
    """Run the program of a fork; the process ends here, without what its parent would do at its end."""
    code = 1
    try:
        code = program()
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # as a program of its own would end
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def _leave_command() -> None:
    """Forget what the command set up for itself."""
    signal.set_wakeup_fd(-1)
    for number in _HANDLED:
        # the launcher ends its processes; Ctrl-C on the terminal is its business
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
    logging.root.handlers.clear()  # our processes print warnings as they are


def _close_all_but(numbers: Sequence[int]) -> None:
    """Close all descriptors but these: the end of a channel is seen once nobody holds the other end."""
    low = 0
    for number in sorted(set(numbers)):
        if low < number:  # an empty range would be all there are
            os.closerange(low, number)
        low = number + 1
    os.closerange(low, _LARGEST_DESCRIPTOR)


def _show_words(words: Sequence[str]) -> None:
    """Let the system show these words as the command of this process, as far as there is room for them.

    People and service managers tell the processes of a run apart by them.
    """
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(fields[_BEGIN_OF_WORDS]), int(fields[_END_OF_WORDS])
    *python, module = words[: len(_OURS)]  # without arguments, which are numbers of descriptors
    text = b"".join(os.fsencode(word) + b"\0" for word in (*python, module))
    if len(text) > end - begin:  # the module says which process this is
        text = os.fsencode(module)[: end - begin - 1] + b"\0"
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, text, len(text))
