"""Robots on wheels in space: how they stand, rest, wake, push and are driven."""

import math

import numpy as np
import pytest
from engine_joints import drive_wheels
from spatial_standins import DT, G, engine_of, launch, lean, pose, robot, row, run, thing
