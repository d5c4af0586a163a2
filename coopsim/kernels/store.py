"""The files that hold a kernel's machine code, replaced when the kernel changes.

Numba finds them by the line a function begins in and believes them while its file stays as it is. Here they are found
by the name of the kernel and believed while its digest stays: what replaces them takes their place.
"""

import functools
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime._nrt_python import c_helpers

from coopsim.kernels.claims import CLAIMS
from coopsim.kernels.digest import digest
from coopsim.kernels.folders import KINDS

_writable: set[str] = set()  # tried out once, not for each kernel
_MARK = "kernel"  # in the names of files, where numba has the number of the line
_LOCAL = ".locals."  # numba's name for kernels that are written within functions: of them no list is known
_FORMAT = b"2"  # of what is stored; it counts up when `reduce` changes, so that older files are replaced
_OURS = "coopsim."  # what plugins compile goes where numba puts it
_UNREADABLE = (AttributeError, ImportError)
"""What an index raises that tells of arguments of a class which is no more."""


@functools.cache
def _name_helpers() -> None:
    """Tell LLVM where numba's C functions for memory are, which stored machine code calls.

    `rtsys.initialize` does that too, and then compiles what is part of each stored kernel already: 20 ms, and 30 MB of
    LLVM's own code that is read from disk for it. It is called as soon as a kernel is compiled here.
    """
    for name, address in c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


@functools.cache
def _inline_without_copies() -> None:
    """Have numba inline helpers as it translated them: copies were half of the time of kernels with many helpers.

    It copies their blocks twice for each call, and with each block all variables of the helper. But what it copies was
    translated for this one call.
    """
    from numba.core.inline_closurecall import InlineWorker

    def inline_function(worker: Any, caller: Any, block: Any, i: int, helper: Any, types: Any = None) -> Any:
        translated = worker.run_untyped_passes(helper)
        parts = list(translated.blocks.values())
        for part in parts:
            part.__deepcopy__ = functools.partial(lambda itself, _memory: itself, part)
        merged = worker.inline_ir(caller, block, i, translated, helper.__code__.co_freevars, types)
        for part in parts:
            del part.__deepcopy__
        return merged

    cast("Any", InlineWorker).inline_function = inline_function


class _Stamp:
    """A digest, not computed before it is compared or stored: helpers may be defined below the kernel."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel

    @functools.cached_property
    def _digest(self) -> bytes:
        return digest(self._kernel) + _FORMAT

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


class _StoredLibrary(JITCodeLibrary):
    """Machine code that was stored. What other kernels would inline of it is read when one of them is compiled.

    Args:
        codegen: Numba's maker of machine code.
        name: Of the kernel.
        code: Its machine code, as an object file.
        bitcode: What LLVM would compile, packed.
        symbols: Names of what it defines.
    """

    def __init__(self, codegen: Any, name: str, code: bytes, bitcode: bytes, symbols: frozenset[str]) -> None:
        self._bitcode, self._parsed = bitcode, None
        super().__init__(codegen, name)  # type: ignore[no-untyped-call]
        self.enable_object_caching()  # type: ignore[no-untyped-call]
        self._set_compiled_object(code)  # type: ignore[no-untyped-call]
        self._finalize_final_module()  # type: ignore[no-untyped-call]
        codegen._engine._defined_symbols |= symbols  # noqa: SLF001 - numba would parse the bitcode for them

    @property
    def _shared_module(self) -> Any:
        if self._parsed is None and self._bitcode:
            self._parsed = llvm.parse_bitcode(zlib.decompress(self._bitcode))
        return self._parsed

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._parsed = module


class _StoredEnvironment:
    """Environment of a function of numba that a kernel calls: its constants, without the module that it comes from.

    Numba would import that module, and with it much of its compiler; machine code needs the constants alone.
    """

    def __init__(self, environment: Any) -> None:
        self._words = environment.globals["__name__"], list(environment.consts), environment.env_name

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _environment, self._words


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the environment of a name; a new one has no names but that of its module."""
    environment = lookup_environment(name)  # type: ignore[no-untyped-call]
    if environment is None:
        environment = Environment({"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment  # noqa: SLF001 - as numba does it
    return environment


class _Files(CompileResultCacheImpl):
    """Files of a kernel, written and read again.

    Numba stores machine code and what LLVM made it of, and reads both for each kernel, twice the time and the memory.
    """

    _locator_classes = [_by_digest(locator_class_) for locator_class_ in CompileResultCacheImpl._locator_classes]  # noqa: RUF012, SLF001

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Return what is stored of a kernel that was compiled."""
        (name, _, (code, bitcode)), *middle, environments = super().reduce(result)  # type: ignore[no-untyped-call]
        module = result.library._get_module_for_linking()  # noqa: SLF001
        symbols = frozenset(
            value.name
            for values in (module.functions, module.global_variables)
            for value in values
            if not value.is_declaration
        )
        kept = tuple(_StoredEnvironment(other) if _is_numbas(other) else other for other in environments)
        return (name, code, zlib.compress(bitcode), symbols), *middle, kept

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """Return a kernel that was stored."""
        stored, descriptor, environment, signature, objectmode, lifted, annotation, initial, environments = payload
        for function in initial:
            function()
        library = _StoredLibrary(target_context.codegen(), *stored)
        entry_point = target_context.get_executable(library, descriptor, environment)
        for other in environments:
            library.codegen.set_env(other.env_name, other)
        return cast("Any", CompileResult)(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=entry_point,
            fndesc=descriptor,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=initial,
            referenced_envs=environments,
        )


def _is_numbas(environment: Any) -> bool:
    return str(environment.globals.get("__name__", "")).startswith("numba.")


class KernelStore(FunctionCache):
    """The machine code of one kernel."""

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code of a kernel for a signature, or None.

        Numba would first load all that it can compile, which takes longer than everything else a run does before its
        first tick. Stored machine code needs the memory management alone, and compiling begins with the rest itself.
        """
        if not self._py_func.__module__.startswith(_OURS):
            _inline_without_copies()
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        _name_helpers()
        code = self._stored(sig, target_context)
        if code is None and CLAIMS.claim(self.cache_path, self._name_of_claim):
            # another process compiled it meanwhile, for these arguments or for other ones
            code = self._stored(sig, target_context)
        if code is None:
            _inline_without_copies()
        else:
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
