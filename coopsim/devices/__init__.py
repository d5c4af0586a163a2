"""Simulated sensors and actuators. The file is the plugin, one kind of device each."""

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import Bodies, Device, DeviceContext, Notice, SensingWorld

__all__ = ["ArrayDevice", "Bodies", "Device", "DeviceContext", "Notice", "SensingWorld"]
