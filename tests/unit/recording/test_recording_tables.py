"""Arrays as bytes that compress well."""

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.recording import tables

KINDS = st.sampled_from([np.dtype("<f4"), np.dtype("<f8"), np.dtype("<u8")])


@st.composite
def arrays(draw: st.DrawFn) -> NDArray[np.generic]:
    kind, rows, columns = draw(KINDS), draw(st.integers(1, 9)), draw(st.integers(0, 5))
    raw = draw(st.binary(min_size=kind.itemsize * rows * columns, max_size=kind.itemsize * rows * columns))
    return np.frombuffer(raw, kind).reshape(rows, columns)


@given(arrays())
def test_any_bits_come_back(values: NDArray[np.generic]) -> None:
    back = tables.unpack(tables.pack(values), len(values), values.dtype)
    assert back.shape == values.shape
    assert back.tobytes() == values.tobytes()


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_polynomials_of_each_order_come_back(order: int) -> None:
    rows = np.arange(100, dtype=np.uint64)
    values = np.stack([rows**order * np.uint64(977), np.uint64(2**64 - 1) - rows**order], axis=1)
    assert np.array_equal(tables.unpack(tables.pack(values), 100, values.dtype), values)


def test_what_moves_smoothly_takes_less_than_half_and_noise_no_more_than_itself() -> None:
    time = np.arange(100)[:, np.newaxis] * 0.01
    smooth = np.sin(time + np.arange(20)).astype(np.float32)
    noise = np.random.default_rng(1).standard_normal((100, 20)).astype(np.float32)
    assert packed_size(smooth) < 0.5 * len(zstandard.compress(smooth.tobytes()))
    assert packed_size(noise) < 1.05 * len(zstandard.compress(noise.tobytes()))


def test_what_stands_still_takes_nothing() -> None:
    values = np.full((100, 50), 1.234, np.float32)
    assert packed_size(values) < 500


def packed_size(values: NDArray[np.float32]) -> int:
    table = tables.pack(values)
    return len(zstandard.compress(table["sums"] + table["planes"]))


@pytest.mark.parametrize("change", [{"planes": b"123"}, {"sums": b"\x04\x00"}, {"sums": b""}, {"bytes": 8}])
def test_a_table_of_the_wrong_size_is_refused(change: dict[str, object]) -> None:
    table = {**tables.pack(np.ones((3, 2), np.float32)), **change}
    with pytest.raises(DamagedRecording, match="size"):
        tables.unpack(table, 3, np.dtype("<f4"))
