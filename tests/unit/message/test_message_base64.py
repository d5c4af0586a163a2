"""Base64 by tables: the same as the standard library's, for texts of every length."""

import base64
import binascii

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.message.base64 import decoded, encoded_pixels

LONG = np.random.default_rng(1).integers(0, 256, 300_000, np.uint8).tobytes()


@given(st.integers(0, 20), st.integers(0, 3), st.booleans())
def test_texts_of_every_length_are_read(thousands: int, more: int, is_long: bool) -> None:
    raw = LONG[: (10_000 * thousands if is_long else thousands) + more]
    text = base64.b64encode(raw).decode()
    assert decoded([text]) == raw
    assert decoded([text, "", text, "AAAA"]) == raw + raw + bytes(3)


@pytest.mark.parametrize("place", [0, 1, 4999, 131_072, 399_995, 399_999])
@pytest.mark.parametrize("foreign", ["=", "-", " ", "\n", "\0"])
def test_a_foreign_character_is_refused_wherever_it_stands(place: int, foreign: str) -> None:
    text = base64.b64encode(LONG).decode()
    with pytest.raises(binascii.Error):
        decoded([text[:place] + foreign + text[place + 1 :] + "AAAA" * (foreign == "=")])


def test_numbers_are_no_texts() -> None:
    with pytest.raises(TypeError, match="3 is no text"):
        decoded(["AAAA", 3])  # type: ignore[list-item]


@pytest.mark.parametrize("text", ["A", "AB", "ABC", "A" * 9001, "A" * 9003, "\u00e4" * 9000])
def test_a_text_that_is_cut_off_or_not_of_ascii_is_refused(text: str) -> None:
    with pytest.raises((binascii.Error, UnicodeEncodeError)):
        decoded([text])


@pytest.mark.parametrize("count", [0, 1, 2, 16_383, 16_384, 16_385, 76_800])
def test_pixels_are_written_as_red_green_and_blue(count: int) -> None:
    pixels = np.random.default_rng(count).integers(0, 256, (count, 4), np.uint8)
    written = encoded_pixels(pixels.view("<u4").ravel())
    assert written.encode() == base64.b64encode(pixels[:, :3].tobytes())
    assert decoded([written]) == pixels[:, :3].tobytes()
