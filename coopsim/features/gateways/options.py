"""Settings of a gateway, as commands and sections of scenarios have them."""

from dataclasses import dataclass

from coopsim.features.gateways.georeference import ORIGIN_OF_MAPS, Georeference


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Settings of a gateway.

    Attributes:
        endpoint: Where the run answers, None = as usual.
        robots: Names of those that are offered, none = all.
        rate: How often readings are passed on, in simulated time [Hz]; in lockstep each tick is, since time waits.
        once: Whether it ends with the run, instead of waiting for the next one.
        georeference: Where the world is on the Earth.
    """

    endpoint: str | None = None
    robots: tuple[str, ...] = ()
    rate: float = 50.0
    once: bool = False
    georeference: Georeference = ORIGIN_OF_MAPS
