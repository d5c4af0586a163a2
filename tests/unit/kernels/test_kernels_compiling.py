"""Kernels are compiled by one process at a time, and counted."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from numba.core import event

from coopsim.kernels import progress
from coopsim.kernels.claims import CompilingClaims
from coopsim.kernels.progress import KernelProgress
from coopsim.kernels.store import is_stored

_HOLDS = """
import sys
from coopsim.kernels.claims import CLAIMS
print(CLAIMS.claim(sys.argv[1], "area"), flush=True)
sys.stdin.read()
"""
_TWO = """
from coopsim.kernels import compiled
@compiled
def twice(x):
    return x + x
@compiled
def thrice(x):
    return twice(x) + x
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Return a process that compiles the kernel `area`, as far as others see."""
    command = [sys.executable, "-c", _HOLDS, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"False\n"
        yield process
        process.kill()


def test_who_wants_a_kernel_that_another_process_compiles_waits_for_it(
    tmp_path: Path, holder: "subprocess.Popen[bytes]"
) -> None:
    claims = CompilingClaims()
    assert not claims.claim(str(tmp_path), "volume", patience=0.0)  # another kernel is free
    assert claims.claim(str(tmp_path), "area", patience=0.0)
    holder.kill()
    holder.wait()
    assert not claims.claim(str(tmp_path), "area", patience=0.0)  # the system let go of it
    claims.release(str(tmp_path), "area")
    claims.release(str(tmp_path), "never claimed")


def test_where_nothing_can_be_written_nobody_waits() -> None:
    assert not CompilingClaims().claim("/proc/no such folder", "area", patience=0.0)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a module of ours with two kernels that have no machine code."""
    file = tmp_path / "kernels_of_a_test.py"
    file.write_text(_TWO, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("coopsim.kernels_of_a_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "coopsim.kernels_of_a_test", module)
    spec.loader.exec_module(module)
    return module


def test_kernels_that_have_no_machine_code_are_counted_as_they_get_it(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "kernels", lambda: [module.twice, module.thrice])
    shown: list[tuple[int, int]] = []
    clock = iter(range(100))
    listener = KernelProgress(lambda done, total: shown.append((done, total)), lambda: float(next(clock)))
    event.register("numba:compile", listener)
    try:
        assert module.thrice(2) == 6
        assert module.thrice(3) == 9
    finally:
        event.unregister("numba:compile", listener)
    assert shown[0] == (0, 2)
    assert shown[-1] == (1, 2)  # the last one is stored once it is compiled
    assert all(map(is_stored, (module.twice, module.thrice)))
    assert shown == sorted(shown)
    assert len(shown) == 4  # nothing is compiled, so nothing told, at the second call


def test_a_fork_claims_for_itself(tmp_path: Path) -> None:
    claims = CompilingClaims()
    claims.claim(str(tmp_path), "area")
    child = os.fork()
    if child == 0:
        os._exit(int(claims.claim(str(tmp_path), "area", patience=0.0)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    claims.release(str(tmp_path), "area")
