"""A process that records until it is killed or may write no more; it prints how many records it has taken."""

import resource
import sys
from pathlib import Path

from recording_scenes import layout, record

from coopsim.errors import CannotRecord
from coopsim.recording import Writer

RECORDS_PER_SECOND = 100


def main(path: Path, largest: int) -> int:
    """Record at 100 records to a second of the writer's clock.

    Args:
        path: Of the new file.
        largest: Bytes that the system lets this process write to a file; 0 = any number.
    """
    if largest:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    taken = 0
    writer = Writer(path, clock=lambda: taken / RECORDS_PER_SECOND)
    writer.layout(layout())
    try:
        while True:
            taken += 1
            writer.write(record(taken))
            sys.stdout.write(f"{taken}\n")
            sys.stdout.flush()
    except CannotRecord as problem:
        sys.stdout.write(f"{problem}\n")
        return 3


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
