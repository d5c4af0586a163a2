"""What these tests need of the machine: the robot in C must be compiled."""

import shutil

collect_ignore = [] if shutil.which("cc") else ["test_papers_transparency.py"]
