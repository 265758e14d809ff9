"""Functions of the Derivatives page for tests, run like the page's child runs them."""

from functools import cache

from explorer.analysis.views.calculus.curve import Curve, curve, sweep
from explorer.analysis.views.calculus.examples import CURVES, SURFACES, FunctionExample
from explorer.analysis.views.calculus.function import Function
from explorer.analysis.views.calculus.programs import AxisWindow, point_program, surface_program, sweep_program
from explorer.analysis.views.calculus.run_check import judge
from explorer.analysis.views.calculus.surface import Surface, surface
from explorer.runtime.execute import execute
from explorer.sandbox import default_runner
from explorer.trace import Options, Trace
from tests.patience import PATIENT


def confined(program, options: Options) -> Trace:
    """Return the Trace of a program that may take longer than it has."""
    return default_runner().submit(program, options).result(PATIENT)


@cache
def curve_of(text: str, at: float = 1.0, low: float = -2.0, high: float = 2.0, run=execute) -> Curve:
    """f around a point. Raises Problem."""
    f, window = Function(text), AxisWindow(low, high)
    here = run(*point_program(f, at, window))
    judge(here, f)
    return curve(here, sweep(run(*sweep_program(f, window)), f, window))


def surface_of(text: str, at=(1.0, 1.0), window=(-2.0, 2.0, -2.0, 2.0), rate=0.05, steps=10, side=40) -> Surface:
    """f of two variables at a point. Raises Problem."""
    f = Function(text, ("x", "y"))
    asked = surface_program(f, at, AxisWindow(*window[:2]), AxisWindow(*window[2:]), rate, steps, side)
    return surface(execute(*asked), f)


def example(name: str) -> FunctionExample:
    """Return an example of the page by its name."""
    return next(one for one in (*CURVES, *SURFACES) if one.name == name)


def curve_example(name: str) -> Curve:
    """Return the page's results for an example."""
    one = example(name)
    return curve_of(one.text, one.at[0], *one.window)
