"""Flows of a client, whatever carries its messages and however it waits.

A flow yields requests and is sent the reply to each. Steps yield whatever has to be waited for and are sent what came
of it: a client that blocks has it already, that of asyncio awaits it first. So both share everything but the waiting.
"""

from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from coopsim.client.prepared import SentRequest
from coopsim.message import Message

_T = TypeVar("_T")


class Ask(NamedTuple):
    """A request, before it is known which connection carries it.

    Attributes:
        message: What is asked; the connection adds the id and the run.
        timeout: How long to wait for the reply [s]; None = as long as usual.
        is_edit: Whether it changes the simulation, or what draws it, which may take a while: unless `timeout` says
            otherwise, it has ten times as long as usual while the server lives.
        sent: What was sent of it already, on the connection to its module.
    """

    message: Message
    timeout: float | None = None
    is_edit: bool = False
    sent: SentRequest | None = None


Flow: TypeAlias = Generator[Ask, Message, _T]
"""Yields requests, is sent the reply to each, and returns what came out of them."""

Steps: TypeAlias = Generator[Any, Any, _T]
"""Yields what has to be waited for, is sent what came of it, and returns what came out of it all.

On the hot path, steps do not yield what a client that blocks has already.
"""


def run_blocking(steps: Steps[_T]) -> _T:
    """Return what comes out of steps that block: whatever they yield has come already."""
    try:
        outcome = next(steps)
        while True:
            outcome = steps.send(outcome)
    except StopIteration as end:
        result: _T = end.value
        return result


async def run_async(steps: Steps[_T]) -> _T:
    """Return what comes out of steps that yield awaitables; an error, or a cancellation, is thrown into them."""
    try:
        waiting = next(steps)
        while True:
            try:
                outcome = await waiting
            except BaseException as problem:
                waiting = steps.throw(problem)
            else:
                waiting = steps.send(outcome)
    except StopIteration as end:
        result: _T = end.value
        return result
