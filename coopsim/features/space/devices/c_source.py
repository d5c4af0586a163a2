"""Kernels that keep to whole numbers, written out in C, so that a microcontroller runs what the simulator runs.

A kernel may use assignments to names and elements of arrays, `if` and `else`, `return`, calls of other such kernels,
comparisons, and the operators `+ - * << >>`. All numbers are of 64 bits; arrays are of 32 bits. A shift to the right
rounds down in both languages, as every C compiler for microcontrollers does it.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from coopsim.errors import BadArgument
from coopsim.features.space.devices import inner_loop as inner

# operators that mean the same in Python and in C; `//` and `%` of negative numbers do not
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_WORD, _ARRAY = "int64_t", "int32_t"  # products of 32 bits need 64; arrays stay short, as memory is scarce there


def c_function(kernel: Callable[..., Any], *, is_static: bool = True) -> str:
    """Return a kernel as a function in C.

    Raises:
        BadArgument: It uses something that is not the same in C.
    """
    return "\n".join(_Writer(kernel).lines(is_static=is_static))


class _Writer:
    """Writes one function."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        plain: Callable[..., Any] = getattr(kernel, "py_func", kernel)
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)  # noqa: S101 - a kernel is one
        self._function, self._globals = function, plain.__globals__
        self._known = {arg.arg for arg in function.args.args}

    def lines(self, *, is_static: bool) -> Iterator[str]:
        """Yield the lines of the function."""
        returns = self._function.returns
        gives = isinstance(returns, ast.Name)
        words = ["static"] if is_static else []
        words.append(f"{_WORD if gives else 'void'} {self._function.name}({', '.join(self._arguments())})")
        yield " ".join(words)
        yield "{"
        body = self._function.body
        first = body[0]
        is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        for statement in body[is_docstring:]:
            yield from self._statement(statement, "    ")
        yield "}"

    def _arguments(self) -> Iterator[str]:
        # arrays that are only read are `const`, so that a compiler for microcontrollers can leave them in flash
        changed = {
            target.value.id
            for node in ast.walk(self._function)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        }
        for arg in self._function.args.args:
            is_number = isinstance(arg.annotation, ast.Name) and arg.annotation.id == "int"
            if is_number:
                yield f"{_WORD} {arg.arg}"
            else:
                yield f"{'' if arg.arg in changed else 'const '}{_ARRAY} *{arg.arg}"

    def _statement(self, node: ast.stmt, indent: str) -> Iterator[str]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                kind = "" if name in self._known else f"{_WORD} "
                self._known.add(name)
                yield f"{indent}{kind}{name} = {self._value(value)};"
            case ast.Assign(targets=[ast.Subscript() as place], value=value):
                yield f"{indent}{self._value(place)} = ({_ARRAY}){self._value(value)};"
            case ast.Return(value=ast.expr() as value):
                yield f"{indent}return {self._value(value)};"
            case ast.If(test=test, body=body, orelse=others):
                yield f"{indent}if ({self._value(test)}) {{"
                for statement in body:
                    yield from self._statement(statement, indent + "    ")
                if others:
                    yield f"{indent}}} else {{"
                    for statement in others:
                        yield from self._statement(statement, indent + "    ")
                yield f"{indent}}}"
            case _:
                raise self._cannot(node)

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int(value)):
                return str(value)
            case ast.Name(id=name):
                return name if name in self._known else str(self._constant(node, name))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self._value(operand)})"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return f"({self._number(left)} {_OPERATORS[type(op)]} {self._number(right)})"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                return f"{self._number(left)} {_OPERATORS[type(op)]} {self._number(right)}"
            case ast.Subscript(value=ast.Name(id=name), slice=ast.expr() as index):
                return f"{name}[{self._value(index)}]"
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return f"{name}({', '.join(map(self._number, arguments))})"
        raise self._cannot(node)

    def _number(self, node: ast.expr) -> str:
        """Return a value in 64 bits: elements of arrays have fewer."""
        value = self._value(node)
        return f"({_WORD}){value}" if isinstance(node, ast.Subscript) else value

    def _constant(self, node: ast.expr, name: str) -> int:
        value = self._globals.get(name)
        if not isinstance(value, int):
            raise self._cannot(node)
        return value

    def _cannot(self, node: ast.AST) -> BadArgument:
        text = ast.unparse(node)
        return BadArgument(f"{self._function.name} cannot be written in C: {text!r} has no counterpart there")


_NAME = "inner_loop"
_BITS = ("GYRO_BITS", "FORCE_BITS", "UP_BITS", "STEP_BITS", "THRUST_BITS", "ATTITUDE_BITS", "RATE_BITS", "YAW_BITS")
_ROWS: Mapping[str, tuple[str, ...]] = {
    "state": ("UP_X", "UP_Y", "UP_Z", "IS_READY"),
    "command": ("WANTED_X", "WANTED_Y", "WANTED_TURN", "WANTED_THRUST"),
    "settings": ("STEP", "LEVEL", "ATTITUDE", "RATE", "YAW", "MAX_RATE", "MAX_THRUST"),
}
_HEADER = """/* Generated by coopsim: the attitude loop of a quadrotor in whole numbers.
 *
 * Call estimate_up and then inner_loop once in each period, with all numbers in fixed point: a number with q bits
 * after the point is its multiple of 2^-q. gyro [rad/s] GYRO_BITS, force [m/s2] FORCE_BITS, up and wanted up [1]
 * UP_BITS, period [s] STEP_BITS, thrusts [N] THRUST_BITS. Begin with a state of zeros.
 */
#ifndef INNER_LOOP_H
#define INNER_LOOP_H

#include <stdint.h>

"""
_PROTOTYPES = """
void estimate_up(const int32_t *gyro, const int32_t *force, const int32_t *settings, int32_t *state);
void inner_loop(const int32_t *gyro, const int32_t *command, const int32_t *settings, const int32_t *state,
                int32_t *thrusts);

#endif
"""


def firmware() -> dict[str, str]:
    """Return the files of the attitude loop by name: a header and a source."""
    lines = [f"#define {name} {getattr(inner, name)}" for name in _BITS]
    for names in _ROWS.values():
        lines += [f"#define {name} {getattr(inner, name)}" for name in names]
    lines += [f"#define {name} {getattr(inner, name)}" for name in ("STATES", "COMMANDS", "SETTINGS")]
    parts = [f'/* Generated by coopsim; see {_NAME}.h. */\n#include "{_NAME}.h"']
    parts += [c_function(function) for function in (inner.limited, inner.positive)]
    parts += [c_function(function, is_static=False) for function in (inner.estimate_up, inner.inner_loop)]
    return {f"{_NAME}.h": _HEADER + "\n".join(lines) + "\n" + _PROTOTYPES, f"{_NAME}.c": "\n\n".join(parts) + "\n"}
