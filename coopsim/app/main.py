"""The program `coopsim`: commands by name, errors as words, exit codes.

Exit codes: 0 done, 1 the answer is no or a file or run is at fault, 2 wrong usage, 3 one of our processes died,
130 Ctrl-C, 143 SIGTERM.
"""

import contextlib
import errno
import gc
import importlib
import logging
import os
import resource
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from coopsim.app import talk, usage
from coopsim.app.command_list import LINES, registered_command, registered_commands
from coopsim.app.groups import Suggesting
from coopsim.errors import CoopsimError, InternalError, cure_line
from coopsim.interpreter import extra_command, module_command

_GROUPS = {
    "Simulate": ("run",),
    "Study": (),
    "Play": (),
    "Model": (),
    "Talk to a run": (),
    "Recordings": (),
    "Pictures in space": (),
    "Look up, extend, set up": (),
}
"""Commands of the core in the order of a first acquaintance; packages register others in these groups, or new ones."""
_OF_OUTPUT = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT)
_NO_ROOM = "make one that you can write, and name it: TMPDIR=/folder coopsim ..."
_CORE = frozenset(name for names in _GROUPS.values() for name in names)


class Commands(Suggesting):
    """Commands that are imported when they are needed: `run` lives in `coopsim.app.run` under its own name."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names in the order of a first acquaintance."""
        return [name for names in _groups().values() for name in names]

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Return the command of this name."""
        if name in _CORE:
            return talk.voiced(getattr(importlib.import_module(f"coopsim.app.{name}"), name))
        return registered_command(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, a section for each group."""
        for title, names in _groups().items():
            with formatter.section(title):
                formatter.write_dl([(name, LINES.get(name) or self._line(ctx, name)) for name in names])

    def _line(self, context: click.Context, name: str) -> str:
        """Return the line of help of a command that another package brings."""
        command = self.get_command(context, name)
        return "" if command is None else command.get_short_help_str(60)


def _groups() -> dict[str, tuple[str, ...]]:
    """Return the names of all commands by the title of their group, in the order of LINES; no empty groups."""
    titles = {name: title for title, names in _GROUPS.items() for name in names} | registered_commands()
    groups: dict[str, list[str]] = {title: [] for title in _GROUPS}
    for name in sorted(titles, key=[*LINES, *titles].index):
        groups.setdefault(titles[name], []).append(name)
    return {title: tuple(names) for title, names in groups.items() if names}


def _say_version(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    """Print version, build and protocol, and end."""
    if is_asked and not context.resilient_parsing:
        from coopsim import version
        from coopsim.message import VERSION

        numbers = f"protocol {VERSION}, revision {version.protocol_revision()}"
        click.echo(f"coopsim {version.version()}, build {version.build()}, {numbers}")
        context.exit()


_VERSION_HELP = "Print the version, the build number and the revision of the protocol, and exit."


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help=_VERSION_HELP)
def cli() -> None:
    """Simulate robots that look on the network exactly like real ones.

    \b
    coopsim doctor                                   what is missing here
    coopsim run formation                            three robots and a target
    coopsim ls                                       what answers in a simulation
    coopsim call /robot1/motors set_velocity 0.3 0   drive
    """  # noqa: D301 - click's mark for lines it must not wrap


def main() -> NoReturn:
    """Run the command that the arguments name and exit with its code."""
    _speak_utf8()
    code = run(sys.argv[1:])
    gc.freeze()  # Python would look through all that a command has read, 80 ms of a short run
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # all is done: who asks us to end now gets the code of what was done
    sys.exit(code)


def _speak_utf8() -> None:
    """Restart in UTF-8 mode where file names would be limited to ASCII, because no locale is set."""
    if sys.getfilesystemencoding().lower() not in {"utf-8", "utf8"}:
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, module_command("coopsim", *sys.argv[1:]))  # noqa: S606 - ourselves


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; every failure is reported as text."""
    _open_what_is_closed()
    talk.set_level(talk.USUAL)
    logging.basicConfig(level=logging.WARNING, format="coopsim: %(levelname)s: %(message)s")
    signal.signal(signal.SIGTERM, _terminated)
    try:
        _check_folder()
        return _run(arguments)
    except BrokenPipeError:
        # the reader closed the pipe, as in `coopsim ls | head`
        talk.write_no_more()
        return 0
    except OSError as problem:
        if "temporary directory" in str(problem):  # `tempfile` has no exception of its own
            report(InternalError(problem.strerror or str(problem)).advise(_NO_ROOM))
            return 1
        with contextlib.suppress(OSError):
            about = problem.filename or ("the output" if problem.errno in _OF_OUTPUT else "")
            talk.complain(f"{about}{': ' * bool(about)}{problem.strerror or problem}", tight_limits())
        talk.write_no_more()
        return 1
    except MemoryError:
        talk.complain("there is too little memory", tight_limits())
        return 1


def _run(arguments: Sequence[str]) -> int:
    try:
        code = cli.main(args=list(arguments), prog_name="coopsim", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        usage.report(problem)
        return problem.exit_code
    except CoopsimError as problem:
        report(problem)
        return 1
    except ModuleNotFoundError as problem:
        if (problem.name or "coopsim").partition(".")[0] == "coopsim":
            raise  # a mistake of ours
        talk.complain(f"this needs the Python package {problem.name}", f"{extra_command()}  # all of it")
        return 1
    except (click.Abort, KeyboardInterrupt):
        return 130
    return code if isinstance(code, int) else 0


def report(problem: CoopsimError) -> None:
    """Print an error and what to do."""
    limited = tight_limits()
    talk.complain(str(problem), cure_line(problem.code, problem.cure) + (f"\n  {limited}" if limited else ""))


def _check_folder() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "it was removed; go to another folder", "the current folder") from None


def _open_what_is_closed() -> None:
    """Open stdin, stdout and stderr if they are closed; another file would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _terminated(*_: object) -> NoReturn:
    talk.write_no_more()  # the pipe may have no reader
    sys.exit(143)


# most runs need more than this: tighter limits may be why something failed
_TIGHT = (
    (resource.RLIMIT_AS, 600 << 20, "memory", "ulimit -v unlimited"),
    (resource.RLIMIT_FSIZE, 64 << 20, "the size of files, and of shared memory,", "ulimit -f unlimited"),
)


def tight_limits() -> str:
    """Return what the shell limits and how to lift that, "" while nothing is tight."""
    tight = []
    for number, enough, what, cure in _TIGHT:
        limit = resource.getrlimit(number)[0]
        if 0 <= limit < enough:
            tight.append(f"this shell limits {what} to {limit / 2**20:.0f} MiB; that may be the cause: `{cure}`")
    return "; ".join(tight)
