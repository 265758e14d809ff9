"""Example functions, each with its point and window."""

from dataclasses import dataclass

_RELU = "def f(x):\n    if x > 0:\n        return x\n    return 0 * x"
_REVERSED = """class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


def f(x):
    return Reverse.apply(x**2)"""
_SIGMOIDS = "def f(x):\n    for _ in range(10):\n        x = torch.sigmoid(x)\n    return x"
_RESIDUAL = "def f(x):\n    for _ in range(10):\n        x = x + torch.sigmoid(x)\n    return x"
_LINE = """def f(w, b):
    x = torch.tensor([1., 2., 3., 4.])
    y = 2 * x + 1
    return ((w * x + b - y) ** 2).mean()"""


@dataclass(frozen=True)
class FunctionExample:
    """A function of one or two variables. Attributes: name: message id without `derivatives-try-`."""

    name: str
    text: str
    at: tuple[float, ...]
    window: tuple[float, ...] = ()
    rate: float = 0.05


CURVES = (
    FunctionExample("parabola", "3*x**2 - 4*x", (1,), (-0.5, 2.5)),
    FunctionExample("pole", "x**3 - 1/x", (1,), (-2, 2)),
    FunctionExample("mixed", "log(x**2)*sin(x) + 1/x", (1,), (-4, 4)),
    FunctionExample("cubic", "x**3", (2,), (-2.5, 2.5)),
    FunctionExample("relu", "relu(x)", (0,), (-2, 2)),
    FunctionExample("maximum", "maximum(x, 0*x)", (0,), (-2, 2)),
    FunctionExample("abs", "abs(x)", (0,), (-2, 2)),
    FunctionExample("branch", _RELU, (1,), (-2, 2)),
    FunctionExample("root", "sqrt(x)", (0,), (-1, 3)),
    FunctionExample("root-of-square", "sqrt(x**2)", (0,), (-2, 2)),
    FunctionExample("where", "where(x > 0, sqrt(x), x)", (-1,), (-2, 2)),
    FunctionExample("where-mended", "where(x > 0, sqrt(where(x > 0, x, 1)), x)", (-1,), (-2, 2)),
    FunctionExample("round", "round(x)", (0.2,), (-2.2, 2.2)),
    FunctionExample("straight-through", "x + (round(x) - x).detach()", (0.2,), (-2.2, 2.2)),
    FunctionExample("reversed", _REVERSED, (3,), (-4, 4)),
    FunctionExample("sigmoids", _SIGMOIDS, (0,), (-8, 8)),
    FunctionExample("residual", _RESIDUAL, (0,), (-8, 8)),
    FunctionExample("power", "x**20", (0.5,), (-1.2, 1.2)),
    FunctionExample("tan", "tan(x)", (0,), (-5, 5)),
)
SURFACES = (
    FunctionExample("bowl", "x**2 + 3*y**2", (1.5, 1), (-2, 2, -2, 2)),
    FunctionExample("saddle", "x**2 - y**2", (1, 0.5), (-2, 2, -2, 2)),
    FunctionExample("rosenbrock", "(1 - x)**2 + 100*(y - x**2)**2", (1, 1), (-1.5, 1.5, -0.5, 2), 0.001),
    FunctionExample("line", _LINE, (0, 0), (-3, 5, -4, 6), 0.1),
    FunctionExample("line-diverges", _LINE, (0, 0), (-3, 5, -4, 6), 0.13),
    FunctionExample("norm", "sqrt(x**2 + y**2)", (0, 0), (-2, 2, -2, 2)),
    FunctionExample("logsumexp", "log(exp(x) + exp(y))", (1000, 1000), (600, 1010, 600, 1010)),
    FunctionExample("logaddexp", "logaddexp(x, y)", (1000, 1000), (600, 1010, 600, 1010)),
)
