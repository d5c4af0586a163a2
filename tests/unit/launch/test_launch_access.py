"""Which address `--bind` means."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

from coopsim.errors import BadArgument
from coopsim.launch.access import Access, resolved


def names(*addresses: str) -> Callable[..., list[Any]]:
    """Return a resolver that knows one name, of these addresses."""

    def resolve(name: str, *_: object, **__: object) -> list[Any]:
        if name != "lab":
            raise socket.gaierror("unknown")
        return [(0, 0, 0, "", (address, 0)) for address in addresses]

    return resolve


@pytest.mark.parametrize(("given", "meant"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("[::1]", "::1")])
def test_a_number_stands_for_itself(given: str, meant: str) -> None:
    assert resolved(given) == meant


def test_a_name_stands_for_an_address_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", names("192.0.2.7", "127.0.1.1", "127.0.0.1"))
    assert resolved("lab") == "127.0.1.1"


def test_a_name_of_another_machine_and_one_that_nobody_knows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", names("192.0.2.7"))
    with pytest.raises(BadArgument, match=r"stands for 192\.0\.2\.7, which is no address of this machine"):
        resolved("lab")
    with pytest.raises(BadArgument, match="is no such host"):
        resolved("elsewhere")


def test_addresses_of_version_6_are_written_in_brackets_and_count_as_local() -> None:
    assert (Access("::1").address, Access("::1").asks_for_keys) == ("[::1]", False)
    assert (Access("::").address, Access("::").asks_for_keys) == ("[::1]", True)
    assert Access("0.0.0.0").address == "127.0.0.1"
