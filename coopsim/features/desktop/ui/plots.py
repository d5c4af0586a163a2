"""Plots of readings, poses, parameters and metrics over time."""

from collections.abc import Iterator

import numpy as np
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui, implot

from coopsim.features.desktop.curves import POSE_FIELDS, PlotChannel
from coopsim.features.desktop.live_arrays import NOT_LIVE
from coopsim.features.desktop.metric_curves import offered
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import ACCENT, WARN, written
from coopsim.features.pictures.palette import SERIES
from coopsim.geometry import Floats

_WINDOWS = (5.0, 10.0, 30.0, 60.0, 300.0, 0.0)  # s; 0 is the whole run
_MOST_COLUMNS = 24  # more curves than that cannot be told apart


class PlotsPanel:
    """Curves with the cursor of the time line.

    Args:
        session: What is shown.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._window = 30.0

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        curves = self._session.curves
        if imgui.button(f"{icons.ICON_FA_PLUS}  Value"):
            imgui.open_popup("values")
        if imgui.begin_popup("values"):
            self._choices()
            imgui.end_popup()
        imgui.same_line()
        imgui.set_next_item_width(84)
        if imgui.begin_combo("##window", _window_name(self._window)):
            for window in _WINDOWS:
                if imgui.selectable(_window_name(window), window == self._window)[0]:
                    self._window = window
            imgui.end_combo()
        if curves.chosen or curves.metrics.chosen:
            imgui.same_line()
            if imgui.button(f"{icons.ICON_FA_TRASH}##none"):
                curves.clear()
            self._draw_problems()
            self._plot()
        else:
            imgui.text_wrapped("Add a value, or click one in the inspector.")

    def _draw_problems(self) -> None:
        for name, curve in self._session.curves.metrics.chosen.items():
            if curve.problem:
                imgui.text_colored(written(WARN), curve.problem)
            elif curve.times and not curve.values:
                imgui.text_disabled(f"{name}: this run has no such thing")

    def _plot(self) -> None:
        flags = implot.Flags_.no_menus | implot.Flags_.no_title | implot.Flags_.no_box_select
        implot.push_style_var(implot.StyleVar_.fit_padding, imgui.ImVec2(0.0, 0.08))
        behind = imgui.get_style_color_vec4(imgui.Col_.popup_bg)
        implot.push_style_color(implot.Col_.legend_bg, imgui.ImVec4(behind.x, behind.y, behind.z, 0.6))
        implot.push_style_color(implot.Col_.legend_border, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        if implot.begin_plot("##curves", imgui.ImVec2(-1, -1), flags):
            self._draw_curves()
            implot.end_plot()
        implot.pop_style_color(2)
        implot.pop_style_var()

    def _draw_curves(self) -> None:
        session = self._session
        implot.setup_axes("", "", implot.AxisFlags_.none, implot.AxisFlags_.auto_fit)
        span = session.time_control.span
        begin = span.begin if self._window == 0.0 else max(span.begin, session.time - self._window)
        end = max(begin + 0.1, span.end if self._window == 0.0 else min(span.end, begin + self._window))
        implot.setup_axis_limits(implot.ImAxis_.x1, begin, end, implot.Cond_.always)
        for number, (label, times, values, reference) in enumerate(self._curves()):
            shown = slice(*np.searchsorted(times, (begin, end + 1e-9)))
            if shown.stop > shown.start:
                color = imgui.ImVec4(*SERIES[number % len(SERIES)], 1.0)
                spec = implot.Spec(line_color=color, line_weight=1.8)
                implot.plot_line(label, times[shown].copy(), values[shown].copy(), spec)
                if reference is not None:
                    self._reference(reference, (begin, end), color)
        held = implot.drag_line_x(0, session.time, imgui.ImVec4(*ACCENT, 1.0), 1.5)
        if held[0]:
            session.seek(float(held[1]))

    def _curves(self) -> Iterator[tuple[str, Floats, Floats, float | None]]:
        """Yield label, times, values and reference of all that is plotted."""
        curves = self._session.curves
        for channel, curve in curves.chosen.items():
            yield channel.label, curve.times, curve.values, curves.references.get(channel)
        for metric in curves.metrics.chosen.values():
            for name, values in metric.values.items():
                yield name, np.array(metric.times), np.array(values), None

    @staticmethod
    def _reference(value: float, span: tuple[float, float], color: imgui.ImVec4) -> None:
        """Draw a thin line where a curve should be."""
        spec = implot.Spec(line_color=imgui.ImVec4(color.x, color.y, color.z, 0.55), line_weight=1.0)
        implot.plot_line(f"reference {value:g}", np.array(span), np.array([value, value]), spec)

    def _choices(self) -> None:
        """Draw what can be plotted: metrics, and the rest by entity."""
        session = self._session
        if imgui.begin_menu("Metrics"):
            for name in offered():
                if imgui.menu_item_simple(name, selected=name in session.curves.metrics.chosen):
                    session.curves.metrics.toggle(name)
            for name, why in NOT_LIVE.items():
                imgui.menu_item_simple(f"{name}: {why}", enabled=False)
            imgui.end_menu()
        imgui.separator()
        for row in session.model.entities:
            if row.kind not in {"robot", "object"} or row.body < 0 or not imgui.begin_menu(row.name):
                continue
            for name in POSE_FIELDS:
                self._choice(PlotChannel(row.name, "", name))
            if row.kind == "robot":
                self._modules(row.name)
            imgui.end_menu()

    def _modules(self, robot: str) -> None:
        readings = self._session.readings
        if readings is None or robot not in readings.robots:
            return
        rows = readings[robot]
        for module in (name for name in dir(rows) if name not in {"robots", "table"}):
            if not imgui.begin_menu(module):
                continue
            columns = getattr(rows, module)
            for name in dir(columns):
                for column in range(min(_MOST_COLUMNS, np.size(getattr(columns, name)))):
                    self._choice(PlotChannel(robot, module, name, column))
            imgui.separator()
            for name in self._session.console.parameters(f"/{robot}/{module}"):
                self._choice(PlotChannel(robot, module, name, is_parameter=True))
            imgui.end_menu()

    def _choice(self, channel: PlotChannel) -> None:
        curves = self._session.curves
        place = f"[{channel.column}]" if channel.column else ""
        if imgui.menu_item_simple(f"{channel.field}{place}", selected=channel in curves.chosen):
            curves.toggle(channel)


def _window_name(seconds: float) -> str:
    return f"{seconds:g} s" if seconds else "all"
