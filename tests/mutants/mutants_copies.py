"""Copies of the project in which faults are put: `import coopsim` takes the copy, in every process.

A copy has the files of the project, the machine code of its kernels, and an environment of its own that lends the
packages of the real one. So a test that starts programs, whatever variables it gives them, starts those of the copy.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

_LEFT_OUT = ("build", "dist", "recordings", "studies", ".git")
_CACHES = (".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".import_linter_cache")


def snapshot(root: Path, folder: Path) -> Path:
    """Copy the project to a folder, so that it stays what it is while faults are tried; return the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root, folder, ignore=_ignored(root), symlinks=True)
    (folder / "recordings").mkdir()
    return folder


class Copy:
    """One copy of the project.

    Args:
        root: The project.
        folder: Where the copy lies; what is there already is replaced.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self._root = root
        snapshot(root, folder)
        self._changed: list[str] = []
        self._lend_packages()

    @property
    def python(self) -> Path:
        """The interpreter whose `coopsim` is the copy."""
        return self.folder / ".venv" / "bin" / "python"

    def write(self, file: str, text: str) -> None:
        """Put text in the place of a file, until `restore`."""
        (self.folder / file).write_text(text, encoding="utf-8")
        self._changed.append(file)

    def restore(self) -> None:
        """Make what was written, all sources, and the machine code of kernels what they are in the project."""
        if not self._changed:
            return
        for file in self._changed:  # of the clients, the course and the settings, too
            shutil.copy2(self._root / file, self.folder / file)
        self._changed.clear()
        _align(self._root / "coopsim", self.folder / "coopsim")

    def variables(self) -> dict[str, str]:
        """Return the variables of programs that run in this copy."""
        kept = {name: word for name, word in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return {**kept, "PATH": f"{self.python.parent}:{kept.get('PATH', '')}"}

    def _lend_packages(self) -> None:
        """Make an environment whose packages are those of this interpreter, but whose coopsim is the copy."""
        folder = self.folder / ".venv"
        venv.create(folder, symlinks=True, with_pip=False)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
        lent = sysconfig.get_path("purelib")
        paths = (self.folder, lent, self.folder / "tests" / "mutants")
        (packages / "tree.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
        script = folder / "bin" / "coopsim"
        script.write_text(
            f"#!{self.python}\nimport sys\nfrom coopsim.__main__ import main\nsys.exit(main())\n", encoding="utf-8"
        )
        script.chmod(0o755)


def _align(source: Path, folder: Path) -> None:
    """Make the files of a folder those of another one: only what differs is written, or removed."""
    wanted, present = _stamps(source), _stamps(folder)
    for name in present.keys() - wanted.keys():
        (folder / name).unlink(missing_ok=True)
    for name in wanted:
        if wanted[name] != present.get(name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, folder / name)


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size of each file and when it was written; copies have those of what they are copies of."""
    stamps: dict[str, tuple[int, int]] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            status = path.stat()
            stamps[path.relative_to(folder).as_posix()] = (status.st_size, status.st_mtime_ns)
    return stamps


def check_copy(copy: Copy) -> None:
    """Make sure that the interpreter of a copy imports the copy.

    Raises:
        RuntimeError: It imports something else.
    """
    command = [str(copy.python), "-c", "import coopsim; print(coopsim.__file__)"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env=copy.variables(), check=False)
    if Path(done.stdout.strip()).parent != copy.folder / "coopsim":
        message = f"{copy.python} imports {done.stdout.strip() or done.stderr}, not the copy; see {sys.prefix}"
        raise RuntimeError(message)


def _ignored(root: Path) -> Callable[[str, list[str]], set[str]]:
    def ignored(folder: str, names: list[str]) -> set[str]:
        left_out = {name for name in names if name in _CACHES or name.endswith(".egg-info")}
        return left_out | ({name for name in names if name in _LEFT_OUT} if Path(folder) == root else set())

    return ignored
