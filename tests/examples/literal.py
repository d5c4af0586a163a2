"""Types the tutorial as it stands: `python literal.py FOLDER PYTHON`, where the usual ports are free."""

import contextlib
import os
import sys
from pathlib import Path

from blocks import blocks, lessons
from runner import Page


def main(folder: Path, python: str) -> None:
    """Type every command of every lesson; what runs in the first terminal ends only where a lesson says so."""
    for name in [name for name in os.environ if name.startswith("COOPSIM_")]:
        del os.environ[name]
    with contextlib.ExitStack() as runs:
        page = Page(folder, runs, python, is_literal=True)
        for lesson in lessons():
            for block in blocks(lesson):
                page.run(block)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
