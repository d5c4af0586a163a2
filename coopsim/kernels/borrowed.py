"""Arrays of a kernel's own that it hands on without counting who uses them.

Each function that is handed an array counts itself in and out by locked instructions, which take longer than most small
kernels do. Arrays that come from Python are not counted (`native`); those that a kernel makes for itself are borrowed.
"""

from collections.abc import Callable
from typing import Any, cast

from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from coopsim.geometry import Floats
from coopsim.kernels.compiled import inlined


def _borrowed(_: Any, array: Any) -> Any:
    def compile_call(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, given[0])  # type: ignore[no-untyped-call]
        view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
        return view._getvalue()  # noqa: SLF001 - there is no other way to say it

    return array(array), compile_call


borrowed = cast("Callable[[Floats], Floats]", intrinsic(_borrowed))
"""Return an array whose users are not counted: it holds as long as the array that it was borrowed from is kept."""


@inlined
def keep(array: Any) -> None:
    """Keep an array until here, so that what was borrowed from it holds."""
    array.size  # noqa: B018 - a use of it
