"""A recording while it is shown: which record is seen when, and everything that `/sim/playback` can do about it."""

import logging
from pathlib import Path

from coopsim.errors import CoopsimError, DamagedRecording, EngineCannot
from coopsim.interfaces import Value
from coopsim.replay.net import reading
from coopsim.replay.playable import PlayableRecording
from coopsim.replay.playback_publisher import PlaybackPublisher
from coopsim.replay.player import Loop, Player
from coopsim.state import Layout, Record
from coopsim.state.edits import EditResult

_log = logging.getLogger(__name__)
# 200 states a second: more than any screen shows, and viewers read each of them
INTERVAL_NS = 5_000_000
"""Records follow each other no faster than this in real time; at high speed some are left out."""


class PlaybackSession:
    """Shows the record at the position of a player, as soon as it is due.

    Args:
        playable: What is shown first.
        player: Moves along it.
        publisher: Shows records.

    Attributes:
        number: Of the record that is shown.
        now: That record and its layout.
        due_ns: When the next one is due [real ns]; None while it stands still.
        problem: Why it stopped by itself, "" if it did not.

    Raises:
        DamagedRecording: The first record cannot be read.
        EngineCannot: There is no room for it; both also by everything that goes elsewhere, and then nothing changes.
    """

    def __init__(self, playable: PlayableRecording, player: Player, publisher: PlaybackPublisher) -> None:
        self.playable, self.player, self._publisher = playable, player, publisher
        self.number = -1
        self.now: tuple[Layout, Record]
        self.due_ns: int | None = None
        self.problem = ""
        self._position_ns = player.position_ns
        self._was_paused = False
        with reading(playable.path):
            self._go_to(playable.number_at(player.position_ns))
            self._plan()

    def start(self, now_ns: int) -> None:
        """Count real time from now on."""
        self.player.seek(self.player.position_ns, now_ns)
        self._have_moved()

    def turn(self, now_ns: int) -> None:
        """Show what should be seen by now; before a part that cannot be shown it stands still."""
        if self.due_ns is None or now_ns < self.due_ns:
            return
        self.player.advance(now_ns)
        try:
            self._follow()
        except (DamagedRecording, EngineCannot) as problem:
            _log.warning("playback stands still: %s", problem)

    def end(self) -> None:
        """Show the present record once more, as the last one."""
        self._show(self.number, self.now, ended=True)

    @property
    def time(self) -> float:
        """Time of the record that is shown [s]."""
        return self._position_ns / 1e9

    def parameter(self, robot: str, module: str, name: str) -> Value:
        """Return what a parameter was when the present record was made.

        Raises:
            NoSuchName: There was no such module.
            NoSuchCommand: The module had no such parameter.
            DamagedRecording: The recording does not tell.
        """
        with reading(self.playable.path):
            return self.playable.parameters.value(self.number, robot, module, name)

    def read_offered(self, module: str, command: int, parameter: str) -> EditResult:
        """Return what an offered module answered when the present record was made.

        Raises:
            NoSuchName: It was never offered.
            NoSuchCommand: It has no such command or parameter.
        """
        return self.playable.offered_modules.read(self.number, self.time, module, command, parameter)

    # what people ask for

    def play(self, now_ns: int) -> None:
        """Go on; at the end that it runs to, begin anew at the other."""
        self.player.play(now_ns)
        self._follow()

    def pause(self, now_ns: int) -> None:
        """Stand still."""
        self.player.pause(now_ns)
        self._follow()

    def set_speed(self, speed: float, now_ns: int) -> None:
        """Change the speed.

        Raises:
            BadArgument: It is out of range.
        """
        self.player.set_speed(speed, now_ns)
        self._follow()

    def seek(self, position_ns: int, now_ns: int) -> None:
        """Go to the last record at or before a position; what lies outside means the nearest end."""
        inside = self.player.nearest(position_ns)
        with reading(self.playable.path):
            self._go_to(self.playable.number_at(inside))
        self.player.seek(inside, now_ns)
        self._have_moved()

    def step(self, count: int, now_ns: int) -> None:
        """Go some records forward, or back."""
        self.player.advance(now_ns)
        number = max(0, min(self.number + count, len(self.playable) - 1))
        wanted = self.playable.position_ns(number)
        inside = self.player.nearest(wanted)
        self._go_to(number if inside == wanted else self.playable.number_at(inside))
        self.player.seek(self._position_ns, now_ns)
        self._have_moved()

    def repeat(self, begin_ns: int, end_ns: int, now_ns: int) -> Loop:
        """Repeat a part; return it as far as the recording goes.

        Raises:
            BadArgument: Nothing lies between its ends.
        """
        loop = self.player.repeat(begin_ns, end_ns, now_ns)
        self._follow()
        return loop

    def repeat_nothing(self, now_ns: int) -> None:
        """Play to the end from now on."""
        self.player.repeat_nothing(now_ns)
        self._follow()

    def load(self, path: Path, now_ns: int) -> None:
        """Show another recording from its beginning; playing or paused, and as fast, as before.

        Raises:
            NotARecording: It is none; also with the other errors the present one stays.
        """
        with reading(path):
            playable = PlayableRecording(path)
        before = self.playable, self.player, self.number, self._position_ns
        player = self.player
        self.playable, self.number = playable, -1
        self.player = Player(
            playable.begin_ns, playable.end_ns, now_ns, speed=player.speed, is_playing=player.is_playing
        )
        try:
            with reading(path):
                self._go_to(playable.number_at(self.player.position_ns))
        except BaseException:
            self.playable, self.player, self.number, self._position_ns = before
            playable.close()
            raise
        before[0].close()
        self._have_moved()

    # what is seen

    def _follow(self) -> None:
        """Show the record at the position of the player if it is not shown yet, and plan the next one."""
        try:
            with reading(self.playable.path):
                number = self.playable.number_at(self.player.position_ns)
                if number != self.number or self._was_paused == self.player.is_playing:
                    self._go_to(number)
                self._plan()
        except (DamagedRecording, EngineCannot) as problem:
            self._stop_at(problem)
            raise

    def _have_moved(self) -> None:
        self.problem = ""
        try:
            with reading(self.playable.path):
                self._plan()
        except DamagedRecording as problem:
            self._stop_at(problem)

    def _go_to(self, number: int) -> None:
        """Show a record, all or nothing."""
        is_new = number != self.number
        now = self.playable.at(number) if is_new else self.now
        position_ns = self.playable.position_ns(number) if is_new else self._position_ns
        self._show(number, now)
        self.number, self.now, self._position_ns = number, now, position_ns

    def _show(self, number: int, now: tuple[Layout, Record], *, ended: bool = False) -> None:
        paused = not self.player.is_playing
        with_edits = number != self.number
        self._publisher.show(*now, self.playable.facts, paused=paused, ended=ended, with_edits=with_edits)
        self._was_paused = paused

    def _stop_at(self, problem: CoopsimError) -> None:
        """Stand still at the present record, and remember why."""
        self.problem = str(problem)
        self.player.pause(self.player.now_ns)
        self.player.seek(self._position_ns, self.player.now_ns)
        self.due_ns = None
        self._show(self.number, self.now)

    def _plan(self) -> None:
        """Find out when the next record is due."""
        player, playable, number = self.player, self.playable, self.number
        if not player.is_playing:
            self.due_ns = None
            return
        if player.speed < 0.0:
            target = min(self._position_ns, player.position_ns) - 1
        else:
            target = playable.position_ns(number + 1) if number + 1 < len(playable) else playable.end_ns
        wait = player.until(target)
        self.due_ns = None if wait is None else max(player.now_ns + wait, self._publisher.shown_at + INTERVAL_NS)
