"""Spaces of Chipmunk free what is in them, once."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from engine_standins import body, engine_of, wall
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines import JointSpec
from coopsim.engines.planar import space

_FREEING = ("cpSpaceFree", "cpConstraintFree", "cpShapeFree", "cpBodyFree")


class _NotedLibrary:
    """Functions of Chipmunk; what is freed is noted, in its order."""

    def __init__(self) -> None:
        self.freed: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        function: Callable[[Any], None] = getattr(lib, name)
        return (lambda pointer: self._free(name, function, pointer)) if name in _FREEING else function

    def _free(self, name: str, function: Callable[[Any], None], pointer: Any) -> None:
        self.freed.append((name, int(ffi.cast("uintptr_t", pointer))))
        function(pointer)

    def counts(self) -> Counter[str]:
        """Return how much of each kind was freed; nothing may be twice."""
        assert len(set(self.freed)) == len(self.freed)
        return Counter(name for name, _ in self.freed)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> _NotedLibrary:
    """Return what notes all that spaces free."""
    noted = _NotedLibrary()
    monkeypatch.setattr(space, "lib", noted)
    return noted


def test_a_space_frees_all_that_is_left_in_it_and_itself_first(library: _NotedLibrary) -> None:
    engine = engine_of(wall("wall", 0.0, 3.0, 9.0, 0.2), *(body(f"crate{k}", 1.0 * k, rolling=0.3) for k in range(5)))
    engine.add_joint(JointSpec("hitch", "support", "crate0", "crate1", (0.5, 0.0, 0.0)))
    joints = 2 * 5 + len(engine._joints.held["hitch"].parts)
    engine.step(0.01)

    del engine

    # bodies: five crates, a carriage, that of walls and the floor
    expected = Counter(cpSpaceFree=1, cpConstraintFree=joints, cpShapeFree=6, cpBodyFree=8)
    assert library.counts() == expected
    assert library.freed[0][0] == "cpSpaceFree"


def test_what_leaves_is_freed_when_it_leaves(library: _NotedLibrary) -> None:
    engine = engine_of(*(body(f"crate{k}", 1.0 * k, rolling=0.3) for k in range(3)))
    engine.add_joint(JointSpec("hitch", "support", "crate0", "crate1", (0.5, 0.0, 0.0)))
    parts = len(engine._joints.held["hitch"].parts)

    engine.remove_joint("hitch")
    assert library.counts() == Counter(cpConstraintFree=parts, cpBodyFree=1)
    engine.remove("crate1")

    assert library.counts() == Counter(cpConstraintFree=parts + 2, cpShapeFree=1, cpBodyFree=2)
    assert engine.names == ("crate0", "crate2")
    del engine
    assert library.counts()["cpBodyFree"] == 6
