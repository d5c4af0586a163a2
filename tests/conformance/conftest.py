"""What these tests need of the machine: those of the client for MATLAB are run by Octave."""

import shutil

collect_ignore = [] if shutil.which("octave-cli") else ["test_conformance_matlab.py"]
