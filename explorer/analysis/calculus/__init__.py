"""Derivatives: programs for curves, slopes, quotients, surfaces and Jacobians, and reading their Traces.

Belongs here: the text of those programs (`frames/*.py.txt` around the user's function), scanning that text, and pure
functions from a Trace to plain records. Does not belong here: computing a value or a derivative (the program does, in
the child), pixels, colours, and sentences (a Problem holds an id and Python's own message).
"""

from explorer.analysis.calculus.curve import Curve, CurveMark, Sweep, curve, sweep
from explorer.analysis.calculus.function import Function, FunctionProblem
from explorer.analysis.calculus.programs import (
    AxisWindow,
    point_program,
    single,
    surface_program,
    sweep_program,
    vector_program,
)
from explorer.analysis.calculus.surface import Products, Surface, products, surface

__all__ = [
    "AxisWindow",
    "Curve",
    "CurveMark",
    "Function",
    "FunctionProblem",
    "Products",
    "Surface",
    "Sweep",
    "curve",
    "point_program",
    "products",
    "single",
    "surface",
    "surface_program",
    "sweep",
    "sweep_program",
    "vector_program",
]
