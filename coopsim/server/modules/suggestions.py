"""The module that a client probably meant, at a cost that stays small however many ask."""

from collections.abc import Callable, Collection

from coopsim.message.targets import robot_and_module
from coopsim.state import Layout
from coopsim.suggest import closest, likely

_MOST_KEPT = 200  # words whose answers are kept; a stranger may ask for any
# a search through all names costs more than the request: mistakes must be no attack
_PER_SECOND, _AT_ONCE = 10.0, 20.0
"""How many names are looked for at most; who asks beyond gets none, and others are not kept waiting."""


class Suggestions:
    """Finds names near to one that is not there; each is looked for once per layout.

    Args:
        fixed: Names of the modules under `/sim`.
        clock: Monotonic seconds.
    """

    def __init__(self, fixed: Collection[str], clock: Callable[[], float]) -> None:
        self._fixed, self._clock = tuple(fixed), clock
        self._generation = -1
        self._known: dict[str, str] = {}
        self._left, self._counted = _AT_ONCE, 0.0

    def near(self, target: str, layout: Layout) -> str:
        """Return the name nearest to `target`, "" where there is none or too many are asked for."""
        if layout.generation != self._generation:
            self._generation, self._known = layout.generation, {}
        suggestion = self._known.get(target)
        if suggestion is None:
            if not self._may_look():
                return ""
            if len(self._known) >= _MOST_KEPT:
                self._known = {}
            suggestion = self._known[target] = self._suggestion(target, layout)
        return suggestion

    def _may_look(self) -> bool:
        now = self._clock()
        self._left = min(_AT_ONCE, self._left + (now - self._counted) * _PER_SECOND)
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def _suggestion(self, target: str, layout: Layout) -> str:
        if target.startswith("/sim"):
            return closest(target, self._fixed) or ""
        name, module = robot_and_module(target)
        name, module = (name, module) if name else (module, "")
        robot = name if name in layout.robot else closest(name, likely(name, layout.robot))
        if not robot:
            return closest(target, self._fixed) or ""
        modules = [module.name for module in layout.robot[robot].type.modules]
        suggestion = closest(module, modules) if module else ""
        return f"/{robot}/{suggestion}" if suggestion else f"/{robot}"
