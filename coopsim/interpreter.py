"""The Python that runs coopsim: commands that begin modules with it, and commands that install packages into it."""

import sys
from functools import cache

_PACKAGE = "coopsim"


def module_command(module: str, *arguments: str, is_unbuffered: bool = False) -> tuple[str, ...]:
    """Return the command that runs a module of ours.

    `-P` keeps the current folder out of the modules: a file `queue.py` of the user, or of a folder that was downloaded,
    would be run in the place of Python's own.

    Args:
        module: Its name.
        arguments: What it is given.
        is_unbuffered: Whether what it prints is written at once.
    """
    return (sys.executable, "-P", *(["-u"] if is_unbuffered else []), "-m", module, *arguments)


def install_command(*packages: str, python: str = sys.executable or "python") -> str:
    """Return the command that installs packages beside this coopsim, for a shell."""
    import shlex

    return shlex.join((python, "-m", "pip", "install", *packages))


def extra_command(extra: str = "") -> str:
    """Return the command that adds an optional part of coopsim, `studies`, from where coopsim was installed.

    Without a part: all that coopsim cannot do without.
    """
    return install_command(*_requirement(extra))


def rebuild_command() -> str:
    """Return the command that builds coopsim anew from its sources, with the C library where there is a compiler."""
    _, is_editable = _source()
    fresh = () if is_editable else ("--force-reinstall", "--no-binary", _PACKAGE)
    return install_command("--no-deps", *fresh, *_requirement(""))


def _requirement(extra: str) -> tuple[str, ...]:
    """Return what pip is told: an index knows nothing of a coopsim that was installed from sources or from a wheel."""
    source, is_editable = _source()
    part = f"[{extra}]" if extra else ""
    if is_editable:
        return "-e", f"{source}{part}"
    return (f"{_PACKAGE}{part} @ {source}" if source else f"{_PACKAGE}{part}",)


@cache
def _source() -> tuple[str, bool]:
    """Return where coopsim was installed from, "" = an index, and whether it is a checkout in use (PEP 610)."""
    # imported where something is missing alone: every command reads this module as it begins
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    try:
        facts = json.loads(distribution(_PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", False
    url, folder = str(facts.get("url", "")), facts.get("dir_info")
    if not isinstance(folder, dict) or not folder.get("editable"):
        return url, False
    return str(Path(unquote(urlsplit(url).path))), True
