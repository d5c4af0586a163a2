"""MuJoCo, where it is installed."""

from coopsim.errors import PluginFailed
from coopsim.interpreter import extra_command

try:
    import mujoco
except ModuleNotFoundError as missing:
    raise PluginFailed(f"the mujoco engine needs the package MuJoCo: {extra_command('mujoco')}").advise("") from missing

__all__ = ["FREE", "HINGE", "SLIDE", "complaints", "mujoco"]

FREE, HINGE, SLIDE = map(int, (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE))
"""Kinds of joints as plain numbers: arrays compare with MuJoCo's own one by one, a thousand times slower."""

complaints: list[str] = []
"""What MuJoCo warned of; without this it would write a file into the current folder."""

mujoco.set_mju_user_warning(complaints.append)
