"""What long-lived processes do with memory that they need no more."""

import gc
import platform
import subprocess
import sys

import pytest

from coopsim.memory import uncollected

SIZE = 4 << 20
"""More than the C library keeps by itself."""


def _result(code: str) -> int:
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout)


def _faults(preparation: str) -> int:
    """Return how often a process asks the kernel for a page while it takes and gives back the same memory 50 times."""
    return _result(
        f"""
import resource, coopsim.memory
{preparation}
def taken(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def use():
    large = [bytearray({SIZE}) for _ in range(8)]
use()
before = taken()
for _ in range(50):
    use()
print(taken() - before)
"""
    )


def test_memory_that_is_given_back_is_kept_where_the_c_library_can_be_told() -> None:
    kept, usual = _faults(f"coopsim.memory.keep_freed_memory({64 << 20})"), _faults("")
    if platform.libc_ver()[0] == "glibc":
        assert kept < usual / 10
    else:  # it is left alone
        assert kept > 0


def test_what_is_there_is_left_out_of_collections() -> None:
    code = "import gc, coopsim.memory as m; m.collect_seldom(); print(gc.get_freeze_count())"
    assert _result(code) > 1000
    assert _result(code.replace("gc.get_freeze_count()", "gc.get_threshold()[0]")) == 20_000


def test_many_objects_are_made_without_collections_and_the_collector_is_left_as_it_was() -> None:
    collections: list[str] = []
    gc.callbacks.append(note := lambda phase, _: collections.append(phase))
    try:
        with uncollected():
            kept = [[k] for k in range(10 * gc.get_threshold()[0])]
            assert (collections, len(kept)) == ([], 10 * gc.get_threshold()[0])
        assert gc.isenabled()
        gc.disable()
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.callbacks.remove(note)
        gc.enable()


def test_the_collector_goes_on_after_a_fault() -> None:
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries decide by themselves")
def test_freed_memory_between_memory_in_use_goes_back_to_the_kernel() -> None:
    returned = _result(
        """
import coopsim.memory, resource
def resident(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
blocks = [bytearray(64 << 10) for _ in range(1600)]
del blocks[:-1]  # the last one lies above all others
before = resident()
coopsim.memory.return_freed_memory()
print(before - resident())
"""
    )
    assert returned > 80 << 20
