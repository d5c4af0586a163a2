"""Texts that come with the package: as files beside the programs, or compressed where they were installed."""

import gzip
from importlib.resources.abc import Traversable


def packaged_text(folder: Traversable, name: str) -> str:
    """Return a text of the package; a wheel has it as `NAME.gz`, see `setup.py`.

    Args:
        folder: Where it lies.
        name: Of the file.

    Raises:
        FileNotFoundError: There is none of this name.
    """
    file = folder.joinpath(name)
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return gzip.decompress(folder.joinpath(f"{name}.gz").read_bytes()).decode()
