"""The result of a proof: what was done again and is the same, what differs first, and what nobody can do again."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coopsim.replay.outcome import Claim, Outcome

if TYPE_CHECKING:  # the launcher reads what recordings say, and needs no simulator for that
    from coopsim.features.proof.differing import Difference


@dataclass(frozen=True, slots=True)
class Break:
    """A part of a recording that cannot be compared.

    Attributes:
        tick: The last one before it; None = the recording begins with it.
        resumed: Tick of the key frame from which the proof went on; None = there was none.
        reason: Why, for people.
    """

    tick: int | None
    resumed: int | None
    reason: str

    def __str__(self) -> str:
        on = "nothing after it can be compared" if self.resumed is None else f"goes on with tick {self.resumed}"
        where = "at the beginning" if self.tick is None else f"after tick {self.tick}"
        return f"{where}: {self.reason}; {on}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a proof.

    Attributes:
        ticks: How many were done again and were the same.
        total: How many the recording goes over, those that are missing too.
        difference: What differs first; the recording is first, the simulation second.
        breaks: What could not be compared.
        sim_time: Simulated time of `ticks` [s].
        wall_time: How long they took [s].
        proved: What was made again and is the same, or follows from what is.
        stated: What cannot be made again: nobody knows but the file.
        open: What could be compared if something were here; each says what to add.
        writer: The program that wrote the recording where it is another one than this, "" = it is this one.
    """

    ticks: int
    total: int
    difference: "Difference | None"
    breaks: tuple[Break, ...]
    sim_time: float
    wall_time: float
    proved: tuple[Claim, ...] = ()
    stated: tuple[Claim, ...] = ()
    open: tuple[str, ...] = ()
    writer: str = ""

    @property
    def is_computed_otherwise(self) -> bool:
        """Whether states differ of a recording that another program wrote: that one may have computed other numbers."""
        return bool(self.writer) and self.difference is not None and self.difference.is_of_states

    @property
    def outcome(self) -> Outcome:
        """Whether everything is the same, something is not, or what could be compared is, or nothing could be."""
        if self.difference is not None:
            return Outcome.UNKNOWN if self.is_computed_otherwise else Outcome.DIFFERENT
        if self.open and not self.ticks and not self.proved:
            return Outcome.UNKNOWN
        return Outcome.PARTIAL if self.open or self.breaks or self.ticks < self.total else Outcome.IDENTICAL

    @property
    def identical(self) -> bool:
        """Whether everything was compared, and is the same."""
        return self.outcome is Outcome.IDENTICAL

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self.sim_time / self.wall_time if self.wall_time > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim verify --json` prints."""
        return {
            "outcome": self.outcome.value,
            "identical": self.identical,
            "compared": self.ticks,
            "total": self.total,
            "ticks": self.ticks,
            "first_difference": self.difference.to_json() if self.difference else None,
            "speed": self.speed,
            "breaks": [{"tick": gap.tick, "resumed": gap.resumed, "reason": gap.reason} for gap in self.breaks],
            "proved": _plain(self.proved),
            "as_the_file_says": _plain(self.stated),
            "open": list(self.open),
            "writer": self.writer,
        }


def _plain(claims: Iterable[Claim]) -> list[dict[str, str]]:
    return [{"kind": claim.kind, "where": claim.where} for claim in claims]
