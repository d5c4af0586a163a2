"""Queue from threads of a middleware into the loop of a gateway: in order, bounded for each key, and counted."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.gateways.codec import GatewayCounts
from coopsim.features.gateways.inbox import LoopInbox


class Diary:
    """Notes what was done, and lets a test wait for it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.gate = asyncio.Event()

    def work(self, line: str) -> Callable[[], Awaitable[None]]:
        async def note() -> None:
            self.lines.append(line)

        return note

    def wait(self, line: str) -> Callable[[], Awaitable[None]]:
        async def note() -> None:
            self.lines.append(line)
            await self.gate.wait()

        return note


async def _settled() -> None:
    """Let everything that the loop can do now be done."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_work_is_done_one_after_the_other_in_the_order_it_came() -> None:
    async def serve() -> list[str]:
        diary, inbox = Diary(), LoopInbox(asyncio.get_running_loop(), GatewayCounts())
        inbox.put("a", diary.wait("first"), 9)
        inbox.put("b", diary.work("second"), 9)
        await _settled()
        assert diary.lines == ["first"]
        inbox.put("a", diary.work("third"), 9)
        diary.gate.set()
        await _settled()
        await inbox.close()
        return diary.lines

    assert asyncio.run(serve()) == ["first", "second", "third"]


def test_work_that_comes_after_a_rest_is_done_too() -> None:
    async def serve() -> list[str]:
        diary, inbox = Diary(), LoopInbox(asyncio.get_running_loop(), GatewayCounts())
        for line in ("first", "second"):
            inbox.put("a", diary.work(line), 1)
            await _settled()
        await inbox.close()
        return diary.lines

    assert asyncio.run(serve()) == ["first", "second"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=40))
def test_the_oldest_of_a_key_goes_first_and_nothing_is_lost_uncounted(puts: list[tuple[str, int]]) -> None:
    counts = GatewayCounts()

    async def serve() -> list[str]:
        diary, inbox = Diary(), LoopInbox(asyncio.get_running_loop(), counts)
        for number, (key, most) in enumerate(puts):
            inbox.put(key, diary.work(f"{key}{number}"), most)
        await _settled()
        while len(diary.lines) + counts.dropped < len(puts):
            await asyncio.sleep(0)
        await inbox.close()
        return diary.lines

    lines = asyncio.run(serve())
    assert [int(line[1:]) for line in lines] == sorted(int(line[1:]) for line in lines)
    waiting: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    for number, (key, most) in enumerate(puts):
        waiting[key] = [*(waiting[key][1:] if len(waiting[key]) >= most else waiting[key]), number]
    assert lines == [f"{key}{number}" for number, (key, _) in enumerate(puts) if number in waiting[key]]


def test_what_is_put_by_threads_arrives() -> None:
    async def serve() -> list[str]:
        diary, inbox = Diary(), LoopInbox(asyncio.get_running_loop(), GatewayCounts())
        is_done = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def finish() -> None:
            is_done.set()

        def put() -> None:
            for number in range(100):
                inbox.put("a", diary.work(str(number)), 1000)
            inbox.put("end", finish, 1)

        thread = threading.Thread(target=put)
        thread.start()
        await asyncio.wait_for(is_done.wait(), 30.0)
        await loop.run_in_executor(None, thread.join)
        await inbox.close()
        return diary.lines

    assert asyncio.run(serve()) == [str(number) for number in range(100)]


def test_after_its_end_nothing_is_done_and_nothing_counted() -> None:
    counts = GatewayCounts()

    async def serve() -> list[str]:
        diary, inbox = Diary(), LoopInbox(asyncio.get_running_loop(), counts)
        inbox.put("a", diary.work("never"), 1)
        await inbox.close()
        inbox.put("a", diary.work("later"), 1)
        inbox.put("a", diary.work("later"), 1)
        await _settled()
        return diary.lines

    assert asyncio.run(serve()) == []
    assert counts.dropped == 0


def test_a_loop_that_has_ended_is_no_fault_of_a_thread_that_still_puts() -> None:
    kept: list[LoopInbox] = []

    async def begin() -> None:
        kept.append(LoopInbox(asyncio.get_running_loop(), GatewayCounts()))

    asyncio.run(begin())
    kept[0].put("a", Diary.__new__(Diary).work, 1)  # type: ignore[arg-type]  # is never done
