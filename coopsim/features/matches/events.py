"""Events of the logic of a match, as its clients read them.

Anybody may publish on these topics: `stream.MatchStream` leaves out what strangers tell. What does not look like
that is no news of the match.
"""

import json
from typing import Any, NotRequired, TypedDict, cast

from coopsim.message import ChannelEvent
from coopsim.state.plain import check

LOG_TOPIC, STATUS_TOPIC, END_TOPIC, SEATS_TOPIC = "/game/log", "/game/status", "/game/end", "/game/seats"
KEYS_TOPIC = "/game/keys"
"""Of the key by which players seal what they tell the logic of a match."""
LOBBY_LINE, BEGINS = "lobby: lobby: ", "the match begins"
"""Source and rule that lines of the log about a lobby begin with, and what the last one says."""
MATCH_LOGIC = "game"
"""Registered law that is the logic of a match; its last words begin with it, and say the result."""
CHAT = "/game/chat/"
"""What topics of chat begin with; the name of the player follows."""


class MatchStatus(TypedDict):
    """Health and power that robots have left.

    Attributes:
        robots: Name, health, power, flag that it carries or "".
        flags: Of each x and y [m], and who carries it or "".
        squads: Player and robots of squads that were divided or joined; none in those that are no more.
        seen: In a match with fog the enemies that each player sees.
        lobby: Why a match with a lobby has not begun, for people.
    """

    robots: list[tuple[str, float, float, str]]
    flags: dict[str, tuple[float, float, str]]
    squads: NotRequired[dict[str, tuple[str, list[str]]]]
    seen: NotRequired[dict[str, list[str]]]
    lobby: NotRequired[str]


class MatchResult(TypedDict):
    """Outcome of a match.

    Attributes:
        winner: A player, "" = nobody.
        reason: Why it is over.
        time: Simulated [s].
    """

    winner: str
    reason: str
    time: float


def match_status(text: str) -> MatchStatus | None:
    """Return what an event of `STATUS_TOPIC` tells, None where it tells something else."""
    return cast("MatchStatus | None", _read(text, MatchStatus))


def match_result(text: str) -> MatchResult | None:
    """Return what an event of `END_TOPIC` tells, None where it tells something else."""
    return cast("MatchResult | None", _read(text, MatchResult))


class LobbyNews:
    """Words of a lobby, each once: who joins late reads them in the status, the others have heard them in the log."""

    def __init__(self) -> None:
        self._last = ""

    def text(self, event: ChannelEvent) -> str:
        """Return what an event of a match says of its lobby, "" where that is nothing new."""
        text = lobby_text(event)
        is_new, self._last = bool(text) and text != self._last, text or self._last
        return text if is_new else ""


def lobby_text(event: ChannelEvent) -> str:
    """Return what an event of a match says of its lobby, "" = nothing."""
    if event.topic == STATUS_TOPIC:
        status = match_status(event.text)
        return "" if status is None else status.get("lobby", "")
    is_line = event.topic == LOG_TOPIC and event.text.startswith(LOBBY_LINE)
    return event.text.removeprefix(LOBBY_LINE) if is_line else ""


def match_seats(text: str) -> dict[str, str]:
    """Return what an event of `SEATS_TOPIC` tells: by player who holds its seat, "" = nobody; {} for anything else."""
    return cast("dict[str, str]", _read(text, dict[str, str]) or {})


def _read(text: str, kind: Any) -> Any:
    try:
        facts = json.loads(text)
        check(facts, kind)
    except (ValueError, RecursionError):
        return None
    return facts
