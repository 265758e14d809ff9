"""Programs of the Derivatives page: the user's function in a cell among generated ones.

A frame is a file in `frames/` whose capitalized words are replaced by numbers and the function's name. Its names are
long to avoid collisions. The cells are imports, the function, the point and the computation. One prints why single
points have no value.
"""

import math
from dataclasses import dataclass
from pathlib import Path

from explorer.analysis.views.calculus.function import Function, FunctionProblem
from explorer.program import CellSource, Program
from explorer.safe_regex import Match, plain
from explorer.trace import Options

_CAPITALS = plain(r"\b[A-Z]+\b")
HERE = Path(__file__).parent
FRAMES = {path.name.partition(".")[0]: path.read_text(encoding="utf-8") for path in HERE.glob("frames/*.py.txt")}
OWN = 1  # cell of the user's function; the next cell computes its value at the point
MARKS = 8  # most jumps, kinks and domain ends, of each kind
SIDE = 200  # grid points of a surface in each direction
TIME = 3.0  # time limit of such a program, in seconds

SWEEP = tuple("curve_x curve_y curve_slope mark_ends mark_y mark_slope mark_value mark_middle".split())
POINT = tuple("quotient_h quotient_rise quotient behind side_at side_value side_slope precision".split())
SURFACE = tuple(
    "surface_x surface_y surface_z field_at field side_at side_value side_slope descent_path descent_heights".split()
)


@dataclass(frozen=True)
class AxisWindow:
    """Visible part of the axis. Attributes: low, high: its ends. Raises FunctionProblem unless an interval."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise FunctionProblem("window-number")
        if self.low > self.high:
            raise FunctionProblem("window-reversed", (("low", self.low), ("high", self.high)))
        if self.high == self.low:
            raise FunctionProblem("window-empty", (("low", self.low),))
        if self.high - self.low <= 1e-9 * max(1.0, abs(self.low), abs(self.high)):
            raise FunctionProblem("window-narrow", (("low", self.low), ("high", self.high)))

    @property
    def wide(self) -> float:
        """Largest h: a third of the window, rounded.

        >>> AxisWindow(-0.5, 2.5).wide
        1.0
        """
        third = (self.high - self.low) / 3
        power = 10.0 ** math.floor(math.log10(third) + 1e-9)
        return power * max(step for step in (1, 2, 5) if step * power <= third * (1 + 1e-9))


def options(*full: str) -> Options:
    """Return the options of such a program: light detail, these tensors whole."""
    return Options(detail="light", time_limit=TIME, stop_on_error=True, full=full)


def sweep_program(f: Function, window: AxisWindow) -> tuple[Program, Options]:
    """Write the program for f and its slopes. Raises FunctionProblem."""
    numbers = {"LOW": window.low, "HIGH": window.high, "WIDE": window.wide, "MOST": MARKS}
    numbers["DIGITS"] = 12 - math.floor(math.log10(window.wide))
    return _program(f, ["helpers", "sweep", "marks", "trouble"], **numbers), options(*SWEEP)


def point_program(f: Function, at: float, window: AxisWindow) -> tuple[Program, Options]:
    """Write the program for f at a point: slope and quotients. Raises FunctionProblem."""
    frames = ["point", "helpers", "quotient", "sides", "precision"]
    return _program(f, frames, AT=_number(at), WIDE=window.wide), options(*POINT)


def surface_program(
    f: Function, at: tuple[float, float], across: AxisWindow, up: AxisWindow, rate: float, steps: int, side: int = SIDE
) -> tuple[Program, Options]:
    """Write the program for f(x, y): heights, gradients, a Hessian and gradient descent.

    Args:
        rate, steps: learning rate and number of steps of gradient descent from the point.
        side: points in each direction.

    Raises FunctionProblem.
    """
    rectangle = {"LEFT": across.low, "RIGHT": across.high, "LOW": up.low, "HIGH": up.high, "SIDE": side}
    more = {"RATE": _number(rate), "STEPS": int(steps)}
    frames = ["surface_point", "surface", "descent", "trouble"]
    place = ", ".join(repr(_number(value)) for value in at)
    return _program(f, frames, AT=place, **rectangle, **more), options(*SURFACE)


def single(f: Function, at: tuple[float, ...], h: float | None = None, backward: bool = True) -> str:
    """Write a plain program for f at a point.

    `backward` is False for a constant, which has no gradient.

    Raises FunctionProblem.
    """
    names = f.variables
    lines = [f.prelude(), "", f.cell(), ""]
    given = zip(names, at, strict=True)
    lines += [f"{name} = torch.tensor({float(coordinate)!r}, requires_grad=True)" for name, coordinate in given]
    lines += [f"y = {f.name}({', '.join(names)})", *(["y.backward()"] if backward else [])]
    if h is not None:
        lines += [f"h = {h!r}", "with torch.no_grad():", f"    quotient = ({f.name}(x + h) - {f.name}(x)) / h"]
    shown = [*(f"{name}.grad" for name in names), *(["quotient"] if h is not None else [])]
    return "\n".join([*lines, ", ".join(shown)]) + "\n"


def _program(f: Function, frames: list[str], **words: object) -> Program:
    texts = [f.prelude(), f.cell()]
    words["FUNCTION"] = f.name

    def filled(match: Match) -> str:
        if match[0] not in words:
            return match[0]
        word = words[match[0]]
        return word if match[0] in ("FUNCTION", "AT") and isinstance(word, str) else repr(word)

    texts += [_CAPITALS.sub(filled, FRAMES[name]) for name in frames]
    return Program([CellSource(text) for text in texts])


def _number(value: float) -> float:
    if not math.isfinite(value):
        raise FunctionProblem("point-number")
    return float(value)
