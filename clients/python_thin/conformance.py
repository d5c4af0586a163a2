"""Answers the lines of docs/conformance.md, for `coopsim conformance client`."""

import struct
import sys
from time import perf_counter

from coopsim_client import (
    Client,
    CoopsimError,
    Lost,
    Malformed,
    Message,
    Refused,
    Silent,
    Stepper,
    Value,
    decode,
    encode,
    keys,
)


def read(text: str) -> list[Value]:
    """Return the values of a list."""
    return [_value(*word.split(":", 1)) for word in text.split()]


def _value(kind: str, text: str) -> Value:
    if kind == "i":
        return int(text)
    raw = bytes.fromhex(text)
    return raw.decode() if kind == "s" else float(struct.unpack(">d", raw)[0])


def written(*values: Value) -> str:
    """Return a list as text."""
    return " ".join(map(_text, values))


def _text(value: Value) -> str:
    if isinstance(value, str):
        return f"s:{value.encode().hex()}"
    return f"i:{value}" if isinstance(value, int) else f"f:{struct.pack('>d', value).hex()}"


class Conformance:
    """What each line asks for."""

    client: Client | None = None

    def __init__(self) -> None:
        self._name, self._clients = "main", dict[str, Client | None]()

    def decode(self, raw: str) -> list[str]:
        """Bytes in, fields out."""
        message = decode(bytes.fromhex(raw))
        return ["message", *map(written, message[1:7]), written(*message.params), written(*message.data)]

    def encode(self, number: str, target: str, tick: str, command: str, params: str, data: str, run: str) -> list[str]:
        """Fields in, bytes out."""
        (number_,), (target_,), (tick_,), (command_,), (run_,) = map(read, (number, target, tick, command, run))
        raw = encode(int(number_), str(target_), int(command_), read(params), _floats(data), int(tick_), int(run_))
        return ["bytes", raw.hex()]

    def connect(self, address: str, seconds: str) -> list[str]:
        """Connect, with this time-out."""
        self.close()
        self.client = Client(address, float(seconds))
        return ["connected", written(self.client.run)]

    def tls(self, address: str, seconds: str, own: str, server: str) -> list[str]:
        """Connect with the keys of these files."""
        self.close()
        self.client = Client(address, float(seconds), keys(own, server))
        return ["connected", written(self.client.run)]

    def reconnect(self) -> list[str]:
        """Connect anew, to the same run."""
        client = self._connected()
        client.reconnect()
        return ["connected", written(client.run)]

    def use(self, name: str) -> list[str]:
        """Go on with another client."""
        self._clients[self._name] = self.client
        self._name, self.client = name, self._clients.get(name)
        return ["using", name]

    def ask(self, target: str, command: str, params: str, data: str) -> list[str]:
        """Ask, and tell the reply."""
        return self._asked(None, target, command, params, data)

    def within(self, seconds: str, target: str, command: str, params: str, data: str) -> list[str]:
        """Ask with a time-out for this request alone."""
        return self._asked(float(seconds), target, command, params, data)

    def _asked(self, seconds: float | None, target: str, command: str, params: str, data: str) -> list[str]:
        (target_,), (command_,) = read(target), read(command)
        request = str(target_), int(command_), read(params), _floats(data)
        return _line("reply", self._connected().ask(*request, timeout=seconds))

    def time(self, count: str, target: str, command: str, params: str, data: str) -> list[str]:
        """Ask so often, and tell how long that took."""
        client, (target_,), (command_,) = self._connected(), read(target), read(command)
        what, values, numbers = (str(target_), int(command_)), read(params), _floats(data)
        began = perf_counter()
        for _ in range(int(count)):
            client.ask(*what, values, numbers)
        return ["time", written(perf_counter() - began)]

    def steps(self, count: str, robots: str) -> list[str]:
        """Drive robots so often by names, read what each sees, and tell how long that took."""
        names = [str(name) for name in read(robots)]
        with Stepper(self._connected(), *names) as stepper:
            began = perf_counter()
            for _ in range(int(count)):
                for name in names:
                    stepper.set_differential_drive(name, v=0.25, w=0.125)
                seen = stepper.step()
                for name in names:
                    if not seen.sonars(name).ranges or seen.differential_drive(name).v > 1.0:
                        raise Malformed(f"{name} sees nothing, or is too fast")
            return ["time", written(perf_counter() - began)]

    def state(self) -> list[str]:
        """Wait for the next state."""
        state = self._connected().state()
        return ["state", written(state.target), *_line("", state)[1:]]

    def close(self) -> list[str]:
        """End the connection."""
        if self.client is not None:
            self.client.close()
        self.client = None
        return ["closed"]

    def _connected(self) -> Client:
        if self.client is None:
            raise Lost("there is no connection")
        return self.client


def _floats(text: str) -> list[float]:
    return [float(value) for value in read(text)]


def _line(word: str, message: Message) -> list[str]:
    return [word, written(message.tick), written(*message.params), written(*message.data)]


def answer(conformance: Conformance, line: str) -> list[str]:
    """Return the words of the answer to a line."""
    word, *rest = line.rstrip("\n").split("\t")
    try:
        return list(getattr(conformance, word)(*rest))
    except Refused as refusal:
        return ["refused", written(refusal.number), written(*refusal.params), str(refusal)]
    except (Silent, Lost, Malformed) as problem:
        return [type(problem).__name__.lower(), str(problem)]
    except CoopsimError as problem:
        return ["failed", str(problem)]


if __name__ == "__main__":
    ours = Conformance()
    for given in sys.stdin:
        print("\t".join(answer(ours, given)), flush=True)
