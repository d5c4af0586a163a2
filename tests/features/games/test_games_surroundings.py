"""Devices around a match: what cameras see, and who waits before doors that are shut."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.errors import NoSuchName
from coopsim.features.games.logic import surroundings as room
from coopsim.features.games.logic.surroundings import FixedCamera, Surroundings
from coopsim.geometry import Floats

STUCK = 5.0


class Eye:
    """The module `target` of a camera: distance, angle and whether it is seen, of each robot that it looks for."""

    def __init__(self, *rows: tuple[float, float, float], names: tuple[str, ...]) -> None:
        self.rows, self.seen_names = rows, names

    def targets(self) -> Any:
        return SimpleNamespace(robots=np.array(self.rows).ravel())

    def names(self) -> Any:
        return SimpleNamespace(names=self.seen_names)


class Model:
    """A match with robots at places."""

    def __init__(self, places: dict[str, tuple[float, float]]) -> None:
        self.time = 0.0
        self.positions = np.array(list(places.values()))
        self.robots = {
            name: SimpleNamespace(name=name, index=index, is_alive=True, is_own=True)
            for index, name in enumerate(places)
        }
        self.roster = SimpleNamespace(robots=list(self.robots.values()))
        self.log: list[tuple[str, str, str]] = []

    def note(self, source: str, rule: str, text: str) -> None:
        self.log.append((source, rule, text))


class Scene:
    """A door and a camera beside robots of a match, and one car that is neither."""

    def __init__(self) -> None:
        self.is_open = False
        leaf = SimpleNamespace(body="gate/leaf", size=(1.6, 0.1, 1.0))
        post = SimpleNamespace(body="gate", size=(9.0, 9.0, 9.0))
        self.entities = [
            _entity("gate", (3.0, 0.0), (0.6, 0.8), leaf, post),
            _entity("watcher", (0.0, 5.0), (0.3, 0.4)),
            _entity("a1", (0.0, 0.0), (0.3, 0.3)),
            _entity("car", (9.0, 9.0), (0.3, 0.3)),
            SimpleNamespace(kind="object", name="crate"),
        ]
        self.modules = {
            "/gate/door": _module("automatic_door", leaf="gate/leaf", opening=1.5),
            "/watcher/eye": _module("target"),
            "/car/motors": _module("differential_drive"),
            "/car/eye": _module("target"),
        }
        self.modules["/gate/door"].state = lambda: SimpleNamespace(open=float(self.is_open))

    def scene(self) -> Any:
        return SimpleNamespace(entities=self.entities)

    def names(self, prefix: str) -> list[str]:
        return [name for name in self.modules if name.startswith(prefix)]

    def module(self, name: str) -> Any:
        return self.modules[name]


def _entity(name: str, place: tuple[float, float], size: tuple[float, float], *visuals: Any) -> Any:
    return SimpleNamespace(kind="robot", name=name, pose=(*place, 0.0, 1.0), size=(*size, 1.0), visuals=visuals)


def _module(kind: str, **parameters: Any) -> Any:
    return SimpleNamespace(interface=SimpleNamespace(kind=kind), parameters=parameters)


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    can = {"gate": {"open"}, "watcher": {"see"}, "car": {"drive", "see"}}
    monkeypatch.setattr(room, "abilities_of", lambda sim, name: frozenset(can[name]))
    return Scene()


def test_a_camera_tells_whom_it_sees_the_nearest_first() -> None:
    rows = ((7.0, 0.0, 1.0), (2.0, 0.1, 1.0), (1.0, 0.2, 0.0), (3.0, 0.3, 1.0))
    eye = Eye(*rows, names=("flag", "b1", "b2", "b3", ""))
    assert FixedCamera(eye, (0.0, 0.0), 0.2).seen() == ["b2", "b1"]  # type: ignore[arg-type]
    eye = Eye(*rows, names=("b1", "b2", "b3", "b4"))
    assert FixedCamera(eye, (0.0, 0.0), 0.2).seen() == ["b2", "b4", "b1"]  # type: ignore[arg-type]


def test_cameras_and_doors_are_found_by_what_they_can_and_robots_of_the_match_are_none(scene: Scene) -> None:
    surroundings = Surroundings(scene, ["a1"])  # type: ignore[arg-type]
    assert list(surroundings.cameras) == ["watcher"]
    assert surroundings.abilities == {"gate": frozenset({"open"}), "watcher": frozenset({"see"})}
    assert surroundings.posts == [(0.0, 5.0, pytest.approx(0.25)), (3.0, 0.0, pytest.approx(0.5 + 0.1))]
    model = Model({"a1": (0.0, 0.0)})
    surroundings.log(model)  # type: ignore[arg-type]
    assert model.log == [("gate", "device", "gate can open"), ("watcher", "device", "watcher can see")]


def test_a_camera_that_is_gone_sees_nobody_and_is_told_once(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    surroundings, model = Surroundings(scene, ["a1"]), Model({"a1": (0.0, 0.0)})  # type: ignore[arg-type]
    monkeypatch.setattr(FixedCamera, "seen", lambda self: ["a1", "stranger"])
    assert surroundings.seen_by("watcher", model) == [model.robots["a1"]]  # type: ignore[arg-type]

    def gone(self: FixedCamera) -> list[str]:
        raise NoSuchName("nothing is called /watcher/eye")

    monkeypatch.setattr(FixedCamera, "seen", gone)
    assert surroundings.seen_by("watcher", model) == []  # type: ignore[arg-type]
    assert surroundings.seen_by("watcher", model) == []  # type: ignore[arg-type]
    assert model.log == [("watcher", "device", "watcher is gone: it sees nobody any more")]


def _stuck(model: Model, seconds: float = STUCK) -> Floats:
    return np.full(len(model.robots), seconds)


def test_who_stands_before_a_shut_door_waits_and_does_not_count_as_stuck(scene: Scene) -> None:
    surroundings = Surroundings(scene, ["a1"])  # type: ignore[arg-type]
    model = Model({"near": (2.0, 0.0), "far": (0.5, 0.0), "moving": (2.5, 0.0)})
    stuck = np.array([STUCK, STUCK, 0.5])
    surroundings.let_wait(stuck, model)  # type: ignore[arg-type]
    assert stuck.tolist() == [0.0, STUCK, 0.5]
    assert model.log == [("near", "waits", "near waits for gate to open")]
    surroundings.let_wait(_stuck(model), model)  # type: ignore[arg-type]
    assert [line[0] for line in model.log] == ["near", "moving"]


def test_who_takes_no_part_or_is_commanded_by_another_logic_does_not_wait(scene: Scene) -> None:
    surroundings = Surroundings(scene, ["a1"])  # type: ignore[arg-type]
    model = Model({"out": (2.0, 0.0), "theirs": (2.2, 0.0)})
    model.robots["out"].is_alive = model.robots["theirs"].is_own = False
    stuck = _stuck(model)
    surroundings.let_wait(stuck, model)  # type: ignore[arg-type]
    assert (stuck.tolist(), model.log) == ([STUCK, STUCK], [])


def test_who_has_waited_counts_as_stuck_only_from_when_the_door_opened(scene: Scene) -> None:
    surroundings, model = Surroundings(scene, ["a1"]), Model({"near": (2.0, 0.0)})  # type: ignore[arg-type]
    surroundings.let_wait(_stuck(model), model)  # type: ignore[arg-type]
    scene.is_open, model.time = True, 10.0
    for time, counted in ((10.0, 0.0), (13.0, 3.0)):
        model.time, stuck = time, _stuck(model, 5.0)
        surroundings.let_wait(stuck, model)  # type: ignore[arg-type]
        assert stuck.tolist() == [counted]
    model.time, moved = 14.0, _stuck(model, 0.2)
    surroundings.let_wait(moved, model)  # type: ignore[arg-type]
    model.time, later = 20.0, _stuck(model, 6.2)
    surroundings.let_wait(later, model)  # type: ignore[arg-type]
    assert (moved.tolist(), later.tolist()) == ([0.2], [6.2])


def test_who_waits_too_long_is_stuck(scene: Scene) -> None:
    surroundings, model = Surroundings(scene, ["a1"]), Model({"near": (2.0, 0.0)})  # type: ignore[arg-type]
    for time, counted in ((0.0, 0.0), (30.0, 0.0), (30.5, STUCK)):
        model.time, stuck = time, _stuck(model)
        surroundings.let_wait(stuck, model)  # type: ignore[arg-type]
        assert stuck.tolist() == [counted]
    assert len(model.log) == 1
