"""Events of the channel as records keep them; nothing in the simulation changes by them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from coopsim.message import ChannelEvent
from coopsim.state.edits.scene import SceneEdit


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PublishEvents(SceneEdit):
    """Programs told events; the record of the next tick holds them.

    Attributes:
        topics: One for each event.
        texts: One for each event.
        sources: Who published each of them.
        ticks: When.
        counts: How many of the numbers are its own.
        numbers: Of all events, back to back.
        lost: How many more events there were than a record holds.
    """

    changes_state: ClassVar[bool] = False
    waits_for_tick: ClassVar[bool] = True
    is_mark: ClassVar[bool] = False

    topics: list[str]
    texts: list[str]
    sources: list[str]
    ticks: list[int]
    counts: list[int]
    numbers: list[float]
    lost: int = 0

    @classmethod
    def of(cls, events: Iterable[ChannelEvent], lost: int = 0) -> Self:
        """Return the edit that holds events."""
        # a list, since what comes in may be an iterator and is walked through six times
        event_list = list(events)
        return cls(
            [event.topic for event in event_list],
            [event.text for event in event_list],
            [event.source for event in event_list],
            [event.tick for event in event_list],
            [len(event.data) for event in event_list],
            [value for event in event_list for value in event.data],
            lost,
        )

    @property
    def events(self) -> list[ChannelEvent]:
        """The events."""
        events, start = [], 0
        columns = zip(self.topics, self.texts, self.sources, self.ticks, self.counts, strict=False)
        for topic, text, source, tick, count in columns:
            events.append(ChannelEvent(topic, text, tuple(self.numbers[start : start + count]), source, tick))
            start += count
        return events

    def as_text(self) -> str:
        """Return it in one line, for people."""
        words = ", ".join(f"{topic} {text}".strip() for topic, text in zip(self.topics, self.texts, strict=False))
        return f"events: {words}" + f" ({self.lost} more are lost)" * bool(self.lost)
