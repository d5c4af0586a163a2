"""`python -m coopsim.launch.host_process`: the process that clients talk to; only the launcher starts it."""

import os
import signal
import sys
import time
from pathlib import Path

from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.launch.config import LaunchConfig, receive_config
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.launch.options import started_controllers
from coopsim.memory import collect_seldom, keep_freed_memory
from coopsim.robots import plug
from coopsim.scene.told import scenario_facts
from coopsim.server import Host, HostOptions
from coopsim.transport import Channel, Notifier, Ring, SourceLink
from coopsim.transport.control import HostToLauncher, LauncherToHost, ProcessFailed
from coopsim.transport.last_words import keep_last_words, leave_words

_KEPT = 32 << 20
"""Memory that is kept for the next record and the messages about it [B]; ten thousand robots fill 5 MB in each tick.

glibc takes no larger number.
"""


def main(arguments: list[str]) -> int:
    """Serve until the launcher says stop or is gone; return the exit code."""
    keep_last_words()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ends = ChildDescriptors.parse(arguments)
    launcher: Channel[HostToLauncher, LauncherToHost] = Channel.from_descriptor(ends.launcher)
    try:
        config = receive_config(launcher)
        for path in config.plugins:  # scenes that are loaded while running may name what they bring
            plug(path)
        source, woken = Channel.from_descriptor(ends.peer), Notifier(reader=ends.wake)
        link = SourceLink(Ring.attach(ends.ring), source, woken, Notifier(writer=ends.permit))
        cameras = [Channel.from_descriptor(number) for number in ends.cameras]
        host = Host(link, launcher, host_options(config), cameras=cameras)
        del config  # the host learns of robots from layouts: what else the scene says is not kept
        collect_seldom()
        keep_freed_memory(_KEPT)
        return host.run()
    except SimulationEnded:
        return 0
    except CoopsimError as problem:  # a plugin that changed since the launcher looked at it
        leave_words(problem)
        launcher.send(ProcessFailed.of(problem))
        return 1
    finally:
        if launcher.closed:  # the launcher died and cannot remove the name
            Path(ends.ring).unlink(missing_ok=True)


def host_options(config: LaunchConfig) -> HostOptions:
    """Return how the run is served."""
    scenario = config.spec.scenario
    settings = scenario.settings
    started = started_controllers(config.spec, config.options)
    return HostOptions(
        port=config.options.port,
        listen=config.options.access.listen,
        plain_tcp=config.options.access.serves_plain_tcp,
        is_libzmq=config.options.access.libzmq,
        websocket=config.options.access.websocket,
        origins=config.options.access.origins,
        wait_for=config.wait_for,
        patience=settings.patience,
        policy=settings.policy,
        controllers=tuple(sorted({robot for controller in started for robot in controller.robots})),
        run=config.run,
        info={"scenario": Path(scenario.file).stem, "seed": settings.seed, "engine": settings.physics}
        | scenario_facts(scenario)
        | {"process": os.getppid(), "started": time.time()},
        scenario=scenario.file,
        world=scenario.world.file,
        is_continued=config.options.origin is not None or config.options.playback is not None,
        is_recording=config.options.playback is not None,
        is_audited=config.options.audit is not None,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
