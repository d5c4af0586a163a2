"""Messages that wait for a slow reader: few of each topic, the oldest given up first, and counted."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.gateways.codec import GatewayCounts, MessageOutbox


def test_the_oldest_of_a_topic_is_given_up_and_others_stay() -> None:
    async def serve() -> list[str | bytes]:
        outbox = MessageOutbox(counts)
        for number in range(5):
            outbox.put("scan", f"scan{number}", 2)
            outbox.put("reply", f"reply{number}", 9)
        return [await outbox.get() for _ in range(7)]

    counts = GatewayCounts()
    assert asyncio.run(serve()) == ["reply0", "reply1", "reply2", "scan3", "reply3", "scan4", "reply4"]
    assert counts.dropped == 3


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=40))
def test_what_waits_is_bounded_for_each_topic_and_nothing_is_lost_uncounted(puts: list[tuple[str, int]]) -> None:
    async def serve() -> None:
        outbox = MessageOutbox(counts)
        for number, (key, most) in enumerate(puts):
            outbox.put(key, f"{key}{number}", most)
        left = [await outbox.get() for _ in range(len(puts) - counts.dropped)]
        numbers = [int(str(raw)[1:]) for raw in left]
        assert numbers == sorted(numbers)
        for key in "abc":
            allowed = max([most for name, most in puts if name == key], default=0)
            assert sum(str(raw).startswith(key) for raw in left) <= allowed

    counts = GatewayCounts()
    asyncio.run(serve())


def test_a_reader_waits_for_the_first_message() -> None:
    async def serve() -> str | bytes:
        outbox = MessageOutbox(GatewayCounts())
        reading = asyncio.create_task(outbox.get())
        await asyncio.sleep(0)
        outbox.put("a", "b", 1)
        return await reading

    assert asyncio.run(serve()) == "b"
