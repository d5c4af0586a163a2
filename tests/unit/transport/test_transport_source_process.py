"""The loop around a source of records, with a source of one robot that counts."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest

from coopsim.errors import BadArgument, EngineCannot
from coopsim.state import Layout, Record, RecordHeader, RobotPlace, TypeLayout
from coopsim.state.edits import AnyEdit, EditResult, Note, Pause
from coopsim.transport import Channel
from coopsim.transport.control import Answer, EditRequest, Halt, ProcessFailed, Ready, SourceSummary, Start, Stop
from coopsim.transport.source_process import SourceProcess, run_source
from coopsim.transport.waiter import ChannelWaiter

_KIND = TypeLayout("bench", (), 0, 0)
_LAYOUT = Layout(1, (_KIND,), (RobotPlace("robot1", _KIND, 0, 0, 0),), (), ("robot1",))


class Counter(SourceProcess):
    """A whole source of records: its ticks are the turns of its loop."""

    def __init__(self, host: Channel[Any, Any], launcher: Channel[Any, Any]) -> None:
        super().__init__(host, launcher, clock=lambda: 3_000_000_000)
        self._waiter, self._ticks = ChannelWaiter(host, launcher), 0
        self.done: list[str] = []

    @property
    def now(self) -> tuple[Layout, Record]:
        header = RecordHeader(tick=self._ticks, time_ns=10_000_000 * self._ticks, generation=1, bodies=1)
        poses = np.array([0.5 * self._ticks, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, *[0.0] * 6])
        return _LAYOUT, Record(header.pack() + poses.tobytes())

    def _wait(self) -> None:
        self._waiter.wait(None)

    def _work(self) -> None:
        while not self._stopped:
            self._ticks += 1
            self._wait()
            self.serve()

    def _halt(self) -> None:
        self.done.append("halt")

    def _record(self, *, is_wanted: bool) -> None:
        raise AssertionError(f"nobody asked for that: {is_wanted}")

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        self.done.append(edit.kind)
        if isinstance(edit, Pause):
            raise BadArgument("it cannot stand still").bring("counter")
        return EditResult((self._ticks,))


class Ends:
    """The ends of the launcher and the host, and those of the source."""

    def __init__(self) -> None:
        self.launcher, self.to_launcher = cast("tuple[Channel[Any, Any], Channel[Any, Any]]", Channel.pair())
        self.host, self.to_host = cast("tuple[Channel[Any, Any], Channel[Any, Any]]", Channel.pair())

    def run(self) -> int:
        return run_source(lambda: Counter(self.to_host, self.to_launcher), self.to_launcher)

    def close(self) -> None:
        for end in (self.launcher, self.to_launcher, self.host, self.to_host):
            end.close()


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.close()


def test_it_is_ready_works_from_start_to_stop_and_sums_up_its_last_record(ends: Ends) -> None:
    ends.launcher.send(Start())
    ends.launcher.send(Stop("enough"))
    assert ends.run() == 0
    ready, summary = ends.launcher.wait(1.0)
    assert ready == Ready()
    assert isinstance(summary, SourceSummary)
    assert (summary.ticks, summary.wall_time, list(summary.robots)) == (0, 0.0, ["robot1"])


def test_edits_are_answered_with_the_tick_or_refused_in_words(ends: Ends) -> None:
    ends.launcher.send(Start())
    ends.host.send(EditRequest(7, Note("hello")))
    ends.host.send(EditRequest(8, Pause()))
    ends.launcher.send(Stop())
    assert ends.run() == 0
    granted, refused = ends.host.wait(1.0)
    assert granted == Answer(params=(0,), id=7)
    assert (refused.id, refused.error, refused.params) == (8, BadArgument.code, ("counter",))
    assert "cannot stand still" in refused.text


def test_what_the_launcher_said_before_the_host_asked_comes_first(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who hears a request has heard what its sender knew: an end is that of the scene before the one that is loaded."""
    source = Counter(ends.to_host, ends.to_launcher)
    receive = ends.to_host.receive

    def late() -> list[Any]:
        # both arrive after the source began to read
        ends.launcher.send(Halt())
        ends.host.send(EditRequest(7, Note("hello")))
        return receive()

    monkeypatch.setattr(ends.to_host, "receive", late)
    source.serve()
    assert source.done == ["halt", "note"]


@pytest.mark.parametrize("gone", ["launcher", "host"])
def test_it_ends_when_the_launcher_or_the_host_is_gone(ends: Ends, gone: str) -> None:
    ends.launcher.send(Start())
    getattr(ends, gone).close()
    assert ends.run() == 0


def test_a_source_that_cannot_be_made_says_why(ends: Ends) -> None:
    def make() -> SourceProcess:
        raise EngineCannot("the world is too small")

    assert run_source(make, ends.to_launcher) == 1
    (failed,) = ends.launcher.wait(1.0)
    assert isinstance(failed, ProcessFailed)
    assert (failed.error, failed.text) == (EngineCannot.code, "the world is too small")
