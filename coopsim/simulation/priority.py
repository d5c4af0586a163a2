"""Real-time priority for the thread that ticks.

Source: SwarmSimX, section 2.1 (real time); on a busy machine nothing else keeps a schedule of 10 ms.
"""

import os

from coopsim.errors import NotPermitted

LEVEL = 10
"""Above every ordinary process, below the kernel's own threads."""


class Priority:
    """Switches the calling thread between real-time and ordinary scheduling.

    Free run is always ordinary: a thread that never sleeps would keep all others from this processor.

    Args:
        is_wanted: Whether it is ever raised.
    """

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted, self._is_raised = is_wanted, False

    def follow(self, *, is_paced: bool) -> None:
        """Raise the priority while ticks are paced, else lower it.

        Raises:
            NotPermitted: This user may not have it.
        """
        if self._is_wanted and is_paced != self._is_raised:
            _schedule(is_raised=is_paced)
            self._is_raised = is_paced


def _schedule(*, is_raised: bool) -> None:
    if not hasattr(os, "sched_setscheduler"):
        raise NotPermitted("--realtime-priority: this operating system knows no SCHED_FIFO")
    policy = os.SCHED_FIFO if is_raised else os.SCHED_OTHER
    try:
        # what the thread starts, such as kernels' helpers, must not inherit it
        os.sched_setscheduler(0, policy | os.SCHED_RESET_ON_FORK, os.sched_param(LEVEL if is_raised else 0))
    except OSError as problem:
        raise NotPermitted(
            f"--realtime-priority: {problem.strerror}; it needs the capability CAP_SYS_NICE, or a limit of at least "
            f"{LEVEL} by `ulimit -r` (rtprio in /etc/security/limits.conf)"
        ) from None
