"""The hash of rows, computed in a kernel, is that of the package."""

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xxhash

from coopsim.kernels import xxh3
from coopsim.kernels.xxh3 import hash_functions, hash_rows


def digest(table: list[tuple[int, ...]], order: tuple[int, ...] = ()) -> bytes:
    functions, out = hash_functions(), np.zeros(2, np.int64)
    assert functions is not None
    rows = np.array(table, np.int64).reshape(-1, 5)
    hash_rows(functions, rows, np.array(order, np.int64), out.ctypes.data)
    return out.tobytes()


@pytest.mark.parametrize("size", [0, 1, 3, 8, 16, 17, 128, 129, 240, 241, 1024, 5000, 300_000])
def test_memory_of_any_length_has_the_hash_of_the_package(size: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, size + 1, np.uint8)
    assert digest([(data.ctypes.data, 1, size, 0, 0)]) == xxhash.xxh3_128_digest(data[:size].tobytes())


def test_rows_follow_each_other_also_with_gaps_and_in_another_order() -> None:
    wide, plain = np.random.default_rng(1).random((7, 9)), np.arange(4)
    order = (3, 0, 6, 5, 1, 2, 4)
    table = [
        (wide.ctypes.data, 7, 72, 72, 1),
        (plain.ctypes.data, 1, plain.nbytes, 0, 0),
        (wide.ctypes.data + 16, 7, 56, 72, 0),
    ]
    expected = wide[list(order)].tobytes() + plain.tobytes() + wide[:, 2:].tobytes()
    assert digest(table, order) == xxhash.xxh3_128_digest(expected)


def test_nothing_has_a_hash_too() -> None:
    assert digest([]) == xxhash.xxh3_128_digest(b"")


@pytest.mark.parametrize("fault", ["no library", "other names", "another result"])
def test_a_library_that_was_built_in_another_way_is_left_alone(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    def load(path: str) -> Any:
        if fault == "no library":
            raise OSError(path)
        return SimpleNamespace() if fault == "other names" else whole(path)

    whole = ctypes.CDLL
    monkeypatch.setattr(xxh3.ctypes, "CDLL", load)
    if fault == "another result":
        monkeypatch.setattr(xxh3.xxhash, "xxh3_128_digest", lambda _: bytes(16))
    hash_functions.cache_clear()
    assert hash_functions() is None
    monkeypatch.undo()
    hash_functions.cache_clear()
    assert hash_functions() is not None
