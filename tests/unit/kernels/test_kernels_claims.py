"""Claims to compile: who has one, who waits, and what is left in the folder."""

import os
import stat
import time
from pathlib import Path

import pytest

from coopsim.kernels.claims import CompilingClaims

FILE = ".compiling"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "machine" / "code")


def in_a_fork(work) -> int:
    """Do something in a forked process; return what it returns."""
    child = os.fork()
    if child == 0:
        os._exit(int(work()))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_claim_that_nobody_has_is_granted_at_once_and_leaves_an_empty_file_of_ones_own(folder: str) -> None:
    claims = CompilingClaims()
    assert not claims.claim(folder, "kernel")
    status = (Path(folder) / FILE).stat()
    assert (stat.S_IMODE(status.st_mode), status.st_size) == (0o600, 0)


def test_what_another_process_compiles_is_waited_for_and_other_kernels_are_not(folder: str) -> None:
    claims = CompilingClaims()
    claims.claim(folder, "kernel")

    def other() -> int:
        began = time.monotonic()
        waited = [CompilingClaims().claim(folder, kernel, patience=0.05) for kernel in ("kernel", "another")]
        return 10 * waited[0] + waited[1] + 100 * (time.monotonic() - began < 0.03)

    assert in_a_fork(other) == 10


def test_what_is_released_is_free_for_others(folder: str) -> None:
    claims = CompilingClaims()
    claims.claim(folder, "kernel")
    claims.release(folder, "kernel")
    assert in_a_fork(lambda: CompilingClaims().claim(folder, "kernel", patience=0.05)) == 0


def test_a_fork_has_none_of_the_claims_and_releases_none(folder: str) -> None:
    claims = CompilingClaims()
    claims.claim(folder, "kernel")

    def other() -> bool:
        claims.release(folder, "kernel")
        return claims.claim(folder, "kernel", patience=0.05)

    assert in_a_fork(other) == 1


def test_to_release_what_was_never_claimed_changes_nothing(folder: str) -> None:
    CompilingClaims().release(folder, "kernel")
    assert not Path(folder).exists()


def test_where_nothing_can_be_written_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert not CompilingClaims().claim(str(tmp_path / "file" / "below"), "kernel")
