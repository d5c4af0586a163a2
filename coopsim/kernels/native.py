"""Compiled kernels called by their addresses, with arguments that lie ready as numbers of 64 bits.

Numba looks at every argument of a call anew, its type, its memory and its shape, which takes longer than a small kernel
itself. Arguments that stay the same are looked at once here.

A kernel takes pointers, whole numbers and floating ones, the whole ones in one row and the floating ones in another, as
the calling conventions of System V (x86-64) and of AArch64 have it; what is passed beyond its own arguments is not
looked at. So one form of call serves all kernels with up to so many arguments.

Arrays of such a call are not counted. A kernel counts those that it makes itself and hands on: by locked instructions,
which take longer than most small kernels do. So it may borrow them.
"""

import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import typeof, types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.kernels.compiled import inlined

FLOATING = 8
"""Floating arguments of a call: as many as there are registers for them."""
SIZES = (32, 56, 72, 88, 128, 512)
"""Whole numbers of each form of call, those for the result and the error included.

All of them are loaded and stored at each call, so most kernels have a form that is not much longer than they need.
"""
_SHORTEST, _SHORT, _MIDDLE, _LONG, _LONGER = range(5)  # of six forms
# kinds of results that come back in the two registers that a form of call reads
_RESULTS = (types.none, types.int64, types.float64)
# processors whose calling conventions are those above
_MACHINES = ("x86_64", "amd64", "aarch64", "arm64")


class NativeKernel(NamedTuple):
    """A kernel for arguments of certain types, and the arguments.

    Attributes:
        address: Of its machine code.
        whole: Whole numbers and pointers among the arguments, in their order.
        floating: The floating ones.
    """

    address: int
    whole: list[int]
    floating: list[float]


def is_possible() -> bool:
    """Return whether kernels can be called so on this machine."""
    return sys.platform in ("linux", "darwin") and platform.machine().lower() in _MACHINES


def native(kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> NativeKernel | None:
    """Return what calls a kernel with arguments, None where that is not possible; it is compiled, if it was not.

    The arguments are arrays, whole and floating numbers, and tuples of these. Arrays must be kept while it is used.
    """
    compile_for = getattr(kernel, "compile", None)
    words = list(_words(arguments))
    if compile_for is None or not is_possible() or None in words:
        return None
    # unboxed types of all arguments are what numba keeps its overloads by
    signature = tuple(
        typeof(argument)  # type: ignore[no-untyped-call]
        for argument in arguments
    )
    overloads = cast("Any", kernel).overloads
    if signature not in overloads:
        compile_for(signature)
    overload = overloads[signature]
    whole, floating = (
        [word for word in words if isinstance(word, int)],
        [word for word in words if isinstance(word, float)],
    )
    fits = len(whole) + 2 <= SIZES[-1] and len(floating) <= FLOATING
    if not fits or overload.signature.return_type not in _RESULTS:
        return None
    return NativeKernel(overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name), whole, floating)


def _words(value: Any) -> Iterator[int | float | None]:
    """Yield a value as numba hands it over; None for what cannot be."""
    if isinstance(value, np.ndarray):
        # nobody in a kernel counts who uses an array whose owner is not named
        yield from (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for element in value:
            yield from _words(element)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield int(value)
    else:
        yield value if type(value) is float else None


def _form(count: int) -> Callable[[int, int], int]:
    """Return the call of kernels with up to so many whole numbers.

    It takes the address of the kernel and that of its arguments, first the floating ones, and returns 0 unless the
    kernel failed.
    """

    def typed(_: Any, address: Any, arguments: Any) -> Any:
        return types.int64(address, arguments), compile_call

    def compile_call(_: Any, builder: Any, __: Any, given: Any) -> Any:
        word, number = ir.IntType(64), ir.DoubleType()
        # numba's kernels return a status of 32 bits, 0 = fine; results go where the first two arguments point
        kind = ir.FunctionType(ir.IntType(32), [number] * FLOATING + [word] * count)
        numbers = builder.inttoptr(given[1], number.as_pointer())
        words = builder.inttoptr(given[1], word.as_pointer())
        values = [builder.load(builder.gep(numbers, [ir.Constant(word, k)])) for k in range(FLOATING)]
        values += [builder.load(builder.gep(words, [ir.Constant(word, FLOATING + k)])) for k in range(count)]
        return builder.sext(builder.call(builder.inttoptr(given[0], kind.as_pointer()), values), word)

    return cast("Callable[[int, int], int]", intrinsic(typed))


call_shortest, call_short, call_middle, call_long, call_longer, call_longest = map(_form, SIZES)


def form_of(kernel: NativeKernel) -> int:
    """Return the number of the form of call in `SIZES` that serves a kernel."""
    return next(form for form, size in enumerate(SIZES) if len(kernel.whole) + 2 <= size)


@inlined
def call_of_size(size: int, address: int, arguments: int) -> int:
    """Call a kernel by the form of call number `size` in `SIZES`; return 0 unless it failed."""
    if size == _SHORT:
        return call_short(address, arguments)
    if size == _MIDDLE:
        return call_middle(address, arguments)
    if size == _SHORTEST:
        return call_shortest(address, arguments)
    if size == _LONG:
        return call_long(address, arguments)
    if size == _LONGER:
        return call_longer(address, arguments)
    return call_longest(address, arguments)


def _view(array: Any) -> Any:
    """Return what makes a view of an array in a kernel; stored kernels need none of what numba imports for it."""
    from numba.np.arrayobj import make_array

    return make_array(array)  # type: ignore[no-untyped-call]


def _borrowed(_: Any, array: Any) -> Any:
    def compile_call(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        view = _view(signature.args[0])(context, builder, given[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
        return view._getvalue()  # noqa: SLF001 - there is no other way to say it

    return array(array), compile_call


borrowed = cast("Callable[[Any], Any]", intrinsic(_borrowed))
"""Return an array whose users are not counted: it holds as long as the array that it was borrowed from is kept.

Also arguments of a kernel are worth it: without it, a large one counts users in hundreds of calls.
"""


def _address(_: Any, array: Any) -> Any:
    def compile_call(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        view = _view(signature.args[0])(context, builder, given[0])
        return builder.ptrtoint(view.data, ir.IntType(64))

    return types.int64(array), compile_call


address = cast("Callable[[Any], int]", intrinsic(_address))
"""Return the address of the first number of an array; `array.ctypes.data` counts users, in two calls."""


@inlined
def keep(array: Any) -> None:
    """Keep an array until here, so that what was borrowed from it holds."""
    array.size  # noqa: B018 - a use of it
