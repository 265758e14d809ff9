"""Functions of two variables from their Traces."""

from dataclasses import dataclass

import numpy as np

from explorer.analysis.views.calculus.function import Function, FunctionProblem
from explorer.analysis.views.calculus.run_check import entries, judge, troubles
from explorer.analysis.views.calculus.sides import Beside, beside
from explorer.trace import Trace, real


@dataclass(frozen=True)
class Surface:
    """f(x, y) from one run.

    Attributes:
        at, value, gradient, hessian: point (2,), f there, and autograd's gradient (2,) and Hessian (2, 2).
        connected: whether f depends on its variables for autograd, which a constant may not.
        beside: f along each variable below and above the point.
        x, y, z: the grid: (n,), (m,), and heights (m, n).
        field_at, field: places (2, k) and f's gradient at each (2, k).
        path, heights: gradient descent from the point: places (steps + 1, 2) and f at each (steps + 1,).
    """

    f: Function
    at: np.ndarray
    value: float
    gradient: np.ndarray
    hessian: np.ndarray
    connected: bool
    beside: tuple[Beside, Beside]
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    field_at: np.ndarray
    field: np.ndarray
    path: np.ndarray
    heights: np.ndarray

    @property
    def differentiable(self) -> bool:
        """Return whether f has a derivative along each variable, judged by its quotients."""
        return all(beside.differentiable for beside in self.beside)

    @property
    def diverges(self) -> bool:
        """Return whether the descent ends higher than it began, or at no number."""
        return not np.isfinite(self.heights).all() or bool(self.heights[-1] > self.heights[0])

    @property
    def highest_rate(self) -> float | None:
        """2 over the largest Hessian eigenvalue: above this rate, descent on a parabola diverges.

        None if there is no such rate: along an eigenvector with a negative eigenvalue every rate diverges.

        Source: a step maps the distance from the minimum along an eigenvector to (1 − rate · eigenvalue) of it.
        """
        if not np.isfinite(self.hessian).all():
            return None
        smallest, largest = map(float, np.linalg.eigvalsh((self.hessian + self.hessian.T) / 2))
        return 2 / largest if largest > 1e-12 and smallest > -1e-9 * largest else None

    def plane(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the tangent plane's height at (x, y)."""
        return self.value + self.gradient[0] * (x - self.at[0]) + self.gradient[1] * (y - self.at[1])


def surface(trace: Trace, f: Function) -> Surface:
    """Read a run of `surface_program`. Raises FunctionProblem."""
    judge(trace, f)
    names = "surface_x surface_y surface_z field_at field gradient hessian".split()
    x, y, z, field_at, field, gradient, hessian = (entries(trace, name) for name in names)
    if not np.isfinite(z).any():
        trouble = troubles(trace, len(trace.cells) - 1)
        raise FunctionProblem("nowhere-2", (), message=trouble[0][1] if trouble else "")
    path, value = entries(trace, "descent_path"), float(real(trace["point_value"].entries[0]))
    along_x, along_y = (beside(trace, float(path[0, i]), value, float(gradient[i]), i) for i in range(2))
    connected, heights = trace.tensors.requires_grad[trace.bound("point_value")], entries(trace, "descent_heights")
    sides = along_x, along_y
    return Surface(f, path[0], value, gradient, hessian, connected, sides, x, y, z, field_at, field, path, heights)
