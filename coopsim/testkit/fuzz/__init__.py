"""Mutated inputs for every reader of foreign bytes: `coopsim fuzz --seconds 60`.

A target is a function of bytes that may refuse them in words (`CoopsimError`) and do nothing else: no other exception,
no endless work, no error without a number and a text. Mutants that are answered in a new way are mutated further.
Carriers are real listeners, fed from the first byte of a connection on.
`coopsim fuzz recordings --count 100000` feeds recordings with right check sums and wrong contents to
all readers of recordings.
"""

from coopsim.testkit.fuzz.loop import Finding, Fuzzer
from coopsim.testkit.fuzz.targets import TARGETS, Target, outcome
from coopsim.testkit.hostile.mutations import mutated

__all__ = ["TARGETS", "Finding", "Fuzzer", "Target", "mutated", "outcome"]
