"""Using the asyncio client in a test."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from client_fakes import FakeServer, serving, serving_plainly

from coopsim.client import aio

Use = Callable[[aio.Client], Awaitable[Any]]


def using(server: FakeServer, use: Use, *, plainly: bool = False, timeout: float = 5.0) -> Any:
    """Run `use` with a client of the server."""

    async def main(endpoint: str) -> Any:
        async with aio.connect(endpoint, timeout=timeout) as sim:
            return await use(sim)

    with serving_plainly(server) if plainly else serving(server) as endpoint:
        return asyncio.run(main(endpoint), debug=True)
