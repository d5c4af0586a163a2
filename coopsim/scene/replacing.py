"""Writing files so that a reader, or who comes after a crash, finds the old one or the new one, whole."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file; its rights stay, and a link stays a link.

    Raises:
        OSError: It cannot be written; what was there stays.
    """
    real = path.resolve()
    beside = real.with_name(f".{real.name[:200]}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            beside.chmod(real.stat().st_mode & 0o7777)
        beside.replace(real)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
