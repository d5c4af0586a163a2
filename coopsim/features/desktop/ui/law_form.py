"""Control law of the selected robots: what drives them, a choice of others with their parameters, start and stop."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.errors import CoopsimError
from coopsim.features.desktop.changes import driven
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.parameter_sliders import labelled, parameter_field
from coopsim.features.desktop.ui.style import BAD, GOOD, WARN
from coopsim.features.desktop.ui.widgets import button, choice, remember
from coopsim.features.laws.choosing import TRANSPORT, LawOrder, LawRow, choices, drivers, orders, parts, unfit
from coopsim.interfaces import Parameter, Value
from coopsim.robots import TypeRegistry
from coopsim.suggest import listed

_NAME = "law"
_USUAL = (TRANSPORT, "wander")
"""Proposed where nobody chose, the first that fits: what a whole team is for, then what needs least."""
_TARGET = "target"
"""Parameter of laws that names a coloured target."""
_SHOWN = 4
"""Robots that are named beside a law."""
_LAMPS = {
    "running": (GOOD, icons.ICON_FA_CIRCLE_PLAY),
    "ended": (GOOD, icons.ICON_FA_CIRCLE_CHECK),
    "failed": (BAD, icons.ICON_FA_CIRCLE_XMARK),
    "stopped": (WARN, icons.ICON_FA_CIRCLE_STOP),
}
"""Colour and sign of a law, by its state."""


class LawOffers:
    """Laws that are offered for robots; sought anew only where the robots, or the modules of the run, are others."""

    def __init__(self) -> None:
        self._sought_for: tuple[tuple[str, ...], ...] = ()
        self._offers: tuple[list[str], dict[str, str]] = [], {}

    def of(
        self, laws: Sequence[str], robots: Sequence[str], targets: Sequence[str]
    ) -> tuple[list[str], dict[str, str]]:
        """Return the laws that can be chosen, and the others with the reason; arguments as those of `choices`."""
        wanted = tuple(laws), tuple(robots), tuple(targets)
        if wanted != self._sought_for:
            self._sought_for, self._offers = wanted, (choices(*wanted), unfit(*wanted))
        return self._offers


class LawForm:
    """Chooses, sets, starts and stops what drives the selected robots.

    Args:
        session: What is shown.
        leave: Takes the name of a robot that will be driven by a law, and so by no key.
    """

    def __init__(self, session: ViewerSession, leave: Callable[[str], None]) -> None:
        self._session, self._leave = session, leave
        self._law, self._chosen, self._offers = "", "", LawOffers()
        self._given: dict[str, dict[str, Value]] = {}
        self._declared: dict[str, tuple[Sequence[Parameter], str]] = {}

    def draw(self, robots: Sequence[str]) -> None:
        """Draw it into the window that is begun; nothing where no law can be started.

        Args:
            robots: That are selected.
        """
        standing = self._session.link.facts.standing
        if not robots or not standing.get("laws"):
            return
        whose = robots[0] if len(robots) == 1 else f"{len(robots)} robots"
        imgui.separator_text(f"Control law  \N{MIDDLE DOT}  {whose}")
        rows = drivers(standing["controllers"], robots)
        for row in rows:
            _show(row)
        imgui.begin_disabled(not self._session.is_connected)
        self._choose(robots, standing)
        self._press(robots, [row for row in rows if row["state"] == "running"])
        imgui.end_disabled()

    def _choose(self, robots: Sequence[str], standing: Mapping[str, Any]) -> None:
        possible, refused = self._offers.of(standing["laws"], robots, self._session.link.names)
        wanted = (law for law in (self._chosen, *_USUAL, *possible) if law in possible)
        proposed = next(wanted, "")
        imgui.set_next_item_width(-96.0)
        self._law = choice(f"{_NAME}.choice", "Law", proposed, possible, refused)
        self._chosen = self._chosen if self._law == proposed else self._law
        for law in parts(self._law, robots):
            declared, problem = self._parameters_of(law)
            if problem:
                imgui.text_wrapped(problem)
            elif declared and imgui.tree_node(f"Parameters of {law}"):
                remember(f"{_NAME}.parameters")
                self._set(law, declared)
                imgui.tree_pop()
            else:
                remember(f"{_NAME}.parameters")

    def _parameters_of(self, law: str) -> tuple[Sequence[Parameter], str]:
        """Return the parameters of a law, and what is wrong with it."""
        if law not in self._declared:
            try:
                self._declared[law] = TypeRegistry().law_parameters(law) or (), ""
            except CoopsimError as problem:
                self._declared[law] = (), str(problem).partition("\n")[0]
        return self._declared[law]

    def _set(self, law: str, declared: Sequence[Parameter]) -> None:
        given, usual = self._given.setdefault(law, {}), self._usual(declared)
        imgui.push_item_width(-130.0)
        for parameter in declared:
            name, value = f"{_NAME}.{parameter.name}", given.get(parameter.name, usual[parameter.name])
            if parameter.choices:
                words = [str(word) for word in parameter.choices]
                word = choice(name, labelled(parameter), str(value), words)
                given[parameter.name] = parameter.choices[words.index(word)] if word in words else value
                continue
            changed, shown = parameter_field(labelled(parameter), name, parameter, value)
            remember(name)
            if changed:
                given[parameter.name] = shown
            if parameter.summary and imgui.is_item_hovered():
                imgui.set_tooltip(parameter.summary)
        imgui.pop_item_width()

    def _usual(self, declared: Sequence[Parameter]) -> dict[str, Value]:
        """Return values that are proposed: the declared ones, but no target that is not there."""
        usual = {parameter.name: parameter.default for parameter in declared}
        targets = [row.name for row in self._session.model.of_kind["target"]]
        if targets and _TARGET in usual and usual[_TARGET] not in targets:
            usual[_TARGET] = targets[0]
        return usual

    def _press(self, robots: Sequence[str], running: Sequence[LawRow]) -> None:
        laws = self._session.editor.history.laws
        label = f"{icons.ICON_FA_PLAY}  {'Replace' if running else 'Start'}"
        if button(f"{_NAME}.start", label, strong=True, enabled=bool(self._law) and not laws.is_waiting):
            for robot in robots:
                self._leave(robot)
            wanted = self._wanted(robots)
            self._session.editor.history.do(driven(robots, running, wanted))
        imgui.same_line()
        if button(f"{_NAME}.stop", f"{icons.ICON_FA_STOP}  Stop", enabled=bool(running)):
            laws.stop(running)

    def _wanted(self, robots: Sequence[str]) -> list[LawOrder]:
        laws = parts(self._law, robots)
        declared = {law: self._parameters_of(law)[0] for law in laws}
        given = {law: self._usual(declared[law]) | self._given.get(law, {}) for law in laws}
        return orders(self._law, robots, declared, given)


def _show(row: LawRow) -> None:
    color, icon = _LAMPS[row["state"]]
    imgui.text_colored(imgui.ImVec4(*color, 1.0), icon)
    imgui.same_line()
    words = row["reason"] or f"drives {listed(row['robots'], _SHOWN)}"
    imgui.text_wrapped(f"{row['name']} {words}".partition("\n")[0])
