"""Makes `docs/models.png`: a URDF robot whose links are meshes, one for each kind of file, and how it collides.

python docs/model_figures.py

The meshes are turned on a lathe here, so that the picture needs no file from elsewhere.
"""

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.shown import open_shown
from coopsim.features.desktop.views import View
from coopsim.geometry import Floats
from coopsim.scene.stl import stl_of

FOLDER = Path(__file__).parent
SIZE, COLORS, SIDES = (420, 360), 128, 48
FOOT = ((0.0, 0.0), (0.14, 0.0), (0.14, 0.02), (0.06, 0.05), (0.05, 0.16), (0.07, 0.18), (0.07, 0.24), (0.0, 0.24))
UPPER = ((0.0, -0.06), (0.045, -0.06), (0.06, 0.0), (0.035, 0.08), (0.03, 0.3), (0.045, 0.36), (0.0, 0.4))
LOWER = ((0.0, -0.05), (0.035, -0.05), (0.045, 0.0), (0.02, 0.06), (0.02, 0.24), (0.06, 0.3), (0.05, 0.32), (0.0, 0.26))
URDF = """<robot name="lamp">
  <link name="foot">
    <inertial><mass value="4"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://lamp/foot.stl"/></geometry>
      <material name="dark"><color rgba=".25 .28 .33 1"/></material></visual>
    <collision><origin xyz="0 0 .12"/><geometry><box size=".28 .28 .24"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 .15"/><mass value="1"/>
      <inertia ixx=".02" iyy=".02" izz=".005" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://lamp/upper.obj"/></geometry>
      <material name="orange"><color rgba=".9 .5 .15 1"/></material></visual>
    <collision><origin xyz="0 0 .17"/><geometry><cylinder radius=".06" length=".46"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 .15"/><mass value=".6"/>
      <inertia ixx=".01" iyy=".01" izz=".002" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://lamp/lower.dae"/></geometry>
      <material name="light"><color rgba=".85 .87 .9 1"/></material></visual>
    <collision><origin xyz="0 0 .13"/><geometry><box size=".12 .12 .36"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><parent link="foot"/><child link="upper"/><origin xyz="0 0 .26" rpy="0 .5 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 .42" rpy="0 1.3 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
</robot>
"""
COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="{count}">{points}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{faces}"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def main() -> int:
    """Draw the robot as it looks, and as it collides."""
    strip = Image.new("RGB", (2 * (SIZE[0] + 4) - 4, SIZE[1]), "white")
    with tempfile.TemporaryDirectory() as folder, Offscreen(SIZE) as offscreen:
        for place, text in enumerate((URDF, _bare(URDF))):
            write_model(Path(folder), text)
            scene = open_shown(str(Path(folder) / "lamp.scenario"))
            view = View(scene, offscreen, SIZE, "0.9,-1.1,0.75,0.15,0,0.35", 0.0, Layers.only(["grid"]))
            strip.paste(Image.fromarray(view.picture(0.0)), (place * (SIZE[0] + 4), 0))
            scene.close()
    strip.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(FOLDER / "models.png", optimize=True)
    return 0


def write_model(folder: Path, text: str = URDF) -> None:
    """Write the model, its meshes, and a scenario with it."""
    (folder / "lamp.urdf").write_text(text, encoding="utf-8")
    (folder / "foot.stl").write_bytes(stl_of(turned(FOOT)))
    corners = turned(UPPER).reshape(-1, 3)
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners]
    lines += [f"f {k + 1} {k + 2} {k + 3}" for k in range(0, len(corners), 3)]
    (folder / "upper.obj").write_text("\n".join(lines), encoding="utf-8")
    millimetres = 1e3 * turned(LOWER).reshape(-1, 3)
    said = {
        "count": millimetres.size,
        "points": " ".join(f"{value:.3f}" for value in millimetres.ravel()),
        "faces": len(millimetres) // 3,
        "indices": " ".join(map(str, range(len(millimetres)))),
    }
    (folder / "lower.dae").write_text(COLLADA.format(**said), encoding="utf-8")
    (folder / "lamp.scenario").write_text(
        "[ROBOT_1]\nmodel lamp.urdf\nname lamp\n[SIMULATION]\nengine mujoco\nstep 0.01\n", encoding="utf-8"
    )


def turned(profile: Sequence[tuple[float, float]]) -> Floats:
    """Return the triangles of a body that is turned on a lathe, shape (n, 3, 3), from radius and height along it."""
    around = np.linspace(0.0, math.tau, SIDES + 1)
    rings = np.array([[(r * math.cos(angle), r * math.sin(angle), z) for angle in around] for r, z in profile])
    low, high, low_next, far = rings[:-1, :-1], rings[:-1, 1:], rings[1:, :-1], rings[1:, 1:]
    triangles = np.concatenate([np.stack([low, high, far], 2), np.stack([low, far, low_next], 2)]).reshape(-1, 3, 3)
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    kept: Floats = triangles[areas > 1e-12]
    return kept


def _bare(text: str) -> str:
    """Return a model without what is only seen."""
    begin, end = "<visual>", "</visual>"
    while begin in text:
        before, _, rest = text.partition(begin)
        text = before + rest.partition(end)[2]
    return text


if __name__ == "__main__":
    sys.exit(main())
