"""MuJoCo, where it is installed."""

from coopsim.errors import PluginFailed
from coopsim.interpreter import extra_command

try:
    import mujoco
except ModuleNotFoundError as missing:
    raise PluginFailed(f"the mujoco engine needs the package MuJoCo: {extra_command('mujoco')}").advise("") from missing

__all__ = ["complaints", "mujoco"]

complaints: list[str] = []
"""What MuJoCo warned of; without this it would write a file into the current folder."""

mujoco.set_mju_user_warning(complaints.append)
