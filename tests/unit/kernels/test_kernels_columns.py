"""Columns of a table in compiled code: the machine code follows the interface that declares them."""

from types import FunctionType

import numpy as np

from coopsim.interfaces import Interface, Parameter, columns
from coopsim.kernels import compiled
from coopsim.kernels.digest import digest

COLUMN = columns(Interface("it", "", parameters=(Parameter("near", float, 1.0), Parameter("far", float, 9.0))))
TURNED = columns(Interface("it", "", parameters=(Parameter("far", float, 9.0), Parameter("near", float, 1.0))))


def far(table):
    return table[COLUMN.far]


def test_a_kernel_reads_the_column_that_the_interface_names() -> None:
    assert compiled(far)(np.array([1.0, 9.0])) == 9.0


def test_parameters_in_another_order_make_other_machine_code() -> None:
    turned = FunctionType(far.__code__, {**far.__globals__, "COLUMN": TURNED}, "far")
    same = FunctionType(far.__code__, dict(far.__globals__), "far")
    assert digest(turned) != digest(far) == digest(same)
