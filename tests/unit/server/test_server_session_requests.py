"""A session reads requests that come again and again as it reads all others."""

from dataclasses import replace

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.message import Message, decode, encode
from coopsim.server.lockstep import sessions
from coopsim.server.lockstep.ownership import Owner, Ownership
from coopsim.server.lockstep.sessions import Session


class Nobody:
    def post(self, session: Session, raw: bytes) -> None:
        raise AssertionError("nothing is sent here")


@pytest.fixture
def session() -> Session:
    """A session that owns robot1."""
    made, ownership = Session(Nobody(), 1, "client 1"), Ownership()
    made.claimant = Owner("client 1", made)
    ownership.claim(made.claimant, ["robot1"], lockstep=True)
    return made


def plain(message: Message) -> Message:
    return replace(message, data=np.asarray(message.data).tobytes())


def test_every_request_is_read_as_it_is(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Message("/sim/step", 11, (1, "robot1"), (0.1, 0.2), binary=True)
    requests = [
        *(encode(replace(step, data=(0.1 * n, n), tick=n), 70 * n, run) for run in (0, 9) for n in range(5)),
        encode(replace(step, params=(2, "robot1"))),
        encode(replace(step, binary=False), 3),
        encode(Message("/robot1/sonars", 10, id=8)),
        encode(step, 4),
    ]
    for raw in requests:
        assert plain(session.decode(raw)) == plain(decode(raw))
    decoded: list[bytes] = []
    monkeypatch.setattr(sessions, "decode", lambda raw: decoded.append(raw) or decode(raw))
    assert session.decode(encode(replace(step, data=(3.0, 4.0), tick=900), 1000)).tick == 900
    assert decoded == []


def test_what_is_wrong_with_a_request_is_still_said(session: Session) -> None:
    step = encode(Message("/sim/step", 11, (1, "robot1"), (0.1, 0.2), binary=True))
    session.decode(step)
    session.decode(step)
    with pytest.raises(BadArgument, match="numbers must be finite"):
        session.decode(step[:-8] + np.float64(np.nan).tobytes())
