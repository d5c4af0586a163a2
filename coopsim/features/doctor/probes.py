"""Probes of `coopsim doctor`: small functions from a machine to a result."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from coopsim.features.doctor.machine import Machine
from coopsim.interpreter import install_command
from coopsim.lane import is_possible

OLDEST = (3, 11)  # the version that setup.cfg asks for
PORTS = (5570, 5571, 5572)  # the ports of a run that names none
SHARED = 64 << 20
"""A run with room for 20 000 robots takes about 40 MB."""
# s; a coarser clock cannot time ticks, a nap that is later than the second spoils them
RESOLUTION, OVERSLEEP = 1e-6, 1e-3
FILES = 1024  # descriptors; some hundred clients, each with a socket or two
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)")
EXTRAS = {
    "gui": "the window: `coopsim gui`, `view`",
    "video": "films as .mp4",
    "studies": "reports, plots as pages, searches, samples, clusters",
    "games": "squads that find their way",
    "mujoco": "the engine mujoco",
    "models": "models of robots with macros of xacro, on the engine mujoco",
    "parquet": "export to Parquet",
    "foxglove": "files for Foxglove, and its app live: `coopsim gateway foxglove`",
    "websocket": "pages in browsers that connect",
    "gateways": "programs of ROS by rosbridge: `coopsim gateway`",
    "ros2": "nodes of ROS 2 over DDS and Zenoh: `coopsim gateway ros2`",
    "web": "the page for browsers: `coopsim run --web`",
    "learning": "environments of Gymnasium and PettingZoo, policies",
    "others": "worlds of IR-SIM: `coopsim import world`",
    "generate": "packages for ROS and Python: `coopsim generate`",
}
"""Optional parts of coopsim that users may want, and what for."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Finding of one probe.

    Attributes:
        name: What was looked for.
        is_there: Whether it is all there.
        detail: The result in a few words.
        cure: The command that puts it right; "" where nothing is missing.
        needed: Whether `coopsim run` cannot do without it; everything else is optional.
    """

    name: str
    is_there: bool
    detail: str
    cure: str = ""
    needed: bool = False


def python(machine: Machine) -> ProbeResult:
    """Check the version of Python."""
    version = machine.python()
    cure = "" if version >= OLDEST else install_command("coopsim", python=f"python3.{OLDEST[1]}")
    return ProbeResult("python", not cure, f"{version[0]}.{version[1]}", cure, needed=True)


def packages(machine: Machine) -> ProbeResult:
    """Check the dependencies."""
    wanted = [requirement for requirement in machine.requirements() if "extra" not in requirement]
    missing = _missing(machine, wanted)
    cure = machine.install_command("--upgrade", *missing) if missing else ""
    return ProbeResult("packages", not missing, _listed(missing) or f"{len(wanted)} there", cure, needed=True)


def extras(machine: Machine) -> Iterable[ProbeResult]:
    """Check the optional packages."""
    for name, purpose in EXTRAS.items():
        wanted = [
            requirement.partition(";")[0]
            for requirement in machine.requirements()
            if re.search(rf"extra == .{name}\b", requirement)
        ]
        missing = _missing(machine, wanted)
        cure = machine.extra_command(name) if missing else ""
        yield ProbeResult(name, not missing, f"{_listed(missing)}, for {purpose}" if missing else purpose, cure)


def plugins(machine: Machine) -> ProbeResult:
    """Check the installed plugins."""
    problems = machine.plugin_problems()
    cure = "coopsim describe" if problems else ""
    return ProbeResult("plugins", not problems, "; ".join(problems) or "all can be used", cure, needed=True)


def kernels(machine: Machine) -> ProbeResult:
    """Check the cache of compiled functions, without which a first run takes half a minute."""
    place = machine.kernel_folder()
    if place is None:
        cure = "export NUMBA_CACHE_DIR=FOLDER, one that this user may write to"
        return ProbeResult("kernels", False, "kept nowhere, each run compiles them anew", cure)
    cold = machine.cold_kernels()
    cure = f"{machine.interpreter} -m coopsim.features.doctor.warm" if cold else ""
    detail = f"{len(cold)} not compiled yet ({_listed(cold)})" if cold else "compiled"
    return ProbeResult("kernels", not cold, f"{detail}, kept {place}", cure)


def lane(machine: Machine) -> ProbeResult:
    """Check the C library that does lockstep steps without Python."""
    if machine.has_lane():
        return ProbeResult("lane", True, "lockstep steps in C")
    if machine.has_lane_off():
        return ProbeResult("lane", False, "switched off, lockstep steps take longer", "unset COOPSIM_LANE")
    if not is_possible(machine.system.lower()):
        return ProbeResult("lane", True, f"none on {machine.system}, lockstep steps are done by Python")
    cure = f"{machine.rebuild_command()}  # with a C compiler: apt-get install gcc libc6-dev"
    return ProbeResult("lane", False, "not built, lockstep steps are done by Python and take longer", cure)


def renderers(machine: Machine) -> ProbeResult:
    """Check what draws pictures and images of cameras: one renderer is enough."""
    problems = machine.renderer_problems()
    usable = [name for name, problem in problems.items() if not problem]
    missing = "; ".join(f"{name}: {problem}" for name, problem in problems.items() if problem)
    cure = "" if usable else "apt-get install libegl1 libgl1"
    return ProbeResult("renderers", bool(usable), "; ".join(filter(None, (_listed(usable), missing))), cure)


def shared_memory(machine: Machine) -> ProbeResult:
    """Check the shared memory for the records of a run."""
    if machine.system != "Linux":
        return ProbeResult("shared memory", True, "in the temporary folder", needed=True)
    free = machine.free_shared_memory()
    detail = "no /dev/shm that may be written" if free is None else f"{free / 1e6:.0f} MB free in /dev/shm"
    cure = ""
    if free is None or free < SHARED:
        remount = "sudo mount -o remount,size=512M /dev/shm"
        cure = "docker run --shm-size=512m ..." if machine.is_container() else remount
    return ProbeResult("shared memory", not cure, detail, cure, needed=True)


def ports(machine: Machine) -> ProbeResult:
    """Check whether the usual ports are free."""
    taken = [str(port) for port in PORTS if not machine.is_free(port)]
    detail = (
        f"taken: {', '.join(taken)}; `coopsim status` says whether a run has them" if taken else "5570 to 5572 free"
    )
    return ProbeResult("ports", not taken, detail, "coopsim run FILE --port 0" if taken else "")


def open_files(machine: Machine) -> ProbeResult:
    """Check the limit of open files."""
    limit = machine.open_files()
    cure = f"ulimit -n {4 * FILES}" if 0 <= limit < FILES else ""  # -1 is without limit
    return ProbeResult("open files", not cure, "without limit" if limit < 0 else f"at most {limit}", cure)


def clock(machine: Machine) -> ProbeResult:
    """Check whether the clock can keep ticks of 10 ms."""
    resolution, late = machine.clock_resolution(), machine.oversleep()
    detail = f"resolution {resolution * 1e9:.0f} ns, sleeps {late * 1e6:.0f} us too long"
    cure = ""
    if resolution > RESOLUTION:
        cure = "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
    elif late > OVERSLEEP:
        cure = "coopsim run FILE --realtime-priority"
    return ProbeResult("clock", not cure, detail, cure)


def priority(machine: Machine) -> ProbeResult:
    """Check whether real-time priority is permitted (`--realtime-priority`)."""
    allowed = machine.may_be_first()
    limit = 'echo "$USER - rtprio 10" | sudo tee /etc/security/limits.d/coopsim.conf  # then log in again'
    in_container = "docker run --cap-add=SYS_NICE ..."
    cure = "" if allowed else in_container if machine.is_container() else limit
    return ProbeResult("real-time priority", allowed, "permitted" if allowed else "not permitted to this user", cure)


Probe = Callable[[Machine], ProbeResult | Iterable[ProbeResult]]
PROBES: tuple[Probe, ...] = (
    *(python, packages, shared_memory, plugins),
    *(kernels, lane, renderers, ports, open_files, clock, priority, extras),
)


def examine(machine: Machine) -> list[ProbeResult]:
    """Return what all probes found: what is needed first."""
    findings = [finding for probe in PROBES for finding in _tried(probe, machine)]
    return sorted(findings, key=lambda finding: not finding.needed)


def _tried(probe: Probe, machine: Machine) -> list[ProbeResult]:
    """Return the results of a probe; a probe that fails is a result, too."""
    try:
        result = probe(machine)
        return [result] if isinstance(result, ProbeResult) else list(result)
    except Exception as problem:
        detail = f"could not be looked for: {type(problem).__name__}: {problem}"
        return [ProbeResult(probe.__name__.replace("_", " "), False, detail, "coopsim doctor --report")]


def _missing(machine: Machine, requirements: Iterable[str]) -> list[str]:
    """Return the requirements that are not met."""
    missing = []
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        assert match is not None, requirement  # noqa: S101 - they are our own
        version = machine.installed(match[1])
        if version is None or _numbers(version) < _numbers(match[2]):
            missing.append(match[0])
    return missing


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _quoted(requirement: str) -> str:
    return f"'{requirement}'"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
