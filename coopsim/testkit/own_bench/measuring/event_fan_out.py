"""Events a second that reach all who listen."""

import multiprocessing
import time
from multiprocessing.connection import Connection

from coopsim.client import Client, EventStream, connect

_SPAWN = multiprocessing.get_context("spawn")
_PROCESSES, _TOGETHER, _PATIENCE = 2, 100, 60.0  # listeners in processes of their own, as clients are
_TOPIC = "/bench/event"


def fan_out(endpoint: str, listeners: int, events: int) -> tuple[float, int]:
    """Publish events; return how many a second have reached all listeners, and how many were lost.

    Args:
        endpoint: Of the simulation.
        listeners: How many connections listen, in two processes.
        events: How many are published, a hundred in a message.
    """
    pipes, processes = [], []
    for _ in range(_PROCESSES):
        own_end, far_end = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_listen, args=(endpoint, listeners // _PROCESSES, events, far_end), daemon=True)
        process.start()
        pipes.append(own_end)
        processes.append(process)
    for each in pipes:
        each.recv()
    with connect(endpoint) as client:
        began = time.perf_counter()
        _publish(client, events)
        lost = sum(pipe.recv() for pipe in pipes if pipe.poll(_PATIENCE))
        rate = events / (time.perf_counter() - began)
    for process in processes:
        process.join(_PATIENCE)
    return rate, lost


def _publish(client: Client, events: int) -> None:
    for first in range(0, events, _TOGETHER):
        client.publish_all((_TOPIC, "", (number,)) for number in range(first, first + _TOGETHER))


def _listen(endpoint: str, listeners: int, events: int, pipe: Connection) -> None:
    """Listen on several connections by turns until the last event has come to each."""
    with connect(endpoint) as client:
        streams = [client.listen("/bench/**") for _ in range(listeners)]
        pipe.send("listening")
        waiting = list(streams)
        while waiting:
            waiting = [pipe for pipe in waiting if not _has_last(pipe, events)]
        pipe.send(sum(stream.lost for stream in streams))


def _has_last(stream: EventStream, events: int) -> bool:
    """Take what has come; return whether the last one was there."""
    event = stream.hear(0.001)
    for _ in range(_TOGETHER):
        if event is None or event.data[0] == events - 1:
            break
        event = stream.hear(0.0)
    return event is not None and event.data[0] == events - 1
