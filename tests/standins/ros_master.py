"""A real roscore on a port of its own, and the variables by which programs of ROS 1 find it."""

import contextlib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from xmlrpc.client import ServerProxy

from ros_programs import end_launcher

from coopsim.testkit.conformance.restart import lasting_port

_LIMIT = 120.0


def environment(port: int, home: Path) -> dict[str, str]:
    """Return the variables of programs under a master at this port."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "ROS_HOME": str(home / "ros"),
        "ROS_IP": "127.0.0.1",
        "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
        "ROS_PACKAGE_PATH": "/usr/share",
    }


@contextlib.contextmanager
def roscore(home: Path, port: int = 0) -> Iterator[dict[str, str]]:
    """Run a roscore, 0 = at a free port; yield the variables of its programs once it answers."""
    port = port or lasting_port()
    variables = environment(port, home)
    core = subprocess.Popen(
        ["/usr/bin/python3", "/usr/bin/roscore", "-p", str(port)],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    try:
        end = time.monotonic() + _LIMIT
        while not _answers(port):
            assert core.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        yield variables
    finally:
        end_launcher(core)


def _answers(port: int) -> bool:
    try:
        with ServerProxy(f"http://127.0.0.1:{port}") as master:
            return bool(master.getUri("/test")[0] == 1)  # type: ignore[index]
    except OSError:
        return False
