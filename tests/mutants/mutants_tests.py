"""Runs tests in a copy and tells which failed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mutants_copies import Copy
from mutants_watch import TOLD

_TEST_LIMIT = 400
"""Seconds for one test: a fault may let it wait for ever; packages of C++ are built on a busy machine before some."""


@contextmanager
def workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Yield threads that do one thing each; where the user ends it, what has not begun is left."""
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the tests.

    Attributes:
        failed: The tests that failed, in the order of their run.
        seconds: How long each test took.
        is_late: Whether they were ended because of the time they took.
        trouble: What pytest said where it could not run tests; "" = it could.
    """

    failed: list[str]
    seconds: dict[str, float]
    is_late: bool
    trouble: str


def run_tests(
    copy: Copy,
    tests: Iterable[str],
    limit: float,
    items: Mapping[str, list[str]] | None = None,
    wanted: Iterable[str] = (),
    options: Iterable[str] = (),
) -> Outcome:
    """Run tests in a copy until each of the items that are wanted was named by a test that failed.

    Args:
        copy: Where.
        tests: Names as pytest takes them, in the order in which they are run.
        limit: Seconds for all of them.
        items: The items that each test names.
        wanted: The items to be proved; none = all tests are run.
        options: More words for pytest.
    """
    report = copy.folder / "build" / "told.json"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    names = list(tests)
    job = {"items": dict(items or {}), "wanted": sorted(wanted), "order": names, "told": str(report)}
    (copy.folder / "build" / "job.json").write_text(json.dumps(job), encoding="utf-8")
    words = ["-q", "-p", "no:cacheprovider", "-p", "mutants_watch", "--timeout", str(_TEST_LIMIT), "--tb=no", *options]
    variables = {**copy.variables(), TOLD: str(copy.folder / "build" / "job.json")}
    command = [str(copy.python), "-m", "pytest", *words, *names]
    return _outcome(*_finish(command, copy.folder, variables, limit), report)


def _finish(command: list[str], folder: Path, variables: dict[str, str], limit: float) -> tuple[int | None, str]:
    """Return the exit code (None = it was ended) and the last words."""
    with (folder / "build" / "said.txt").open("w+", encoding="utf-8") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=variables, stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
        said.seek(0)
        return code, said.read()[-2000:]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the tests and what they left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    process.wait()


def _outcome(code: int | None, said: str, told: Path) -> Outcome:
    tests = json.loads(told.read_text(encoding="utf-8")) if told.is_file() else {}
    failed = [name for name, test in tests.items() if test["failed"]]
    seconds = {name: round(test["seconds"], 2) for name, test in tests.items()}
    is_clear = code is None or code in {0, 1, 5} or bool(failed)
    return Outcome(failed, seconds, code is None, "" if is_clear else said)
