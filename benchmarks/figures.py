"""Measures everything that the documentation says in numbers: `python benchmarks/figures.py [NAME ...]`.

Each benchmark of `coopsim bench`, then `install.py` beside this file, one after the other: what it printed goes to
`results/NAME.json`, with the machine and the versions it was measured on, and from there into the pages. Nothing else
should be running; the load before each is written down, too. `make figures` does it all, with the first hour.
"""

import argparse
import datetime as dt
import importlib.metadata
import inspect
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from coopsim.testkit.bench.command import bench

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGES = HERE.parent / "docs" / "generate.py"
NO_BENCHMARKS = {"compare"}
PACKAGES = ("numpy", "numba", "pymunk", "pyzmq", "msgpack")


def benchmarks() -> dict[str, list[str]]:
    """Return the command of each benchmark by name, as its user types it."""
    names = [name for name in bench.list_commands(click.Context(bench)) if name not in NO_BENCHMARKS]
    types = ["coopsim", "bench", "tick", "--type", "all"]
    apart = {"types": types, "install": ["python", "benchmarks/install.py"]}
    return {**{name: ["coopsim", "bench", name] for name in names}, **apart}


def quickened(name: str, command: list[str]) -> list[str]:
    """Return a command that only shows whether the benchmark works, where there is one."""
    if name == "types":
        return [*command, "--robots", "100", "--seconds", "0.05"]
    get_command = bench.get_command(click.Context(bench), name)
    options = [] if get_command is None else [option for parameter in get_command.params for option in parameter.opts]
    return [*command, "--quick"] if "--quick" in options else command


def measured(command: Sequence[str]) -> dict[str, Any]:
    """Run a benchmark and return what is saved of it.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    load, began = os.getloadavg()[0], time.perf_counter()
    program = [sys.executable, "-m", "coopsim"] if command[0] == "coopsim" else [sys.executable]
    done = subprocess.run(
        [*program, *command[1:], "--json"], cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True
    )
    results = json.loads(done.stdout.splitlines()[-1])["results"]
    return saved(" ".join(command), results, time.perf_counter() - began, load)


def saved(command: str, results: Sequence[Mapping[str, Any]], seconds: float, load: float) -> dict[str, Any]:
    """Return results with all that one has to know about them."""
    return {
        "command": command,
        "taken": dt.datetime.now(dt.UTC).date().isoformat(),
        "seconds": round(seconds, 1),
        "load": round(load, 2),
        "machine": machine(),
        "versions": {"Python": platform.python_version()}
        | {package: importlib.metadata.version(package) for package in PACKAGES},
        "results": list(results),
    }


def machine() -> dict[str, Any]:
    """Return what kind of machine this is."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
    }


def keep(name: str, found: Mapping[str, Any]) -> None:
    """Write a run to its file."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, save and rewrite the pages; exit code 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="benchmarks; default: all")
    parser.add_argument("--quick", action="store_true", help="only show whether they work; for a trial")
    options = parser.parse_args(arguments)
    commands = benchmarks()
    unknown = sorted(set(options.names) - set(commands))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(commands)}")
    failed = []
    for name in options.names or commands:
        command = quickened(name, commands[name]) if options.quick else commands[name]
        print(f"{' '.join(command)} ...", flush=True)
        try:
            keep(name, measured(command))
        except subprocess.CalledProcessError as problem:
            failed.append(f"{name}: exit code {problem.returncode}")
    subprocess.run([sys.executable, str(PAGES)], check=True)
    print("\n".join(["failed:", *failed] if failed else ["the pages have the new numbers"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
