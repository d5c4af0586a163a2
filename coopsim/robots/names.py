"""Robots as files name them: by name, by section, by team, or by a pattern."""

from collections.abc import Collection, Mapping, Sequence

from coopsim.scene import choices, hint, is_pattern, matching, quoted

JOINED = "+"
"""What a type with a system is named by: `rover+challenge`; no file can say such a name."""


def plain_type(kind: str) -> str:
    """Return the type of a robot without the system on it, as files name it."""
    return kind.partition(JOINED)[0]


class RobotNames:
    """Names of robots.

    Args:
        robots: All of them, in their order.
        groups: Robots of each section and of each team.
        taken: Names of sections whose robots are not known, because their type is not.
    """

    def __init__(self, robots: Sequence[str], groups: Mapping[str, Sequence[str]], taken: Collection[str] = ()) -> None:
        self._robots = tuple(dict.fromkeys((*robots, *(name for name in taken if name not in groups))))
        self._known = dict.fromkeys((*taken, *self._robots))
        self._groups = groups
        self._all = frozenset(self._robots)

    def meant(self, word: str) -> tuple[str, ...]:
        """Return the robots that a word stands for, in their order; none where there are none."""
        if word in self._all:
            return (word,)
        return tuple(self._groups[word] if word in self._groups else matching(word, self._robots))

    def missing(self, word: str) -> str:
        """Return why a word stands for no robot."""
        if is_pattern(word):
            return f"no robot is meant by {quoted(word)}; known: {choices(self._known)}"
        return f"no robot {quoted(word)}{hint(word, self._known)}; known: {choices(self._known)}"
