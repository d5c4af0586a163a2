"""Worlds of others by the suffix of their files."""

from collections.abc import Callable
from pathlib import Path

from coopsim.errors import BadFile
from coopsim.features.others.worlds.argos import read_argos
from coopsim.features.others.worlds.irsim import read_irsim
from coopsim.features.others.worlds.plan import Plan
from coopsim.features.others.worlds.stage import read_stage

LARGEST = 4 * 1024 * 1024
"""Bytes of a file; those of people have some kilobytes."""
_READERS: dict[str, Callable[[str, Path], Plan]] = {
    ".yaml": read_irsim,
    ".yml": read_irsim,
    ".world": read_stage,
    ".argos": read_argos,
}


def read_plan(file: Path) -> Plan:
    """Return what a file of another simulator describes.

    Raises:
        BadFile: It has another suffix, is too large, or has mistakes.
        NoSuchPlugin: A package is missing that it needs.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        kinds = "a .yaml of IR-SIM, a .world of Stage or an .argos of ARGoS"
        raise BadFile(f"{file}: expected {kinds}")
    try:
        if file.stat().st_size > LARGEST:
            raise BadFile(f"{file}: expected at most {LARGEST} bytes")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadFile(f"{file}: cannot be read: {problem}") from None
    return reader(text, file)
