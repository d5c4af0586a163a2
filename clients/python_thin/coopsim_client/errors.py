"""What goes wrong between a program and the simulation."""

from __future__ import annotations

Value = int | float | str


class CoopsimError(Exception):
    """Something went wrong between this program and the simulation."""


class Refused(CoopsimError):
    """The server refused a request; `number` says why (protocol, section 11), `params` what a program needs."""

    def __init__(self, number: int, text: str, params: list[Value]) -> None:
        super().__init__(f"error {number}: {text}")
        self.number, self.params = number, params


class Silent(CoopsimError):
    """No reply came in time."""


class Lost(CoopsimError):
    """There is no connection; `reconnect` makes another one to the same run."""


class Malformed(CoopsimError):
    """The server sent something that is no message."""
