"""The panel of real time: mode and speed, how long steps take, who is waited for."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from imgui_bundle import imgui, implot

from coopsim.features.desktop.keeping_time import Spread
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import ACCENT, BAD, WARN, written
from coopsim.features.pictures.palette import SERIES
from coopsim.geometry import Floats

# Costs of each kind of device in a run that goes on, as its server tells it.
_ASKED_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class DeviceCost:
    """A row of the table.

    Attributes:
        kind: Of the devices.
        phase: "actuators", "sensors" or "commands".
        mean: Of a tick [s].
    """

    kind: str
    phase: str
    mean: float


class DeviceCosts:
    """Asks for the cost of devices while somebody looks.

    Args:
        link: Returns the connection to the run.

    Attributes:
        rows: The dearest first.
        tick: Mean of the ticks that were measured [s], 0 = none was.
    """

    def __init__(self, link: Callable[[], ViewerLink]) -> None:
        self._link, self._due = link, 0.0
        self.rows: tuple[DeviceCost, ...] = ()
        self.tick = 0.0

    def request_if_due(self) -> None:
        """Ask again when it is time; called with each frame that shows them."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + _ASKED_EVERY
            self._link().ask(lambda simulation: simulation.info().get("costs"), then=self.receive)

    def receive(self, facts: Any) -> None:
        """Take what a server told; older ones tell nothing."""
        facts = facts if isinstance(facts, dict) else {}
        rows = [DeviceCost(cost["kind"], cost["phase"], float(cost["mean"])) for cost in facts.get("devices", ())]
        self.rows = tuple(sorted(rows, key=lambda row: -row.mean))
        self.tick = float(facts.get("tick", 0.0))


_MODES = ("real-time", "lockstep", "free")
_SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0)  # within the bounds of `set_speed`
_BINS = 40  # a bar is a few points wide in the usual panel
_AXIS = implot.AxisFlags_.no_decorations | implot.AxisFlags_.auto_fit


class RealTimePanel:
    """Panel of a run's lateness against real time.

    Args:
        session: What is shown.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._costs = DeviceCosts(lambda: session.link)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        facts, clock = self._session.link.facts, self._session.link.clock
        if facts.playback is not None:
            imgui.text_wrapped("A recording: the clock tells how the run went then.")
        else:
            self._choices()
        if clock is None:
            return
        if imgui.begin_table("facts", 4, imgui.TableFlags_.sizing_stretch_prop):
            for name, value in self._rows():
                imgui.table_next_column()
                imgui.text_disabled(name)
                imgui.table_next_column()
                imgui.text(value)
            imgui.end_table()
        if self._session.keeping.load(facts.step, facts.speed) is None:
            imgui.text_disabled("CPU share and room are known after a free run")
        self._awaited()
        if facts.playback is None:
            self._device_costs()
            self._histogram()

    def _choices(self) -> None:
        session, facts = self._session, self._session.link.facts
        imgui.begin_disabled(not session.is_connected)
        for mode in _MODES:
            if _button(mode, is_on=mode == facts.mode):
                session.time_control.ask_clock("set_mode", mode)
        imgui.new_line()
        for speed in _SPEEDS:
            if _button(f"{speed:g} x", is_on=speed == facts.speed):
                session.time_control.ask_clock("set_speed", speed)
        imgui.new_line()
        imgui.end_disabled()

    def _rows(self) -> list[tuple[str, str]]:
        facts, clock, keeping = self._session.link.facts, self._session.link.clock, self._session.keeping
        load, largest = keeping.load(facts.step, facts.speed), keeping.largest(facts.step, facts.speed)
        unknown = "?"
        return [
            ("factor", f"{facts.real_time_factor:.2f}"),
            ("step", f"{1000 * facts.step:g} ms"),
            ("overruns", f"{clock.overruns:.0f}"),
            ("lateness", f"{1000 * clock.max_lateness:.2f} ms"),
            ("slipped", f"{clock.slipped:.3f} s"),
            ("clients", f"{clock.clients:.0f}"),
            ("CPU share", unknown if load is None else f"{100 * load:.1f} %"),
            ("room for", unknown if largest is None else f"about {largest} robots"),
        ]

    def _awaited(self) -> None:
        clock = self._session.link.clock
        awaited = json.loads(str(clock.awaited) or "{}")
        if awaited:
            words = ", ".join(f"{name or 'unclaimed robots'} for {seconds:.1f} s" for name, seconds in awaited.items())
            imgui.text_colored(written(WARN), f"waits for {words}")
        if clock.patience_fired:
            imgui.text_colored(written(BAD), f"went on without a robot {clock.patience_fired:.0f} times")

    def _device_costs(self) -> None:
        """Draw what each kind of device costs, and the rest of the tick."""
        costs = self._costs
        costs.request_if_due()
        if not costs.rows:
            imgui.text_disabled("cost of each kind of device: after 64 ticks")
            return
        rows = [(f"{row.kind}, {row.phase}", row.mean) for row in costs.rows]
        rows.append(("engine and the rest", max(0.0, costs.tick - sum(row.mean for row in costs.rows))))
        if imgui.begin_table("costs", 3, imgui.TableFlags_.sizing_stretch_prop | imgui.TableFlags_.row_bg):
            for name, mean in rows:
                imgui.table_next_column()
                imgui.text(name)
                imgui.table_next_column()
                imgui.text(f"{1e6 * mean:.1f} us")
                imgui.table_next_column()
                imgui.progress_bar(mean / costs.tick if costs.tick else 0.0, imgui.ImVec2(-1, 12), "")
            imgui.end_table()

    def _histogram(self) -> None:
        """Draw how long steps took, and the box plot of that above."""
        keeping = self._session.keeping
        spread = keeping.spread()
        if spread is None:
            imgui.text_disabled("time stands still")
            return
        flags = implot.Flags_.no_menus | implot.Flags_.no_legend | implot.Flags_.no_box_select | implot.Flags_.no_title
        implot.push_style_var(implot.StyleVar_.plot_min_size, imgui.ImVec2(80.0, 60.0))
        implot.push_style_var(implot.StyleVar_.fit_padding, imgui.ImVec2(0.02, 0.06))
        if implot.begin_plot("##steps", imgui.ImVec2(-1, -1), flags):
            _draw_steps(keeping.array(), spread)
            implot.end_plot()
        implot.pop_style_var(2)


def _draw_steps(periods: Floats, spread: Spread) -> None:
    """Draw a histogram, and a box plot above it.

    Args:
        periods: Real time of ticks [s].
        spread: Of them.
    """
    implot.setup_axes("step [ms]", "", implot.AxisFlags_.auto_fit, _AXIS)
    shown = np.clip(1000.0 * periods, 1000.0 * spread.low, 1000.0 * spread.high)
    spec = implot.Spec(fill_color=imgui.ImVec4(*SERIES[0], 0.75))
    top = implot.plot_histogram("steps", shown, _BINS, spec=spec)
    low, lower, middle, upper, high = (1000.0 * getattr(spread, name) for name in spread.__slots__)
    line = implot.Spec(line_color=imgui.ImVec4(*SERIES[1], 1.0), line_weight=2.0)
    begin, end = 1.1 * top, 1.25 * top
    across = [low, lower, lower, upper, upper, high, upper, upper, lower, lower]
    up = [0.5, 0.5, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.5]
    implot.plot_line("box", np.array(across), begin + (end - begin) * np.array(up), line)
    implot.plot_line("middle", np.array([middle, middle]), np.array([begin, end]), line)


def _button(text: str, *, is_on: bool) -> bool:
    if is_on:
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*ACCENT, 1.0))
    is_hit = bool(imgui.button(text))
    if is_on:
        imgui.pop_style_color()
    imgui.same_line(0, 4)
    return is_hit
