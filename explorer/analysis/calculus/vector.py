"""A function with several inputs and outputs from its Trace: its Jacobian, and two products with it."""

from dataclasses import dataclass

import numpy as np

from explorer.analysis.calculus.function import Function
from explorer.analysis.calculus.run_check import entries, judge
from explorer.analysis.calculus.sides import Beside, beside
from explorer.trace import Trace


@dataclass(frozen=True)
class Products:
    """f: ℝⁿ → ℝᵐ at a point, from one run.

    Attributes:
        f, at, value: the function, the point (n inputs), the value (m outputs).
        jacobian: (m, n) by autograd, one backward pass per row.
        v, vjp: a vector (m,) and v · J (n,), one backward pass.
        u, jvp: a vector (n,) and J · u (m,), one forward pass.
        beside: each output along each input below and above the point, m rows of n; () if f does not take many points
            at once.
        by_rows, by_columns: the Jacobian by torch.func.jacrev and jacfwd.
    """

    f: Function
    at: np.ndarray
    value: np.ndarray
    jacobian: np.ndarray
    v: np.ndarray
    vjp: np.ndarray
    u: np.ndarray
    jvp: np.ndarray
    by_rows: np.ndarray
    by_columns: np.ndarray
    beside: tuple[tuple[Beside, ...], ...]

    @property
    def passes(self) -> tuple[int, int]:
        """Backward passes for the Jacobian row by row, forward passes for it column by column."""
        return self.jacobian.shape

    @property
    def agrees(self) -> bool:
        """Whether torch.func has the same Jacobian, forwards and backwards."""
        return all(np.allclose(self.jacobian, other, equal_nan=True) for other in (self.by_rows, self.by_columns))


def products(trace: Trace, f: Function) -> Products:
    """The view of a run of `vector_program`. Raises Problem."""
    judge(trace, f, outputs=1)
    names = "point_at point_value jacobian left vjp right jvp by_rows by_columns".split()
    at, value, jacobian, left, vjp, right, jvp, by_rows, by_columns = (entries(trace, name) for name in names)
    rows, columns = jacobian.shape if trace.bound("side_value") is not None else (0, 0)
    sides = tuple(
        tuple(beside(trace, float(at[j]), float(value[i]), float(jacobian[i, j]), j, i) for j in range(columns))
        for i in range(rows)
    )
    return Products(f, at, value, jacobian, left, vjp, right, jvp, by_rows, by_columns, sides)
