"""Talk in a match: chat between players, and messages of the referee about what happens and was refused."""

from collections import deque
from dataclasses import dataclass, field

from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.features.matches.sentences import sentence

_KEPT = 200  # lines; of a long match the newest


@dataclass(frozen=True, slots=True)
class TalkLine:
    """A line.

    Attributes:
        time: Simulated [s].
        is_refusal: Whether something was refused.
    """

    time: float
    text: str
    is_refusal: bool = False


@dataclass
class Talk:
    """The abstraction of chat, or of the messages of a match.

    Attributes:
        lines: The newest last.
    """

    lines: deque[TalkLine] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def add(self, time: float, text: str) -> None:
        """Keep a line as it is."""
        self.lines.append(TalkLine(time, text))

    def add_news(self, time: float, text: str) -> None:
        """Keep a line of the log as a sentence; some are refusals."""
        is_refusal = ": illegal" in text or ": flood" in text or ": no path" in text
        self.lines.append(TalkLine(time, sentence(text), is_refusal))


class ChatControl(PacControl):
    """The control of the chat."""

    def __init__(self, talk: Talk) -> None:
        super().__init__(self._hear)
        self.talk = talk

    def say(self, text: str) -> None:
        """Say something to all who play or watch."""
        if text.strip():
            self.broadcast(Happening("say", text.strip()))

    def _hear(self, happening: Happening) -> None:
        if happening.topic == "match":
            self.talk.lines.clear()
        elif happening.topic == "chat":
            self.talk.add(happening.time, happening.text)


class MonitorControl(PacControl):
    """The control of the messages: what happens, what was refused and to whom, and how it ends."""

    def __init__(self, talk: Talk) -> None:
        super().__init__(self._hear)
        self.talk = talk

    def _hear(self, happening: Happening) -> None:
        if happening.topic == "match":
            self.talk.lines.clear()
        elif happening.topic == "log":
            self.talk.add_news(happening.time, happening.text)
        elif happening.topic == "end":
            facts = happening.facts or {}
            self.talk.add(happening.time, f"{facts.get('winner') or 'nobody'} wins: {facts.get('reason', '')}")
