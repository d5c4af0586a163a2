"""To and from the host."""

from dataclasses import dataclass

from coopsim.state.plain import AnyFloat
from coopsim.state.vocabulary import Declared


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ExpectControllers(Declared):
    """Robots of controllers that the launcher started: these take a while to come.

    Attributes:
        is_anew: Whether lockstep waits for all of them before its next step, as before the first one.
    """

    robots: tuple[str, ...]
    is_anew: bool = False


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SendLastEvents(Declared):
    """The source is about to stop: events that wait for a record are to be sent to it, and no more taken."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class LastEventsSent(Declared):
    """That is done."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostStatus(Declared):
    """State of the run.

    Attributes:
        time: Simulated time [s].
        real_time_factor: Simulated seconds per real second.
        patience_fired: How often lockstep went on without a robot.
        awaited: Robots that lockstep waits for, and since when [s].
        driven: How many robots were ever commanded.
        clients: How many connections there are.
    """

    mode: str
    paused: bool
    tick: int
    time: float
    real_time_factor: AnyFloat
    overruns: int
    max_lateness: float
    slipped: float
    patience_fired: int
    awaited: dict[str, AnyFloat]
    driven: int
    patience: AnyFloat
    policy: str
    clients: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AuditLines(Declared):
    """Lines of the audit, with wall-clock times [s].

    Attributes:
        lines: Those to be printed.
        kept: Those for the file, which holds more.
    """

    lines: tuple[tuple[float, str], ...]
    kept: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostSummary(Declared):
    """Facts that only the host knows in the end.

    Attributes:
        owners: Who drove each robot last; robots that nobody drove are left out.
        driven: How many robots were ever commanded.
        patience_fired: How often lockstep went on without a robot.
    """

    owners: dict[str, str | None]
    driven: int
    patience_fired: int
