"""Barrier before the next lockstep tick. Pure logic with the clock passed in: no socket, no thread.

Source: CoopDynSim, section III-A (simulated time: a step only after every robot received its command).
Specification: docs/protocol.md, "Stepping".
"""

import math
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from coopsim.errors import BadArgument, Late
from coopsim.server.lockstep.periods import Periods

PATIENCE = 0.0
"""Lockstep waits for every robot; a limit is what a scenario or an operator chooses."""
CONTROLLER_PATIENCE = 10.0
"""Patience with controllers whose death the launcher sees anyway [s]."""
FIRST_PATIENCE = 10.0
"""Where patience has a limit: the least time for the first command of a new owner, who may still be starting [s]."""


@dataclass(frozen=True, slots=True)
class RobotTimeout:
    """The patience for a robot is over.

    Attributes:
        policy: What follows: `stop` (command zeroed, not awaited until it speaks again), `hold` (the last command
            counts), `evict` (as `stop`, and its owner loses it).
        waited: For how long it held up others [s].
    """

    robot: str
    policy: str
    waited: float


class Barrier:
    """Owned robots, which of them are ready for the next step, and how long others wait for the rest.

    Patience counts from the moment another client waits: a single client is never hurried, and nothing ticks
    while no robot is ready.

    Args:
        owned: Robots that have an owner from the start.
        patience: How long one robot may hold up the others [s]; 0 = for ever.
        policy: What happens then: `stop`, `hold`, `wait` or `evict`.
        wait_for: Robots, or how many robots, that must have an owner before the first step.
        now: The time [s].

    Attributes:
        next: The step that is being prepared; stamps name it.
        fired: How often patience was over.
        due: When `fire` should be called, infinity = not before something happens.
        periods: Robots that are commanded every few ticks only.
    """

    def __init__(
        self,
        *,
        owned: Iterable[str] = (),
        patience: float = PATIENCE,
        policy: str = "stop",
        wait_for: Collection[str] | int = (),
        now: float = 0.0,
    ) -> None:
        self.patience, self.policy = patience, policy
        self.next, self.fired, self.due = 1, 0, math.inf
        self.periods = Periods()
        self._limits: dict[str, float] = {}
        self.policies: dict[str, str] = {}
        self._wait_for = wait_for
        self._started = not wait_for
        self._owned: set[str] = set()
        self._silent: set[str] = set()
        self._new: set[str] = set()
        self._missing: set[str] = set()
        # the set of robots that was commanded last, if it has all that are owned
        self._covering: Collection[str] | None = None
        self._since: dict[str, float] = {}
        self._opened = now
        self._first_ready: float | None = None
        self.own(owned, now)

    # owners

    def own(self, robots: Iterable[str], now: float) -> None:
        """Await `robots` from this step on: they have a new owner."""
        self._covering = None
        for robot in robots:
            self._owned.add(robot)
            self._silent.discard(robot)
            self._new.add(robot)
            self._missing.add(robot)
            self._since[robot] = now
        self._check_start()
        self._plan()

    def disown(self, robots: Iterable[str]) -> None:
        """Await `robots` no longer: they are free."""
        absent = set(robots)
        for names in (self._owned, self._silent, self._new, self._missing):
            names.difference_update(absent)
        for robot in absent:
            self._since.pop(robot, None)
        self.periods.forget(absent)
        if len(self._missing) + len(self._silent) == len(self._owned):
            self._first_ready = None  # no client waits any more
        self._plan()

    # readiness

    def check(self, stamp: int, robots: Collection[str] = ()) -> None:
        """Refuse a command that is not meant for the next step, or for the period of its robots that is under way.

        Raises:
            Late: Its step is over.
            BadArgument: Its step is not the next one.
        """
        if stamp and stamp != self.next:
            if stamp < self.next:
                if self.periods.hold(stamp, robots):
                    return
                raise Late(f"stamped for step {stamp}; the next one is {self.next}").bring(self.next)
            text = f"stamped for step {stamp}, beyond the next one, {self.next}"
            raise BadArgument(text).bring("tick", self.next)

    def commanded(self, robots: str | Collection[str], tick: int, now: float) -> list[str]:
        """Handle commands for `robots` in step `tick` (0 = next); a second one overwrites the first.

        Returns:
            Those of them that had been stopped and take part again, sorted.

        Raises:
            Late: The step is over.
            BadArgument: It is not the next one.
        """
        names = (robots,) if isinstance(robots, str) else robots
        self.check(tick, names)
        if names is self._covering:
            self._missing = set()
        else:
            self._missing.difference_update(names)
            is_whole = isinstance(names, frozenset) and len(names) >= len(self._owned) and names >= self._owned
            self._covering = names if is_whole else self._covering
        if self.periods:
            self.periods.begin(names, self.next)
        if self._new:
            self._new.difference_update(names)
        back: list[str] = []
        if self._silent:
            back = sorted(self._silent.intersection(names))
            self._silent.difference_update(back)
        if self._first_ready is None:
            self._first_ready = now
            self._plan()
        return back

    def is_ready(self, robots: Collection[str]) -> bool:
        """Return whether there is nothing left to say about `robots` before the next step."""
        awaited = self._owned.intersection(robots)  # things that nobody waits for are never done with
        return bool(awaited) and self._missing.isdisjoint(awaited)

    @property
    def is_regular(self) -> bool:
        """Whether every owned robot takes part in this step as in those before."""
        return self._started and bool(self._owned) and not (self._silent or self._new)

    def span(self, robot: str) -> tuple[int, int]:
        """Return the first and the last tick that the last command of a robot counts for; zeros = it is awaited."""
        return (0, 0) if robot in self._missing else self.periods.resting.get(robot, (self.next, self.next))

    @property
    def is_begun(self) -> bool:
        """Whether a robot has its command for this step, or needs none."""
        return self._first_ready is not None

    @property
    def awaited_robots(self) -> AbstractSet[str]:
        """The robots that the step waits for."""
        return self._missing

    @property
    def owned_robots(self) -> AbstractSet[str]:
        """The robots that have an owner."""
        return self._owned

    @property
    def complete(self) -> bool:
        """Whether the next step may be done."""
        return not self._missing and self._first_ready is not None and self._started

    def ticked(self, tick: int, now: float) -> None:
        """Begin to prepare the step after `tick`."""
        self.next = tick + 1
        # a copy of a set costs a fraction of what leaving nobody out of it does
        self._missing = self._owned - self._silent if self._silent else self._owned.copy()
        self._since.clear()
        self._opened, self._first_ready, self.due = now, None, math.inf
        if self.periods.resting:
            self._rest(tick, now)

    def _rest(self, tick: int, now: float) -> None:
        """Do without commands of robots whose last one counts for this step, too."""
        self.periods.ticked(tick)
        self._missing.difference_update(self.periods.resting)
        if self.periods.resting:
            self._first_ready = now
            self._plan()

    def set_patience(self, patience: float) -> None:
        """Change how long one robot may hold up the others [s]; 0 = for ever."""
        self.patience = patience
        self._plan()

    def policy_of(self, robot: str) -> str:
        """Return what happens when patience with `robot` is over."""
        return self.policies.get(robot, self.policy)

    def set_policy(self, policy: str, robot: str = "") -> None:
        """Change what happens when patience is over, with one robot or with all others.

        Args:
            policy: `stop`, `hold`, `wait` or `evict`; "" = the general one.
            robot: Its robot; "" = all robots without a policy of their own.
        """
        if not robot:
            self.policy = policy
        elif policy:
            self.policies[robot] = policy
        else:
            self.policies.pop(robot, None)
        self._plan()

    def allow(self, robots: Iterable[str], patience: float) -> None:
        """Wait for `robots` at least `patience` seconds where patience has a limit."""
        self._limits.update(dict.fromkeys(robots, patience))
        self._plan()

    def begin_anew(self, robots: Collection[str]) -> None:
        """Wait before the next step until all of `robots` have an owner, as before the first one."""
        self._wait_for = robots
        self._started = self._owned.issuperset(robots)
        self._plan()

    def resume(self, now: float) -> None:
        """Count patience anew: the clock was paused, or another mode was in force."""
        self._opened = now
        self._since.clear()
        if self._first_ready is not None:
            self._first_ready = now
        self._plan()

    # patience

    def awaited(self, now: float, least: float = 0.0) -> dict[str, float]:
        """Return the robots that the step waits for, and for how long [s]; "" stands for unclaimed robots.

        With `least` a step that is younger than that waits for nobody yet [s].
        """
        if now - self._opened < least:
            return {}
        waited = {robot: self._waited(robot, now) for robot in self._missing}
        if isinstance(self._wait_for, int):
            unclaimed = {""} if not self._started else set()
        else:
            unclaimed = set() if self._started else set(self._wait_for) - self._owned
        if not self._owned and not unclaimed:
            unclaimed = {""}
        waited |= dict.fromkeys(unclaimed, now - self._opened)
        return dict(sorted(waited.items()))

    def fire(self, now: float) -> list[RobotTimeout]:
        """Go on without the robots that are overdue; return them by name."""
        if now < self.due:
            return []
        overdue = [robot for robot in sorted(self._missing) if self._deadline(robot) <= now]
        firings = [RobotTimeout(robot, self.policy_of(robot), now - self._held_up_since(robot)) for robot in overdue]
        for firing in firings:
            self._missing.discard(firing.robot)
            if firing.policy != "hold":
                self._silent.add(firing.robot)
        self.fired += len(firings)
        self._plan()
        return firings

    def _waited(self, robot: str, now: float) -> float:
        return now - max(self._opened, self._since.get(robot, self._opened))

    def _held_up_since(self, robot: str) -> float:
        assert self._first_ready is not None  # noqa: S101 - no robot is overdue before
        return max(self._first_ready, self._since.get(robot, self._first_ready))

    def _deadline(self, robot: str) -> float:
        if self.patience == 0.0 or self.policy_of(robot) == "wait" or self._first_ready is None or not self._started:
            return math.inf
        limit = max(self.patience, self._limits.get(robot, 0.0))
        if robot in self._new:
            limit = max(limit, FIRST_PATIENCE)
        return self._held_up_since(robot) + limit

    def _plan(self) -> None:
        """Set `due` to the earliest deadline; called seldom, never per command."""
        if self._first_ready is None or not self._missing or self.patience == 0.0:
            self.due = math.inf
        else:
            self.due = min(map(self._deadline, self._missing))

    def _check_start(self) -> None:
        if not self._started:
            wanted = self._wait_for
            enough = len(self._owned) >= wanted if isinstance(wanted, int) else self._owned.issuperset(wanted)
            self._started = enough
