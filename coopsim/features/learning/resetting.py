"""Resets of worlds: memory and space of single ones as before their first tick, by one compiled call."""

import weakref
from typing import TypeAlias

import numpy as np

from coopsim.features.learning.arena import Arena
from coopsim.features.learning.drifting import FIRST_BODY, IMPULSES, KEPT, MOST_PAIRS, Drift, read_world
from coopsim.features.learning.spaces import build_space, free_space, note_addresses
from coopsim.features.learning.template import WorldTemplate
from coopsim.features.learning.touching import ContactBuffers
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads
from coopsim.kernels.foreign import ints_at

_Space: TypeAlias = tuple[Ints, Floats, Floats, float]
_Pools: TypeAlias = tuple[Ints, Ints, Ints]
"""What pools begin with, where memory for them is in each world, and for contacts that are remembered."""
_Memory: TypeAlias = tuple[Ints, Ints, Ints, Ints, Ints, Ints, float]


class Resetter:
    """Puts worlds back to their beginning.

    Args:
        template: What a world is.
        arena: Of all worlds.
    """

    def __init__(self, template: WorldTemplate, arena: Arena) -> None:
        count = len(arena.words)
        drift = template.space.drift
        self._contacts = ContactBuffers(count) if len(template.contacts_at) else None
        addresses = np.zeros((count, 3), np.int64) if self._contacts is None else self._contacts.addresses
        self._memory: _Memory = (
            template.image.view(np.int64),
            template.spaces_at,
            template.contacts_at,
            addresses,
            np.array([*template.drift_at, template.word_of(template.planar)], np.int64),
            np.array([len(template.planar), drift.moving, drift.address, drift.braked], np.int64),
            template.simulation.step_ns * 1e-9,
        )
        pools = template.space.pools
        # memory for contacts costs nothing until something touches
        self._pool_memory = [np.zeros((count, size), np.int64) for size in (pools.words, pools.kept)]
        first, kept = (_addresses(memory) for memory in self._pool_memory)
        self._pools: _Pools = pools.plan(), first, kept if pools.kept else np.zeros_like(kept)
        self._template, self._arena, self._drift = template, arena, drift
        self._handles = np.zeros((count, template.space.handles), np.int64)
        self._poses = template.simulation.engine.planar[:, :3].copy()
        functions, lines, *_ = template.space.arguments
        # the memory of pools must outlast the spaces; a process that ends frees all at once
        self._free = weakref.finalize(self, _free_spaces, functions, lines, self._handles, self._pool_memory)
        self._free.atexit = False

    def put_back(self, worlds: Ints, robots: Floats, rows: Ints) -> None:
        """Put worlds back, but for what sensors read and what has been drawn.

        Args:
            worlds: Their numbers.
            robots: x y yaw of the bodies in each, shape (worlds, k, 3).
            rows: Rows of these bodies, shape (k,).
        """
        poses = np.repeat(self._poses[np.newaxis], len(worlds), axis=0)
        poses[:, rows] = robots
        arena = self._arena
        memory = (*self._memory, (arena.bases, arena.bases_beside, arena.beside.shape[1]))
        _put_back(worlds, poses, self._template.space.arguments, memory, self._pools, self._handles)

    def close(self) -> None:
        """Free all spaces; so does whoever forgets them without a word."""
        self._free()


def _free_spaces(functions: Ints, lines: Floats, handles_of_worlds: Ints, _: list[Ints]) -> None:
    for handles in handles_of_worlds:
        free_space(functions, lines, handles)


def _addresses(memory: Ints) -> Ints:
    """Return where each row is, shape (worlds,)."""
    return memory.ctypes.data + memory.strides[0] * np.arange(len(memory), dtype=np.int64)


@compiled_for_threads
def _put_back(
    worlds: Ints,
    poses: Floats,
    space: _Space,
    memory: tuple[Ints, Ints, Ints, Ints, Ints, Ints, float, tuple[Ints, Ints, int]],
    pools: _Pools,
    handles: Ints,
) -> None:
    image, spaces_at, contacts_at, contacts, places, counts, dt, (bases, bases_beside, beside) = memory
    for k in range(worlds.size):
        world = worlds[k]
        words, of_all = ints_at(bases[world], image.size), ints_at(bases_beside[world], beside)
        for word in range(beside):
            of_all[word] = image[word]
        for word in range(beside, image.size):
            words[word] = image[word]
        for row in range(contacts_at.shape[0]):
            for part in range(3):
                words[contacts_at[row, part]] = contacts[world, part]
        free_space(space[0], space[1], handles[world])
        room = pools[0], pools[1][world]
        build_space(space[0], space[1], space[2], space[3], room, poses[k], handles[world])
        for row in range(spaces_at.size):
            words[spaces_at[row]] = handles[world, 0]
        drift, planar = _drift_in(words, of_all, places, counts)
        drift[0][KEPT] = pools[2][world]
        note_addresses(space[1], handles[world], drift[0])
        read_world(drift, planar, dt)


@compiled
def _drift_in(words: Ints, of_all: Ints, places: Ints, counts: Ints) -> tuple[Drift, Floats]:
    """Return the arrays of `Drift` in the words of a world, and where its bodies are, beside those of all worlds."""
    rows, moving, shared = counts[0], counts[1], counts[2]
    numbers = words.view(np.float64)
    addresses = words[places[0] : places[0] + FIRST_BODY + rows + moving + IMPULSES * counts[3]]
    states = numbers[places[1] : places[1] + 12 * rows].reshape((2 * rows, 6))
    boxes = numbers[places[2] : places[2] + 8 * moving].reshape((2 * moving, 4))
    pairs = words[places[3] : places[3] + 1 + MOST_PAIRS * moving]
    planar = of_all.view(np.float64)[places[4] : places[4] + 6 * rows].reshape((rows, 6))
    return (addresses, states, boxes, pairs, shared), planar


@compiled_for_threads
def write_words(arena: Ints, worlds: Ints, at: Ints, values: Ints) -> None:
    """Write words of worlds.

    Args:
        arena: Of all worlds.
        worlds: Their numbers.
        at: Which words of each.
        values: What they become, shape (worlds, words).
    """
    for k in range(worlds.size):
        for j in range(at.size):
            arena[worlds[k], at[j]] = values[k, j]
