"""The index of a file that another program wrote anew: its messages lie in other chunks, or in none."""

from collections.abc import Sequence
from dataclasses import replace

from coopsim.errors import DamagedRecording
from coopsim.recording.channels import EDITS, KEYFRAMES, LAYOUTS, TICKS
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.index import Index, record_places
from coopsim.recording.layouts import generation_of


class Gatherer:
    """Finds what belongs together: a message of ticks, and the edits and key frames that come before the next one.

    Args:
        index: Where it is noted.

    Attributes:
        damaged: How many messages do not hold what they should.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        # parts and messages of one tick, until the next one comes
        self._parts: list[tuple[int, int]] = []
        self._messages: list[ChannelMessage] = []
        self.damaged = 0

    def add(self, offset: int, messages: Sequence[ChannelMessage]) -> None:
        """Add the messages of a chunk, or one outside of chunks."""
        # the writer puts the edits and key frames of a tick behind it: what follows a tick belongs to it
        for number, message in enumerate(messages):
            if message.channel == LAYOUTS:
                self._add_layout(offset, message)
            elif message.channel == TICKS:
                self.finish()
                self._parts, self._messages = [(offset, number)], [message]
            elif message.channel in (EDITS, KEYFRAMES) and self._parts:
                self._parts.append((offset, number))
                self._messages.append(message)

    def finish(self) -> None:
        """Note what was gathered last."""
        parts, messages = tuple(self._parts), self._messages
        self._parts, self._messages = [], []
        if not parts:  # two finishes in a row, or a file without ticks
            return
        try:
            place = record_places(parts[0][0], messages[:1], messages)
        except ValueError:  # one damaged tick is counted, the rest of the file stays readable
            self.damaged += 1
        else:
            self._index.places.append(replace(place, parts=parts))

    def _add_layout(self, offset: int, message: ChannelMessage) -> None:
        try:
            self._index.layouts[generation_of(message.data)] = offset
        except DamagedRecording:
            self.damaged += 1
