"""Time for which processes keep processors busy, to the nanosecond; on Linux."""

import contextlib
from collections.abc import Mapping, Sequence
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
