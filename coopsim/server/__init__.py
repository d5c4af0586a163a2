"""Answers messages: names, modules, ownership, lockstep; nothing here knows physics.

`Host(link, launcher, options).run()` serves one run.

* `modules` answers every request, behind every socket; `robot_modules` and `sim_*` hold what the names stand for.
* `ownership` says who may command, `barrier` when a lockstep tick may begin: pure logic, the clock is passed in.
* `coordinator` applies both to the records that come and the commands that go.
* `conductor` polls; `sockets` holds its listeners: ZeroMQ, plain TCP, the state stream, the robots' own endpoints.
"""

from coopsim.server.host import Host
from coopsim.server.lockstep.barrier import Barrier, RobotTimeout
from coopsim.server.options import HostOptions

__all__ = ["Barrier", "Host", "HostOptions", "RobotTimeout"]
