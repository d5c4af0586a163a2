"""Arena of a batch: the arrays of one world side by side, and as many copies of them as there are worlds.

A tick of a simulation is a list of kernel calls whose arguments are arrays that stay where they are. Copied into the
arena, with each pointer moved along, the same calls tick another world.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from coopsim.geometry import Ints
from coopsim.kernels.sequence import KernelCall

WORD = 8  # bytes
_LINE = 64  # bytes of a cache line: arrays of two worlds never share one


class Block(NamedTuple):
    """Memory of the template that each world has a copy of.

    Attributes:
        address: Where it is.
        size: Its length [bytes].
        offset: Where its copy lies in a world's part of the arena [bytes].
    """

    address: int
    size: int
    offset: int


def flat(value: Any) -> Iterator[Any]:
    """Yield arguments of a call one by one, those in tuples too."""
    if isinstance(value, tuple):
        for element in value:
            yield from flat(element)
    else:
        yield value


def arrays_of(calls: Iterable[KernelCall]) -> Iterator[NDArray[Any]]:
    """Yield the arrays that calls take, in their order."""
    for call in calls:
        for argument in flat(call.arguments):
            if isinstance(argument, np.ndarray) and argument.size:
                yield argument


def memory_of(array: NDArray[Any]) -> tuple[int, int]:
    """Return address and size of all memory that an array is a view of [bytes]."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    low, high = byte_bounds(owner)
    return int(low), int(high - low)


class ArenaPlan:
    """Blocks of a world in the order in which a tick meets them.

    Args:
        arrays: They lie in the memory of their world.
        beside: They lie beside those of the next world, since all worlds are read at once.

    Attributes:
        blocks: One for each piece of memory.
        size: Of a world [bytes].
        beside: Of those of its arrays that lie beside those of the next world; they come first [bytes].
    """

    def __init__(self, arrays: Iterable[NDArray[Any]], beside: Iterable[NDArray[Any]] = ()) -> None:
        self.blocks: list[Block] = []
        self.size = 0
        for array in beside:
            self.include(array)
        self.beside = self.size
        for array in arrays:
            self.include(array)

    def include(self, array: NDArray[Any], *, most: int | None = None) -> None:
        """Give the memory of an array a place, its first `most` bytes at most: what lies behind them is never used."""
        address, size = memory_of(array)
        size = size if most is None else min(size, most)
        if self._block_at(address) is None:
            self.blocks.append(Block(address, size, self.reserve(size)))

    def reserve(self, size: int) -> int:
        """Return the offset of new memory of a size [bytes]."""
        offset = self.size
        self.size = -(-(offset + size) // _LINE) * _LINE
        return offset

    def offset_of(self, address: int) -> int | None:
        """Return where the copy of an address of the template lies, None if it is no part of a world."""
        block = self._block_at(address)
        return None if block is None else block.offset + address - block.address

    def image(self) -> NDArray[np.uint8]:
        """Return a copy of the template's memory as it is now, shape (size,)."""
        image = np.zeros(self.size, np.uint8)
        for address, size, offset in self.blocks:
            image[offset : offset + size] = _bytes_at(address, size)
        return image

    def _block_at(self, address: int) -> Block | None:
        for block in self.blocks:
            if block.address <= address < block.address + block.size:
                return block
        return None


class Arena:
    """Memory of all worlds.

    What the plan has `beside` is a table of its own. Of many worlds it is in the cache when the rest is not.

    Args:
        plan: Of one world.
        count: How many worlds.

    Attributes:
        words: Shape (count, words of a world), int64; the first ones, those of `beside`, are not to be used.
        bases: Address of each row, shape (count,).
        beside: Words of `beside`, shape (count, words), int64.
        bases_beside: Address of each row, shape (count,).
    """

    def __init__(self, plan: ArenaPlan, count: int) -> None:
        self._plan, worlds = plan, np.arange(count, dtype=np.int64)
        self.beside = _in_lines(count * plan.beside).reshape(count, plan.beside // WORD)
        # words that are not used are those of the world before, so that they need no memory
        step = plan.size - plan.beside
        self._memory = _in_lines(plan.beside + count * step)
        self.words: Ints = as_strided(self._memory, (count, plan.size // WORD), (step, WORD))
        self.bases: Ints = self._memory.ctypes.data + step * worlds
        self.bases_beside: Ints = self.beside.ctypes.data + plan.beside * worlds

    def of_all(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return what an array of the template is in all worlds, a view, shape (count, ...).

        Raises:
            KeyError: It is no part of a world.
        """
        offset = self._plan.offset_of(array.ctypes.data) if array.size else 0
        if offset is None:
            raise KeyError("the array is no part of a world")
        is_beside = array.size and offset < self._plan.beside
        step = self._plan.beside if is_beside else self._plan.size - self._plan.beside
        memory = self.beside if is_beside else self._memory
        return np.ndarray((len(self.words), *array.shape), array.dtype, memory.data, offset, (step, *array.strides))


def _in_lines(size: int) -> Ints:
    """Return zeros, so many bytes, that begin with a cache line."""
    memory = np.zeros(size // WORD + _LINE // WORD, np.int64)
    first = -memory.ctypes.data % _LINE // WORD
    return memory[first : first + size // WORD]


def _bytes_at(address: int, size: int) -> NDArray[np.uint8]:
    """Return the bytes at an address, a view."""
    interface = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
    holder = type("Memory", (), {"__array_interface__": interface})()
    return np.asarray(holder)
