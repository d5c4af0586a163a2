"""Loops over columns of numbers, eight rows at once, written for the processor's vectors.

A compiler that makes vectors of a loop by itself leaves the last rows to plain code, and of a dozen rows these are
most. Here each row gets the bits of the plain formula; what is behind the last row is computed, too, and of no account.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.kernels.foreign import LLVM

LANES = 8
"""Rows at once; on machines with narrower vectors LLVM makes several of it. Columns have room for as many more rows."""
_BYTES = 8  # of a number
_NUMBER, _WORD = LLVM.DoubleType(), LLVM.IntType(64)
_NUMBERS, _WORDS = LLVM.VectorType(_NUMBER, LANES), LLVM.VectorType(_WORD, LANES)
_ROOT_OF_HALF = 0x3FE6A09E667F3BCD  # its bits
_TRUTHS = LLVM.VectorType(LLVM.IntType(1), LANES)

Loop: TypeAlias = Callable[[int, int, tuple[int, ...], tuple[float, ...], int], int]
"""Takes the first row and the one behind the last, addresses of columns, numbers that all rows have in common, and how
many rows are kept in the last column; returns how many are kept then."""


class Lanes:
    """Eight numbers, whole numbers or truths, and what formulas do with them."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def _number(self, other: "Lanes | float") -> Any:
        return other.value if isinstance(other, Lanes) else LLVM.Constant(self.value.type, [other] * LANES)

    def _made(self, operation: str, other: "Lanes | float") -> "Lanes":
        return Lanes(self.builder, getattr(self.builder, operation)(self.value, self._number(other)))

    def _compared(self, sign: str, other: "Lanes | float") -> "Lanes":
        compare = self.builder.fcmp_ordered if self.value.type == _NUMBERS else self.builder.icmp_signed
        return Lanes(self.builder, compare(sign, self.value, self._number(other)))

    def _called(self, name: str, *arguments: Any, flags: tuple[str, ...] = ()) -> "Lanes":
        kind = LLVM.FunctionType(_NUMBERS, [_NUMBERS] * (1 + len(arguments)))
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}.v{LANES}f64")  # type: ignore[no-untyped-call]
        return Lanes(self.builder, self.builder.call(function, [self.value, *arguments], fastmath=flags))

    def __add__(self, other: "Lanes | float") -> "Lanes":
        return self._made("fadd", other)

    def __sub__(self, other: "Lanes | float") -> "Lanes":
        return self._made("fsub", other)

    def __rsub__(self, other: float) -> "Lanes":
        return Lanes(self.builder, self._number(other)) - self

    def __mul__(self, other: "Lanes | float") -> "Lanes":
        return self._made("fmul", other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: "Lanes | float") -> "Lanes":
        return self._made("fdiv", other)

    def __rtruediv__(self, other: float) -> "Lanes":
        return Lanes(self.builder, self._number(other)) / self

    def __neg__(self) -> "Lanes":
        return Lanes(self.builder, self.builder.fneg(self.value))

    def __abs__(self) -> "Lanes":
        return self._called("fabs")

    def __le__(self, other: "Lanes | float") -> "Lanes":
        return self._compared("<=", other)

    def __lt__(self, other: "Lanes | float") -> "Lanes":
        return self._compared("<", other)

    def __ge__(self, other: "Lanes | float") -> "Lanes":
        return self._compared(">=", other)

    def __gt__(self, other: "Lanes | float") -> "Lanes":
        return self._compared(">", other)

    def same(self, number: float) -> "Lanes":
        """Return eight times the same number."""
        return Lanes(self.builder, self._number(number))

    def equals(self, other: "Lanes | float") -> "Lanes":
        """Return where numbers are equal."""
        return self._compared("==", other)

    def __and__(self, other: "Lanes") -> "Lanes":
        return self._made("and_", other)

    def __or__(self, other: "Lanes") -> "Lanes":
        return self._made("or_", other)

    def __invert__(self) -> "Lanes":
        return Lanes(self.builder, self.builder.not_(self.value))

    def where(self, if_true: "Lanes | float", if_false: "Lanes | float") -> "Lanes":
        """Return one of two numbers, by whether this is true."""
        chosen, rest = (
            numbers.value if isinstance(numbers, Lanes) else LLVM.Constant(_NUMBERS, [numbers] * LANES)
            for numbers in (if_true, if_false)
        )
        return Lanes(self.builder, self.builder.select(self.value, chosen, rest))

    def least(self, other: "Lanes | float") -> "Lanes":
        """Return what `min` makes of them, in this order."""
        second = Lanes(self.builder, self._number(other))
        return (second < self).where(second, self)

    def smaller(self, other: "Lanes") -> "Lanes":
        """Return the smaller ones of numbers that are numbers.

        Where these go back to where they are from, compilers make a masked store of `least`, which is read more slowly.
        """
        return self._called("minnum", other.value, flags=("nnan",))

    def most(self, other: "Lanes | float") -> "Lanes":
        """Return what `max` makes of them, in this order."""
        second = Lanes(self.builder, self._number(other))
        return (second > self).where(second, self)

    def root(self) -> "Lanes":
        """Return square roots, no number of those below 0."""
        return self._called("sqrt")

    def times_plus(self, factor: "Lanes", summand: "Lanes") -> "Lanes":
        """Return products and what is added to them, rounded once."""
        return self._called("fma", factor.value, summand.value)

    def floor(self) -> "Lanes":
        """Return the largest whole numbers that are not larger, as floating ones."""
        return self._called("floor")

    def split(self) -> "tuple[Lanes, Lanes]":
        """Return numbers above 0 as powers of 2 and factors from the root of 1/2 to that of 2."""
        builder, bits = self.builder, self.builder.bitcast(self.value, _WORDS)
        digits = LLVM.Constant(_WORDS, [52] * LANES)  # of a double
        power = builder.ashr(builder.sub(bits, LLVM.Constant(_WORDS, [_ROOT_OF_HALF] * LANES)), digits)
        factor = builder.bitcast(builder.sub(bits, builder.shl(power, digits)), _NUMBERS)
        return Lanes(builder, builder.sitofp(power, _NUMBERS)), Lanes(builder, factor)

    def signed_as(self, other: "Lanes") -> "Lanes":
        """Return these numbers with the signs of others."""
        return self._called("copysign", other.value)


class LoopRows:
    """Eight rows of columns.

    Attributes:
        numbers: Of the rows.
        inside: Which of them are not behind the last row.
    """

    def __init__(self, builder: Any, first: Any, last: Any, addresses: list[Any]) -> None:
        self._builder, self._first, self._addresses = builder, first, addresses
        places = LLVM.Constant(_WORDS, list(range(LANES)))
        self.numbers = Lanes(builder, builder.add(spread(builder, first, _WORDS), places))
        self.inside = Lanes(builder, builder.icmp_signed("<", self.numbers.value, spread(builder, last, _WORDS)))

    def _pointer(self, column: int, kind: Any) -> Any:
        pointer = self._builder.inttoptr(self._addresses[column], kind.as_pointer())
        return self._builder.bitcast(
            self._builder.gep(pointer, [self._first]), LLVM.VectorType(kind, LANES).as_pointer()
        )

    def __getitem__(self, column: int) -> Lanes:
        return Lanes(self._builder, self._builder.load(self._pointer(column, _NUMBER), align=_BYTES))

    def words(self, column: int) -> Lanes:
        """Return whole numbers of a column."""
        return Lanes(self._builder, self._builder.load(self._pointer(column, _WORD), align=_BYTES))

    def __setitem__(self, column: int, numbers: Lanes) -> None:
        """Write a column; of truths 1 and 0."""
        value = numbers.value
        value = self._builder.uitofp(value, _NUMBERS) if value.type == _TRUTHS else value
        self._builder.store(value, self._pointer(column, _NUMBER), align=_BYTES)

    def gathered(self, column: int, places: Lanes) -> Lanes:
        """Return numbers of a column by their places, which are whole."""
        builder, gathered = self._builder, LLVM.Constant(_NUMBERS, LLVM.Undefined)
        pointer = builder.inttoptr(self._addresses[column], _NUMBER.as_pointer())
        whole = builder.fptosi(places.value, _WORDS) if places.value.type == _NUMBERS else places.value
        for lane in range(LANES):
            lane_of = LLVM.Constant(LLVM.IntType(32), lane)
            number = builder.load(builder.gep(pointer, [builder.extract_element(whole, lane_of)]))
            gathered = builder.insert_element(gathered, number, lane_of)
        return Lanes(builder, gathered)

    def count(self, truths: Lanes, count: Any) -> Any:
        """Count the rows that are true on; return which these are."""
        builder, mask = self._builder, (truths & self.inside).value
        many = builder.zext(builder.ctpop(builder.bitcast(mask, LLVM.IntType(LANES))), _WORD)
        builder.store(builder.add(builder.load(count), many), count)
        return mask

    def least(self, numbers: Lanes, least: Any) -> None:
        """Write the least of numbers, of which none is no number, and of what was written before."""
        builder, kind = self._builder, LLVM.FunctionType(_NUMBER, [_NUMBERS])
        name = f"llvm.vector.reduce.fmin.v{LANES}f64"
        # the ignored error: numba has no annotations
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        inside = self.inside.where(numbers, math.inf).value
        number, before = builder.call(reduce, [inside], fastmath=("nnan",)), builder.load(least)
        builder.store(builder.select(builder.fcmp_ordered("<", number, before), number, before), least)

    def keep(self, truths: Lanes, count: Any) -> None:
        """Write the numbers of rows behind those that are kept: each in any case, kept by counting on."""
        builder, kept = self._builder, self._builder.load(count)
        mask = self.count(truths, count)
        kind = LLVM.FunctionType(_WORDS, [_WORDS, _TRUTHS, _WORDS])
        name = f"llvm.experimental.vector.compress.v{LANES}i64"
        compress = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        # behind the kept ones zeros: whoever reads eight of a list finds places that there are
        dense = builder.call(compress, [self.numbers.value, mask, LLVM.Constant(_WORDS, [0] * LANES)])
        to = builder.gep(builder.inttoptr(self._addresses[-1], _WORD.as_pointer()), [kept])
        builder.store(dense, builder.bitcast(to, _WORDS.as_pointer()), align=_BYTES)


Formula: TypeAlias = Callable[[LoopRows, tuple[Lanes, ...]], Lanes | None]


def loop(formula: Formula) -> Loop:
    """Return a loop over rows of which each does what a formula says.

    Rows of which the formula returns the truth are kept: their numbers are written into the last column.
    """
    return _loop(formula, LoopRows.keep)


def counting(formula: Formula) -> Loop:
    """Return a loop over rows that counts those of which the formula returns the truth, and writes none."""
    return _loop(formula, LoopRows.count)


def least_of(formula: Formula) -> Callable[[int, int, tuple[int, ...], tuple[float, ...], float], float]:
    """Return a loop over rows that returns the least of what the formula returns, and of the last argument."""
    return cast("Callable[..., float]", _loop(formula, LoopRows.least, types.float64))


def _loop(formula: Formula, collect: Callable[[LoopRows, Lanes, Any], Any], result: Any = types.int64) -> Loop:

    def typed(_: Any, first: Any, last: Any, columns: Any, numbers: Any, kept: Any) -> Any:
        return result(first, last, columns, numbers, kept), compile_call

    def compile_call(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        begin, end = (context.cast(builder, given[k], signature.args[k], types.int64) for k in (0, 1))
        kept = context.cast(builder, given[4], signature.args[4], result)
        addresses, constants = (cgutils.unpack_tuple(builder, given[k]) for k in (2, 3))  # type: ignore[no-untyped-call]
        common = tuple(Lanes(builder, spread(builder, number, _vector(number.type))) for number in constants)
        count, step = cgutils.alloca_once_value(builder, kept), LLVM.Constant(_WORD, LANES)  # type: ignore[no-untyped-call]
        with cgutils.for_range_slice(builder, begin, end, step, _WORD) as (row, _):
            rows = LoopRows(builder, row, end, addresses)
            truths = formula(rows, common)
            if truths is not None:
                collect(rows, truths, count)
        return builder.load(count)

    typed.__name__ = typed.__qualname__ = formula.__name__
    return cast("Loop", intrinsic(typed))


def _vector(kind: Any) -> Any:
    return LLVM.VectorType(kind, LANES)


def spread(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of equal numbers."""
    empty, lanes = LLVM.Constant(kind, LLVM.Undefined), LLVM.VectorType(LLVM.IntType(32), kind.count)
    first = builder.insert_element(empty, value, LLVM.Constant(LLVM.IntType(32), 0))
    return builder.shuffle_vector(first, empty, LLVM.Constant(lanes, [0] * kind.count))
