"""The reference implementation passes the vectors that every client language must pass."""

import json
from pathlib import Path
from typing import Any

import make_vectors
import pytest

from coopsim.errors import CoopsimError
from coopsim.message import Message, decode, encode, failure

VECTORS = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def test_the_file_of_vectors_is_what_its_script_writes() -> None:
    assert make_vectors.vectors() == VECTORS, f"run python {Path(make_vectors.__file__).name}"


@pytest.mark.parametrize("case", _named(VECTORS["good"]))
def test_a_good_message_decodes_to_its_meaning(case: dict[str, Any]) -> None:
    message = decode(bytes.fromhex(case["hex"]))
    assert [repr(float(value)) for value in message.data] == [repr(float(value)) for value in case["data"]]
    assert message.params == tuple(case["params"])
    for field in ("id", "target", "tick", "error", "text", "command", "binary", "run"):
        assert getattr(message, field) == case[field]


@pytest.mark.parametrize("case", _named([case for case in VECTORS["good"] if case["canonical"]]))
def test_a_meaning_encodes_to_its_bytes(case: dict[str, Any]) -> None:
    names = ("target", "command", "params", "data", "tick", "error", "text", "id", "binary", "run")
    assert encode(Message(*(case[name] for name in names))).hex() == case["hex"]


@pytest.mark.parametrize("case", _named(VECTORS["bad"]))
def test_bad_bytes_are_refused_with_their_number_and_what_was_readable_is_echoed(case: dict[str, Any]) -> None:
    with pytest.raises(CoopsimError) as caught:
        decode(bytes.fromhex(case["hex"]))
    reply = decode(encode(failure(caught.value)))
    assert (reply.error, reply.id, reply.target) == (case["error"], case["id"], case["target"])
    assert reply.text


def test_vector_names_are_unique() -> None:
    names = [case["name"] for case in VECTORS["good"] + VECTORS["bad"]]
    assert len(names) == len(set(names))
