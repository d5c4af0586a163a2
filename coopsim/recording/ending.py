"""Summary at the end of a recording: the number of its records, and digests of its attachments."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self

from coopsim.errors import DamagedRecording
from coopsim.state.plain import Count, check

# of 64 hexadecimal ones: the digest finds accidents, it is no signature
_DIGITS = 16
"""Of the digest of an attachment: nobody meets the same 64 bits by chance."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Facts that the writer noted when it closed the file.

    Attributes:
        records: How many it wrote.
        revision: Number of the last record in its run, -1 = there is none.
        tick: Of the last record.
    """

    records: Count
    revision: int
    tick: Count

    def pack(self) -> str:
        """Return it as the text of an attachment."""
        return json.dumps(asdict(self))

    @classmethod
    def unpack(cls, text: str) -> Self:
        """Return what `pack` wrote.

        Raises:
            DamagedRecording: The text is something else.
        """
        try:
            ending = cls(**json.loads(text))
            check(ending, cls)
        except (ValueError, TypeError, RecursionError) as problem:
            raise DamagedRecording(f"its ending cannot be read: {problem}") from None
        return ending


def digests(attachments: Mapping[str, str | bytes]) -> dict[str, str]:
    """Return the digest of each attachment by name, 16 hexadecimal digits of its SHA-256."""
    return {name: digest(content) for name, content in sorted(attachments.items())}


def digest(content: str | bytes) -> str:
    """Return the digest of one attachment; bytes that are no text count as the text that readers make of them."""
    text = content if isinstance(content, str) else content.decode(errors="replace")
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
