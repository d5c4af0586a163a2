"""Commands and reflexes of a game robot: what it does now, as a function of one robot on plain numbers.

A robot decides in two layers. A reflex has control while it lasts; below it the one command, or the current step of
the one sequence, is carried out. Both write the same results: speeds of the wheels, what to shoot at, whether to beep.

Source: swarm gaming, sections 4.1 and 4.4, tables 1 and 2.
"""

import math

from coopsim.features.games.interfaces.games import INTELLIGENCE, STEP_WIDTH
from coopsim.geometry import Floats
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.angles import wrapped
from coopsim.kernels.numbers import bounded
from coopsim.state.layout import NUMBER, STAMP, VALUES

COLUMN, COMMAND = columns(INTELLIGENCE), command_numbers(INTELLIGENCE)
STAMPED, STEP, PHASE, AIM, NEAREST, STUCK, SHOTS, HOLDING, FINISHED, REFLEX, TURNED, COURSE, WAY = range(13)
"""Columns of the memory.

Of the last command its stamp and the current step; of the step its phase, the heading before, how near it came to its
goal or what is left to turn, for how long it has not come nearer, shots at its beginning; what is held, how much was
finished; of the reflex its kind, whether it has turned, the heading it turns to, the way ahead that is left.
"""
MEMORY_WIDTH = WAY + 1  # the last column and one
V, W, DRIVES, TARGET, BEEPS, DOING = range(6)
"""Columns of the results: speeds, whether the motors are driven, robot to shoot at, whether it beeps, command."""
RESULT_WIDTH = DOING + 1  # the last column and one
X, Y, HEADING, FRONT, REAR, AHEAD, LEFT, RIGHT, NEAR_AHEAD, FREE_LEFT, FREE_RIGHT, SHOT, SPEED = range(13)
"""Columns of what is sensed: pose, touches, borders, least range ahead, ranges to both sides, shots, own speed."""
SENSED_WIDTH = SPEED + 1  # the last column and one
TOUCHED, TOO_NEAR, AT_BORDER = 1.0, 2.0, 3.0  # reasons to turn away, as numbers of the wire
# rad, rad, 1/s, m: within 2 degrees a robot drives straight, beyond 34 it only turns
_STRAIGHT, _OFF, _GAIN, _CLOSER = 0.04, 0.6, 4.0, 0.02
_TURNED_OFF = 0.002
"""So near to its end a turn in place is done [rad]: a tenth of a degree, three quarters of a second behind 0.04."""
_QUARTER = 0.5 * math.pi  # rad; away along the wall, not back into the throng
_VEER = 1.5
"""How fast a reflex that drives ahead turns away from a border that one side sensor sees [rad/s]."""
_NOTHING = (0.0, float(COMMAND.stop))  # a slot that was never written holds 0


@compiled
def act(own: Floats, sensed: Floats, table: Floats, i: int, memory: Floats, out: Floats, dt: float) -> None:
    """Decide for one robot.

    Args:
        own: Its command: stamp, number, values.
        sensed: What it senses, see the columns.
        table: Parameters of all robots.
        i: Which robot it is.
        memory: See the columns.
        out: Results, see the columns.
        dt: Length of the tick [s].
    """
    out[:] = 0.0
    out[TARGET] = -1.0
    if own[STAMP] != memory[STAMPED]:
        memory[STAMPED] = own[STAMP]
        memory[STEP] = 0.0
        _begin_step(memory)
    _follow(own, sensed, table, i, memory, out, dt)
    speed = out[V] if out[DRIVES] > 0.0 else sensed[SPEED]
    if memory[REFLEX] == 0.0 or memory[TURNED] > 0.0:
        _startle(speed, sensed, table, i, memory)
    if memory[REFLEX] > 0.0:
        _flinch(sensed, table, i, memory, out, dt)


@compiled
def _begin_step(memory: Floats) -> None:
    memory[PHASE] = 0.0
    memory[NEAREST] = math.inf
    memory[STUCK] = 0.0


@compiled
def _follow(own: Floats, sensed: Floats, table: Floats, i: int, memory: Floats, out: Floats, dt: float) -> None:
    """Carry out the command, or the current step of the sequence."""
    is_sequence = own[NUMBER] == COMMAND.sequence
    at = VALUES + STEP_WIDTH * int(memory[STEP]) if is_sequence else NUMBER
    number = own[at] if at + 2 < own.size else 0.0
    if memory[STEP] < 0.0 or number in _NOTHING:
        return
    out[DOING] = number
    if number == COMMAND.go_to:
        is_done = _go((own[at + 1], own[at + 2]), sensed, table, i, memory, out, dt)
    elif number == COMMAND.rotate:
        is_done = _rotate(own[at + 1], sensed, table, i, memory, out)
    elif number == COMMAND.shoot:
        is_done = _shoot(own[at + 1], is_sequence, sensed, memory, out)
    else:
        is_done = True
        if number == COMMAND.beep:
            out[BEEPS] = 1.0
        elif number == COMMAND.pick_up:
            memory[HOLDING] = own[at + 1]
        elif number == COMMAND.drop:
            memory[HOLDING] = -1.0
    if is_done:
        _finish(own, is_sequence, memory)


@compiled
def _finish(own: Floats, is_sequence: bool, memory: Floats) -> None:
    """Go on to the next step; note that all is done where there is none."""
    _begin_step(memory)
    memory[STEP] += 1.0
    following = VALUES + STEP_WIDTH * int(memory[STEP])
    if not is_sequence or following >= own.size or own[following] == 0.0:
        memory[STEP] = -1.0
        memory[FINISHED] += 1.0


@compiled
def _go(
    goal: tuple[float, float], sensed: Floats, table: Floats, i: int, memory: Floats, out: Floats, dt: float
) -> bool:
    """Turn towards a point, then drive straight to it; return whether it is there."""
    dx, dy = goal[0] - sensed[X], goal[1] - sensed[Y]
    distance = math.sqrt(dx * dx + dy * dy)
    if distance < memory[NEAREST] - _CLOSER:
        memory[NEAREST], memory[STUCK] = distance, 0.0
    else:
        memory[STUCK] += dt
    if distance <= table[COLUMN.tolerance, i]:
        return True
    out[DRIVES] = 1.0
    error = wrapped(math.atan2(dy, dx) - sensed[HEADING])
    if abs(error) > _OFF:
        memory[PHASE] = 0.0
    elif abs(error) < _STRAIGHT:
        memory[PHASE] = 1.0
    out[W] = bounded(_GAIN * error, table[COLUMN.turn, i])
    if memory[PHASE] > 0.0:
        out[V] = min(table[COLUMN.speed, i], 2.0 * distance) * max(0.0, math.cos(error))
    return False


@compiled
def _rotate(angle: float, sensed: Floats, table: Floats, i: int, memory: Floats, out: Floats) -> bool:
    """Turn by an angle; return whether it has."""
    if memory[PHASE] == 0.0:
        memory[PHASE] = 1.0
        memory[AIM] = sensed[HEADING]  # where it looked last
        memory[NEAREST] = angle  # what is left to turn: angles may be more than a whole turn
    memory[NEAREST] -= wrapped(sensed[HEADING] - memory[AIM])
    memory[AIM] = sensed[HEADING]
    if abs(memory[NEAREST]) < _TURNED_OFF:
        return True
    out[DRIVES] = 1.0
    out[W] = bounded(_GAIN * memory[NEAREST], table[COLUMN.turn, i])
    return False


@compiled
def _shoot(target: float, is_sequence: bool, sensed: Floats, memory: Floats, out: Floats) -> bool:
    """Shoot at a robot; as a step of a sequence return whether a shot was fired."""
    if memory[PHASE] == 0.0:
        memory[PHASE] = 1.0
        memory[SHOTS] = sensed[SHOT]
    out[DRIVES] = 1.0
    out[TARGET] = target
    return is_sequence and sensed[SHOT] > memory[SHOTS]


@compiled
def _startle(speed: float, sensed: Floats, table: Floats, i: int, memory: Floats) -> None:
    """Begin a reflex where something calls for one: only robots that drive have them."""
    if speed == 0.0 and memory[REFLEX] == 0.0:
        return
    drives_ahead = speed > 0.0 or memory[REFLEX] > 0.0
    kind, way, side = 0.0, table[COLUMN.escape, i], 1.0
    if (sensed[FRONT] > 0.0 or sensed[REAR] > 0.0) and memory[REFLEX] == 0.0:
        kind, side = TOUCHED, 1.0 if sensed[FREE_LEFT] >= sensed[FREE_RIGHT] else -1.0
    elif drives_ahead and sensed[AHEAD] > 0.0:
        kind, side = AT_BORDER, -1.0 if sensed[LEFT] > 0.0 and sensed[RIGHT] == 0.0 else 1.0
    elif drives_ahead and sensed[NEAR_AHEAD] < table[COLUMN.near, i]:
        kind, side = TOO_NEAR, 1.0 if sensed[FREE_LEFT] >= sensed[FREE_RIGHT] else -1.0
        way = min(way, table[COLUMN.near, i] * math.tan(table[COLUMN.angle, i]))
    if kind > 0.0:
        memory[REFLEX], memory[TURNED], memory[WAY] = kind, 0.0, way
        memory[COURSE] = wrapped(sensed[HEADING] + side * _QUARTER)


@compiled
def _flinch(sensed: Floats, table: Floats, i: int, memory: Floats, out: Floats, dt: float) -> None:
    """Turn by a quarter, then drive a short way ahead; the command goes on afterwards."""
    out[DRIVES], out[V] = 1.0, 0.0
    error = wrapped(memory[COURSE] - sensed[HEADING])
    out[W] = bounded(_GAIN * error, table[COLUMN.turn, i])
    if abs(error) < _STRAIGHT:
        memory[TURNED] = 1.0
    if memory[TURNED] > 0.0 and sensed[AHEAD] == 0.0:  # a border ahead begins a reflex of its own in the next tick
        veer = _VEER * (sensed[RIGHT] - sensed[LEFT])  # away from a border beside it
        memory[COURSE] = wrapped(memory[COURSE] + veer * dt)
        out[V] = 0.5 * table[COLUMN.speed, i]
        memory[WAY] -= out[V] * dt
        if memory[WAY] <= 0.0 or out[V] == 0.0:
            memory[REFLEX] = 0.0
