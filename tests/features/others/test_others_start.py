"""A process with a script begins soon: what it does not need is not imported before it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

import coopsim
from coopsim import transport
from coopsim.features.others.own_runs import OwnRuns, ShownRun
from coopsim.features.others.quick_start import left_out
from coopsim.recording import Recording

_UNNEEDED = ("scipy", "yaml", "numba.np.arrayobj", "coopsim.transport.control", "coopsim.client", "matplotlib")
_BEGIN = """
import sys
import coopsim.app.main
from coopsim.features.others.quick_start import import_kernels
import_kernels()
import_kernels()
from coopsim.features.others.own_runs import OwnRuns
from coopsim.features.others.robotarium.arena import ScriptRobots
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
import yaml
from numba.core import entrypoints
print(yaml.safe_load("a: 1"), entrypoints._already_initialized)
"""


def test_a_script_begins_without_what_it_does_not_need_and_has_it_when_it_asks() -> None:
    words = [sys.executable, "-c", _BEGIN, *_UNNEEDED]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines == ["", "{'a': 1} True"]


def test_what_is_left_out_cannot_be_imported_meanwhile_and_what_was_there_stays() -> None:
    sys.modules.pop("this", None)
    with left_out("this", "json", "coopsim"):
        with pytest.raises(ImportError):
            import this  # noqa: F401
        assert sys.modules["coopsim"] is coopsim
    assert "this" not in sys.modules


def test_what_is_left_out_comes_back_after_an_error() -> None:
    with pytest.raises(RuntimeError), left_out("this"):
        raise RuntimeError
    assert "this" not in sys.modules


def test_all_names_of_the_room_of_messages_are_there_and_no_others() -> None:
    assert all(getattr(transport, name).__name__ == name for name in transport.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Chanel'"):
        _ = transport.Chanel  # type: ignore[attr-defined]


def test_a_file_that_nobody_imported_yet_is_no_short_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'verison'"):
        _ = coopsim.verison  # type: ignore[attr-defined]
    words = [sys.executable, "-c", "import sys; from coopsim import version; print('coopsim.plugins' in sys.modules)"]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout.split() == ["False"]


@pytest.mark.parametrize("keeps_texts", [True, False])
def test_a_recording_has_the_files_of_its_run_where_they_are_asked_for(tmp_path: Path, keeps_texts: bool) -> None:
    def write(folder: Path) -> Path:
        scenario = folder / "one.scenario"
        scenario.write_text("[SIMULATION]\nmode lockstep\n\n[ROBOT_1]\ntype single\n", encoding="utf-8")
        return scenario

    record = tmp_path / "a.mcap"
    with OwnRuns(ShownRun(record=record)) as runs:
        runs.begin_alone(write, keeps_texts=keeps_texts)
    with Recording(record) as recording:
        names = set(recording.attachments)
    assert {"run.json", "one.scenario"} & names == ({"run.json", "one.scenario"} if keeps_texts else {"run.json"})
