"""Methods of data classes, compiled once for all processes.

`dataclasses` writes up to six methods of each class as text, and compiles them whenever a program begins: 0.5 ms a
class, half of what importing the simulator takes. Here the compiled code is kept in a file, by a digest of its text.
"""

import atexit
import dataclasses
import marshal
import os
import sys
import tempfile
import zlib
from _blake2 import blake2b  # without hashlib, which loads OpenSSL
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

_OURS = "coopsim."
_MOST = 8000  # methods that are kept, all of coopsim has 2500: a folder that is worked on would fill with old ones
_UNREADABLE = (OSError, EOFError, ValueError, TypeError, zlib.error)
FILE = Path(__file__).parent / "__pycache__" / f"methods.{sys.implementation.cache_tag}.bin"
"""Beside the code of the modules; who may write there may change these, too."""


class KeptMethods:
    """Compiled methods of the data classes of coopsim, by their texts.

    Args:
        file: Where they are kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._codes, self._fresh = _read(file), dict[bytes, bytes]()

    def execute(self, text: str, names: dict[str, Any], local: dict[str, Any]) -> None:
        """Do what `exec` does; texts of modules of coopsim are compiled only where nobody has done that before."""
        if not str(names.get("__name__")).startswith(_OURS):
            exec(text, names, local)  # noqa: S102 - as dataclasses does it
            return
        key = blake2b(text.encode(), digest_size=16).digest()
        code = self._codes.get(key)
        if code is None:
            compiled = compile(text, "<string>", "exec")
            self._codes[key] = self._fresh[key] = marshal.dumps(compiled)
        else:
            compiled = marshal.loads(code)  # noqa: S302 - as trusted as the code of the modules
        exec(compiled, names, local)  # noqa: S102 - as above

    def save(self) -> None:
        """Add what was compiled to the file, if there is anything new and the folder may be written to."""
        if not self._fresh or sys.dont_write_bytecode:
            return
        codes = {**_read(self._file), **self._fresh}  # another process may have added its own
        if len(codes) > _MOST:
            codes = self._fresh
        name = None
        try:
            number, name = tempfile.mkstemp(dir=self._file.parent)
            with os.fdopen(number, "wb") as file:
                file.write(MAGIC_NUMBER + zlib.compress(marshal.dumps(codes)))
            os.chmod(name, 0o644)
            os.replace(name, self._file)
        except OSError:  # a folder of somebody else: each process compiles its own
            if name is not None:
                Path(name).unlink(missing_ok=True)


def keep_methods() -> None:
    """Have this process use compiled methods that are kept, and keep those that it compiles."""
    kept = KeptMethods(FILE)
    vars(dataclasses)["exec"] = kept.execute  # which takes the built-in one where the module has none of this name
    atexit.register(kept.save)


def _read(file: Path) -> dict[bytes, bytes]:
    """Return the code that a file has of each digest; none where it is of another Python, or damaged."""
    try:
        content = file.read_bytes()
        codes = marshal.loads(zlib.decompress(content[len(MAGIC_NUMBER) :]))  # noqa: S302 - as above
    except _UNREADABLE:
        return {}
    return codes if content.startswith(MAGIC_NUMBER) and isinstance(codes, dict) else {}
