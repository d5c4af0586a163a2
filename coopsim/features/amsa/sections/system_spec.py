"""A `[SYSTEM_n]` section as data."""

from dataclasses import dataclass, field

from coopsim.scene.spans import Entry, Span


@dataclass(frozen=True, slots=True)
class SystemSection:
    """A `[SYSTEM_n]` section.

    Attributes:
        file: Its model, `.amsa`.
        robots: Names of the robots that each carry such a system.
        scenario: What changes its parameters in time, `.amsascenario`; "" = nothing does.
        entries: All of its lines as written.
    """

    file: str
    robots: tuple[str, ...]
    scenario: str = ""
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)
