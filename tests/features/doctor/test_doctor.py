"""`coopsim doctor`: each probe on a machine that has what it looks for, and on one that has not."""

import json
import shlex
import sys
from importlib.metadata import metadata, version

import pytest

from coopsim.app import capacity
from coopsim.app.main import run
from coopsim.errors import EngineCannot
from coopsim.features.doctor import crowds
from coopsim.features.doctor import machine as doctor_machine
from coopsim.features.doctor import probes as doctor_probes
from coopsim.features.doctor.command import findings_text
from coopsim.features.doctor.machine import Machine
from coopsim.features.doctor.probes import PROBES, Probe, ProbeResult, examine
from coopsim.interpreter import extra_command

NEEDS = ["numba>=0.60", "click>=8.1", 'pyarrow>=14; extra == "parquet"', 'mujoco-core>=4.0; extra == "mujoco"']


class Whole(Machine):
    """A machine that has everything; tests take things away."""

    def __init__(self, **changes: object) -> None:
        self.system = "Linux"
        self.environment: dict[str, str] = {}
        self.interpreter = "python"
        self.packages = {"numba": "0.60.1", "click": "10.0", "pyarrow": "21.0.0", "mujoco-core": "4.0.1"}
        self.cold: list[str] = []
        self.folder: str | None = "beside the sources"
        self.free: int | None = 1 << 30
        self.container = False
        self.taken: set[int] = set()
        self.files = 65536
        self.first = True
        self.resolution, self.late = 1e-9, 1e-4
        self.version = (3, 12)
        self.broken: list[str] = []
        self.lane = True
        self.renderers = {"opengl": "", "mujoco": ""}
        vars(self).update(changes)

    def python(self):
        return self.version

    def requirements(self):
        return NEEDS

    def installed(self, package):
        return self.packages.get(package)

    def plugin_problems(self):
        return self.broken

    def renderer_problems(self):
        return self.renderers

    def has_lane(self):
        return self.lane

    def install_command(self, *words):
        return " ".join(["pip install", *words])

    def extra_command(self, extra):
        return f"pip install coopsim[{extra}]"

    def rebuild_command(self):
        return "pip install -e ."

    def kernel_folder(self):
        return self.folder

    def cold_kernels(self):
        return self.cold

    def free_shared_memory(self):
        return self.free

    def is_container(self):
        return self.container

    def is_free(self, port):
        return port not in self.taken

    def may_be_first(self):
        return self.first

    def clock_resolution(self):
        return self.resolution

    def oversleep(self):
        return self.late

    def open_files(self):
        return self.files


class Strange(Whole):
    def free_shared_memory(self):
        raise OSError("nobody thought of this")


def found(probe: Probe, machine: Machine) -> list[ProbeResult]:
    result = probe(machine)
    return [result] if isinstance(result, ProbeResult) else list(result)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.__name__)
def test_a_whole_machine_lacks_nothing_and_needs_no_cure(probe: Probe) -> None:
    for finding in found(probe, Whole()):
        assert finding.is_there
        assert finding.detail
        assert not finding.cure


@pytest.mark.parametrize(
    ("probe", "machine", "said", "cure"),
    [
        (doctor_probes.python, Whole(version=(3, 10)), "3.10", "python3.11 -m pip install coopsim"),
        (
            doctor_probes.packages,
            Whole(packages={"numba": "0.59.9"}),
            "numba>=0.60, click>=8.1",
            "pip install --upgrade numba>=0.60 click>=8.1",
        ),
        (
            doctor_probes.extras,
            Whole(packages={"pyarrow": "14.0"}),
            "mujoco-core>=4.0, for the engine mujoco",
            "pip install coopsim[mujoco]",
        ),
        (
            doctor_probes.extras,
            Whole(packages={"mujoco-core": "4.0.0"}),
            "pyarrow>=14, for export to Parquet",
            "pip install coopsim[parquet]",
        ),
        (doctor_probes.plugins, Whole(broken=["a.py:3: it"]), "a.py:3: it", "coopsim describe"),
        (
            doctor_probes.kernels,
            Whole(cold=["cast", "_push"]),
            "2 not compiled yet (cast, _push)",
            "python -m coopsim.features.doctor.warm",
        ),
        (doctor_probes.kernels, Whole(folder=None), "kept nowhere", "export NUMBA_CACHE_DIR="),
        (doctor_probes.lane, Whole(lane=False), "not built, lockstep steps are done by Python", "pip install -e ."),
        (
            doctor_probes.lane,
            Whole(lane=False, environment={"COOPSIM_LANE": "off"}),
            "switched off",
            "unset COOPSIM_LANE",
        ),
        (
            doctor_probes.shared_memory,
            Whole(free=32 << 20),
            "34 MB free in /dev/shm",
            "sudo mount -o remount,size=512M /dev/shm",
        ),
        (
            doctor_probes.shared_memory,
            Whole(free=None, container=True),
            "no /dev/shm that may be written",
            "docker run --shm-size=512m ...",
        ),
        (doctor_probes.ports, Whole(taken={5571, 80}), "taken: 5571; `coopsim status`", "coopsim run FILE --port 0"),
        (doctor_probes.open_files, Whole(files=256), "at most 256", "ulimit -n 4096"),
        (
            doctor_probes.clock,
            Whole(resolution=1e-3),
            "resolution 1000000 ns",
            "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
        (doctor_probes.clock, Whole(late=0.004), "sleeps 4000 us too long", "coopsim run FILE --realtime-priority"),
        (doctor_probes.priority, Whole(first=False), "not permitted to this user", 'echo "$USER - rtprio 10" |'),
        (doctor_probes.priority, Whole(first=False, container=True), "not permitted", "--cap-add=SYS_NICE"),
    ],
)
def test_what_is_missing_is_said_with_the_command_that_cures_it(
    probe: Probe, machine: Machine, said: str, cure: str
) -> None:
    (finding,) = [result for result in found(probe, machine) if not result.is_there]
    assert said in finding.detail
    assert cure in finding.cure


def test_a_system_without_epoll_has_no_lane_and_nothing_to_mend() -> None:
    finding = doctor_probes.lane(Whole(system="Darwin", lane=False))
    assert (finding.is_there, finding.cure) == (True, "")
    assert "done by Python" in finding.detail


def test_other_systems_keep_records_in_the_temporary_folder() -> None:
    assert doctor_probes.shared_memory(Whole(system="Darwin", free=None)).is_there


def test_no_limit_of_open_files_is_enough() -> None:
    assert doctor_probes.open_files(Whole(files=-1)).detail == "without limit"


def test_the_table_tells_what_is_needed_from_what_is_not() -> None:
    text = findings_text(examine(Whole(free=0, taken={5570})))
    assert "MISSING   shared memory" in text
    assert "optional  ports" in text
    assert text.index("shared memory: sudo mount") < text.index("optional things") < text.index("ports: coopsim run")
    assert "coopsim doctor --report" in text
    assert findings_text(examine(Whole())).endswith("all that is needed is there")


def test_a_probe_that_cannot_look_is_a_finding_and_no_crash() -> None:
    findings = {finding.name: finding for finding in examine(Strange())}
    assert findings["shared memory"].detail == "could not be looked for: OSError: nobody thought of this"
    assert findings["ports"].is_there


# the command


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Whole:
    """The machine that the command examines."""
    whole = Whole()
    whole.facts = lambda: {"platform": "Somewhere", "numba": "0.60.1"}  # type: ignore[method-assign]
    monkeypatch.setattr(doctor_machine, "Machine", lambda: whole)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return whole


def test_all_there_is_exit_code_0_and_something_missing_1(machine: Whole) -> None:
    assert run(["doctor"]) == 0
    machine.taken, machine.first, machine.cold = {5570}, False, ["cast"]
    assert run(["doctor"]) == 0
    machine.free = 0
    assert run(["doctor"]) == 1
    assert run(["doctor", "--needed"]) == 1


def test_it_is_all_there_as_json(machine: Whole, capsys: pytest.CaptureFixture[str]) -> None:
    machine.taken = {5570}
    assert run(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["facts"]["platform"] == "Somewhere"
    missing = [finding for finding in said["findings"] if not finding["is_there"]]
    assert [(finding["name"], finding["cure"], finding["needed"]) for finding in missing] == [
        ("ports", "coopsim run FILE --port 0", False)
    ]


def test_the_text_for_a_bug_report_has_versions_and_platform(
    machine: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--report"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("```text\n")
    assert text.endswith("```\n")
    assert "Somewhere" in text
    assert "numba     0.60.1" in text


# this machine


def test_all_extras_that_users_may_want_are_listed_with_what_for() -> None:
    extras = set(metadata("coopsim").get_all("Provides-Extra") or ())
    assert set(doctor_probes.EXTRAS) == extras - {"dev", "docs"}
    machine = Machine()
    machine.installed = lambda _: None  # type: ignore[method-assign]
    for finding in doctor_probes.extras(machine):
        assert finding.detail.endswith(f", for {doctor_probes.EXTRAS[finding.name]}")
        assert finding.cure == extra_command(finding.name)


def test_a_report_names_packages_with_their_digits() -> None:
    facts = Machine().facts()
    assert {"lz4", "jinja2", "imgui-bundle", "mkdocstrings"} <= facts.keys()
    assert facts["lz4"] == version("lz4")


def test_this_machine_can_be_asked_everything() -> None:
    machine = Machine()
    findings = examine(machine)
    assert {finding.name for finding in findings} >= {
        "python",
        "packages",
        "kernels",
        "ports",
        "clock",
        "shared memory",
    }
    assert next(finding for finding in findings if finding.name == "packages").is_there
    facts = machine.facts()
    assert facts["python"].startswith("CPython 3.")
    assert facts["numba"] == machine.installed("numba")
    assert facts["coopsim"]


def test_a_port_that_is_listened_on_is_taken() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert not Machine().is_free(taken.getsockname()[1])
    assert Machine().is_free(0)


def test_a_kernel_is_cold_until_its_machine_code_is_kept(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    file = tmp_path / "kernel_of_a_test.py"
    file.write_text("from coopsim.kernels import compiled\n@compiled\ndef twice(x):\n    return x + x\n")
    spec = importlib.util.spec_from_file_location("coopsim.kernel_of_a_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "coopsim.kernel_of_a_test", module)
    spec.loader.exec_module(module)
    assert "twice" in Machine().cold_kernels()
    assert module.twice(2) == 4
    assert "twice" not in Machine().cold_kernels()


def test_an_installed_plugin_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from coopsim.plugins import _registry

    point = EntryPoint("lamp", "no_such_package_anywhere:Lamp", "coopsim.devices")
    monkeypatch.setattr(_registry, "entry_points", lambda group: [point] if group == "coopsim.devices" else [])
    _registry._renew()
    try:
        (problem,) = Machine().plugin_problems()
    finally:
        monkeypatch.undo()
        _registry._renew()
    assert "no_such_package_anywhere" in problem


def test_it_says_how_many_robots_of_a_type_there_is_time_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(capacity.largest, "__defaults__", (0.0, (2, 4)))
    assert run(["doctor", "--crowd", "single", "--crowd", "quadrotor", "--json"]) == 0
    single, quadrotor = json.loads(capsys.readouterr().out.splitlines()[-1])["crowds"]
    assert (single["type"], single["engine"], quadrotor["engine"]) == ("single", "pymunk", "mujoco")
    assert single["robots"] > 0
    assert quadrotor["robots"] > 0


def test_a_crowd_that_cannot_be_built_says_why_in_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise EngineCannot("no memory for so many")

    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(crowds, "largest", refuse)
    assert run(["doctor", "--crowd", "single"]) == 0
    assert "no memory for so many" in capsys.readouterr().out
    assert run(["doctor", "--crowd", "nothing"]) != 0


def test_command_lines_begin_this_python_and_a_usual_one_where_it_has_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shlex.split(Machine().interpreter) == [sys.executable]
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python3")
    assert Machine().interpreter == "'/opt/my python/bin/python3'"
    monkeypatch.setattr(sys, "executable", "")
    assert Machine().interpreter == "python"


def test_one_renderer_is_enough_and_the_others_say_what_they_lack() -> None:
    (finding,) = found(doctor_probes.renderers, Whole(renderers={"opengl": "", "mujoco": "EGL is missing"}))
    assert (finding.is_there, finding.detail, finding.cure) == (True, "opengl; mujoco: EGL is missing", "")
    (finding,) = found(doctor_probes.renderers, Whole(renderers={"opengl": "no OpenGL", "mujoco": "EGL is missing"}))
    assert (finding.is_there, finding.needed) == (False, False)
    assert finding.detail == "opengl: no OpenGL; mujoco: EGL is missing"
    assert "libegl1" in finding.cure


def test_renderers_of_this_machine_are_opened_and_closed() -> None:
    problems = Machine().renderer_problems()
    assert set(problems) >= {"opengl", "mujoco"}
