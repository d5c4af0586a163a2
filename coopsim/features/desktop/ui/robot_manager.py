"""The Robot Manager: robots of any registered type, their modules and parameters, and keys to drive one."""

from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.beginnings.crews import team_of
from coopsim.features.beginnings.templates import ROBOT
from coopsim.features.desktop.module_watch import ModuleWatch
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.teleoperation import Teleoperation
from coopsim.features.desktop.ui.arm_form import ArmForm
from coopsim.features.desktop.ui.entity_form import EntityForm
from coopsim.features.desktop.ui.law_form import LawForm
from coopsim.features.desktop.ui.manager_table import draw_table, explain_obstacle
from coopsim.features.desktop.ui.parameter_sliders import ParameterSliders
from coopsim.features.desktop.ui.style import BAD, GOOD
from coopsim.features.desktop.ui.team_form import TeamForm
from coopsim.features.desktop.ui.widgets import button, choice, plus, remember
from coopsim.robots import type_names
from coopsim.robots.names import plain_type
from coopsim.state import EntityRow

_NAME = "robots"
_LAMPS = {True: (GOOD, icons.ICON_FA_CIRCLE_CHECK), False: (BAD, icons.ICON_FA_CIRCLE_XMARK)}
"""Colour and sign of a module, by whether it answers."""


def _is_robot(row: EntityRow | None) -> bool:
    return row is not None and row.kind == "robot"


class RobotManager:
    """Inserts, changes, drives and removes robots at any time.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
        teleoperation: Drives one.
    """

    def __init__(self, session: ViewerSession, fonts: SimpleNamespace, teleoperation: Teleoperation) -> None:
        self._session, self._fonts, self._drive = session, fonts, teleoperation
        self._form, self._sliders = EntityForm(session, _NAME, self._leave), ParameterSliders(session)
        self._watch, self._type, self._arm = ModuleWatch(session), ROBOT, ArmForm(session, teleoperation.arm)
        self._team, self._laws = TeamForm(session, self._leave), LawForm(session, self._leave)
        self._types: tuple[str, ...] = ()

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        session = self._session
        explain_obstacle(session)
        self._types = self._types or type_names()
        imgui.set_next_item_width(110.0)
        self._type = choice(f"{_NAME}.type", "", self._type, self._types)
        imgui.same_line()
        if plus(f"{_NAME}.insert", "Robot", enabled=not session.obstacle):
            session.insert(f"robot {self._type}")
        imgui.same_line()
        rows = session.model.of_kind["robot"]
        chosen = session.entity(session.selected)
        if button(f"{_NAME}.delete", icons.ICON_FA_TRASH, enabled=_is_robot(chosen) and not session.obstacle):
            session.delete()
        draw_table(session, _NAME, rows)
        row, pose = session.entity(session.selected), session.pose(session.selected)
        if row is None or pose is None or row.kind != "robot":
            return
        team = team_of(session.chosen, session.names)
        if team:
            self._team.draw(team)
        imgui.separator_text(f"{row.name}  \N{MIDDLE DOT}  {plain_type(row.type)}")
        self._form.draw(row, pose)
        if session.link.facts.playback is None:
            self._laws.draw([name for name in session.chosen if _is_robot(session.entity(name))])
            self._teleoperation(row)
            self._arm.draw()
            self._modules(row)

    def _leave(self, name: str) -> None:
        """Give a robot back that will be another one."""
        if self._drive.robot == name:
            self._drive.release()

    def _teleoperation(self, row: EntityRow) -> None:
        is_ours = self._drive.robot == row.name
        imgui.begin_disabled(not self._session.is_connected)
        changed, is_wanted = imgui.checkbox("Drive with arrow keys or joystick", is_ours)
        remember(f"{_NAME}.drive")
        imgui.end_disabled()
        if changed and is_wanted:
            self._drive.claim(row.name)
        elif changed:
            self._drive.release()

    def _modules(self, row: EntityRow) -> None:
        self._watch.watch(row.name)
        for module in self._watch.modules:
            is_open = imgui.tree_node_ex(f"{module.target}##module")
            remember(f"{_NAME}.{module.target}")
            rate = f"{self._watch.rates.get(module.target, 0.0):.0f} Hz"
            imgui.same_line(imgui.get_window_width() - imgui.calc_text_size(rate).x - 46.0)
            imgui.text_disabled(rate)
            imgui.same_line()
            color, icon = _LAMPS[self._session.is_connected]
            imgui.text_colored(imgui.ImVec4(*color, 1.0), icon)
            if is_open:
                imgui.begin_disabled(bool(self._session.obstacle))
                self._sliders.draw(module)
                imgui.end_disabled()
                imgui.tree_pop()
