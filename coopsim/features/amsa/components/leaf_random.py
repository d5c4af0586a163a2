"""Random numbers of a leaf: a function of its seed and of how many were drawn, so that their state is two numbers."""

import hashlib
import math
import random
from typing import Any, Final

_MASK: Final = (1 << 64) - 1  # Python's integers have no end, the generator has 64 bits in every language
_STRIDE: Final = 0x9E3779B97F4A7C15  # SplitMix64's: odd, from the golden ratio, so that all 2^64 states are visited


class LeafRandom(random.Random):
    """The generator of Python with all its distributions, on numbers that follow from a key and a count (splitmix64).

    Attributes:
        count: How many were drawn.
    """

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin anew, with the numbers that follow from the text of `a`."""
        self._key = int.from_bytes(hashlib.blake2b(str((a, version)).encode(), digest_size=8).digest(), "little")
        self.count = 0
        self.gauss_next: float | None = None

    def random(self) -> float:
        """Return the next number from 0 up to 1."""
        return (self._draw() >> 11) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        """Return a whole number of `k` random bits."""
        bits = 0
        for _ in range((k + 63) // 64):
            bits = bits << 64 | self._draw()
        return bits >> -k % 64

    def _draw(self) -> int:
        self.count += 1
        mixed = (self._key + self.count * _STRIDE) & _MASK
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        return mixed ^ mixed >> 31

    def numbers(self) -> tuple[float, float]:
        """Return its state: how many numbers were drawn, and the second half of a pair of `gauss`, NaN for none."""
        return float(self.count), math.nan if self.gauss_next is None else self.gauss_next

    def go_to(self, count: float, left: float) -> None:
        """Go on from a state that `numbers` returned."""
        self.count, self.gauss_next = int(count), None if math.isnan(left) else left
