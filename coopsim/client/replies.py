"""Bytes that came to replies of what was asked: duplicates, probes (empty messages) and garbage are passed over."""

from collections.abc import Container

from coopsim.errors import CoopsimError, WrongVersion
from coopsim.message import Message, decode


class Replies:
    """Reads what a server sends.

    Attributes:
        undecodable: How many replies could not be read so far.
    """

    def __init__(self) -> None:
        self.undecodable = 0

    def read(self, raw: bytes, waiting: Container[int]) -> Message | None:
        """Return the reply in `raw`, None if there is none in it for anybody.

        Args:
            raw: What came.
            waiting: Ids of the requests that wait.

        Raises:
            WrongVersion: The server speaks another version of the protocol.
        """
        if not raw:
            return None
        try:
            return decode(raw)
        except WrongVersion:
            raise
        except CoopsimError as problem:
            self.undecodable += 1
            about = problem.request
            if about is None or about.id not in waiting:
                return None
            refusal: Message = about.refusal(type(problem)(f"the reply cannot be read: {problem}"))
            return refusal


def is_about_unreadable_request(reply: Message) -> bool:
    """Return whether a server says that it could not read what was asked, and so not say whose that was."""
    return reply.id == 0 and reply.error != 0
