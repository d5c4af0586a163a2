"""Helpers are inlined into kernels without copies, and do there what they do by themselves."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import ir

_KERNEL = """
from coopsim.kernels import compiled, inlined

@inlined
def nearer(a, b):
    distance = abs(a - b)
    if distance > 1.0:
        return 1.0 / distance
    return distance

@inlined
def around(values, i):
    total = 0.0
    for k in range(values.size):
        if k != i:
            total += nearer(values[k], values[i]) - nearer(values[i], 2.0)
    return total

@compiled
def crowding(values):
    most = around(values, 0)
    for i in range(1, values.size):
        most = max(most, around(values, i))
    return most
"""


@pytest.fixture
def crowding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a kernel with nested helpers, each of which it has several times, that was never compiled."""
    file = tmp_path / "crowded_kernel.py"
    file.write_text(_KERNEL)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("crowded_kernel", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "crowded_kernel", module)
    spec.loader.exec_module(module)
    return module.crowding


def test_helpers_are_inlined_without_copies_of_their_variables(crowding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    copies, copy = [], ir.Var.__deepcopy__

    def copied(variable: ir.Var, memory: Any) -> ir.Var:
        copies.append(variable.name)
        return copy(variable, memory)

    monkeypatch.setattr(ir.Var, "__deepcopy__", copied)
    crowding(np.zeros(2))
    assert not copies


def test_inlined_helpers_give_the_bits_that_python_gives(crowding: Any) -> None:
    values = np.random.default_rng(5).uniform(-4.0, 4.0, (20, 9))
    helpers = crowding.py_func.__globals__
    assert [crowding(row) for row in values] == [_in_python(helpers, row) for row in values]


def _in_python(helpers: dict[str, Any], values: Any) -> float:
    nearer = helpers["nearer"].py_func
    terms = [
        [nearer(value, values[i]) - nearer(values[i], 2.0) for k, value in enumerate(values) if k != i]
        for i in range(values.size)
    ]
    return float(max(sum(row) for row in terms))
