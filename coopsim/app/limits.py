"""Limits that a shell sets, as far as they are so tight that they may be what is wrong."""

import resource

_TIGHT = (
    (resource.RLIMIT_AS, 600 << 20, "memory", "ulimit -v unlimited"),
    (resource.RLIMIT_FSIZE, 64 << 20, "the size of files, and of shared memory,", "ulimit -f unlimited"),
)


def describe() -> str:
    """Return what the shell limits and how to lift that, "" while nothing is tight."""
    tight = []
    for number, enough, what, cure in _TIGHT:
        limit = resource.getrlimit(number)[0]
        if 0 <= limit < enough:
            tight.append(f"this shell limits {what} to {limit / 2**20:.0f} MiB; that may be the cause: `{cure}`")
    return "; ".join(tight)
