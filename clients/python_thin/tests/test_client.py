"""Tests of the client that need no simulation: a server that this file plays answers. `python -m unittest`."""

import asyncio
import socket
import struct
import threading
import unittest
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
from coopsim_client import Client, ErrorCode, Lost, Malformed, Message, Refused, Silent, decode, events_of, state_of
from coopsim_client.aio import connect
from coopsim_client.modules import Clock, DifferentialDrive, Joints, Sonars, Stepper
from coopsim_client.stepping import RawReadings, Rows

RUN = 77
Answer = Callable[[list[Any]], list[bytes]]


def reply(request: list[Any], params: Sequence[Any] = (), data: Sequence[float] = (), error: int = 0) -> bytes:
    """Return the bytes of a reply."""
    words = [1, request[1], request[2], 5, error, "no" * bool(error), request[6], list(params), list(data)]
    return bytes(msgpack.packb(words))


class Server:
    """Answers PING with a run, and everything else as a test says; a context manager."""

    def __init__(self, answer: Answer, run: int = RUN) -> None:
        self._answer, self.run = answer, run
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[list[Any]] = []
        self._ends: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            while True:
                end, _ = self._listener.accept()
                self._ends.append(end)
                threading.Thread(target=self._converse, args=[end], daemon=True).start()
        except OSError:
            return

    def _converse(self, end: socket.socket) -> None:
        stream = end.makefile("rb")
        with end, stream:
            while len(head := stream.read(4)) == 4:
                request = msgpack.unpackb(stream.read(struct.unpack(">I", head)[0]))
                self.requests.append(request)
                ping = request[6] == 0
                for raw in [reply(request, ["clock", self.run], [1.0, 0.0])] if ping else self._answer(request):
                    end.sendall(struct.pack(">I", len(raw)) + raw)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener.fileno() >= 0:
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in self._ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._thread.join(5.0)


class TypedModules(unittest.TestCase):
    def test_a_command_sends_its_number_and_data_in_order(self) -> None:
        with Server(lambda request: [reply(request)]) as server, Client(server.address) as sim:
            DifferentialDrive(sim, "/robot1/motors").set_velocity(w=0.1)
        self.assertEqual(server.requests[-1][2:], ["/robot1/motors", 0, 0, "", 10, [], [0.0, 0.1], RUN])

    def test_readings_have_names(self) -> None:
        with Server(lambda request: [reply(request, data=[1.0, 2.0])]) as server, Client(server.address) as sim:
            seen = Sonars(sim, "/robot1/sonars").ranges()
        self.assertEqual((seen.tick, seen.ranges), (5, (1.0, 2.0)))

    def test_runs_of_one_length_share_what_came(self) -> None:
        data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        with Server(lambda request: [reply(request, data=data)]) as server, Client(server.address) as sim:
            seen = Joints(sim, "/arm/arm").state()
        self.assertEqual((seen.positions, seen.efforts), ((1.0, 2.0), (5.0, 6.0)))

    def test_too_few_values_and_wrong_types_are_no_readings(self) -> None:
        with Server(lambda request: [reply(request, ["lockstep"])]) as server, Client(server.address) as sim:
            with self.assertRaises(Malformed):
                Clock(sim).status()
            with self.assertRaises(Malformed):
                Sonars(sim, "/robot1/sonars").get_reach()

    def test_parameters_are_typed(self) -> None:
        with Server(lambda request: [reply(request, [2])]) as server, Client(server.address) as sim:
            self.assertEqual(Sonars(sim, "/robot1/sonars").set_reach(2.0), 2.0)
        self.assertEqual(server.requests[-1][6:8], [3, ["reach", 2.0]])


class Connections(unittest.TestCase):
    def test_a_time_out_is_of_one_request(self) -> None:
        with Server(lambda _: []) as server, Client(server.address) as sim, self.assertRaises(Silent):
            sim.ask("/robot1/sonars", 10, timeout=0.01)

    def test_no_address_and_no_server_are_lost(self) -> None:
        for address in ("no-port", "127.0.0.1:1"):
            with self.assertRaises(Lost):
                Client(address)

    def test_reconnecting_to_another_run_is_refused(self) -> None:
        with Server(lambda request: [reply(request)]) as server, Client(server.address) as sim:
            sim.reconnect()
            server.run += 1
            with self.assertRaises(Refused) as refusal:
                sim.reconnect()
            self.assertEqual((refusal.exception.number, sim.run), (ErrorCode.WRONG_RUN, RUN))

    def test_a_module_that_moved_is_looked_up_again(self) -> None:
        with (
            Server(lambda request: [reply(request, data=[1.0])]) as first,
            Server(lambda r: [reply(r, data=[2.0])]) as second,
        ):
            places = iter((first.address, second.address))

            def refer(request: list[Any]) -> list[bytes]:
                return [reply(request, ["", f"tcp://{next(places)}"], error=207)]

            with Server(refer) as server, Client(server.address) as sim:
                self.assertEqual(sim.ask("/arm/gripper", 10).data, [1.0])
                first.__exit__()
                with self.assertRaises(Lost):
                    sim.ask("/arm/gripper", 10)
                self.assertEqual(sim.ask("/arm/gripper", 10).data, [2.0])

    def test_fields_of_the_wrong_type_are_no_message(self) -> None:
        good: list[Any] = [1, 1, "/a", 1, 0, "", 10, [], []]
        for place, bad in (
            (0, 2),
            (1, "1"),
            (3, 1.5),
            (4, None),
            (5, 1),
            (7, {}),
            (7, [None]),
            (8, ["1"]),
            (8, "12345678"),
        ):
            fields = [*good]
            fields[place] = bad
            with self.assertRaises(Malformed):
                decode(msgpack.packb(fields))


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def test_requests_overlap_and_may_be_cancelled(self) -> None:
        held: list[list[Any]] = []

        def answer(request: list[Any]) -> list[bytes]:
            held.append(request)
            return (
                [reply(request, data=[float(request[1])]) for request in (held[1], held[0])] if len(held) == 2 else []
            )

        with Server(answer) as server:
            async with await connect(server.address) as sim:
                both = await asyncio.gather(sim.ask("/a", 10), sim.ask("/a", 10))
                self.assertEqual(*([message.id for message in both], [message.data[0] for message in both]))
                task = asyncio.create_task(sim.ask("/a", 10))
                await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                with self.assertRaises(Silent):
                    await sim.ask("/a", 10, timeout=0.01)


class Streams(unittest.TestCase):
    def test_events_and_states_have_names(self) -> None:
        message = Message(
            1, 0, "/sim/events", 9, 0, "", 12, [4, "/a", "x", "hi", 8, 2, "/b", "y", "", 9, 0], [1.0, 2.0]
        )
        first, second = events_of(message)
        self.assertEqual(
            (first.number, first.text, first.data, second.topic, second.data), (4, "hi", (1.0, 2.0), "/b", ())
        )
        params: list[int | float | str] = [7, 1, 2, "free", 0, 1, 1, 1, "box", "robot1", 2]
        state = state_of(Message(1, 0, "/sim/state", 9, 0, "", 11, params, [0.5, *range(7), 3.0, 4.0]))
        self.assertEqual((state.names, state.readings, state.has_ended), (("box",), {"robot1": (3.0, 4.0)}, True))

    def test_readings_of_a_step_are_found_by_name(self) -> None:
        rows = Rows()
        rows.add("robot1", 1, {("sonars", "ranges"): (0, 1)})
        rows.add("robot2", 2, {("sonars", "ranges"): (0, 2)})
        seen = RawReadings(Message(1, 1, "/sim/step", 3, 0, "", 11, [1], [1.0, 2.0, 3.0]), rows)
        self.assertEqual(seen.numbers("robot2", "sonars", "ranges"), (2.0, 3.0))
        with self.assertRaises(Malformed):
            seen.number("robot2", "gps", "x")


class Steps(unittest.TestCase):
    def test_a_stale_layout_is_asked_for_again(self) -> None:
        layouts = iter((1, 2))

        def answer(request: list[Any]) -> list[bytes]:
            if request[6] == 10:
                types = (
                    '{"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]], "takes_length": 2,'
                    ' "gives": [["sonars", "ranges", "m", 0, 2]], "gives_length": 2}}'
                )
                layout = f'{{"generation": {next(layouts)}, "types": {types}, "robots": [["robot1", "t"]]}}'
                return [reply(request, [layout], [2.0, 2.0])]
            if request[6] == 11 and request[7][0] == 1:
                return [reply(request, [2], error=ErrorCode.STALE_LAYOUT)]
            return [reply(request, [2], [1.0, 2.0])]

        with Server(answer) as server, Client(server.address) as sim, Stepper(sim, "robot1") as stepper:
            with self.assertRaises(ValueError):
                stepper.put("robot1", "motors", "v", 1.0, 2.0)
            stepper.set_differential_drive("robot1", 0.3, 0.1)
            self.assertEqual(stepper.step().sonars("robot1").ranges, (1.0, 2.0))


if __name__ == "__main__":
    unittest.main()
