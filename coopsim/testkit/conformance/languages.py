"""The clients that a folder holds: each of its folders with a file `client.toml` is one."""

import fcntl
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coopsim.errors import NoReply

QUICK = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0", "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Environment in which compilers work less and programs run slower: for tests."""
EXAMPLES = (
    "01_ping",
    "02_drive",
    "03_read_sonars",
    "04_wander_lockstep",
    "05_formation_batch",
    "06_replay_seek",
    "07_stream",
    "08_typed",
)


@dataclass(frozen=True, slots=True)
class Language:
    """A client in one language.

    Attributes:
        name: Of the language.
        folder: Where it is.
        needs: Programs that building and running it take.
        probe: Shell command that succeeds where the libraries are that it takes, "" = none is needed.
        packages: What brings them on Debian, in words.
        build: Command line that builds it, "" = nothing to build.
        run: Command line of one of its programs; `{program}` stands for its name, `{python}` for our Python.
        without: Examples that it does not have, since it does not support what they show.
        examined: Whether it has a program that answers the examination.
        large: Whether it is fast enough for messages of hundreds of kilobytes.
        test: Command line of its own tests, in the runner of its language; `{python}` as in `run`, "" = it has none.
        lint: Command line of the checkers of its language, which find nothing, "" = it has none.
        package: Command line that packs it, installs that into `{folder}` and runs `08_typed` there, "" = none.
        zeromq: Whether it speaks ZeroMQ, too, to `zmq://HOST:PORT`.
    """

    name: str
    folder: Path
    needs: Sequence[str]
    packages: str
    build: str
    run: str
    probe: str = ""
    without: Sequence[str] = ()
    examined: bool = True
    large: bool = True
    test: str = ""
    lint: str = ""
    package: str = ""
    zeromq: bool = False

    @property
    def missing(self) -> list[str]:
        """The programs that are not on this machine; a library counts as one."""
        missing = [program for program in self.needs if shutil.which(program) is None]
        if missing or not self.probe:
            return missing
        probe = subprocess.run(["/bin/sh", "-c", self.probe], capture_output=True, check=False)
        return ["a library"] if probe.returncode else []

    @property
    def examples(self) -> list[str]:
        """The examples that it has."""
        return [name for name in EXAMPLES if name not in self.without]

    def make(self, environment: Mapping[str, str] | None = None) -> None:
        """Build it.

        Args:
            environment: Variables beside our own.

        Raises:
            NoReply: It cannot be built; the text is what the compiler printed.
        """
        if not self.build:
            return
        with (self.folder / "client.toml").open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # two tests would write the same files
            built = self.done(self.build, environment)
        if built.returncode:
            raise NoReply(f"{self.name} cannot be built:\n{built.stdout}{built.stderr}")

    def done(
        self, line: str, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run one of its command lines in its folder, and return how that went.

        Args:
            line: The command line.
            environment: Variables beside our own.
            folder: What `{folder}` stands for.
        """
        words = ["/bin/sh", "-ec", line.replace("{python}", sys.executable).replace("{folder}", str(folder))]
        place = os.environ | (environment or {})
        return subprocess.run(words, cwd=self.folder, env=place, capture_output=True, text=True, check=False)

    def command(self, program: str) -> list[str]:
        """Return the words that run one of its programs, inside its folder."""
        return self.run.format(program=program, python=sys.executable).split()


def languages(folder: Path) -> list[Language]:
    """Return the clients in a folder, by name."""
    files = sorted(folder.glob("*/client.toml"))
    return [Language(folder=file.parent, **tomllib.loads(file.read_text(encoding="utf-8"))) for file in files]
