"""A stepper that waits for each step."""

from __future__ import annotations

from typing import Self

from coopsim_client.client import Client
from coopsim_client.errors import CoopsimError, Refused
from coopsim_client.message import Message
from coopsim_client.stepping import (
    CLAIM,
    LAYOUT_COMMAND,
    PAGE,
    RELEASE,
    STALE,
    STEP,
    RawReadings,
    StepperState,
    joined,
)


class RawStepper(StepperState):
    """Steps robots of a client, or all; a context manager that gives them back."""

    def __init__(self, client: Client, *robots: str) -> None:
        super().__init__(robots)
        self._client = client
        self._renew()
        for names in self.claimed:
            client.ask(STEP, CLAIM, names)

    def _renew(self) -> None:
        pages = [self._client.ask(STEP, LAYOUT_COMMAND, [0, PAGE])]
        while len(pages[-1].data) == 2 * PAGE:
            pages.append(self._client.ask(STEP, LAYOUT_COMMAND, [PAGE * len(pages), PAGE]))
        self.learn(pages)

    def raw_step(self, timeout: float | None = None) -> Message:
        """Do a step and return the reply; when the scene has changed, robots begin anew with commands of 0."""
        try:
            return joined(self._client.ask_all(self.messages(), timeout))
        except Refused as refusal:
            if refusal.number != STALE:
                raise
            self._renew()
            return joined(self._client.ask_all(self.messages(), timeout))

    def raw_readings(self, timeout: float | None = None) -> RawReadings:
        """Do a step and return what the robots read."""
        return RawReadings(self.raw_step(timeout), self.layout.gives)

    def close(self) -> None:
        """Give the robots back."""
        for names in self.claimed:
            self._client.ask(STEP, RELEASE, names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.close()
        except CoopsimError:
            if kind is None:
                raise
