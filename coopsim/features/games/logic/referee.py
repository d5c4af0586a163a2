"""The referee: shots, flags, the end of a match, and what no robot may do.

Source: swarm gaming, section 4.3 (damage is deducted from the health), section 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from coopsim.features.games.logic.broker import Broker
from coopsim.features.games.logic.fair_play import FairPlay
from coopsim.features.games.logic.field import Battlefield
from coopsim.features.games.logic.model import DataModel, Flag, RobotState
from coopsim.features.games.logic.nearness import overlapping
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.geometry import Floats

# engines let bodies that push each other sink in by some millimetres
_OVERLAP = 0.02
"""Bodies that are deeper in each other overlap [m]."""


_LAST_SHOT = 0.5
"""Who is out may have fired for so long [s], for it did not know that: a shot counts if another logic told of it."""
_LATE = 1.0
"""Who is out, and does something so long after it was stopped, is stopped again [s]."""


@dataclass(frozen=True)
class RobotReports:
    """Reports of robots, one value for each, shape (n,).

    Attributes:
        shots: Fired so far.
        targets: Number of the robot that was hit last.
        holding: Number of the flag that it holds, -1 = none.
        doing: Command that it carries out, 0 = none.
    """

    shots: Floats
    targets: Floats
    holding: Floats
    doing: Floats


@dataclass
class Referee:
    """Applies the rules.

    Attributes:
        winner: Player that won, "" = nobody so far, or a draw.
        reason: Why the match is over, "" = it is not.
        violations: Robots in water, outside of the border, or in each other: what and who, once each.
    """

    model: DataModel
    battlefield: Battlefield
    broker: Broker
    rules: str
    time: float
    winner: str = ""
    reason: str = ""
    violations: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Note who is who."""
        self._by_number = {robot.number: robot for robot in self.model.robots.values()}
        robots = sorted(self.model.robots.values(), key=lambda robot: robot.index)
        self._robots = robots
        self._swims = np.array([robot.swims for robot in robots])
        radii = np.array([robot.radius for robot in robots])
        self._squares = (radii[:, np.newaxis] + radii - _OVERLAP) ** 2
        self._shots = np.zeros(len(robots))
        self._fair = FairPlay(self.model)
        self._logged: set[tuple[str, str]] = set()
        self._halted, self._fired = np.full(len(robots), -np.inf), np.zeros(len(robots))

    def shots_of(self) -> dict[str, float]:
        """Return how many shots each robot has told so far."""
        return {robot.name: float(self._shots[robot.index]) for robot in self._robots}

    def expect_shots(self, shots: Mapping[str, float]) -> None:
        """Begin with shots that were counted already."""
        for robot in self._robots:
            self._shots[robot.index] = shots.get(robot.name, 0.0)
            if not robot.is_alive:
                self._halted[robot.index], self._fired[robot.index] = self.model.time, self._shots[robot.index]

    def judge(self, reports: RobotReports) -> None:
        """Apply the rules to what happened since the last time."""
        for row in np.flatnonzero(self._fair.check_speeds()):
            self._suspend(self._robots[row])
        shooters = [self._robots[row] for row in np.flatnonzero(reports.shots > self._shots)]
        alive = {shooter.name for shooter in shooters if self._may_have_shot(shooter)}  # who falls now has shot before
        for robot in shooters:
            self._count_shots(robot, reports, is_alive=robot.name in alive)
        for row in np.flatnonzero((reports.holding >= 0.0) | [bool(robot.holding) for robot in self._robots]):
            self._judge_grips(self._robots[row], int(reports.holding[row]))
        self._halt_again(reports)
        self._judge_violations()
        self._end()

    def _may_have_shot(self, robot: RobotState) -> bool:
        """Return whether a robot was alive when it shot; what another logic tells of its robots is a little old."""
        return robot.is_alive or (not robot.is_own and self._is_just_out(robot))

    def _is_just_out(self, robot: RobotState) -> bool:
        return bool(self.model.time - self._halted[robot.index] <= _LAST_SHOT)

    def _count_shots(self, robot: RobotState, reports: RobotReports, *, is_alive: bool) -> None:
        fired = float(reports.shots[robot.index] - self._shots[robot.index])
        self._shots[robot.index] = reports.shots[robot.index]
        victim = self._by_number.get(int(reports.targets[robot.index]))
        if not robot.is_alive and not is_alive and self._is_just_out(robot):
            return  # it heard too late that it is out: that hurts nobody, and is no cheating
        if not is_alive or robot.power < fired or victim is None or victim.player == robot.player:
            self.model.note(robot.name, "illegal shot", f"{robot.name} shot without power, health or an enemy")
            return
        fired = self._counted(robot, victim, fired)
        if not fired:
            return
        robot.power -= fired
        robot.shot_at = self.model.time
        if victim.is_alive:
            victim.health -= fired * robot.damage
            if victim.health <= 0.0:
                self._eliminate(victim, robot)

    def _counted(self, robot: RobotState, victim: RobotState, fired: float) -> float:
        """Return how many shots count: those that the type of the robot can fire, and so far."""
        gap = float(np.hypot(*(self.model.position(robot) - self.model.position(victim))))
        if self._fair.is_suspended(robot.index):
            self._log_once(robot, "illegal shot", "shot after it was faster than its type: that hurts nobody")
            return 0.0
        if gap > self._fair.reach(robot.index):
            self._log_once(robot, "illegal shot", f"hit at {gap:.1f} m, and its type reaches {robot.range:g} m")
            return 0.0
        counted = self._fair.count_shots(robot.index, fired)
        if counted < fired:
            self._log_once(robot, "illegal shot", f"shot more often than the {robot.rate:g} Hz of its type")
        return counted

    def _log_once(self, robot: RobotState, rule: str, text: str) -> None:
        """Log what a robot does that its type cannot; the same again is not logged."""
        key = robot.name, text.partition(" m,")[0][:12]
        if key not in self._logged:
            self._logged.add(key)
            self.model.note(robot.name, rule, f"{robot.name} {text}; the like does not count from now on")

    def _suspend(self, robot: RobotState) -> None:
        """Judge a robot that came farther than its type can: it drops what it holds, and hurts nobody for a while."""
        self.violations.add(("too fast", robot.name))
        speed = f"it drives {robot.top_speed:g} m/s at most"
        self.model.note(robot.name, "too fast", f"{robot.name} came farther than its type can: {speed}")
        if robot.holding:
            self._force(RobotCommand(robot.name, "intelligence", "drop"))
            flag = self.model.flags[robot.holding]
            flag.carrier, robot.holding = "", ""
            self.model.note(robot.name, "dropped", f"{flag.name} lies at {flag.place[0]:.1f} {flag.place[1]:.1f}")

    def _eliminate(self, victim: RobotState, by: RobotState) -> None:
        victim.health = 0.0
        self.model.note(by.name, "out", f"{victim.name} is out, shot by {by.name}")
        self._halt(victim)
        if victim.holding:
            self._drop(victim)

    def _halt(self, robot: RobotState) -> None:
        self._halted[robot.index], self._fired[robot.index] = self.model.time, self._shots[robot.index]
        for module in ("intelligence", "shooter"):
            self._force(RobotCommand(robot.name, module, "stop"))

    def _force(self, command: RobotCommand) -> None:
        """Command a robot; the logic that commands a robot of others finds by itself what this one has found."""
        if self.model.robots[command.robot].is_own:
            self.broker.force(command)

    def settle(self, robot: RobotState) -> None:
        """Let a robot do what follows from what is believed of it now: stop where it is out, drop what it has not."""
        if not robot.is_alive:
            self._halt(robot)
        if not robot.holding:
            self._force(RobotCommand(robot.name, "intelligence", "drop"))

    def _halt_again(self, reports: RobotReports) -> None:
        """Stop those once more that are out and still do something, or shoot: a radio may have lost it."""
        is_late = self.model.time - self._halted > _LATE
        for row in np.flatnonzero(np.isfinite(self._halted) & is_late):
            robot = self._robots[row]
            if reports.doing[row] > 0.0 or self._shots[row] > self._fired[row]:
                self._halt(robot)

    def _judge_grips(self, robot: RobotState, number: int) -> None:
        """See what robots pick up and drop, and let flags go with who carries them."""
        flags = list(self.model.flags.values())
        if number >= 0 and not robot.holding and robot.is_alive:
            name = flags[number].name if number < len(flags) else f"number {number}"
            refused = self.model.pick_up_refusal(robot, name)
            if not refused and self._fair.is_suspended(robot.index):
                refused = f"{robot.name} was faster than its type a short while ago"
            if refused:
                self.model.note(robot.name, "illegal pick up", refused)
                self._force(RobotCommand(robot.name, "intelligence", "drop"))
            else:
                robot.holding, self.model.flags[name].carrier = name, robot.name
                self.model.note(robot.name, "picked up", f"{robot.name} carries {name}")
        elif number < 0 and robot.holding:
            self._drop(robot)
        if robot.holding:
            self.model.flags[robot.holding].place = self._position(robot)

    def _drop(self, robot: RobotState) -> None:
        flag = self.model.flags[robot.holding]
        flag.place, flag.carrier, robot.holding = self._position(robot), "", ""
        self.model.note(robot.name, "dropped", f"{flag.name} lies at {flag.place[0]:.1f} {flag.place[1]:.1f}")

    def _position(self, robot: RobotState) -> tuple[float, float]:
        x, y = self.model.position(robot).tolist()
        return x, y

    def _judge_violations(self) -> None:
        positions = self.model.positions
        overlaps = np.empty(len(positions), np.bool_)
        overlapping(positions, self._squares, overlaps)
        rows = {
            "in water": self.battlefield.in_water(positions) & ~self._swims,
            "outside": self.battlefield.outside(positions),
            "overlap": overlaps,
        }
        for what, which in rows.items():
            for row in np.flatnonzero(which):
                violation = what, self._robots[row].name
                if violation not in self.violations:
                    self.violations.add(violation)
                    self.model.note(violation[1], what, f"{violation[1]} is {what}")

    def _end(self) -> None:
        left = list(dict.fromkeys(robot.player for robot in self._robots if robot.is_alive))
        brought = next((flag for flag in self.model.flags.values() if self._is_home(flag)), None)
        if self.rules == "capture_the_flag" and brought is not None:
            self.winner = self.model.robots[brought.carrier].player
            self.reason = f"{brought.carrier} brought {brought.name} home"
        elif len(left) <= 1:
            self.winner, self.reason = "".join(left), "nobody else is left"
        elif self.model.time >= self.time:
            self.winner, self.reason = self._best(), "the time is over"

    def _is_home(self, flag: Flag) -> bool:
        """Return whether who carries a flag is in the base of its player."""
        if not flag.carrier:
            return False
        robot = self.model.robots[flag.carrier]
        base = self.model.bases[robot.player]
        return bool(base) and bool(self.battlefield.inside(base, self.model.position(robot)[np.newaxis])[0])

    def _best(self) -> str:
        """Return the player with the most health left, "" for a draw."""
        health = dict.fromkeys(self.model.players(), 0.0)
        for robot in self._robots:
            health[robot.player] += robot.health
        best = max(health.values())
        leaders = [name for name, left in health.items() if left == best]
        return leaders[0] if len(leaders) == 1 else ""
