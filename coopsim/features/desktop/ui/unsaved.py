"""Question whether changes are to be saved, before they would be lost."""

from collections.abc import Callable

from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.ui.widgets import button

_TITLE = "Save changes?"


class UnsavedQuestion:
    """Asks where something was edited and not saved; where nothing was, it asks nothing.

    Args:
        documents: Know of changes, and save them.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._act: Callable[[], None] | None = None
        self._is_saving = False

    def before(self, act: Callable[[], None]) -> None:
        """Do something that changes would be lost by, after a question where there are any."""
        if self._documents.has_unsaved:
            self._act, self._is_saving = act, False
        else:
            act()

    def draw(self) -> None:
        """Draw the question, and go on once what is shown is saved."""
        if self._act is None:
            return
        if self._is_saving:
            if not self._documents.has_unsaved:
                self._go_on(self._act)
            elif self._documents.mistakes:
                self._act = None  # it could not be saved, and says why
            return
        imgui.open_popup(_TITLE)
        imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
        if not imgui.begin_popup_modal(_TITLE, None, imgui.WindowFlags_.always_auto_resize)[0]:
            return
        imgui.text("What was changed in this window is not saved.")
        imgui.spacing()
        self._buttons(self._act)
        imgui.end_popup()

    def _buttons(self, act: Callable[[], None]) -> None:
        if button("unsaved.save", "Save"):
            imgui.close_current_popup()
            self._is_saving = True
            self._documents.save()
        imgui.same_line()
        if button("unsaved.discard", "Do not save"):
            imgui.close_current_popup()
            self._go_on(act)
        imgui.same_line()
        if button("unsaved.cancel", "Cancel") or imgui.is_key_pressed(imgui.Key.escape):
            imgui.close_current_popup()
            self._act = None

    def _go_on(self, act: Callable[[], None]) -> None:
        self._act = None
        self._documents.forget_changes()
        act()
