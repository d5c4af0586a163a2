"""The reference implementation passes the vectors that every client language must pass."""

import json
from typing import Any

import make_vectors
import pytest

from coopsim.client.layout import fetching
from coopsim.errors import CoopsimError
from coopsim.message import Message, decode, encode, failure, unpack_state
from coopsim.testkit.conformance.streams import state_fields
from coopsim.testkit.conformance.values import meaning, read, written, written_list
from coopsim.testkit.conformance.vectors import DECODES, LAYOUTS, REFUSES, STATES, Vector, lengthened, vectors

VECTORS = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))


def _named(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("name", make_vectors.files())
def test_the_files_of_vectors_are_what_their_script_writes(name: str) -> None:
    written = make_vectors.FILE.with_name(name).read_text(encoding="utf-8")
    assert make_vectors.files()[name] == written, "run python tests/conformance/make_vectors.py"


def test_the_lines_hold_every_bit_of_every_vector() -> None:
    lines = make_vectors.FILE.with_name("vectors.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for vector, line in zip(vectors(), lines, strict=True):
        role, name, raw, *_ = line.split("\t")
        assert (role, name, lengthened(raw)) == (vector.role, vector.name, vector.raw)


@pytest.mark.parametrize("case", [vector for vector in vectors() if vector.role == REFUSES], ids=lambda it: it.name)
def test_what_servers_refuse_is_refused_with_its_number(case: Vector) -> None:
    with pytest.raises(CoopsimError) as caught:
        decode(case.raw)
    reply = decode(encode(failure(caught.value)))
    assert (reply.error, reply.id, reply.target) == tuple(map(read, case.fields.split("\t")))


@pytest.mark.parametrize("case", [vector for vector in vectors() if vector.role == DECODES], ids=lambda it: it.name)
def test_what_clients_decode_has_its_meaning(case: Vector) -> None:
    assert meaning(decode(case.raw)) == case.fields


@pytest.mark.parametrize("case", [vector for vector in vectors() if vector.role == STATES], ids=lambda it: it.name)
def test_frames_of_the_state_stream_have_their_meaning(case: Vector) -> None:
    state = unpack_state(case.raw)
    numbers = {key: getattr(state, key) for key in ("tick", "time", "generation", "revision", "mode", "run")}
    lists = {"names": state.names, "poses": state.poses.ravel().tolist(), "robots": state.robots}
    flags = {"paused": int(state.is_paused), "ended": int(state.is_ended)}
    fields = numbers | flags | lists | {"widths": state.widths, "readings": state.flat.tolist()}
    assert state_fields(state.topic, fields) == case.fields


@pytest.mark.parametrize("case", [vector for vector in vectors() if vector.role == LAYOUTS], ids=lambda it: it.name)
def test_layouts_have_their_meaning_as_numbers_and_as_json(case: Vector) -> None:
    reply, flow = decode(case.raw), fetching()
    next(flow)
    with pytest.raises(StopIteration) as end:
        flow.send(reply)
    layout = end.value.value
    rows = [layout.types[kind] for kind in layout.robots.values()]
    lengths = [float(part.width) for row in rows for part in (row.takes, row.gives)]
    words = [written(reply.id), written(layout.generation), written(int(reply.params[2]))]
    assert "\t".join([*words, written_list(layout.robots), written_list(lengths)]) == case.fields
    assert reply.params[1] == layout.generation
    assert reply.params[4:] == tuple(layout.robots)
    assert [*reply.data] == lengths


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
