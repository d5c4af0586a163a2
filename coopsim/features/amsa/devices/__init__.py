"""Devices that run systems of components on a robot."""
