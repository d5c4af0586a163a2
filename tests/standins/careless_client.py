"""A client of the protocol that is right, but for the mistakes that its command line names.

It answers the lines of docs/conformance.md. Each call of `wrong` is a mistake that a client has made, or could.
"""

import os
import socket
import ssl
import struct
import sys
import time
from typing import Any

import msgpack

MISTAKES = {*sys.argv[1:]}
LARGEST, STATES = 1 << 20, 64
IS_TIMED = not MISTAKES or any(mistake.startswith("time-outs") for mistake in MISTAKES)
LONGEST = 30.0 if IS_TIMED else 0.6  # s; what is wrong often waits for nothing
SLOW = 4  # so that on a busy machine, too, a part comes before its time-out is over
OWN = 2.5  # s; longer than the time-out of any dialog and what an answer may take beyond it


def wrong(mistake: str) -> bool:
    """Whether it makes a mistake."""
    return mistake in MISTAKES


class Refused(Exception):
    """The reply has an error."""


class Malformed(Exception):
    """What came is no message."""


class Silent(Exception):
    """No reply in time."""


class Lost(Exception):
    """There is no connection."""


def read(text: str) -> list[Any]:
    """Return the values of a list of a line."""
    return [_value(*word.split(":", 1)) for word in text.split(" ") if word]


def _value(kind: str, text: str) -> Any:
    if kind == "i":
        return int(text)
    raw = bytes.fromhex(text)
    return raw.decode() if kind == "s" else struct.unpack(">d", raw)[0]


def written(*values: Any) -> str:
    """Return values as a list of a line."""
    return " ".join(map(_text, values))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return f"s:{value.encode('utf-8', 'surrogateescape').hex()}"
    return f"i:{value}" if isinstance(value, int) else f"f:{struct.pack('>d', value).hex()}"


def encode(number: int, target: str, tick: int, command: int, params: list[Any], data: list[Any], run: int) -> bytes:
    """Return the bytes of a request."""
    if wrong("params are texts"):
        params = [str(value) for value in params]
    if wrong("negative integers lose their sign"):
        params = [abs(value) if isinstance(value, int) else value for value in params]
    if wrong("data are 32-bit floats"):
        data = [struct.unpack(">f", struct.pack(">f", value))[0] for value in data]
    if wrong("the tick is left out"):
        tick = 0
    if wrong("texts are written as latin-1"):
        params = [
            value.encode("latin-1", "replace").decode("latin-1") if isinstance(value, str) else value
            for value in params
        ]
    text = "please" if wrong("requests have a text") else ""
    fields = [1, number, target, tick, 0, text, command, params, data] + [run] * (run > 0)
    return bytes(msgpack.packb(fields, use_single_float=wrong("params are 32-bit floats")))


def decode(raw: bytes) -> list[Any]:
    """Return the nine fields of a message."""
    try:
        fields = msgpack.unpackb(raw, unicode_errors="surrogateescape", strict_map_key=False)
        if not isinstance(fields, list) or len(fields) < 9:
            raise Malformed("fewer than nine fields")
        if len(fields) > 9 and wrong("later fields are refused"):
            raise Malformed("more than nine fields")
        fields = fields[:9]
        fields[8] = _floats(fields[8])
    except (ValueError, TypeError, struct.error) as problem:
        raise Malformed(problem) from None
    if not _fits(fields):
        raise Malformed(f"not the fields of a message: {fields}")
    if wrong("negative zero loses its sign"):
        fields[8] = [value + 0.0 for value in fields[8]]
    if wrong("integers above 2^63 are negative"):
        fields[1] = fields[1] - (1 << 64) * (fields[1] >> 63)
    if wrong("ids are 32 bits wide"):
        fields[1] &= 0xFFFFFFFF
    if wrong("whole floats become integers"):
        fields[7] = [int(value) if isinstance(value, float) and value.is_integer() else value for value in fields[7]]
    return list(fields)


def _floats(data: Any) -> list[float]:
    if isinstance(data, bytes):
        if wrong("bins are refused"):
            raise TypeError("data that are no array")
        order = ">" if wrong("bins are big-endian") else "<"
        return list(struct.unpack(f"{order}{len(data) // 8}d", data))
    if wrong("integers among data are refused") and any(isinstance(value, int) for value in data):
        raise TypeError("data that are no floats")
    if not isinstance(data, list) or any(type(value) not in {int, float} for value in data):
        if wrong("types of fields are not looked at") and isinstance(data, list | str):
            return [float(value or 0.0) for value in data if not isinstance(value, str) or value != "."]
        raise TypeError("data that are no numbers")
    return [float(value) for value in data]


def _fits(fields: list[Any]) -> bool:
    if wrong("types of fields are not looked at"):
        return bool(fields[0] == 1)
    kinds = [int, int, str, int, int, str, int, list]
    if [type(field) for field in fields[:8]] != kinds or min(fields[1], fields[3], fields[4], fields[6]) < 0:
        return False
    if any(type(value) not in {int, float, str} for value in fields[7]) and not wrong(
        "types of params are not looked at"
    ):
        return False
    return bool(fields[0] == 1) or wrong("the version is not looked at")


class Link:
    """A connection."""

    def __init__(self, address: str, limit: float, tls: ssl.SSLContext | None = None) -> None:
        self.limit = limit
        self.host, _, port = address.removeprefix("tcp://").removeprefix("tls://").rpartition(":")
        try:
            self.socket = socket.create_connection((self.host, int(port)), LONGEST)
            if tls is not None:
                self.socket = tls.wrap_socket(self.socket, server_hostname="coopsim")
        except OSError as problem:
            raise (Malformed if wrong("a refused connection is called malformed") else Lost)(problem) from None
        self.inbox = b""

    def send(self, raw: bytes) -> None:
        """Send a message behind its length."""
        order = "<" if wrong("lengths are little-endian") else ">"
        try:
            self.socket.settimeout(None if wrong("writing has no time-out") else self.limit)
            self.socket.sendall(struct.pack(f"{order}I", len(raw)) + raw)
        except OSError as problem:
            self.socket.close()
            raise Lost(problem) from None

    def receive(self, deadline: float) -> bytes:
        """Return the next message."""
        self._fill(4, deadline)
        size = int.from_bytes(self.inbox[:4], "big")
        if size > LARGEST and not wrong("any length is waited for"):
            raise Malformed(f"a length of {size}")
        self._fill(4 + size, deadline)
        raw, self.inbox = self.inbox[4 : 4 + size], self.inbox[4 + size :]
        if wrong("what comes behind a message is dropped"):
            self.inbox = b""
        return raw

    def _fill(self, size: int, deadline: float) -> None:
        while len(self.inbox) < size:
            left = SLOW * self.limit if wrong("time-outs count per part") else deadline - time.monotonic()
            self.socket.settimeout(max(left, 1e-3))
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                if wrong("half a message is forgotten"):
                    self.inbox = b""
                raise Silent("no reply") from None
            except OSError as problem:
                raise Lost(problem) from None
            if not part and wrong("a cut is taken for silence"):
                raise Silent("no reply")
            if not part:
                raise Lost("the connection was closed")
            if wrong("a message is one segment"):
                part = part[:size] if len(self.inbox) + len(part) >= size else part + bytes(size - len(part))
            self.inbox += part


class Client:
    """A client of one run."""

    def __init__(self, address: str, timeout: float, number: int, tls: ssl.SSLContext | None = None) -> None:
        self.limit = OWN if wrong("its time-out is its own") else min(timeout, LONGEST)
        self.address, self.number, self.run = address, number, 0
        self.tls = tls
        self.link = Link(address, self.limit, tls)
        self.elsewhere: dict[str, Link] = {}
        self.states: list[list[Any]] = []
        self.run = int(self.ask("/sim/clock", 0, [], [])[7][1])

    def reconnect(self) -> None:
        """Connect anew, to the same run."""
        self.close()
        self.link, run = Link(self.address, self.limit), self.run
        if not wrong("reconnecting forgets the run"):
            self.run = 0
        reply = self._exchange(self.link, ("/sim/clock", 0, 0, [], [], 0))
        self.run = run
        if reply[7][1] != run and not wrong("reconnecting takes any run"):
            self.close()
            raise Refused([1, 0, "", 0, 208, "another run", 0, [reply[7][1]], []])
        if wrong("reconnecting forgets the run"):
            self.run = 0

    def ask(self, target: str, command: int, params: list[Any], data: list[Any]) -> list[Any]:
        """Return the fields of a reply."""
        if target in self.elsewhere:
            return self._checked(self._asked_elsewhere(target, (target, 0, command, params, data, 0)))
        run = 0 if wrong("the run is not named") else self.run
        reply = self._exchange(self.link, (target, 0, command, params, data, run))
        if reply[4] == 208 and wrong("it goes on with another run"):
            self.run = reply[7][0]
            return self.ask(target, command, params, data)
        if reply[4] == 207 and not wrong("207 is a refusal"):
            reply = self._follow(str(reply[7][1]), (target, 0, command, params, data, 0))
        return self._checked(reply)

    def _asked_elsewhere(self, target: str, asked: Any) -> list[Any]:
        try:
            return self._exchange(self.elsewhere[target], asked)
        except Lost:
            if not wrong("a module elsewhere is kept for ever"):
                self.elsewhere.pop(target).socket.close()
            raise

    def _follow(self, address: str, asked: Any) -> list[Any]:
        if not wrong("0.0.0.0 is taken as it is"):
            address = address.replace("0.0.0.0", self.link.host)
        asked = (*asked[:5], self.run) if wrong("the run is named elsewhere, too") else asked
        link = self.elsewhere[asked[0]] = Link(address, self.limit, self._keys_of(address))
        reply = self._exchange(link, asked)
        if reply[4] == 207 and wrong("207 is followed for ever"):
            return self._follow(str(reply[7][1]), asked)
        return reply

    def _keys_of(self, address: str) -> ssl.SSLContext | None:
        if self.tls is None or not address.startswith("tls://") or wrong("a module at a tls:// is asked in the clear"):
            return None
        if wrong("it trusts every server elsewhere"):
            self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE
        return self.tls

    def _checked(self, reply: list[Any]) -> list[Any]:
        if reply[4]:
            if reply[4] == 205 and wrong("an eviction ends the connection"):
                self.link.socket.close()
            raise Refused(reply)
        return reply

    def _exchange(self, link: Link, asked: Any) -> list[Any]:
        if not wrong("ids are always the same"):
            self.number += 1
        link.send(encode(self.number, *asked))
        deadline = time.monotonic() + self.limit
        try:
            return self._reply(link, deadline)
        except Silent:
            if wrong("a time-out ends the connection"):
                link.socket.close()
            raise

    def _reply(self, link: Link, deadline: float) -> list[Any]:
        while True:
            until = time.monotonic() + SLOW * self.limit if wrong("time-outs count per message") else deadline
            message = self._sorted(link.receive(until))
            if message is None:
                continue
            if message[1] == self.number or wrong("any reply is the next one") or self._is_late(message):
                return message

    def _is_late(self, message: list[Any]) -> bool:
        return 0 < message[1] < self.number and wrong("late replies are taken")

    def _sorted(self, raw: bytes) -> list[Any] | None:
        if not raw and wrong("an empty message is the end"):
            raise Lost("an empty message")
        if not raw:
            return None
        message = decode(raw)
        if message[1] == 0 and not wrong("states are taken for replies"):
            self.states = [*([] if wrong("one state is kept") else self.states[-STATES:]), message]
            return None
        return message

    def state(self) -> list[Any]:
        """Return the next state."""
        deadline = time.monotonic() + self.limit
        while not self.states:
            self._sorted(self.link.receive(deadline))
        return self.states.pop(-1 if wrong("the newest state comes first") else 0)

    def close(self) -> None:
        """End all connections."""
        for link in (self.link, *self.elsewhere.values()):
            link.socket.close()


class Program:
    """What each line asks for."""

    def __init__(self) -> None:
        self.client: Client | None = None
        self.clients: dict[str, Client | None] = {}
        self.name, self.run = "main", 0

    def decode(self, raw: str) -> list[str]:
        """Bytes in, fields out."""
        fields = decode(bytes.fromhex(raw))
        return ["message", *map(written, fields[1:7]), written(*fields[7]), written(*fields[8])]

    def encode(self, *words: str) -> list[str]:
        """Fields in, bytes out."""
        number, target, tick, command, params, data, run = map(read, words)
        return ["bytes", encode(number[0], target[0], tick[0], command[0], params, data, run[0]).hex()]

    def connect(self, address: str, seconds: str) -> list[str]:
        """Connect."""
        if self.client is not None and not wrong("it never connects anew"):
            self.client.close()
            self.client = None
        if self.client is None:
            self.client = Client(address, float(seconds), -1 if wrong("ids begin with 0") else 0)
        self.run = self.run or self.client.run
        if wrong("the first run is kept for ever"):
            self.client.run = self.run
        return ["connected", written(self.client.run)]

    def tls(self, address: str, seconds: str, own: str, server: str) -> list[str]:
        """Connect with keys."""
        self.close()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if not wrong("it shows no certificate"):
            context.load_cert_chain(own)
        context.load_verify_locations(server)
        if wrong("it trusts every server"):
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.client = Client(address, float(seconds), 0, context)
        return ["connected", written(self.client.run)]

    def reconnect(self) -> list[str]:
        """Connect anew, to the same run."""
        self._connected().reconnect()
        return ["connected", written(self._connected().run)]

    def use(self, name: str) -> list[str]:
        """Go on with another client."""
        if not wrong("there is one client for all"):
            self.clients[self.name] = self.client
            self.name, self.client = name, self.clients.get(name)
        return ["using", name]

    def within(self, seconds: str, *words: str) -> list[str]:
        """Ask with a time-out for this request alone."""
        client = self._connected()
        limit = client.limit
        client.limit = OWN if wrong("one request has no time-out of its own") else float(seconds)
        try:
            return self.ask(*words)
        finally:
            if not wrong("the time-out of one request stays"):
                client.limit = limit

    def ask(self, target: str, command: str, params: str, data: str) -> list[str]:
        """Ask."""
        reply = self._connected().ask(read(target)[0], read(command)[0], read(params), read(data))
        return ["reply", written(reply[3]), written(*reply[7]), written(*reply[8])]

    def state(self) -> list[str]:
        """Wait for a state."""
        state = self._connected().state()
        return ["state", written(state[2]), written(state[3]), written(*state[7]), written(*state[8])]

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


def refusal(reply: list[Any]) -> list[str]:
    """Return the answer to a refusal."""
    number = 500 if wrong("any refusal is 500") else reply[4]
    params = [] if wrong("params of refusals are dropped") else reply[7]
    return ["refused", written(number), written(*params)]


def answer(program: Program, line: str) -> list[str]:
    """Return the words of the answer to a line."""
    word, *rest = line.rstrip("\n").split("\t")
    try:
        return list(getattr(program, word)(*rest))
    except Refused as problem:
        return refusal(problem.args[0])
    except Malformed as problem:
        if wrong("a malformed reply ends the program"):
            os._exit(1)
        return ["malformed", str(problem).replace("\n", " ").replace("\t", " ")]
    except (Silent, Lost) as problem:
        return [type(problem).__name__.lower(), str(problem)]
    except (TypeError, ValueError, struct.error) as problem:  # of what it did not look at
        return ["failed", str(problem).replace("\n", " ").replace("\t", " ")]


if __name__ == "__main__":
    ours = Program()
    for given in sys.stdin:
        print("\t".join(answer(ours, given)), flush=True)
