"""Checks for people who write a renderer: `check_renderer` holds one to the contract, by the pixels of known scenes."""

from coopsim.features.renderers.checks.check import check_renderer
from coopsim.features.renderers.checks.report import PixelCheck, PixelReport

__all__ = ["PixelCheck", "PixelReport", "check_renderer"]
