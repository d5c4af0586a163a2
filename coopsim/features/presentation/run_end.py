"""Words about the end of a run: how it ended, which goals were met, and why its control laws ended."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

EndKind: TypeAlias = Literal["good", "warn", "met", "missed", "open", "law", "failed"]
_MOST: Final = 8
"""Of goals and control laws that are listed: more hide the picture."""
_GOALS: Final[Mapping[bool | None, EndKind]] = {True: "met", False: "missed", None: "open"}


@dataclass(frozen=True, slots=True)
class EndLine:
    """Line about the end of a run.

    Attributes:
        kind: `good` or `warn` of the run itself; `met`, `missed` or `open` of a goal; `law` or `failed` of a law.
        text: For people, without line breaks.
    """

    kind: EndKind
    text: str


def end_lines(ending: Mapping[str, Any], standing: Mapping[str, Any]) -> tuple[EndLine, ...]:
    """Return what people read of the end of a run; the first line is about the run as a whole.

    Args:
        ending: Reason, time and failures, as `end` of the status of `/sim/controllers` has them.
        standing: The whole status, with `goals` and `controllers`.
    """
    goals, laws = standing.get("goals", ()), standing.get("controllers", ())
    is_good = not ending["failures"] and all(goal["met"] is not False for goal in goals)
    end = EndLine("good" if is_good else "warn", _first(f"Over after {ending['time']:.2f} s: {ending['text']}"))
    listed_goals = (EndLine(_GOALS[goal["met"]], _first(goal["text"])) for goal in goals[:_MOST])
    return end, *listed_goals, *_law_lines([law for law in laws if law["state"] != "stopped"][:_MOST])


def end_mark(ending: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells an end of a run from another one."""
    return ending["text"], ending["tick"], ending["time"]


def _law_lines(laws: list[Mapping[str, Any]]) -> Iterator[EndLine]:
    """Yield a line for each control law: its reason, and when it ended."""
    for law in laws:
        after = f"after {law['ended']:.2f} s" if law["ended"] is not None else ""
        text = f"{law['name']} {_first(law['reason']) or 'runs'} {after}".strip()
        yield EndLine("failed" if law["state"] == "failed" else "law", text)


def _first(text: str) -> str:
    """Return the first line of a text: the others are for logs."""
    return text.partition("\n")[0]
