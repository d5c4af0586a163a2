"""Processor time of processes to the nanosecond, and processors on which they are kept; on Linux."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self


class CpuMeter:
    """Sums the processor time of some processes while it is entered.

    Args:
        processes: Their ids, by what they are called.

    Attributes:
        spent: Mean processor time of a process, by what it is called [us].
    """

    def __init__(self, processes: Mapping[str, Sequence[int]]) -> None:
        self._processes = processes
        self._before: dict[str, float] = {}
        self.spent = dict.fromkeys(processes, 0.0)

    def __enter__(self) -> Self:
        self._before = self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, now in self._read().items():
            self.spent[name] += now - self._before[name]

    def _read(self) -> dict[str, float]:
        return {name: sum(map(busy_us, pids)) / max(len(pids), 1) for name, pids in self._processes.items()}


def busy_us(pid: int) -> float:
    """Return the processor time of all threads of a process so far [us], 0 where the system does not tell."""
    spent = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            spent += int(task.read_text(encoding="utf-8").split()[0])
    return spent / 1000.0


@contextlib.contextmanager
def kept_apart(server: int, client: int) -> Iterator[None]:
    """Keep a server and all that it started on one processor, a client on another one, while this is entered.

    A round trip of two programs on one processor takes a third of the time that it takes between two, and the system
    moves them together or apart as it likes: clients measured by turns would be compared by that alone.

    Args:
        server: Its process.
        client: Its own.
    """
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(usable) < 2:
        yield
        return
    _keep(server, usable[:1])
    _keep(client, usable[1:2])
    try:
        yield
    finally:
        for pid in (server, client):
            _keep(pid, usable)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    pids: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            pids += map(int, task.read_text(encoding="utf-8").split())
    return pids


def _keep(pid: int, processors: Sequence[int]) -> None:
    for thread in _threads(pid):
        with contextlib.suppress(OSError):  # a thread that has just ended
            os.sched_setaffinity(thread, processors)


def _threads(pid: int) -> Iterator[int]:
    """Threads of a process and of those that it has started."""
    with contextlib.suppress(OSError):  # a process that has just ended
        yield from (int(task.name) for task in Path(f"/proc/{pid}/task").iterdir())
    for child in children(pid):
        yield from _threads(child)
