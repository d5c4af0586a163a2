"""Everything that is published, made and tried: `python benchmarks/release.py [DIST]`.

Makes the source archive and the wheel of this platform in DIST (`dist`), lets twine check them, installs the wheel
into an empty environment that has no compiler, runs, records and proves a scenario there, uninstalls it, and says how
large everything is and what is left. Exit code 1 where anything fails. It needs the network that pip needs.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import install

ROOT = install.ROOT
_LEFT_OVER = (".nbi", ".nbc", ".pyc", ".compiling")
"""Endings of what Python and numba write beside installed files, and pip does not know of."""


def main() -> int:
    """Make, check and try a release."""
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve()
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory(prefix="coopsim-release-") as work:
            _build(dist, Path(work))
            _try(dist, Path(work))
    except install.Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _build(dist: Path, work: Path) -> None:
    """Make archive and wheel from a copy of the sources, and check what an index would show of them."""
    tools = work / "tools"
    install.output_of([sys.executable, "-m", "venv", "--without-pip", str(tools)])
    python = str(tools / "bin" / "python")
    install.output_of([*install.pip(), "--python", python, "install", "-q", "build", "twine"])
    copy = work / "coopsim"
    unwanted = shutil.ignore_patterns("__pycache__", ".*", "build", "dist", "*.egg-info", "*.so", "tests", "recordings")
    shutil.copytree(ROOT, copy, ignore=unwanted, symlinks=True, ignore_dangling_symlinks=True)
    # the wheel is made from the archive, so the archive is whole
    install.output_of([python, "-m", "build", "--outdir", str(dist), str(copy)])
    files = sorted(dist.iterdir())
    print(install.output_of([python, "-m", "twine", "check", "--strict", *map(str, files)]).strip())
    for file in files:
        print(f"{file.name:<60} {file.stat().st_size / 1e6:8.2f} MB")


def _try(dist: Path, work: Path) -> None:
    """Install the wheel where there is no compiler, use it, and remove it."""
    (wheel,) = dist.glob("*.whl")
    (work / "empty").mkdir()
    os.environ["PATH"] = str(work / "venv" / "bin")  # so neither cc nor anything else of this machine
    python = install.pythons()[f"{sys.version_info.major}.{sys.version_info.minor}"]
    environment = install.install(python, str(wheel), work / "venv")
    inside = str(environment.python)
    print(f"installed in {environment.seconds:.1f} s: {environment.megabytes:.1f} MB")
    empty = work / "empty"
    seconds, _ = install.run_formation(environment.python, empty)
    print(f"first run of a second, its kernels compiled: {seconds:.1f} s")
    began = time.perf_counter()
    coopsim = str(environment.python.parent / "coopsim")
    run = ["run", "formation", "--mode", "lockstep", "--no-gui", "--port", "0", "--duration", "1", "--record", "a.mcap"]
    install.output_of([coopsim, *run], cwd=empty)
    print(install.output_of([coopsim, "verify", "a.mcap"], cwd=empty).strip().splitlines()[0])
    spoken = install.output_of([coopsim, "--version"]).strip()
    print(f"recorded and proved in {time.perf_counter() - began:.1f} s by {spoken}")
    has_lane = "import json; from coopsim.server.lane.library import find; print(json.dumps(bool(find())))"
    if not json.loads(install.output_of([inside, "-c", has_lane])):
        raise install.Failed("the C library is not in the wheel, or cannot be used")
    install.output_of([*install.pip(), "--python", inside, "uninstall", "-q", "-y", "coopsim"])
    site = environment.python.parents[1] / "lib"
    left = list(site.glob("python3*/site-packages/coopsim/**/*"))
    strange = [path for path in left if path.is_file() and not path.name.endswith(_LEFT_OVER)]
    if strange or Path(coopsim).exists():
        raise install.Failed(f"uninstalling leaves {', '.join(map(str, strange or [coopsim]))}")
    print(f"uninstalled; compiled kernels are left: {sum(p.stat().st_size for p in left if p.is_file()) / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(main())
