"""The files that hold a kernel's machine code, replaced when the kernel changes.

Numba finds them by the line a function begins in and believes them while its file stays as it is. Here they are found
by the name of the kernel and believed while its digest stays: what replaces them takes their place.
"""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys

from coopsim.kernels.claims import CLAIMS
from coopsim.kernels.digest import digest
from coopsim.kernels.folders import KINDS

_writable: set[str] = set()  # tried out once, not for each kernel
_MARK = "kernel"  # in the names of files, where numba has the number of the line
_LOCAL = ".locals."  # numba's name for kernels that are written within functions: of them no list is known
_OURS = "coopsim."  # what plugins compile goes where numba puts it
_UNREADABLE = (AttributeError, ImportError)
"""What an index raises that tells of arguments of a class which is no more."""


class _Stamp:
    """A digest, not computed before it is compared or stored: helpers may be defined below the kernel."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel

    @functools.cached_property
    def _digest(self) -> bytes:
        return digest(self._kernel)

    def __eq__(self, other: object) -> bool:
        return other == self._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (self._digest,)


def _by_digest(place: type) -> type[object]:
    """Return one of numba's kinds of places, where kernels are known by name and digest."""

    class ByDigest(place):  # type: ignore[misc]
        def __init__(self, function: Callable[..., Any], file: str) -> None:
            super().__init__(function, file)
            self._function = function

        def get_source_stamp(self) -> _Stamp:
            return _Stamp(self._function)

        def get_disambiguator(self) -> str:
            return _MARK

        def ensure_cache_path(self) -> None:
            folder = self.get_cache_path()
            if folder not in _writable or not os.path.isdir(folder):
                super().ensure_cache_path()
                _writable.add(folder)

    return ByDigest


class _Files(CompileResultCacheImpl):
    _locator_classes = [_by_digest(locator_class_) for locator_class_ in CompileResultCacheImpl._locator_classes]  # noqa: RUF012, SLF001


class KernelStore(FunctionCache):
    """The machine code of one kernel."""

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code of a kernel for a signature, or None.

        Numba would first load all that it can compile, which takes longer than everything else a run does before its
        first tick. Stored machine code needs the memory management alone, and compiling begins with the rest itself.
        """
        if not self._py_func.__module__.startswith(_OURS):
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        rtsys.initialize(target_context)
        code = self._stored(sig, target_context)
        if code is None and CLAIMS.claim(self.cache_path, self._name_of_claim):
            # another process compiled it meanwhile, for these arguments or for other ones
            code = self._stored(sig, target_context)
        if code is not None:
            CLAIMS.release(self.cache_path, self._name_of_claim)
        return code

    def _stored(self, sig: Any, target_context: Any) -> Any:
        try:
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except _UNREADABLE:
            self.flush()  # type: ignore[no-untyped-call]
            return None

    @property
    def _name_of_claim(self) -> str:
        return f"{self._py_func.__module__}.{self._py_func.__qualname__}"

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store machine code; remove that of kernels which the file of this one defines no more."""
        super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        CLAIMS.release(self.cache_path, self._name_of_claim)
        _remove_orphans(self._py_func, Path(self.cache_path))


def is_stored(kernel: Any) -> bool:
    """Return whether machine code of the present kernel is stored, or need not be."""
    store = kernel._cache  # noqa: SLF001 - numba has no question for it
    if not isinstance(store, KernelStore):
        return True
    try:
        return bool(store._cache_file._load_index())  # type: ignore[no-untyped-call]  # noqa: SLF001
    except _UNREADABLE:
        return False


def _remove_orphans(kernel: Callable[..., Any], folder: Path) -> None:
    stem = Path(kernel.__code__.co_filename).stem
    names = vars(sys.modules.get(kernel.__module__, sys.modules[__name__]))
    names_of_kernels = {value.py_func.__qualname__ for value in names.values() if hasattr(value, "py_func")}
    ours = {f"{stem}.{name}-{_MARK}" for name in (*names_of_kernels, kernel.__qualname__)}
    for file in folder.glob(f"{stem}.*"):
        is_known = _LOCAL in file.name or file.name.partition(".py")[0] in ours
        if file.suffix in KINDS and not is_known:
            file.unlink(missing_ok=True)
