"""The loop that mutates inputs, keeps the interesting ones and reports what a target must never do."""

import random
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coopsim.testkit.fuzz.targets import Target, outcome
from coopsim.testkit.hostile.mutations import mutated

Mutate: TypeAlias = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
SLOWEST = 5.0  # s; an input that takes longer is a finding, too
_MOST_KEPT = 2000  # inputs that reached new code


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that a target did not survive.

    Attributes:
        raw: The input.
        what: What happened, with the place in the code.
    """

    raw: bytes
    what: str


class Fuzzer:
    """Feeds a target with mutants of a corpus; the same seed feeds the same mutants.

    Args:
        target: What is fed.
        corpus: What to begin with; without it, nothing but an empty input.
        seed: Decides everything.
        clock: Seconds; an input that takes longer than 5 s is a finding. Of the processor: others may keep it busy.
        mutate: Makes a mutant of an input, given chance and all inputs that are kept.

    Attributes:
        kinds: How often the target answered in each way.
        findings: What it did not survive.
        kept: Inputs that were answered in a new way, the corpus first.
    """

    def __init__(
        self,
        target: Target,
        corpus: Sequence[bytes],
        seed: int,
        clock: Callable[[], float] = time.process_time,
        mutate: Mutate = mutated,
    ) -> None:
        self._target, self._clock, self._mutate = target, clock, mutate
        self._chance = random.Random(seed)  # noqa: S311 - to be repeatable
        self.kinds: dict[str, int] = {}
        self.findings: list[Finding] = []
        self.kept: list[bytes] = []
        for raw in corpus or (b"",):
            self.feed(raw)
            self.kept.append(raw)

    def turn(self) -> None:
        """Feed one mutant."""
        raw = self._mutate(self._chance.choice(self.kept), self._chance, self.kept)
        if self.feed(raw) and len(self.kept) < _MOST_KEPT:
            self.kept.append(raw)

    def feed(self, raw: bytes) -> bool:
        """Feed one input; return whether it was answered in a new way."""
        began = self._clock()
        try:
            kind = outcome(self._target, raw)
        except Exception as problem:  # a target may fail in any way: finding out is what this is for
            kind = f"{type(problem).__name__} at {_where(problem)}"
            self._found(raw, f"{kind}: {problem}", kind)
        took = self._clock() - began
        if took > SLOWEST:
            kind = "slow"
            self._found(raw, f"took {took:.1f} s", kind)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        return self.kinds[kind] == 1

    def _found(self, raw: bytes, what: str, kind: str) -> None:
        if kind not in self.kinds:  # the same once more says nothing new
            self.findings.append(Finding(raw, what[:500]))


def _where(problem: Exception) -> str:
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
