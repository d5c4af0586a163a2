"""Questions of `coopsim doctor` to this machine, one per method; tests answer them themselves."""

import contextlib
import os
import platform
import re
import resource
import shlex
import socket
import statistics
import sys
import time
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from coopsim import interpreter
from coopsim.errors import NotPermitted, PluginError

_NAP = 0.001  # s; a pacer sleeps in such pieces
_NAPS = 25  # odd, so that the median is a measured one; 25 ms in all, nobody waits for a doctor
_SHARED = Path("/dev/shm")  # noqa: S108 - the place for shared memory on Linux


class Machine:
    """Facts of this machine, this Python, this user.

    Attributes:
        system: "Linux", "Darwin" or "Windows".
        environment: Variables.
        interpreter: How a command line begins this Python.
    """

    def __init__(self) -> None:
        self.system = platform.system()
        self.environment: Mapping[str, str] = os.environ
        self.interpreter = shlex.quote(sys.executable or "python")

    # Python and packages

    def python(self) -> tuple[int, int]:
        """Return major and minor version."""
        return sys.version_info[:2]

    def requirements(self) -> list[str]:
        """Return what coopsim says that it needs, `numba>=0.60`, `pyarrow>=14; extra == "parquet"`."""
        return list(requires("coopsim") or [])

    def installed(self, package: str) -> str | None:
        """Return the version of a package, None if it is not installed."""
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    def has_lane(self) -> bool:
        """Return whether the library in C for lockstep steps can be used."""
        from coopsim.server.lane.library import find

        return find(self.environment) is not None

    def has_lane_off(self) -> bool:
        """Return whether somebody has switched the lane off."""
        from coopsim.lane import is_wanted

        return not is_wanted(self.environment)

    def plugin_problems(self) -> list[str]:
        """Return what is wrong with installed plugins."""
        from coopsim import plugins
        from coopsim.robots import check_plugin

        problems = []
        for group in plugins.GROUPS:
            for name, plugin in plugins.registered(group).items():
                try:
                    if plugin.is_foreign:
                        check_plugin(group, name, plugins.load(group, name))
                except PluginError as problem:
                    problems.append(str(problem))
        return problems

    def renderer_problems(self) -> dict[str, str]:
        """Return why renderers cannot be used here, "" = they can, by name."""
        from coopsim import plugins
        from coopsim.errors import CoopsimError

        problems = {}
        for name in plugins.registered("renderers"):
            try:
                plugins.load("renderers", name)(lambda _: None, None).close()
                problems[name] = ""
            except (CoopsimError, ImportError) as problem:
                problems[name] = f"{problem} {getattr(problem, 'cure', '')}".strip()
        return problems

    def install_command(self, *words: str) -> str:
        """Return the command that installs packages."""
        return interpreter.install_command(*words)

    def extra_command(self, extra: str) -> str:
        """Return the command that installs an optional part of coopsim."""
        return interpreter.extra_command(extra)

    def rebuild_command(self) -> str:
        """Return the command that builds coopsim anew, with the C library."""
        return interpreter.rebuild_command()

    # kernels

    def kernel_folder(self) -> str | None:
        """Return where machine code is kept, in words; None = nowhere."""
        from coopsim.kernels import CACHE

        return (f"in {CACHE.folder}" if CACHE.folder else "beside the sources") if CACHE.is_kept else None

    def cold_kernels(self) -> list[str]:
        """Return the compiled functions that most runs need and whose machine code is not kept yet."""
        from coopsim.features.doctor.warm import import_first
        from coopsim.kernels.progress import usual_kernels
        from coopsim.kernels.store import is_stored

        import_first()
        return [kernel.py_func.__qualname__ for kernel in usual_kernels() if not is_stored(kernel)]

    # the operating system

    def free_shared_memory(self) -> int | None:
        """Return the bytes that are free in /dev/shm, None where there is none that may be written."""
        if not _SHARED.is_dir() or not os.access(_SHARED, os.W_OK):
            return None
        status = os.statvfs(_SHARED)
        return status.f_bavail * status.f_frsize

    def is_container(self) -> bool:
        """Return whether this is a container."""
        return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()

    def is_free(self, port: int) -> bool:
        """Return whether a port can be listened on."""
        with socket.socket() as end:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                end.bind(("127.0.0.1", port))
                return True
            return False

    def may_be_first(self) -> bool:
        """Return whether this user may have real-time priority; tried out, then given back."""
        from coopsim.simulation.priority import Priority

        priority = Priority(is_wanted=True)
        try:
            priority.follow(is_paced=True)
            priority.follow(is_paced=False)
        except NotPermitted:
            return False
        return True

    def clock_resolution(self) -> float:
        """Return the smallest difference of the clock that paces ticks [s]."""
        return time.get_clock_info("monotonic").resolution

    def oversleep(self) -> float:
        """Return by how much a short sleep is usually too long [s]."""
        return statistics.median(_nap() for _ in range(_NAPS))

    def open_files(self) -> int:
        """Return how many files and sockets a process may have open."""
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    # for a bug report

    def facts(self) -> dict[str, str]:
        """Return versions and platform."""
        names = [requirement.partition(";")[0] for requirement in self.requirements()]
        packages = sorted({re.split(r"[<>=!~ (\[]", name)[0] for name in names} | {"llvmlite", "coopsim"})
        return {
            "platform": platform.platform(),
            "libc": " ".join(platform.libc_ver()),
            "processors": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()}"
            f" of {platform.machine()}, {_processor()}",
            "python": f"{platform.python_implementation()} {sys.version.split()[0]}",
            "container": "yes" if self.is_container() else "no",
            **{name: self.installed(name) or "-" for name in packages},
            **{
                name: value
                for name, value in sorted(self.environment.items())
                if name.startswith(("COOPSIM_", "NUMBA_"))
            },
        }


def _nap() -> float:
    began = time.perf_counter()
    time.sleep(_NAP)
    return time.perf_counter() - began - _NAP


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
