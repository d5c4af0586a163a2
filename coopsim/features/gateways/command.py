"""`coopsim gateway`."""

import asyncio
import contextlib
import signal
from typing import Any

import click

from coopsim.app import talk
from coopsim.app.options import FiniteRange, endpoint_option
from coopsim.features.gateways.gateway import MiddlewareGateway
from coopsim.features.gateways.georeference import Georeference
from coopsim.features.gateways.kinds import KINDS, codec_of
from coopsim.features.gateways.options import GatewayOptions

_PORTS = ", ".join(f"{kind.port} for {name}" for name, kind in KINDS.items())


@click.command(short_help="Let programs of another middleware drive the robots of a run.")
@click.argument("kind", type=click.Choice(list(KINDS)))
@endpoint_option
@click.option("--robots", multiple=True, metavar="ROBOT", help="Offer this robot alone; may be given again. [all]")
@click.option(
    "--rate",
    type=FiniteRange(0.0, 1e4),
    default=50.0,
    show_default=True,
    help="Readings per simulated second; 0 = those of each tick, as in lockstep.",
)
@click.option("--bind", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help=f"Port to listen at, 0 = a free one. [{_PORTS}]"
)
@click.option(
    "--origin", "origins", multiple=True, metavar="URL", help="A web page that may connect. [pages of this machine]"
)
@click.option(
    "--georeference",
    type=(FiniteRange(-90.0, 90.0), FiniteRange(-180.0, 180.0), FiniteRange(-1e4, 1e5)),
    default=(0.0, 0.0, 0.0),
    metavar="LAT LON ALT",
    help="Where the origin of the world is on the Earth [deg, deg, m], for receivers of satellites. [0 0 0]",
)
@click.option("--rmw", type=click.Choice(["dds", "zenoh"]), help="Middleware of ROS 2. [as RMW_IMPLEMENTATION, or dds]")
@click.option("--domain", type=click.IntRange(0, 232), help="Domain of ROS 2. [as ROS_DOMAIN_ID, or 0]")
@click.option("--once", is_flag=True, help="End with the run instead of waiting for the next one.")
def gateway(kind: str, endpoint: str | None, bind: str, port: int | None, *, once: bool, **offer: Any) -> int:
    """Let programs of another middleware see and drive the robots of a run, a replay or a real robot.

    The KIND is that middleware. The gateway claims nothing until a program commands, and may be ended and started again
    at any time.
    """
    listen_at = KINDS[kind].port if port is None else port
    own = {name: offer[name] for name in ("origins", "rmw", "domain")}
    codec = codec_of(kind, host=bind, port=listen_at, **own)
    place = Georeference(*offer["georeference"])
    options = GatewayOptions(endpoint, offer["robots"], offer["rate"], once, place)
    try:
        asyncio.run(_serve(MiddlewareGateway(options, codec, talk.note)))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise click.ClickException(f"{bind}:{listen_at} cannot be used: {reason}; --port takes another") from None
    return 0


async def _serve(served: MiddlewareGateway) -> None:
    """Serve until SIGINT or SIGTERM."""
    serving = asyncio.current_task()
    assert serving is not None  # noqa: S101 - asyncio.run runs tasks
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await served.run()
