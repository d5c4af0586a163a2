"""Pools of a space that lie in memory of a batch.

Chipmunk gets memory in pieces of 32 kB: for nodes and pairs of its trees, for its sets, for contacts. A space of a few
robots needs a hundredth of that. Its pools are lists of free things; here they begin with some of ours. Where they do
not suffice, Chipmunk gets memory as ever. Results are the same: nothing in it goes by an address but the order in which
contacts are told, and those are sorted.
"""

from typing import NamedTuple

import numpy as np

from coopsim.features.learning import chipmunk
from coopsim.features.learning.own_tables import on_stack
from coopsim.geometry import Ints
from coopsim.kernels import call_c, compiled_for_threads
from coopsim.kernels.foreign import ints_at

_MOST_CONTACTS = 128
"""Room for contacts of a space; one that may have more leaves them to Chipmunk."""
_POINTS = 2  # of a pair that touches, at most
_PAIRS_OF_EACH = 8  # moving shape: those whose boxes overlap, walls and others; more are rare
_OLD = 16  # steps: more than Chipmunk keeps contacts of
_FIXED, _MOVING, _PAIRS, _ARBITERS, _CONTACTS, _PUSH = range(6)
_KEPT = chipmunk.CONTACT - chipmunk.IMPULSES
_room_of_contacts = on_stack(_KEPT * _MOST_CONTACTS)


class PoolSizes(NamedTuple):
    """Counts of the things of each kind that a space begins with.

    Attributes:
        fixed: Shapes that stand.
        moving: Shapes that move.
        pairs: Of shapes whose boxes overlap.
        arbiters: Of pairs that touch.
        contacts: Points where they do; 0 = Chipmunk gets memory for them.
    """

    fixed: int
    moving: int
    pairs: int
    arbiters: int
    contacts: int

    @classmethod
    def of(cls, fixed: int, moving: int, meeting: int, points: int) -> "PoolSizes":
        """Return the sizes for shapes that stand and move, pairs of them that may touch, and in how many points."""
        pairs = min(moving * (moving - 1) // 2 + moving * fixed, _PAIRS_OF_EACH * moving)
        # Chipmunk takes another buffer where those of one more pair might not fit
        contacts = points + _POINTS
        return cls(fixed, moving, pairs, min(meeting, moving), contacts if contacts <= _MOST_CONTACTS else 0)

    @property
    def buffer(self) -> int:
        """Size of a buffer of contacts [words]."""
        return chipmunk.BUFFER_HEAD + chipmunk.CONTACT * self.contacts if self.contacts else 0

    @property
    def kept(self) -> int:
        """Size of the memory for contacts that are remembered [words]."""
        return chipmunk.CONTACT * max(self.contacts - _POINTS, 0)

    @property
    def words(self) -> int:
        """Size of the memory of a space [words]."""
        shapes = self.fixed + self.moving
        small = (2 * chipmunk.NODE + chipmunk.BIN) * shapes + chipmunk.PAIR * self.pairs + self.buffer
        return small + (chipmunk.ARBITER + chipmunk.BIN) * self.arbiters

    def plan(self) -> Ints:
        """Return what `fill_pools` takes."""
        return np.array([*self, chipmunk.address_of("cpArrayPush")], np.int64)


@compiled_for_threads
def fill_pools(space: int, memory: int, sizes: Ints) -> None:
    """Give a new space its first free nodes, pairs, bins, arbiters and contacts.

    Args:
        space: Its address; nothing is in it.
        memory: Address of zeros, as many words as `PoolSizes.words` says.
        sizes: As `PoolSizes.plan` gives them.
    """
    words = ints_at(space, chipmunk.SPACE)
    fixed, moving = words[chipmunk.STATIC_SHAPES], words[chipmunk.DYNAMIC_SHAPES]
    for index, shapes in ((fixed, sizes[_FIXED]), (moving, sizes[_MOVING])):
        tree = ints_at(index, chipmunk.TREE)
        tree[chipmunk.FREE_NODES] = _chain(memory, 2 * shapes, chipmunk.NODE, chipmunk.PARENT)
        memory += 8 * chipmunk.NODE * 2 * shapes
        leaves = ints_at(tree[chipmunk.LEAVES], chipmunk.SET)
        leaves[chipmunk.FREE_BINS] = _chain(memory, shapes, chipmunk.BIN, chipmunk.NEXT_BIN)
        memory += 8 * chipmunk.BIN * shapes
    pairs = ints_at(moving, chipmunk.TREE)
    pairs[chipmunk.FREE_PAIRS] = _chain(memory, sizes[_PAIRS], chipmunk.PAIR, chipmunk.NEXT_OF_FIRST)
    memory += 8 * chipmunk.PAIR * sizes[_PAIRS]
    cached = ints_at(words[chipmunk.CACHED], chipmunk.SET)
    cached[chipmunk.FREE_BINS] = _chain(memory, sizes[_ARBITERS], chipmunk.BIN, chipmunk.NEXT_BIN)
    memory += 8 * chipmunk.BIN * sizes[_ARBITERS]
    if sizes[_PUSH] != 0:
        for k in range(sizes[_ARBITERS]):
            call_c(sizes[_PUSH], (words[chipmunk.FREE_ARBITERS], memory + 8 * chipmunk.ARBITER * k))
    if sizes[_CONTACTS] > 0:
        memory += 8 * chipmunk.ARBITER * sizes[_ARBITERS]
        buffer = ints_at(memory, chipmunk.BUFFER_HEAD)
        # a ring of one
        buffer[chipmunk.BEGUN], buffer[chipmunk.NEXT_BUFFER], buffer[chipmunk.FILLED] = 0, memory, 0
        words[chipmunk.CONTACTS] = memory


@compiled_for_threads
def _chain(memory: int, count: int, size: int, link: int) -> int:
    """Return the first of things that lie side by side, each with a link to the next."""
    for k in range(count):
        address = memory + 8 * size * k
        ints_at(address, size)[link] = address + 8 * size if k + 1 < count else 0
    return memory if count > 0 else 0


@compiled_for_threads
def reuse_contacts(space: int, kept: int) -> None:
    """Have the next step use the same buffer of contacts again, and keep elsewhere what of it is remembered.

    Chipmunk would take one of four, as it remembers the contacts of three steps. Those of most pairs are new in each.

    Args:
        space: Its address. Nothing happens if it has a ring of several buffers already.
        kept: Address of memory for contacts, as many as pairs may have; 0 = Chipmunk has buffers of its own.
    """
    words = ints_at(space, chipmunk.SPACE)
    head = words[chipmunk.CONTACTS]
    if head == 0:
        return
    first = ints_at(head, chipmunk.BUFFER_HEAD)
    has_contacts = first[chipmunk.FILLED] & chipmunk.LOW != 0
    if first[chipmunk.NEXT_BUFFER] != head or (has_contacts and kept == 0):
        return
    if has_contacts:
        _keep_contacts(words[chipmunk.CACHED], kept)
    # Chipmunk takes one of more than three steps ago; the count of steps wraps around
    first[chipmunk.BEGUN] = ((words[chipmunk.STAMP] & chipmunk.LOW) - _OLD) & chipmunk.LOW


@compiled_for_threads
def _keep_contacts(cached: int, kept: int) -> None:
    """Move the contacts of all pairs that a space remembers to other memory, where some of them may be already."""
    table = ints_at(cached, chipmunk.SET)
    size = (table[chipmunk.ENTRIES] >> 32) & chipmunk.LOW
    bins, count = ints_at(table[chipmunk.BINS], size), 0
    room = ints_at(_room_of_contacts(), _KEPT * _MOST_CONTACTS)
    for k in range(size):
        item = bins[k]
        while item != 0:
            entry = ints_at(item, chipmunk.BIN)
            pair = ints_at(entry[chipmunk.ELEMENT], chipmunk.ARBITER)
            for point in range(pair[chipmunk.POINTS] & chipmunk.LOW):
                contact = ints_at(pair[chipmunk.POINTS_AT] + 8 * chipmunk.CONTACT * point, chipmunk.CONTACT)
                for word in range(_KEPT):
                    room[_KEPT * (count + point) + word] = contact[chipmunk.IMPULSES + word]
            pair[chipmunk.POINTS_AT] = kept + 8 * chipmunk.CONTACT * count
            count += pair[chipmunk.POINTS] & chipmunk.LOW
            item = entry[chipmunk.NEXT_BIN]
    memory = ints_at(kept, chipmunk.CONTACT * count)
    for point in range(count):
        for word in range(_KEPT):
            memory[chipmunk.CONTACT * point + chipmunk.IMPULSES + word] = room[_KEPT * point + word]
