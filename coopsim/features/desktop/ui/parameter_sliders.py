"""Parameters of a module as sliders from their declared ranges."""

import math
from collections.abc import Callable
from typing import TypeAlias

from imgui_bundle import imgui

from coopsim.features.desktop.module_watch import WatchedModule
from coopsim.features.desktop.placing import rounded
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import choice, remember
from coopsim.interfaces import Parameter, Value

_LABELS = -130.0  # points; negative: so much is left to the right for labels
# one pixel of a slider would be thousands of units: such values are typed
_WIDEST = 1e6
"""Ranges beyond this are no slider's."""
_WIDE = 50.0
"""Where the largest value is at least this many times the usual one, a slider has finer steps below."""


ParameterSetter: TypeAlias = Callable[[str, str, Value, Value], None]
"""Sets a parameter: module, name, value before, value after."""


class ParameterSliders:
    """Shows parameters, and sets one when the mouse lets go of it.

    Args:
        session: Whose run it is set in.
        setter: Sets it, None = the editor of the session does.
    """

    def __init__(self, session: ViewerSession, setter: ParameterSetter | None = None) -> None:
        self._session, self._setter = session, setter
        self._drafts: dict[tuple[str, str], Value] = {}

    def draw(self, module: WatchedModule) -> None:
        """Draw the parameters of a module."""
        imgui.push_item_width(_LABELS)
        for parameter in module.parameters:
            value = module.values.get(parameter.name)
            if value is not None:
                imgui.begin_disabled(parameter.fixed)
                self._parameter(module.target, parameter, value)
                imgui.end_disabled()
        imgui.pop_item_width()

    def _parameter(self, target: str, parameter: Parameter, now: Value) -> None:
        name = f"{target}.{parameter.name}"
        label = labelled(parameter)
        if parameter.choices:
            words = [str(choice) for choice in parameter.choices]
            word = choice(name, label, str(now), words)
            if word != str(now):
                self._set(target, parameter, now, parameter.choices[words.index(word)])
            return
        key = target, parameter.name
        changed, shown = parameter_field(label, name, parameter, self._drafts.get(key, now))
        remember(name)
        if imgui.is_item_hovered() and parameter.summary:
            imgui.set_tooltip(parameter.summary)
        if changed or imgui.is_item_active():
            self._drafts[key] = shown
        if imgui.is_item_deactivated_after_edit():
            self._set(target, parameter, now, self._drafts.pop(key, shown))
        elif not imgui.is_item_active():
            self._drafts.pop(key, None)

    def _set(self, target: str, parameter: Parameter, before: Value, after: Value) -> None:
        if after != before:
            (self._setter or self._session.editor.set_parameter)(target, parameter.name, before, after)


def labelled(parameter: Parameter) -> str:
    """Return the name of a parameter with its unit."""
    return f"{parameter.name} [{parameter.unit}]" if parameter.unit not in {"", "1"} else parameter.name


def parameter_field(label: str, name: str, parameter: Parameter, now: Value) -> tuple[bool, Value]:
    """Draw the widget that fits a parameter; return whether it changed, and its value.

    Args:
        label: For people.
        name: Tells it from other widgets.
        parameter: Whose value it is.
        now: Value now.
    """
    title = f"{label}##{name}"
    low, high = parameter.low, parameter.high
    is_slider = math.isfinite(low) and math.isfinite(high) and high - low <= _WIDEST
    if parameter.kind is str:
        return imgui.input_text(title, str(now))
    if parameter.kind is int:
        if is_slider:
            return imgui.slider_int(title, int(now), int(low), int(high))
        return imgui.input_int(title, int(now))
    if is_slider:
        is_wide = high > _WIDE * max(abs(float(parameter.default)), 1e-9)
        flags = imgui.SliderFlags_.logarithmic if is_wide else imgui.SliderFlags_.none
        changed, value = imgui.slider_float(title, float(now), low, high, "%.4g", flags)
    else:
        changed, value = imgui.drag_float(title, float(now), 0.01, 0.0, 0.0, "%.4g")
    return changed, float(rounded(value))
