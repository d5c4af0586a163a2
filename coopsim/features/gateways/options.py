"""Settings of a gateway, as commands and sections of scenarios have them."""

from dataclasses import dataclass, field

from coopsim.client.endpoints import chosen_timeout
from coopsim.features.gateways.georeference import ORIGIN_OF_MAPS, Georeference

_PATIENCE = 3.0
"""How long it waits for a reply of the run, unless COOPSIM_TIMEOUT grants more [s]."""


def _patience() -> float:
    return max(_PATIENCE, chosen_timeout(None))


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Settings of a gateway.

    Attributes:
        endpoint: Where the run answers, None = as usual.
        robots: Names of those that are offered, none = all.
        rate: How often readings are passed on, in simulated time [Hz]; in lockstep each tick is, since time waits.
        once: Whether it ends with the run, instead of waiting for the next one.
        georeference: Where the world is on the Earth.
        patience: How long it waits for a reply of the run [s].

    Raises:
        BadArgument: COOPSIM_TIMEOUT is no number of seconds.
    """

    endpoint: str | None = None
    robots: tuple[str, ...] = ()
    rate: float = 50.0
    once: bool = False
    georeference: Georeference = ORIGIN_OF_MAPS
    patience: float = field(default_factory=_patience)
