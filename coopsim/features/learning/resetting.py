"""Resets of worlds: memory and space of single ones as before their first tick, by one compiled call."""

from typing import TypeAlias

import numpy as np

from coopsim.engines.planar.stepping import SPACE, read_states
from coopsim.features.learning.arena import Arena
from coopsim.features.learning.spaces import build_space, free_space
from coopsim.features.learning.template import WorldTemplate
from coopsim.features.learning.touching import ContactBuffers
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads

_Space: TypeAlias = tuple[Ints, Floats, Floats, float]
_Memory: TypeAlias = tuple[Ints, Ints, Ints, Ints, Ints, Ints]


class Resetter:
    """Puts worlds back to their beginning.

    Args:
        template: What a world is.
        arena: Of all worlds.
    """

    def __init__(self, template: WorldTemplate, arena: Arena) -> None:
        count, head = len(arena.words), template.heads_at
        self._contacts = ContactBuffers(count) if len(template.contacts_at) else None
        addresses = np.zeros((count, 3), np.int64) if self._contacts is None else self._contacts.addresses
        self._memory: _Memory = (
            template.image.view(np.int64),
            template.pointers,
            template.spaces_at,
            template.contacts_at,
            addresses,
            np.array([template.functions_at, head, head + 2], np.int64),
        )
        self._template, self._arena = template, arena
        self._handles = np.zeros((count, template.space.handles), np.int64)
        self._poses = template.simulation.engine.planar[:, :3].copy()

    def put_back(self, worlds: Ints, robots: Floats, rows: Ints) -> None:
        """Put worlds back, but for what sensors read and what has been drawn.

        Args:
            worlds: Their numbers.
            robots: x y yaw of the bodies in each, shape (worlds, k, 3).
            rows: Rows of these bodies, shape (k,).
        """
        poses = np.repeat(self._poses[np.newaxis], len(worlds), axis=0)
        poses[:, rows] = robots
        memory = (*self._memory, self._arena.words, self._arena.bases)
        _put_back(worlds, poses, self._template.space.arguments, memory, self._handles)

    def close(self) -> None:
        """Free all spaces."""
        functions, lines, *_ = self._template.space.arguments
        for handles in self._handles:
            free_space(functions, lines, handles)


@compiled_for_threads
def _put_back(
    worlds: Ints,
    poses: Floats,
    space: _Space,
    memory: tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints],
    handles: Ints,
) -> None:
    image, pointers, spaces_at, contacts_at, contacts, places, arena, bases = memory
    for k in range(worlds.size):
        world = worlds[k]
        words = arena[world]
        for word in range(image.size):
            words[word] = image[word]
        for row in range(pointers.shape[0]):
            words[pointers[row, 0]] = bases[world] + pointers[row, 1]
        for row in range(contacts_at.shape[0]):
            for part in range(3):
                words[contacts_at[row, part]] = contacts[world, part]
        free_space(space[0], space[1], handles[world])
        build_space(space[0], space[1], space[2], space[3], poses[k], handles[world])
        for row in range(spaces_at.size):
            words[spaces_at[row]] = handles[world, 0]
        _read(words, places)


@compiled
def _read(words: Ints, places: Ints) -> None:
    """Bring where bodies are up to date."""
    functions = words[places[0] : places[0] + SPACE + 3]
    heads = words[places[1] : places[1] + 4].view(np.int32).reshape((2, 4))
    read_states(functions, heads)


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
