"""Question whether another engine is to hold what the present one cannot: arms and quadrotors stand in space."""

import re
import time

from imgui_bundle import imgui

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.changes import WORLD, Inserted, Several, members
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import button
from coopsim.robots import TypeRegistry

_TITLE = "Another engine?"
_SPATIAL = "mujoco"
_PREPARING = 300.0
"""Longest wait for an engine [s]: its kernels are compiled within a minute or two on slow machines."""
_WIDTH = 420.0
"""Where its lines are broken [units of the window]."""
_LEADING = re.compile(r"^(/sim/world: )?(message:\d+:\d+: )?")
"""Of a refusal: the module, and the place in a message that nobody wrote by hand."""


class EngineQuestion:
    """Asks where an edit was refused by an engine.

    Args:
        session: What is shown.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._has_spatial = _SPATIAL in TypeRegistry().engines
        self._made: tuple[Several, float] | None = None

    def draw(self) -> None:
        """Draw the question where an engine refused an edit that another one can hold."""
        self._make_again()
        history = self._session.editor.history
        if history.refused is None:
            return
        engine = self._session.link.facts.engine
        if engine == _SPATIAL or not self._has_spatial:
            history.refused = None
            return
        edit, problem = history.refused
        # what stands behind the semicolon would cure a file; here there is nothing to write
        reason = _LEADING.sub("", str(problem).partition("\n")[0]).partition(";")[0]
        imgui.open_popup(_TITLE)
        imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
        if not imgui.begin_popup_modal(_TITLE, None, imgui.WindowFlags_.always_auto_resize)[0]:
            return
        imgui.push_text_wrap_pos(_WIDTH)
        imgui.text(
            f"The engine {engine or 'of this run'} cannot {edit.title}. {_SPATIAL} can: it moves bodies in space."
        )
        imgui.text("Change to it? The run goes on from this instant, and undo takes back the edit alone.")
        imgui.spacing()
        imgui.text_disabled(reason)
        imgui.pop_text_wrap_pos()
        imgui.spacing()
        if button("engine.change", f"Change to {_SPATIAL}", strong=True):
            imgui.close_current_popup()
            self._change()
        imgui.same_line()
        if button("engine.keep", f"Keep {engine or 'the engine'}") or imgui.is_key_pressed(imgui.Key.escape):
            imgui.close_current_popup()
            history.refused = None
        imgui.end_popup()

    def _change(self) -> None:
        """Change the engine, and make the edit again."""
        session, history = self._session, self._session.editor.history
        assert history.refused is not None  # noqa: S101 - the question was asked for it
        edit, _ = history.refused
        history.refused = None
        session.note(f"{_SPATIAL} is being prepared; the first time on a machine this takes a minute")
        until = time.monotonic() + _PREPARING

        def change() -> None:
            session.link.call(WORLD, "set_engine", _SPATIAL, then=changed)

        def ask_engine() -> None:
            session.link.ask(lambda simulation: str(simulation.info().get("engine")), then=answered, failed=changed)

        def answered(engine: str) -> None:
            changed(None) if engine == _SPATIAL else change()

        def changed(problem: CoopsimError | None) -> None:
            if isinstance(problem, NoReply) and time.monotonic() < until:
                ask_engine()  # while kernels are compiled nothing is answered
            elif problem is not None:
                session.note(str(problem).partition("\n")[0])
            else:
                session.note(f"{_SPATIAL} is ready")
                history.do(*edit.changes)
                self._made = edit, until

        change()

    def _make_again(self) -> None:
        """Make the edit once more where nobody answered it: right after the change more kernels are compiled."""
        session, history = self._session, self._session.editor.history
        if self._made is None or history.is_waiting or session.obstacle:
            return
        edit, until = self._made
        is_lost = history.lost is not None and history.lost.changes == edit.changes
        self._made = None
        if is_lost and all(members(session, change.name) for change in edit.changes if isinstance(change, Inserted)):
            for change in edit.changes:
                history.keep(change)  # it was carried out, and the answer came too late
        elif is_lost and time.monotonic() < until:
            history.do(*edit.changes)
            self._made = edit, until
