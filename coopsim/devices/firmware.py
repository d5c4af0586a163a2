"""The attitude loop of the autopilot as C for a microcontroller: the simulator's own kernels, written out.

Source: SwarmSimX, section 3.1 (in simulation the same code as on the real quadrotor, in integers alone).
"""

from collections.abc import Mapping

from coopsim.devices import inner_loop as inner
from coopsim.kernels.c_source import c_function

_NAME = "inner_loop"
_BITS = ("GYRO_BITS", "FORCE_BITS", "UP_BITS", "STEP_BITS", "THRUST_BITS", "ATTITUDE_BITS", "RATE_BITS", "YAW_BITS")
_ROWS: Mapping[str, tuple[str, ...]] = {
    "state": ("UP_X", "UP_Y", "UP_Z", "IS_READY"),
    "command": ("WANTED_X", "WANTED_Y", "WANTED_TURN", "WANTED_THRUST"),
    "settings": ("STEP", "LEVEL", "ATTITUDE", "RATE", "YAW", "MAX_RATE", "MAX_THRUST"),
}
_HEADER = """/* Attitude loop of a quadrotor in whole numbers; generated, do not edit.
 *
 * Call estimate_up and then inner_loop once in each period, with all numbers in fixed point: a number with q bits
 * after the point is its multiple of 2^-q. gyro [rad/s] GYRO_BITS, force [m/s2] FORCE_BITS, up and wanted up [1] UP_BITS,
 * period [s] STEP_BITS, thrusts [N] THRUST_BITS. Begin with a state of zeros.
 */
#ifndef INNER_LOOP_H
#define INNER_LOOP_H

#include <stdint.h>

"""
_PROTOTYPES = """
void estimate_up(const int32_t *gyro, const int32_t *force, const int32_t *settings, int32_t *state);
void inner_loop(const int32_t *gyro, const int32_t *command, const int32_t *settings, const int32_t *state,
                int32_t *thrusts);

#endif
"""


def firmware() -> dict[str, str]:
    """Return the files of the attitude loop by name: a header and a source."""
    lines = [f"#define {name} {getattr(inner, name)}" for name in _BITS]
    for names in _ROWS.values():
        lines += [f"#define {name} {getattr(inner, name)}" for name in names]
    lines += [f"#define {name} {getattr(inner, name)}" for name in ("STATES", "COMMANDS", "SETTINGS")]
    parts = [f'/* Generated, do not edit; see {_NAME}.h. */\n#include "{_NAME}.h"']
    parts += [c_function(each) for each in (inner.limited, inner.positive)]
    parts += [c_function(each, is_static=False) for each in (inner.estimate_up, inner.inner_loop)]
    return {f"{_NAME}.h": _HEADER + "\n".join(lines) + "\n" + _PROTOTYPES, f"{_NAME}.c": "\n\n".join(parts) + "\n"}
