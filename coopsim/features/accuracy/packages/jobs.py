"""Processes that judge descriptions: a library that crashes or hangs takes one description with it, not all."""

import multiprocessing as mp
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from coopsim.features.accuracy.packages.descriptions import Description
from coopsim.features.accuracy.packages.verdicts import ModelVerdict, judged

_PATIENCE = 300.0  # s; for a description, of which the largest takes a quarter of a minute on a core of its own


class _Judge:
    """A process that judges one description after the other."""

    def __init__(self) -> None:
        context = mp.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: Any = context.Process(target=_judge, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.subject: Description | None = None
        self.deadline = 0.0  # by `monotonic` [s]

    def begin(self, subject: Description) -> None:
        """Let it judge a description."""
        self.subject, self.deadline = subject, monotonic() + _PATIENCE
        self.connection.send(subject)

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def all_judged(subjects: Sequence[Description], jobs: int) -> Iterator[ModelVerdict]:
    """Yield the verdict of each description as it comes.

    Args:
        subjects: Descriptions.
        jobs: Count of processes.
    """
    waiting = list(reversed(subjects))
    busy = [_begun(waiting.pop()) for _ in range(min(jobs, len(subjects)))]
    while busy:
        first = min(judge.deadline for judge in busy)
        ready = wait([judge.connection for judge in busy], timeout=max(first - monotonic(), 0.0))
        # each has its own time, whatever comes from the others meanwhile
        for judge in [judge for judge in busy if judge.connection in ready or judge.deadline <= monotonic()]:
            busy.remove(judge)
            verdict, is_well = _outcome(judge, is_ready=judge.connection in ready)
            yield verdict
            if not is_well or not waiting:
                judge.end()
            if waiting:
                busy.append(_begun(waiting.pop(), judge if is_well else None))


def _begun(subject: Description, judge: _Judge | None = None) -> _Judge:
    """Return a process that judges a description, without one a new process."""
    chosen = judge or _Judge()
    chosen.begin(subject)
    return chosen


def _outcome(judge: _Judge, *, is_ready: bool) -> tuple[ModelVerdict, bool]:
    """Return a verdict, and whether the process can judge more."""
    subject = judge.subject
    assert subject is not None  # noqa: S101 - it was given one
    if is_ready:
        try:
            verdict: ModelVerdict = judge.connection.recv()
        except EOFError:
            return ModelVerdict(subject.package, subject.name, "", home_refused="the process died"), False
        return verdict, True
    text = f"not done after {_PATIENCE:g} s"
    return ModelVerdict(subject.package, subject.name, "", refused=text), False


def _judge(connection: Connection) -> None:
    """Judge what comes until nobody asks any more."""
    try:
        while True:
            connection.send(judged(connection.recv()))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
