"""rosbridge as bytes: JSON, CBOR, pictures, and messages in parts."""

import base64
import json
import math
import struct
import zlib

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.gateways.rosbridge import wording

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


def pixels_of(picture: bytes) -> bytes:
    """Return the bytes of an RGB picture that has no filters."""
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    begin = picture.index(b"IDAT")
    size = struct.unpack(">I", picture[begin - 4 : begin])[0]
    body = picture[begin + 4 : begin + 4 + size]
    assert struct.unpack(">I", picture[begin + 4 + size : begin + 8 + size])[0] == zlib.crc32(b"IDAT" + body)
    lines = zlib.decompress(body)
    assert len(lines) == height * (1 + 3 * width)
    return b"".join(lines[at + 1 : at + 1 + 3 * width] for at in range(0, len(lines), 1 + 3 * width))


@given(st.dictionaries(st.text(max_size=8), PLAIN, max_size=4))
def test_a_message_is_the_same_in_every_wording(message: dict) -> None:
    text = wording.as_json(message)
    assert wording.read(text) == message
    assert wording.read(wording.as_cbor(message)) == message
    packed = json.loads(wording.as_png(text))
    assert packed["op"] == "png"
    assert json.loads(pixels_of(base64.b64decode(packed["data"]))) == message


def test_json_has_null_for_what_is_not_finite_and_cbor_has_words() -> None:
    message = {"ranges": [1.0, math.inf, math.nan]}
    assert json.loads(wording.as_json(message)) == {"ranges": [1.0, None, None]}
    assert cbor2.loads(wording.as_cbor(message))["ranges"][1] == math.inf


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_whatever_comes_is_a_message_or_refused(raw: str | bytes) -> None:
    try:
        assert isinstance(wording.read(raw), dict)
    except BadArgument as problem:
        if "expected a JSON object" not in str(problem):
            raise


@pytest.mark.parametrize("name", [b"a", [1], {"a": 1}, cbor2.undefined])
def test_a_name_that_no_answer_could_repeat_is_refused(name: object) -> None:
    with pytest.raises(BadArgument, match="id: expected a text or a number"):
        wording.read(cbor2.dumps({"op": "dance", "id": name}))


@given(st.text(min_size=1, max_size=50), st.integers(1, 7), st.randoms(use_true_random=False))
def test_fragments_make_the_message_whole_in_any_order(words: str, size: int, chance: object) -> None:
    text = json.dumps({"op": "publish", "msg": words})
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    order = list(enumerate(parts))
    chance.shuffle(order)  # type: ignore[attr-defined]
    fragments = wording.Fragments()
    results = [fragments.add({"id": "a", "num": number, "total": len(parts), "data": part}) for number, part in order]
    assert results[:-1] == [None] * (len(parts) - 1)
    assert results[-1] == {"op": "publish", "msg": words}


@pytest.mark.parametrize(
    "fragment",
    [
        {"id": "a", "num": 2, "total": 2, "data": ""},
        {"id": "a", "num": -1, "total": 2, "data": ""},
        {"id": "a", "num": 0, "total": 10**6, "data": ""},
        {"id": "a", "num": "0", "total": 2, "data": ""},
        {"id": "a", "num": 0, "total": 2, "data": 3},
        {"id": "a"},
    ],
)
def test_fragments_that_do_not_fit_are_refused(fragment: dict) -> None:
    with pytest.raises(BadArgument, match="fragment"):
        wording.Fragments().add(fragment)


def test_fragments_of_another_total_end_their_message_alone() -> None:
    fragments = wording.Fragments()
    assert fragments.add({"id": "a", "num": 0, "total": 3, "data": "{"}) is None
    with pytest.raises(BadArgument, match="changed"):
        fragments.add({"id": "a", "num": 1, "total": 2, "data": "}"})
    assert fragments.add({"id": "a", "num": 0, "total": 1, "data": "{}"}) == {}


def test_fragments_that_never_end_take_bounded_memory() -> None:
    fragments = wording.Fragments()
    parts = [{"id": "a", "num": number, "total": 100, "data": "x" * (wording.MOST_BYTES // 10)} for number in range(20)]
    with pytest.raises(BadArgument, match="are given up"):
        list(map(fragments.add, parts))
    assert fragments.add({"id": "b", "num": 0, "total": 1, "data": "{}"}) == {}
    for name in range(50):
        fragments.add({"id": name, "num": 0, "total": 2, "data": "{"})
    assert fragments.add({"id": 49, "num": 1, "total": 2, "data": "}"}) == {}
