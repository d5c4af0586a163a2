"""Metrics that are plotted while a run goes on."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_standins import StandinLink

from coopsim import plugins
from coopsim.client import Stepper
from coopsim.features.desktop.link import StateSample
from coopsim.features.desktop.live_arrays import RunExtras, formations_of, types_of
from coopsim.features.desktop.metric_curves import MetricCurve, offered
from coopsim.features.desktop.session import ViewerSession
from coopsim.inprocess import LocalServer
from coopsim.metrics import RunArrays
from coopsim.robots import load
from coopsim.simulation import Simulation


@pytest.fixture
def session() -> ViewerSession:
    """A run of 3.2 s in which a robot drives 0.1 m in each tenth of a second."""
    link = StandinLink()
    link.samples.clear()
    session = ViewerSession(link)  # type: ignore[arg-type]
    session.curves.metrics.toggle("path_length")
    for number in range(32):
        link.stand((0.0, 0.0), (number / 10, -1.0), time=number / 10, arrived=100.0 + number / 10)
        session.update(100.0 + number / 10)
    return session


def shown(session: ViewerSession) -> MetricCurve:
    return session.curves.metrics.chosen["path_length"]


def test_a_metric_is_what_it_would_be_if_the_run_ended_at_each_instant(session: ViewerSession) -> None:
    curve = shown(session)
    assert curve.times == pytest.approx([0.7, 1.5, 2.3, 3.1])
    assert curve.values["path_length_max"] == pytest.approx(curve.times)
    session.curves.metrics.toggle("path_length")
    assert session.curves.metrics.chosen == {}


def test_the_gap_to_a_wall_is_measured_by_how_things_look(session: ViewerSession) -> None:
    session.curves.metrics.toggle("clearance")
    session.update(104.0)
    (values,) = session.curves.metrics.chosen["clearance"].values.values()
    assert np.isfinite(values).all()
    assert (np.diff(values) <= 0.0).all()


def test_what_is_seen_between_is_measured_too_and_another_run_anew(session: ViewerSession) -> None:
    between = session.history.states[3]
    session.history.times.pop(3)
    session.history.states.pop(3)
    session.history.add(between)
    session.update(104.0)
    assert shown(session).values["path_length_max"] == pytest.approx(shown(session).times)
    session.history.clear()
    session.update(104.0)
    assert shown(session).times == []


def _broken(_run: RunArrays) -> float:
    raise ValueError("no way")


@pytest.fixture
def broken() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        real = plugins.load
        patch.setattr(plugins, "load", lambda group, name: _broken if name == "broken" else real(group, name))
        yield "broken"


def test_a_metric_that_raises_is_told_and_asked_no_more(session: ViewerSession, broken: str) -> None:
    session.curves.metrics.toggle(broken)
    session.update(104.0)
    session.update(104.1)
    curve = session.curves.metrics.chosen[broken]
    assert "no way" in curve.problem
    assert (curve.times, curve.values) == ([], {})


def test_all_metrics_are_offered_but_those_of_commands_that_no_viewer_sees() -> None:
    every = {"time", "path_length", "energy", "formation_error", "clearance", "contacts", "distance", "force"}
    assert every | {"bar_force", "bar_angle", "lateness"} <= set(offered())
    assert not {"tracking_error", "commands"} & set(offered())


class SteppedLink(StandinLink):
    """Tells what a simulation in this process does, as the state stream would."""

    def __init__(self, scene: str, *commands: tuple[float, float]) -> None:
        super().__init__()
        self.samples.clear()
        self.simulation = Simulation(load(scene))
        server = LocalServer(self.simulation)
        with server.connect() as client, client.stepper(every=5) as stepper:
            self.scene = client.scene()
            self.extras = RunExtras(types_of(client), formations_of(client.info().get("teams")), 3.0, 0.25)
            for number in range(16):
                stepper.step(dict(zip(stepper.robots, commands, strict=False)))
                self.samples.append(StateSample(self.state(stepper), 100.0 + number / 10))

    def state(self, stepper: Stepper) -> Any:
        layout, row = self.simulation.layout, self.simulation
        readings, robots = row.readings.copy(), layout.robots
        widths = tuple(place.type.reading_width for place in robots)
        raw = SimpleNamespace(
            generation=layout.generation,
            run=1,
            is_paused=False,
            flat=readings,
            robots=tuple(place.name for place in robots),
            widths=widths,
        )
        poses = row.engine.poses.copy()
        return SimpleNamespace(
            names=layout.bodies, poses=poses, time=row.time, tick=row.tick_count, raw=raw, readings=stepper.readings
        )


def curves_of(link: SteppedLink, *metrics: str) -> dict[str, dict[str, list[float]]]:
    session = ViewerSession(link)  # type: ignore[arg-type]
    for name in metrics:
        session.curves.metrics.toggle(name)
    session.update(102.0)
    session.update(102.0)
    curves = session.curves.metrics.chosen
    assert not [curve.problem for curve in curves.values() if curve.problem]
    return {name: curve.values for name, curve in curves.items()}


def test_a_run_that_goes_on_gives_metrics_of_its_speeds_teams_readings_and_lateness() -> None:
    curves = curves_of(SteppedLink("formation", (0.3, 0.0), (0.3, 0.5)), "energy", "formation_error", "lateness")
    assert curves["energy"]["energy"][-1] > 0.0
    assert 0.0 < curves["formation_error"]["formation_error_mean"][-1] < 5.0
    assert curves["lateness"] == {"lateness_ticks": [3.0, 3.0], "lateness_max": [0.25, 0.25]}


def test_the_force_on_a_bar_is_that_of_the_readings() -> None:
    link = SteppedLink("transport", (0.3, 0.0))
    curves = curves_of(link, "bar_force", "bar_angle")
    loads = [
        np.hypot(rows.support.force_x, rows.support.force_y)
        for sample in link.samples
        for robot in sample.state.readings.robots
        if (rows := sample.state.readings[robot]).support.loaded > 0.5
    ]
    assert curves["bar_force"]["bar_force_mean"][-1] == pytest.approx(np.mean(loads))
    assert curves["bar_angle"]["bar_angle_max"][-1] > 0.0
