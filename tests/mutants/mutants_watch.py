"""A part of pytest that tells which tests failed, and stops when every item that a fault breaks is proved.

`MUTANTS_WATCH` names a file of JSON: `items` = the items of each test, `wanted` = what a fault breaks, `order` = the
tests as they are to be run, `told` = the file in which outcomes and seconds of tests are written.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

TOLD = "MUTANTS_WATCH"


class Watch:
    """Outcomes of the tests of one process."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._items: dict[str, list[str]] = job["items"]
        self._left = set(job["wanted"])
        self._rank = {name: number for number, name in enumerate(job["order"])}
        self._file = Path(job["told"])
        self._told: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Run the tests in the order that was asked for."""
        items.sort(key=lambda item: self._rank.get(_function(item.nodeid), len(self._rank)))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave out a test whose items are proved already."""
        named = set(self._items.get(_function(item.nodeid), ()))
        if self._left and named and not named & self._left:
            pytest.skip("its items are proved")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an outcome; stop where nothing is left to be proved."""
        name = _function(report.nodeid)
        test = self._told.setdefault(name, {"seconds": 0.0, "failed": False, "passed": False})
        test["seconds"] += report.duration
        test["failed"] |= report.failed
        test["passed"] |= report.passed and report.when == "call"
        self._write()

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Stop the session after the test that proved the last item."""
        if call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception):
            return
        named = set(self._items.get(_function(item.nodeid), ()))
        if self._left and not self._left - named:
            item.session.shouldstop = "all items are proved"
        self._left -= named

    def _write(self) -> None:
        self._file.write_text(json.dumps(self._told), encoding="utf-8")


def _function(node: str) -> str:
    return node.partition("[")[0]


def pytest_configure(config: pytest.Config) -> None:
    """Watch, where somebody asked for it."""
    if TOLD in os.environ:
        config.pluginmanager.register(Watch(json.loads(Path(os.environ[TOLD]).read_text(encoding="utf-8"))))
