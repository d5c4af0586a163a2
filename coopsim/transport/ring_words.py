"""Control words of the shared memory, and where it lies for those who use it without Python."""

from collections.abc import Mapping
from typing import NamedTuple, Self

W_MAGIC, W_RING_BYTES, W_COMMAND_FLOATS, W_HEAD, W_TAIL, W_LATEST, W_COUNT = range(7)
W_VERSION, W_AREA_GENERATION = 8, 2  # the words of the command areas, see `CommandAreas`
W_READER, W_CURSOR = 12, 13  # a recorder announces itself and its read position here
W_PERMITS = 16  # how many lockstep ticks the host has allowed
W_EDITS = 19  # how many edits the host has sent
W_SOURCE_SLEEPS, W_HOST_WATCHES = 17, 18  # whether a wake-up is needed, and whether one is not
W_CROWDED = 23  # whether more clients drive than there are processors
W_LAYOUTS = 20  # 1 + the newest generation whose layout was written
W_BEGUN, W_BEGUN_AT = 21, 22  # how many records were begun, and where the newest of them lies
W_LAYOUT = 64  # where the newest record with the layout of each generation lies
W_TICK, MOST_TICKS = 1024, 1024  # where the newest record of each tick lies


class RingAddresses(NamedTuple):
    """Shared memory as addresses of this process.

    Attributes:
        words: The control words.
        ring: The ring of records.
        ring_size: Its bytes.
        rows: Command rows of a generation.
        places: Which control word is which.
    """

    words: int
    ring: int
    ring_size: int
    rows: int
    places: Mapping[str, int]

    @classmethod
    def of(cls, words: int, ring: int, ring_size: int, rows: int, area: int) -> Self:
        """Return the addresses for one of the two areas of command rows."""
        places = {
            "version": W_VERSION + area,
            "generation": W_VERSION + W_AREA_GENERATION + area,
            "permits": W_PERMITS,
            "sleeps": W_SOURCE_SLEEPS,
            "watches": W_HOST_WATCHES,
            "crowded": W_CROWDED,
            "begun": W_BEGUN,
            "begun_at": W_BEGUN_AT,
            "tail": W_TAIL,
        }
        return cls(words, ring, ring_size, rows, places)
