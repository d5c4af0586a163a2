"""Builds and examines every client that has its toolchain here, and names what is missing: `make clients`."""

import os
import subprocess
import sys
from pathlib import Path

from coopsim.testkit.conformance import languages

FOLDER = Path(__file__).parent


def main() -> int:
    """Run the tests of all clients; print which languages were left out."""
    tests = FOLDER.parent / "tests" / "conformance" / "test_conformance_clients.py"
    environment = os.environ | {"COOPSIM_WRITE_MATRIX": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", str(tests)]
    code = subprocess.run(command, env=environment, check=False).returncode
    for line in left_out():
        print(line)
    return code


def left_out() -> list[str]:
    """Return a line for each client that cannot run here."""
    lacking = [(language, language.missing) for language in languages(FOLDER)]
    return [
        f"not run, for want of {', '.join(missing)} ({language.packages}): clients/{language.folder.name}"
        for language, missing in lacking
        if missing
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["--missing"]:
        print("\n".join(left_out()))
    else:
        sys.exit(main())
