"""Gateways beside a run, as the window's status shows them: what they are, who uses them, what they gave up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coopsim.errors import CoopsimError, NoReply

if TYPE_CHECKING:
    from coopsim.client import Client

_STEM = "/gateway/"


@dataclass(frozen=True, slots=True)
class GatewayFacts:
    """Facts of a gateway.

    Attributes:
        kind: Of its middleware.
        clients: Programs that are connected to it, None = it does not answer: it is not there yet, or gone.
        dropped: Messages that it gave up because their reader was slow.
    """

    kind: str
    clients: int | None = None
    dropped: int = 0

    @property
    def words(self) -> str:
        """The facts in words."""
        if self.clients is None:
            return f"{self.kind}: not there"
        programs = f"{self.kind}: {self.clients} program{'s' * (self.clients != 1)}"
        return f"{programs}, {self.dropped} messages dropped" if self.dropped else programs


def expected_gateways(info: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of gateways that belong to a run, as `/sim/info` tells them."""
    kinds = info.get("gateways", ())
    return tuple(str(kind) for kind in kinds) if isinstance(kinds, list | tuple) else ()


def ask_gateways(simulation: "Client", expected: Iterable[str]) -> tuple[GatewayFacts, ...]:
    """Return the gateways beside a run, whoever started them.

    Args:
        simulation: The run.
        expected: Kinds that belong to it, in their order; others come behind them.

    Raises:
        NoReply: The run is gone.
    """
    serving = [name.removeprefix(_STEM) for name in simulation.names(_STEM)]
    kinds = dict.fromkeys((*expected, *serving))
    return tuple(_facts(simulation, kind) if kind in serving else GatewayFacts(kind) for kind in kinds)


def _facts(simulation: "Client", kind: str) -> GatewayFacts:
    try:
        read = simulation.module(f"{_STEM}{kind}").call("read")
        return GatewayFacts(kind, int(read.clients), int(read.dropped))
    except NoReply:
        raise
    except (CoopsimError, AttributeError):  # it ended since it was named, or its module is another program's
        return GatewayFacts(kind)
