"""Devices of arms: their motors, grippers and tools."""
