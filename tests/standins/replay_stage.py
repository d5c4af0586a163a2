"""A playback in this process with a clock in the tests' hands, and a host's end to look at it."""

from pathlib import Path
from typing import Any

from coopsim.replay.playback import Playback, PlaybackOptions
from coopsim.state import Record
from coopsim.state.edits import EDITS, PLAYBACK_PREFIX, Edit
from coopsim.transport import Answer, Channel, Notifier, Ring, SourceLink
from coopsim.transport.control import Start


class Stage:
    """A playback and what is connected to it.

    Args:
        file: The recording.
        options: Further options of the playback.
        ring_bytes: Size of the shared memory.

    Attributes:
        now_ns: The clock.
        link: The host's end.
    """

    def __init__(self, file: Path, *, ring_bytes: int = 8 << 20, command_floats: int = 1000, **options: Any) -> None:
        self.now_ns = 5_000_000_000
        self.ring = Ring.create(ring_bytes=ring_bytes, command_floats=command_floats)
        source, host = Channel.pair()
        self.launcher, launcher = Channel.pair()
        woken, wake = Notifier.pair()
        permit, permitting = Notifier.pair()
        self.link = SourceLink(self.ring, host, woken, permitting)
        self._ends = [source, launcher, wake, permit, permitting, woken, host, self.launcher]
        self._cursor = 0
        try:
            chosen = PlaybackOptions(str(file), **options)
            self.playback = Playback(chosen, self.ring, source, wake, launcher, lambda: self.now_ns)
        except BaseException:
            self.close()
            raise
        self.launcher.send(Start())
        self.playback.serve()
        self.link.poll()

    def wait(self, seconds: float) -> None:
        """Let real time pass; the playback is woken whenever something is due."""
        end = self.now_ns + round(seconds * 1e9)
        while (due := self.playback.due_ns) is not None and due <= end:
            self.now_ns = max(self.now_ns, due)
            self.playback.serve()
        self.now_ns = end
        self.playback.serve()
        self.link.poll()

    def edit(self, name: str, /, **arguments: Any) -> Answer:
        """Ask for an edit and return the answer."""
        return self._ask(Edit.from_plain({"edit": name, **arguments}))

    def _ask(self, edit: Edit) -> Answer:
        answers: list[Answer] = []
        self.link.edit(edit, answers.append)
        self.playback.serve()
        self.link.poll()
        return answers[0]

    def ask(self, what: str, *arguments: Any) -> Answer:
        """Ask for what `/sim/playback` can do."""
        return self._ask(EDITS[PLAYBACK_PREFIX + what](*arguments))

    def call(self, what: str, *arguments: Any) -> tuple[float, ...]:
        """Ask for what `/sim/playback` can do, which must not fail; return the data of the answer."""
        answer = self.ask(what, *arguments)
        assert answer.error == 0, answer.text
        return answer.data

    @property
    def record(self) -> Record:
        """What the host serves."""
        return self.link.record

    @property
    def is_playing(self) -> bool:
        """Whether the record says that time goes on."""
        return not self.record.header.paused

    def shown(self) -> list[Record]:
        """Return the records that were written since the last call."""
        raws, self._cursor, lost = self.ring.following(self._cursor)
        assert not lost
        return [Record(raw) for raw in raws]

    def close(self) -> None:
        """Let go of everything."""
        for end in self._ends:
            end.close()
        self.ring.unlink()
