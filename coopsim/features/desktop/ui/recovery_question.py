"""Question whether edits that a window left behind are to be recovered."""

from datetime import datetime
from pathlib import Path

from imgui_bundle import imgui

from coopsim.features.desktop.autosave.recovery import Leftover
from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.ui.widgets import button

_TITLE = "Recover edits?"
_MOST = 6
"""Of the newest edits that are listed: they tell somebody which ones these are."""


class RecoveryQuestion:
    """Asks as long as something is offered.

    Args:
        documents: Recover it.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def draw(self) -> None:
        """Draw the question where something is offered."""
        leftover = self._documents.recovery.offered
        if leftover is None:
            return
        imgui.open_popup(_TITLE)
        imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
        if not imgui.begin_popup_modal(_TITLE, None, imgui.WindowFlags_.always_auto_resize)[0]:
            return
        ended = datetime.fromtimestamp(leftover.ended).strftime("%Y-%m-%d %H:%M")
        imgui.text(f"A window on {Path(leftover.file).name} ended at {ended}; these edits were not saved:")
        imgui.spacing()
        _list(leftover)
        imgui.spacing()
        self._buttons()
        imgui.end_popup()

    def _buttons(self) -> None:
        recovery = self._documents.recovery
        if button("recovery.accept", "Recover", strong=True):
            imgui.close_current_popup()
            recovery.accept(self._documents.file)
        imgui.same_line()
        if button("recovery.discard", "Discard"):
            imgui.close_current_popup()
            recovery.decline(forever=True)
        imgui.same_line()
        if button("recovery.later", "Later") or imgui.is_key_pressed(imgui.Key.escape):
            imgui.close_current_popup()
            recovery.decline(forever=False)


def _list(leftover: Leftover) -> None:
    edits = leftover.edits
    if len(edits) > _MOST:
        imgui.bullet_text(f"{len(edits) - _MOST} earlier ones")
    for edit in edits[-_MOST:]:
        imgui.bullet_text(edit.title)
