"""`python -m coopsim.launch.physics_process`: the process that moves bodies; only the launcher starts it."""

import os
import signal
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.kernels.progress import KernelProgress, listen
from coopsim.kernels.threads import THREADS
from coopsim.launch.config import LaunchConfig, receive_config
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.memory import uncollected
from coopsim.robots import plug
from coopsim.simulation.options import PhysicsOptions, Wakeups
from coopsim.simulation.process import run_physics
from coopsim.simulation.warming import SecondCompiler
from coopsim.simulation.watchdog import Watchdog
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import (
    CompilingKernels,
    LauncherToSource,
    ProcessFailed,
    SourceToHost,
    SourceToLauncher,
    ThreadsLeft,
)
from coopsim.transport.last_words import keep_last_words, leave_words

_MANY = 20  # kernels, from which on a second process pays: it begins within two seconds, in which ten are compiled


def main(arguments: list[str]) -> int:
    """Run until the launcher says stop or is gone; return the exit code."""
    keep_last_words()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ends = ChildDescriptors.parse(arguments)
    launcher: Channel[SourceToLauncher, LauncherToSource] = Channel.from_descriptor(ends.launcher)
    try:
        with uncollected():
            config = receive_config(launcher)
        host = Channel.from_descriptor(ends.peer)
        scenario, types = config.spec.scenario, config.spec.types
        kinds = Counter(robot.type for robot in scenario.robots)
        second = SecondCompiler((scenario.settings.physics, types[kind], count) for kind, count in kinds.items())
        listen(KernelProgress(partial(announce_compiling, launcher, host, second), time.monotonic))
        for path in config.plugins:
            plug(path)
        THREADS.use(config.options.threads)
        ring = Ring.attach(ends.ring)
        woken, permit = Notifier(writer=ends.wake), Notifier(reader=ends.permit)
        wakeups = Wakeups(woken, permit, Notifier(writer=ends.recorder))
        with uncollected(), Watchdog(launcher.send), second:
            return run_physics(config.spec, physics_options(config), ring, host, launcher, wakeups)
    except SimulationEnded:
        return 0
    except CoopsimError as problem:  # a plugin that changed since the launcher looked at it
        leave_words(problem)
        launcher.send(ProcessFailed.of(problem))
        return 1
    finally:
        main = threading.main_thread()
        left = tuple(thread.name for thread in threading.enumerate() if thread is not main and not thread.daemon)
        if left:
            launcher.send(ThreadsLeft(left))
        if launcher.closed:  # the launcher died and cannot remove the name
            Path(ends.ring).unlink(missing_ok=True)


def announce_compiling(
    launcher: Channel[SourceToLauncher, Any],
    host: Channel[SourceToHost, Any],
    second: SecondCompiler,
    done: int,
    total: int,
) -> None:
    """Tell launcher and host that machine code is made, for which ticks and answers to edits wait.

    Much of it is made by two processes.
    """
    if total - done >= _MANY:
        second.start()
    for channel in (launcher, host):
        channel.send(CompilingKernels(done, total))


def physics_options(config: LaunchConfig) -> PhysicsOptions:
    """Return how the simulation is paced."""
    settings, origin = config.spec.scenario.settings, config.options.origin
    return PhysicsOptions(
        mode=settings.mode,
        speed=settings.speed,
        step=settings.step,
        seed=settings.seed,
        duration=settings.duration,
        engine=settings.physics,
        small_steps=config.options.allow_small_step,
        state=b"" if origin is None else origin.state,
        realtime_priority=config.options.realtime_priority,
        profile=config.options.profile,
        is_paced=config.options.is_paced,
        stays=config.options.stays,
    )


def end(code: int) -> None:
    """End the process now: threads of plugins would keep it alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    end(main(sys.argv[1:]))
