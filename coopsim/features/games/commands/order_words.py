"""Tab completion in a player's terminal: names and verbs of orders."""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

_ABOUT = {"attack": "others", "capture": "flags", "bring": "bases", "defend": "all", "merge": "own"}


class OrderWords:
    """Words of orders.

    Args:
        game: Facts of the match.
        player: Whose orders.
    """

    def __init__(self, game: Mapping[str, Any], player: str) -> None:
        from coopsim.features.games.logic.manual_control import WORDS
        from coopsim.features.games.logic.orders import VERBS
        from coopsim.features.laws.planning import FORMATIONS

        own = [squad for squad in game["squads"] if squad["player"] == player]
        squads_of_others = [squad for squad in game["squads"] if squad["player"] != player]
        flags = [player_facts["flag"] for player_facts in game["players"] if player_facts["flag"]]
        bases = [player_facts["base"] for player_facts in game["players"] if player_facts["base"]]
        self._squads = [squad["name"] for squad in own]
        self._robots = [name for squad in own for name in squad["robots"]]
        self._own = {squad["name"]: squad.get("behaviours", []) for squad in own}
        self._verbs, self._by_hand, self._formations = [*VERBS], [*WORDS], [*FORMATIONS]
        names_of_others = [name for squad in squads_of_others for name in (squad["name"], *squad["robots"])]
        self._about = {"others": names_of_others, "flags": flags, "bases": bases, "own": self._squads}
        self._about["all"] = [*bases, *flags, *self._squads, *self._robots]

    def after(self, typed: str) -> list[str]:
        """Return the words that may come next, those that begin as what is half typed.

        Args:
            typed: The line up to the cursor.
        """
        *words, begun = typed.split(" ")
        words = [word for word in words if word]
        return [word for word in self._next(words) if word.startswith(begun)]

    def _next(self, words: list[str]) -> list[str]:
        if not words:
            return [*self._squads, *self._robots, "say", "help"]
        if len(words) == 1:
            is_robot = words[0] in self._robots and words[0] not in self._squads
            verbs = self._by_hand if is_robot else [*self._verbs, *self._own.get(words[0], [])]
            return [] if words[0] in {"say", "help"} else verbs
        if words[1] == "split":
            return [name for name in self._robots if name not in words] if len(words) > 2 else []
        if words[1] in _ABOUT:
            return self._about[_ABOUT[words[1]]] if len(words) == 2 else []
        return self._formations if words[1] in {"gather", "go_to"} else []


class CompletedLines:
    """Lines of a terminal, with completion and history; they are read beside everything else.

    Args:
        words: What may be typed.

    Attributes:
        is_over: Whether no more lines will come.
    """

    def __init__(self, words: OrderWords) -> None:
        self._words, self._lines = words, list[str]()
        self.is_over = False
        self._thread = threading.Thread(target=self._read, name="coopsim-orders", daemon=True)
        self._thread.start()

    def read_lines(self) -> list[str]:
        """Return the lines that came since the last time, without empty ones."""
        lines, self._lines = self._lines, []
        return [line.strip() for line in lines if line.strip()]

    def complete(self, _begun: str, state: int) -> str | None:
        """Return the word number `state` that may stand where the cursor is, as readline asks."""
        import readline

        words = self._words.after(readline.get_line_buffer()[: readline.get_endidx()])
        return words[state] + " " if state < len(words) else None

    def _read(self) -> None:
        try:
            while True:
                self._lines.append(input())
        except EOFError:
            self.is_over = True


@contextlib.contextmanager
def completing(game: Mapping[str, Any], player: str, stream: TextIO) -> Iterator[CompletedLines | None]:
    """Yield lines with completion where a person types them, None where they come from a pipe or a file."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    try:
        import readline
    except ImportError:
        yield None
        return
    lines = CompletedLines(OrderWords(game, player))
    before = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(lines.complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield lines
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])
