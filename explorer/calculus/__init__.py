"""Derivatives: programs for curves, slopes, quotients, surfaces and Jacobians, and what their Traces say.

Here belongs the text of those programs (`frames/*.py.txt` around the reader's own function), the scan of that text, and
pure functions from a Trace to plain records. Not here: computing a value or a derivative (the program does, in the
child), pixels, colours, and sentences (a Problem holds an id and the run's own words).
"""

from explorer.calculus.curve import Curve, Sweep, curve, sweep
from explorer.calculus.function import Function, FunctionProblem
from explorer.calculus.marking import CurveMark
from explorer.calculus.programs import AxisWindow, point_program, single, surface_program, sweep_program, vector_program
from explorer.calculus.surface import Surface, surface
from explorer.calculus.vector import Products, products

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
