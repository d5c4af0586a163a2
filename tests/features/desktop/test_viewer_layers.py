"""What is drawn of sensors, layer by layer."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_scenes import floor, row

from coopsim.errors import BadArgument
from coopsim.features.artifacts.detector_interface import DETECTOR
from coopsim.features.artifacts.interfaces import LAMP
from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.sensor_ribbons import sensor_ribbons
from coopsim.features.desktop.traces import Traces
from coopsim.features.pictures.drawn_sensors import DrawnSensors, drawn_sensors
from coopsim.geometry import Floats
from coopsim.interfaces import BUMPERS, SONARS, TARGET, Command, Effect, Interface, Value

SETTINGS: dict[str, Value] = {"count": 3, "sector": 180.0, "reach": 2.0, "height": 0.0, "elevation": "0"}
READ = {
    "ranges": np.array([[1.0, 2.0, 0.5]]),
    "targets": np.array([[3.0, 0.0, 1.0, 5.0, 1.0, 0.0]]),
    "robots": np.zeros((1, 24)),
    "detections": np.array([[3.0, 0.0, 2.0, 1.0, 4.0, np.pi / 2, 0.0, 1.0, 20.0, 0.0, 0.0, 0.0]]),
    "front": np.array([[1.0]]),
    "rear": np.array([[0.0]]),
}


def sensors(**settings: Value) -> DrawnSensors:
    modules = {"sonars": SONARS, "target": TARGET, "bumpers": BUMPERS}
    return drawn_sensors(modules, lambda _module, name: (SETTINGS | settings)[name])


def read(_kind: str, _module: str, field: str) -> tuple[Sequence[str], Floats]:
    return ("robot1",), READ[field]


def ribbons(*layers: str, drawn: DrawnSensors | None = None) -> np.ndarray:
    turned = (np.cos(np.pi / 4), 0.0, 0.0, np.sin(np.pi / 4))  # it looks along y
    robot = row("robot1", "robot", "cylinder", at=(1.0, 0.0, 0.0), turn=turned, size=(0.4, 0.4, 0.3))
    model = SceneModel((floor(), robot))
    return sensor_ribbons(model, Layers.only(layers), {"single": drawn or sensors()}, read)


def test_rays_begin_at_the_hull_and_end_where_something_is() -> None:
    rays = ribbons("rays")
    assert rays["r_begin"] == pytest.approx(np.array([[1.2, 0, 0.15], [1, 0.2, 0.15], [0.8, 0, 0.15]]), abs=1e-6)
    assert rays["r_end"] == pytest.approx(np.array([[2.2, 0, 0.15], [1, 2.2, 0.15], [0.3, 0, 0.15]]), abs=1e-6)
    near, far, nothing = rays["r_color"][[2, 0, 1]]
    assert near[0] > 2 * near[2]
    assert far[3] > nothing[3]


def test_rays_look_up_where_the_device_does() -> None:
    (_, ahead, _) = ribbons("rays", drawn=sensors(elevation="30", height=0.5))["r_end"]
    assert ahead == pytest.approx((1.0, 0.2 + 2.0 * np.cos(np.pi / 6), 1.5), abs=1e-6)


def test_what_is_seen_is_joined_with_who_sees_it() -> None:
    (sighting,) = ribbons("sightings")
    assert sighting["r_end"] == pytest.approx((1.0, 3.0, 0.15), abs=1e-6)


def test_artifacts_that_a_detector_sees_are_joined_with_it_at_their_heights() -> None:
    """S-15: sensors of other artifacts are drawn as all others."""
    drawn = drawn_sensors({"detector": DETECTOR}, lambda _module, name: DETECTOR.parameter(name).default)
    ahead, left = ribbons("sightings", drawn=drawn)["r_end"]
    assert ahead == pytest.approx((1.0, 3.0, 0.15 + 2.0), abs=1e-6)
    assert left == pytest.approx((-3.0, 0.0, 0.15), abs=1e-6)


def test_a_touched_half_of_the_hull_is_marked() -> None:
    touch = ribbons("contacts")
    assert (touch["r_begin"][:, 1] > 0.0).all()


def without(interface: Interface, *fields: str) -> Interface:
    """Return an interface, as a plugin's or a damaged file's may be, whose READ commands give less."""
    commands = tuple(
        replace(command, gives=tuple(field for field in command.gives if field.name not in fields))
        for command in interface.commands
    )
    return replace(interface, commands=commands)


def test_what_modules_give_without_reading_it_is_not_drawn() -> None:
    """A ring's, a table's, a touch's or a light's numbers lie among readings, or nowhere."""
    scan = Command(11, "scan", "Scan once.", (), SONARS.readings, Effect.SET)
    search = Command(11, "search", "Search once.", (), TARGET.readings, Effect.SET)
    names = tuple(field.name for field in (*SONARS.readings, *TARGET.readings))
    ring, table = without(SONARS, *names), without(TARGET, *names)
    modules = {
        "sonars": replace(ring, commands=(*ring.commands, scan)),
        "target": replace(table, commands=(*table.commands, search)),
        "bumpers": without(BUMPERS, "rear"),
        "lamp": without(LAMP, "blue"),
    }
    assert drawn_sensors(modules, lambda _module, name: SETTINGS[name]) == DrawnSensors()
    whole = {"sonars": SONARS, "target": TARGET, "bumpers": BUMPERS, "lamp": LAMP}
    drawn = drawn_sensors(whole, lambda _module, name: SETTINGS[name])
    assert ([ring.field for ring in drawn.rings], drawn.bumpers, drawn.lamps) == (["ranges"], ("bumpers",), ("lamp",))
    assert [table.field for table in drawn.sightings] == ["targets", "robots"]


def test_layers_that_are_off_draw_nothing() -> None:
    assert not len(ribbons())
    with pytest.raises(BadArgument, match="did you mean 'rays'"):
        Layers.only(["ray"])


def test_of_a_hidden_robot_no_rays_touches_and_ways_are_drawn() -> None:
    names = ("robot1", "robot2")
    robots = [row(name, "robot", "cylinder", at=(3.0 * place, 0.0, 0.0)) for place, name in enumerate(names)]
    model, traces = SceneModel((floor(), *robots)), Traces(Layers.only(["rays", "contacts", "trails"]))
    ranges, touched = np.array([[1.0, 2.0, 0.5]] * 2), np.array([1.0, 1.0])
    readings_of_robots: Any = SimpleNamespace(
        robots=names, sonars=SimpleNamespace(ranges=ranges), bumpers=SimpleNamespace(front=touched, rear=touched)
    )
    readings: Any = SimpleNamespace(types={"single"}, of=lambda _kind: readings_of_robots)
    for x in (0.0, 0.2):
        model.entity_poses[model.numbers["robot1"], 0] = x
        model.entity_poses[model.numbers["robot2"], 0] = x + 3.0
        traces.add(model)
    both = traces.ribbons(model, {"single": sensors()}, readings)
    for hidden, kept in (("robot1", lambda x: x > 1.5), ("robot2", lambda x: x < 1.5)):
        drawn = traces.ribbons(model, {"single": sensors()}, readings, {hidden})
        assert 2 * len(drawn) == len(both) > 0
        assert kept(drawn["r_begin"][:, 0]).all()
    assert not len(traces.ribbons(model, {"single": sensors()}, readings, set(names)))
