"""Follower of a run: scenes that change while they are read, and errors of what it does at the same time."""

import asyncio
import contextlib
from typing import Any

import pytest

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, NoReply, NoSuchName
from coopsim.features.gateways.options import GatewayOptions
from coopsim.features.web import follower
from coopsim.testkit import Run

pytestmark = pytest.mark.integration


async def _until_shown(followed: follower.RunFollower, notes: list[str]) -> None:
    """Follow until the first scene is shown, or the following ends."""
    following = asyncio.ensure_future(followed.run())
    try:
        async with asyncio.timeout(60.0):
            while not (following.done() or any(note.startswith("shows") for note in notes)):
                await asyncio.sleep(0)
        if following.done():
            await following
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following


@pytest.mark.parametrize("error", [NoSuchName, MalformedMessage, NoReply])
def test_a_scene_that_changes_while_it_is_read_is_read_again(
    monkeypatch: pytest.MonkeyPatch, error: type[CoopsimError]
) -> None:
    """Robots may be renamed between a state and the questions about it; the server of a class must not end by that."""
    describe, refused = follower._sensors_of, list[str]()

    async def first_refused(*arguments: Any) -> Any:
        if not refused:
            refused.append("once")
            raise error("there is no '/porters/leader/sonars'")
        return await describe(*arguments)

    monkeypatch.setattr(follower, "_sensors_of", first_refused)
    monkeypatch.setattr(follower, "_TRY_AGAIN", 0.01)
    notes: list[str] = []
    with Run("formation", "--no-controllers", "--duration", "3600") as run:
        followed = follower.RunFollower(run.endpoint, None, notes.append)
        asyncio.run(_until_shown(followed, notes))
    assert refused == ["once"]
    assert followed.names >= {"robot1", "robot2", "robot3"}
    assert notes == [f"shows {followed._run_facts['scenario']}, 3 robots"]


@pytest.mark.parametrize(("granted", "patience"), [("7.5", 7.5), ("0.5", 3.0), ("", 3.0)])
def test_pages_and_gateways_wait_for_a_busy_run_as_long_as_clients_do(
    monkeypatch: pytest.MonkeyPatch, granted: str, patience: float
) -> None:
    """A run that gets no processor for some seconds has not ended, and nobody may say that it has."""
    monkeypatch.setenv("COOPSIM_TIMEOUT", granted)
    assert follower.RunFollower(None, None, str).patience == patience
    assert GatewayOptions().patience == patience


def test_a_patience_that_is_no_number_is_refused_before_a_run_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOPSIM_TIMEOUT", "long")
    for begin in (lambda: follower.RunFollower(None, None, str), GatewayOptions):
        with pytest.raises(BadArgument, match="COOPSIM_TIMEOUT must be seconds"):
            begin()
