"""A `[RADIO]` or `[RADIO_n]` section as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from coopsim.scene.spans import Entry, Span


@dataclass(frozen=True, slots=True)
class RadioSection:
    """A section of links.

    Attributes:
        robots: Whose links they are; () = those of a player, or all.
        player: Whose squads have them, "" = no player is named.
        is_for_all: Whether it is `[RADIO]`.
        settings: Parameters of the device `radio` that it says.
        entries: Lines as written.
    """

    robots: tuple[str, ...] = ()
    player: str = ""
    is_for_all: bool = False
    settings: Mapping[str, float | int] = field(default_factory=dict)
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)
