"""Metrics that are plotted while a run goes on."""

from collections.abc import Iterator

import numpy as np
import pytest
from viewer_standins import StandinLink

from coopsim import plugins
from coopsim.metrics import RunArrays
from coopsim.viewer.metric_curves import MetricCurve, offered
from coopsim.viewer.session import ViewerSession


@pytest.fixture
def session() -> ViewerSession:
    """A run of 3.2 s in which a robot drives 0.1 m in each tenth of a second."""
    link = StandinLink()
    link.samples.clear()
    made = ViewerSession(link)  # type: ignore[arg-type]
    made.curves.metrics.toggle("path_length")
    for number in range(32):
        link.stand((0.0, 0.0), (number / 10, -1.0), time=number / 10, arrived=100.0 + number / 10)
        made.update(100.0 + number / 10)
    return made


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


def test_metrics_that_need_forces_or_commands_are_not_offered() -> None:
    assert {"path_length", "clearance", "contacts", "distance"} <= set(offered())
    assert not {"force", "commands", "energy"} & set(offered())
