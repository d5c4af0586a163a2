"""Several requests on their way at once: all are sent before the first reply is awaited."""

import time
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from coopsim.client.connection import refusal
from coopsim.client.flows import Ask, Steps
from coopsim.client.routing import RequestRouter
from coopsim.errors import CoopsimError, LivesElsewhere, NoReply, NoSuchName, OwnedByAnother
from coopsim.message import Message

# more would fill the buffers of both sides: each would then wait for the other to read
MOST_TOGETHER = 64
"""Largest number of requests whose replies may wait to be read."""
_OF_THE_WAY = {error.code for error in (LivesElsewhere, NoSuchName, OwnedByAnother)}

Answer: TypeAlias = Message | CoopsimError
"""A reply, or why the request was refused."""


def asking_all(pool: RequestRouter, asks: Sequence[Ask]) -> Steps[list[Answer]]:
    """Send requests, as many together as may be, and return what came of each, in their order.

    What one module is asked comes to it in this order. A request that is refused keeps no other one from being sent.

    Raises:
        NoReply: To one of them no reply came in time.
    """
    answers: list[Answer] = []
    for together in _batches(asks):
        replies = yield from _exchanging(pool, together)
        for ask, reply in zip(together, replies, strict=True):
            if reply is None or reply.error in _OF_THE_WAY:
                answers.append((yield from _asking_alone(pool, ask)))
            else:
                answers.append(refusal(reply, ask.message.target) if reply.error else reply)
    return answers


def _batches(asks: Sequence[Ask]) -> Iterator[list[Ask]]:
    """Yield requests that may be sent at once: one to each module, since one that is sent again comes last."""
    together: dict[str, Ask] = {}
    for ask in asks:
        if ask.message.target in together or len(together) == MOST_TOGETHER:
            yield list(together.values())
            together = {}
        together[ask.message.target] = ask
    if together:
        yield list(together.values())


def _exchanging(pool: RequestRouter, asks: Sequence[Ask]) -> Steps[list[Message | None]]:
    """Return the replies, refusals included; None for modules that are not reached by the main connection."""
    sent: dict[int, Ask] = {}
    replies: dict[str, Message] = {}
    with pool.lock:
        connection = pool.main
        try:
            for ask in asks:
                if pool.is_on_main(ask.message.target):
                    number = connection.number()
                    sent[number] = ask
                    if sending := connection.send(number, ask.message, pool.timeout):
                        yield sending
            begun = time.monotonic()
            for number, ask in sent.items():
                wait = pool.timeout if ask.timeout is None else ask.timeout
                reply = connection.receive(number, wait - (time.monotonic() - begun))
                if not isinstance(reply, Message):
                    reply = yield reply
                if reply is None:
                    raise connection.no_reply(ask.message, wait)
                replies[ask.message.target] = reply
        except NoReply as problem:
            raise (yield from pool.explaining_timeout(problem, connection)) from None
        finally:
            for number in sent:
                connection.forget(number)
    return [replies.get(ask.message.target) for ask in asks]


def _asking_alone(pool: RequestRouter, ask: Ask) -> Steps[Answer]:
    """Ask one module, wherever it is, with all that may be done about a refusal.

    Raises:
        NoReply: No reply came in time.
    """
    try:
        return (yield from pool.routing(ask))
    except NoReply:
        raise
    except CoopsimError as problem:
        return problem
