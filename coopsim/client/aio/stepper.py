"""Commands for many robots and their readings in one message per step; for asyncio."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from types import TracebackType
from typing import Any, Self

from coopsim.client.aio.pool import ConnectionPool
from coopsim.client.readings import Readings
from coopsim.client.stepper_base import BaseStepper
from coopsim.client.team import Commands

Law = Callable[[Readings], Commands | Awaitable[Commands | None] | None]
"""A control law, or one that is awaited: commands out of readings, None to end."""


class Stepper(BaseStepper):
    """Owns some robots and drives them step by step; `async with` claims them and gives them back.

    In lockstep each `step` is one tick, or `every` ticks. In real time and free run it is answered after the next tick,
    or as many. The same loop serves all modes, also one that changes while it runs.
    """

    _pool: ConnectionPool

    def __init__(
        self, pool: ConnectionPool, robots: Sequence[str] | None, timeout: float | None = None, every: int = 1
    ) -> None:
        super().__init__(pool, robots, timeout, every)
        self._turn = asyncio.Lock()

    @property
    def readings(self) -> Awaitable[Readings]:
        """The last readings, to be awaited: before the first step the robots' modules are asked one by one."""
        return self._pool.run(self._reading())

    async def claim(self) -> None:
        """Become the owner of the robots, also after an eviction; see `coopsim.client.Stepper.claim`."""
        await self._pool.run(self._claiming())

    async def enlist(self, robots: Sequence[str]) -> None:
        """Own and drive further robots, such as came while it steps; see `coopsim.client.Stepper.enlist`."""
        await self._pool.run(self._enlisting(robots))

    async def step(self, commands: Commands | None = None, *, timeout: float | None = None) -> Readings:
        """Send commands and return the readings after the step; arguments and errors as `coopsim.client.Stepper.step`.

        A step that is cancelled may have been done; the next one is stamped 0, so that simply stepping again goes on.
        """
        async with self._turn:
            return await self._pool.run(self._stepping(commands, timeout))

    async def run(self, law: Law, *, until: Callable[[], bool] | None = None) -> int:
        """Step with what `law` says until it returns None or the run ends; return the number of steps.

        As `coopsim.client.Stepper.run`; the law may be a coroutine function.
        """
        return await self._pool.run(self._running(law, until))

    async def release(self) -> None:
        """Give the robots back."""
        await self._pool.run(self._releasing())

    def __await__(self) -> Generator[Any, None, Self]:
        """Claim the robots."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        await self._pool.run(self._beginning())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.run(self._leaving())
