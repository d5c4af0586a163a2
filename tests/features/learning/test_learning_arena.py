"""Arena of a batch: memory of one world side by side, with each pointer moved along."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.learning.arena import WORD, Arena, ArenaPlan, arrays_of, flat, memory_of
from coopsim.kernels.sequence import KernelCall

LINE = 64


def _nothing(*_arguments: object) -> int:
    return 0


def test_arguments_in_tuples_come_one_by_one_in_their_order() -> None:
    assert list(flat((1, (2, (3, 4), ()), 5.0))) == [1, 2, 3, 4, 5.0]
    assert list(flat(7)) == [7]


def test_arrays_of_calls_come_in_the_order_of_their_use_without_empty_ones() -> None:
    first, second, empty = np.zeros(3), np.ones(2), np.zeros((0, 4))
    calls = [KernelCall(_nothing, (second, 1, (first, empty))), KernelCall(_nothing, (2.0, first))]
    assert [array is expected for array, expected in zip(arrays_of(calls), (second, first, first), strict=True)] == [
        True
    ] * 3


def test_a_view_lies_in_the_memory_of_its_owner() -> None:
    owner = np.zeros((6, 4))
    address, size = memory_of(owner)
    assert (address, size) == (owner.ctypes.data, 6 * 4 * 8)
    for view in (owner[2:], owner[::2, 1], owner.T[1:3], owner.reshape(-1)[5:]):
        assert memory_of(view) == (address, size)


def test_an_owner_that_runs_backwards_has_its_lowest_address() -> None:
    base = bytearray(8 * 8)
    owner = np.frombuffer(base, np.int64)[::-1]
    address, size = memory_of(owner)
    assert size == 64
    assert address == np.frombuffer(base, np.int64).ctypes.data


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12))
def test_every_piece_of_memory_has_one_place_and_no_two_share_a_line(sizes: list[int]) -> None:
    arrays = [np.zeros(size, np.uint8) for size in sizes]
    plan = ArenaPlan([*arrays, *arrays])
    assert [block.size for block in plan.blocks] == sizes
    ends = [block.offset + block.size for block in plan.blocks]
    assert all(block.offset % LINE == 0 for block in plan.blocks)
    assert all(after.offset >= end for end, after in zip(ends, plan.blocks[1:], strict=False))
    assert plan.size % LINE == 0
    assert plan.size >= ends[-1]


def test_an_address_within_an_array_is_as_far_from_its_copy_as_from_its_beginning() -> None:
    first, second, stranger = np.zeros(5), np.zeros((3, 3)), np.zeros(2)
    plan = ArenaPlan([first, second])
    begin = plan.offset_of(second.ctypes.data)
    assert begin is not None
    assert plan.offset_of(second[1, 2:].ctypes.data) == begin + 5 * WORD
    assert plan.offset_of(first.ctypes.data + first.nbytes - 1) == first.nbytes - 1
    assert plan.offset_of(stranger.ctypes.data) is None


def test_memory_that_is_cut_ends_where_it_is_used_no_more() -> None:
    table = np.arange(100)
    plan = ArenaPlan([])
    plan.include(table, most=40)
    plan.include(table)
    assert plan.blocks[0].size == 40
    assert plan.offset_of(table.ctypes.data + 39) == 39
    assert plan.offset_of(table.ctypes.data + 40) is None


def test_memory_without_an_array_is_reserved_in_whole_lines() -> None:
    plan = ArenaPlan([])
    assert [plan.reserve(1), plan.reserve(64), plan.reserve(65), plan.reserve(0)] == [0, 64, 128, 256]


def test_the_image_has_what_the_template_has_now() -> None:
    first, second = np.arange(3.0), np.array([7, 8], np.int32)
    plan = ArenaPlan([first, second])
    first[1] = -5.0
    image = plan.image()
    assert image[: first.nbytes].view(np.float64).tolist() == [0.0, -5.0, 2.0]
    offset = plan.offset_of(second.ctypes.data)
    assert image[offset : offset + second.nbytes].view(np.int32).tolist() == [7, 8]
    assert not image[first.nbytes : offset].any()


def test_worlds_have_memory_of_their_own_that_is_seen_as_one_array() -> None:
    table = np.arange(12.0).reshape(3, 4)
    plan = ArenaPlan([np.zeros(3), table])
    arena = Arena(plan, 4)
    arena.words[:] = plan.image().view(np.int64)
    seen = arena.of_all(table)
    assert seen.shape == (4, 3, 4)
    assert (seen == table).all()
    seen[2, 1, 3] = 99.0
    assert arena.of_all(table[1])[:, 3].tolist() == [7.0, 7.0, 99.0, 7.0]
    assert arena.of_all(table[:, 3])[2].tolist() == [3.0, 99.0, 11.0]
    assert table[1, 3] == 7.0


def test_worlds_begin_at_lines_of_their_own() -> None:
    plan = ArenaPlan([np.zeros(5)])
    arena = Arena(plan, 3)
    assert (arena.bases % LINE == 0).all()
    assert np.diff(arena.bases).tolist() == [plan.size] * 2
    assert arena.words.ctypes.data == arena.bases[0]
    assert arena.words.shape == (3, plan.size // WORD)


def test_what_all_worlds_are_read_of_at_once_is_a_table_of_its_own() -> None:
    readings, table = np.arange(3.0), np.arange(12.0).reshape(3, 4)
    plan = ArenaPlan([table, readings], [readings])
    arena = Arena(plan, 3)
    assert (plan.offset_of(readings.ctypes.data), plan.beside, plan.size) == (0, LINE, LINE + 2 * LINE)
    assert np.diff(arena.bases_beside).tolist() == [plan.beside] * 2
    assert np.diff(arena.bases).tolist() == [2 * LINE] * 2
    arena.of_all(readings)[:] = np.arange(9.0).reshape(3, 3)
    arena.of_all(table)[:] = 100.0 + np.arange(36.0).reshape(3, 3, 4)
    assert arena.beside.view(np.float64)[:, :3].tolist() == np.arange(9.0).reshape(3, 3).tolist()
    # words of a world are counted from the beginning of all of it
    first = plan.beside // WORD
    assert (
        arena.words.view(np.float64)[:, first : first + 12].tolist()
        == (100.0 + np.arange(36.0).reshape(3, 12)).tolist()
    )
    assert (arena.bases + plan.beside == arena.of_all(table).ctypes.data + 2 * LINE * np.arange(3)).all()


def test_an_array_that_is_no_part_of_a_world_is_refused_and_an_empty_one_is_empty_in_all() -> None:
    arena = Arena(ArenaPlan([np.zeros(5)]), 2)
    with pytest.raises(KeyError, match="no part of a world"):
        arena.of_all(np.zeros(3))
    assert arena.of_all(np.zeros((0, 7))).shape == (2, 0, 7)
