"""`coopsim bench driven`: robots of packages that a client drives over the network, beside their home simulators."""

import importlib.util
from typing import Any

import click

from coopsim.app import talk
from coopsim.features.accuracy.packages.descriptions import installed_packages
from coopsim.features.files.figures import show
from coopsim.interpreter import install_command
from coopsim.testkit.bench.measuring.driven_models import TICKS, BulletHome, MujocoHome
from coopsim.testkit.bench.measuring.driven_models import driven as driven_at_home

ROBOTS = (
    ("robosuite", "robots/iiwa/robot.xml", 0.01),
    ("robosuite", "robots/kinova3/robot.xml", 0.01),
    ("robosuite", "robots/ur5e/robot.xml", 0.05),
    ("pybullet", "kuka_iiwa/model.urdf", 0.01),
    ("example-robot-data", "ur_description/urdf/ur5_robot.urdf", 0.01),
    ("example-robot-data", "anymal_b_simple_description/robots/anymal.urdf", 0.01),
)
"""Distribution, file, and the largest mean error as a part of the joint's mean way.

The joints of ur5e have friction, which holds here as that of Coulomb does and creeps in MuJoCo's default; its last link
of 1e-4 kg m2 shows it. The twelve joints of anymal, whose base is held, are in two modules.
"""
_QUICK = 100  # steps


@click.command()
@click.option("--quick", is_flag=True, help="A tenth of the steps: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def driven(quick: bool, as_json: bool) -> None:
    """Drive robots of packages by their joints over the network, in lockstep, and the same in their home simulators.

    Each run has processes of its own. A client swings all joints by efforts for 2 s, from the positions and
    velocities that it is told; the same law drives the model in bare MuJoCo, or in PyBullet, at the same 2 ms.
    value: mean difference of a joint's position in mrad; raw: its mean way in mrad; ratio: the one by the other.
    """
    folders, rows = installed_packages(), []
    for package, file, bound in ROBOTS:
        simulator = "mujoco" if file.endswith(".xml") else "pybullet"
        missing = [
            name for name in (package, simulator) if name not in folders and importlib.util.find_spec(name) is None
        ]
        if missing:
            talk.note(f"{package}/{file}: not measured; {install_command(*dict.fromkeys(missing))}")
            continue
        home = (MujocoHome if simulator == "mujoco" else BulletHome)(folders[package] / file)
        outcome = driven_at_home(folders[package] / file, home, _QUICK if quick else TICKS)
        rows.append(_row(f"{package}: {file}", simulator, outcome.error, outcome.way, bound))
    if not rows:
        raise click.ClickException("no package with these robots is installed; install those above")
    show(rows, as_json=as_json)


def _row(case: str, home: str, error: float, way: float, bound: float) -> dict[str, Any]:
    ratio = error / way
    return {
        "case": case,
        "home": home,
        "unit": "mrad",
        "value": float(f"{1e3 * error:.3g}"),
        "raw": float(f"{1e3 * way:.3g}"),
        "ratio": float(f"{ratio:.2g}"),
        "bound": bound,
        "ok": ratio <= bound,
    }
