"""The loss as a function of two entries: the program that computes it over a grid, and the result of its run.

The lines between the head of the loop and the call of backward are repeated after the program: everything but the two
entries is as the program left it, and random numbers are the same at every point. Nothing is parsed; lines are
distinguished by indentation, and if that fails, the run reports Python's error.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from explorer.analysis.source.code import indent_of
from explorer.analysis.training.view import TrainingView
from explorer.program import CellSource, Program
from explorer.safe_regex import linear
from explorer.trace import Failure, Limit, Options, Refusal, Trace, real

SIDE = 31  # points of the grid in each direction
MARGIN = 0.35  # of the path's extent, around it
MOST_CHOICES = 500  # entries that a user can choose from
MOST_PATH = 200  # steps of the path at which the loss is computed again
SAME = 1e-4  # relative difference up to which the path lies on the surface
LOSSES, KEPT = "surface_entries", "surface_kept"  # names in the program: the losses; whether everything stayed as set
_PATH = linear(r"[^\W\d]\w*(?:\.\w+|\[\d{1,9}\])*")
_DIGITS = linear(r"\.(\d+)")


class NoSurface(Exception):
    """Why there is no surface. Attributes: kind: of its message training-surface-<kind>; told: Python's message;
    name.
    """

    def __init__(self, kind: str, reason: str = "", name: str = "") -> None:
        super().__init__(kind)
        self.kind, self.told, self.name = kind, reason, name


@dataclass(frozen=True)
class ChosenEntry:
    """A chosen entry of a parameter. Attributes: parameter: its index in the view; kept: index among its kept
    entries.
    """

    parameter: int
    kept: int

    def of(self, view: TrainingView) -> np.ndarray:
        """Its values over the steps."""
        return view.parameters[self.parameter].entries[:, self.kept]


@dataclass(frozen=True, eq=False)
class LossSurface:
    """The loss over two entries.

    Attributes:
        x, y: the grid, (SIDE,) each; z: the loss on it, (SIDE, SIDE), a row for each y.
        path: the entries at the kept steps, (steps, 2).
        lies: whether the path lies on it: the loss there equals the program's.
        alone: whether the training has only these two entries.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    path: np.ndarray
    lies: bool
    alone: bool


def chosen_entries(view: TrainingView) -> dict[str, ChosenEntry]:
    """The entries that can be chosen, by name: at most MOST_CHOICES kept ones that were finite somewhere."""
    choices = (
        (steps.entry_name(at), ChosenEntry(number, at))
        for number, steps in enumerate(view.parameters)
        for at in np.flatnonzero(np.isfinite(steps.values).any(axis=0)).tolist()
    )
    return dict(islice(choices, MOST_CHOICES))


def surface_program(
    trace: Trace, view: TrainingView, span: int, a: ChosenEntry, b: ChosenEntry
) -> tuple[Program, Options]:
    """The program of the run followed by the grid.

    Args:
        span: of the place that calls backward.

    Raises NoSurface.
    """
    body = _loss_again(trace, span)
    across, up = (_window(entry.of(view)) for entry in (a, b))
    path = _path(view, a, b)
    points = [(float(x), float(other)) for x, other in path.tolist()]
    leaves = {entry.parameter: _expression(view.parameters[entry.parameter].name) for entry in (a, b)}
    leaves |= {
        number: _expression(steps.name)
        for number, steps in enumerate(view.parameters)
        if number not in leaves and _PATH.fullmatch(_indexed(steps.name))
    }
    order = list(leaves)
    chosen = [(order.index(entry.parameter), view.parameters[entry.parameter].places[entry.kept]) for entry in (a, b)]
    names = [leaves[entry.parameter] + _index(place) for entry, (_, place) in zip((a, b), chosen, strict=True)]
    both = f"({', '.join(f'float({name})' for name in names)})"
    text = "\n".join(
        [
            "import torch",
            f"surface_leaves = [{', '.join(leaves.values())}]",
            "surface_before = [one.detach().clone() for one in surface_leaves]",
            f"surface_points = {points!r}",
            "surface_points = surface_points[-1:] * 2 + surface_points",
            f"surface_points += [(p, q) for q in {up.tolist()!r} for p in {across.tolist()!r}]",
            "surface_losses, surface_moved = [], False",
            "for surface_point in surface_points:",
            "    surface_generator = torch.manual_seed(0)",
            "    with torch.no_grad():",
            *(f"        {name} = surface_point[{k}]" for k, name in enumerate(names)),
            f"    surface_set = {both}",
            *body,
            f"    surface_moved = surface_moved or {both} != surface_set",
            f"{LOSSES} = torch.tensor(surface_losses, dtype=torch.float64)",
            "with torch.no_grad():",
            *(
                f"    {name} = surface_before[{leaf}]{_index(place)}"
                for name, (leaf, place) in zip(names, chosen, strict=True)
            ),
            "surface_pairs = zip(surface_leaves, surface_before)",
            f"{KEPT} = [torch.equal(one.nan_to_num(7), was.nan_to_num(7)) for one, was in surface_pairs]",
            f"{KEPT} = torch.tensor([not surface_moved, *{KEPT}], dtype=torch.float32)",
        ]
    )
    cells = [*(CellSource(cell.source) for cell in trace.cells), CellSource(text + "\n")]
    return Program(cells), Options(detail="light", full=(LOSSES, KEPT))


def loss_surface(result: Trace, view: TrainingView, a: ChosenEntry, b: ChosenEntry) -> LossSurface:
    """The result of a run of `surface_program`. Raises NoSurface."""
    for output in result.cells[-1].outputs:
        if isinstance(output, Limit) and output.limit in ("time", "memory"):
            raise NoSurface("time")
        if isinstance(output, Failure):
            raise NoSurface("failed", f"{output.type}: {output.text}")
        if isinstance(output, Refusal):
            raise NoSurface("failed", output.what)
    losses, unchanged = _entries(result, LOSSES), _entries(result, KEPT)
    path = _path(view, a, b)
    if losses is None or unchanged is None or len(losses) != 2 + len(path) + SIDE * SIDE:
        raise NoSurface("time" if result.status == "limited" else "skips")
    if not unchanged.all():
        raise NoSurface("changes")
    if losses[0] != losses[1] and not np.isnan(losses[:2]).all():
        raise NoSurface("random")
    z = losses[2 + len(path) :].reshape(SIDE, SIDE)
    if not np.isfinite(z).any():
        raise NoSurface("far")
    recorded = view.loss[_path_steps(view, a, b)]
    lies = bool(np.allclose(losses[2 : 2 + len(path)], recorded, rtol=SAME, atol=1e-8, equal_nan=True))
    alone = sum(max(1, parameter.values.shape[1]) for parameter in view.parameters) == 2
    across, up = (_window(entry.of(view)) for entry in (a, b))
    every = np.stack([entry.of(view) for entry in (a, b)], axis=1)
    return LossSurface(across, up, z, every, lies, alone)


def _entries(result: Trace, name: str) -> np.ndarray | None:
    value = result[name] if result.bound(name) is not None else None
    return None if value is None or value.data is None else np.array([real(entry) for entry in value.data], dtype=float)


def _window(numbers: np.ndarray) -> np.ndarray:
    """The grid along one entry: the range of the training and a margin, float64."""
    finite = numbers[np.isfinite(numbers)]
    low, high = float(finite.min()), float(finite.max())
    room = MARGIN * (high - low) or MARGIN * abs(low) or 1.0
    return np.linspace(low - room, high + room, SIDE)


def _path_steps(view: TrainingView, a: ChosenEntry, b: ChosenEntry) -> np.ndarray:
    """Indices of kept steps at which both entries are finite, at most MOST_PATH, evenly spread."""
    usable = np.flatnonzero(np.isfinite(a.of(view)) & np.isfinite(b.of(view)))
    if not len(usable):
        raise NoSurface("few")
    return usable[np.unique(np.linspace(0, len(usable) - 1, min(MOST_PATH, len(usable))).round().astype(int))]


def _path(view: TrainingView, a: ChosenEntry, b: ChosenEntry) -> np.ndarray:
    steps = _path_steps(view, a, b)
    return np.stack([a.of(view)[steps], b.of(view)[steps]], axis=1)


def _loss_again(trace: Trace, span: int) -> list[str]:
    """The lines of a loop before its call of backward, with a line instead of the call that keeps the loss.

    Raises NoSurface.
    """
    if not 0 <= span < len(trace.spans):
        raise NoSurface("line")
    at = trace.spans[span]
    lines = trace.cells[at.cell].source.split("\n")
    root, call, _ = (trace.text(span) or "").partition(".backward(")
    if not call or root.endswith("autograd") or not 1 <= at.line <= len(lines):
        raise NoSurface("line")
    own = lines[at.line - 1]
    head = _head(lines, at.line - 1)
    body = [line for line in lines[head + 1 : at.line - 1] if line.strip()]
    first = indent_of(body[0] if body else own)
    last = own[: at.column] + f"surface_losses.append(float(({root}).detach().mean()))"
    return [f"    {line[len(first) :] if line.startswith(first) else line}" for line in (*body, last)]


def _head(lines: list[str], at: int) -> int:
    """The index of the line that heads the loop around a line. Raises NoSurface."""
    indent, head = indent_of(lines[at]), -1
    for number in range(at - 1, -1, -1):
        line = lines[number].strip()
        if not line or line.startswith("#") or len(indent_of(lines[number])) >= len(indent):
            continue
        indent = indent_of(lines[number])
        if line.startswith(("def ", "async def ", "class ")):
            raise NoSurface("function")
        if head < 0 and line.startswith(("for ", "while ", "async for ")):
            head = number
    if head < 0:
        raise NoSurface("line")
    return head


def _indexed(name: str) -> str:
    """net[0].weight of net.0.weight."""
    return _DIGITS.sub(r"[\1]", name)


def _expression(name: str) -> str:
    """The expression for a leaf in the program. Raises NoSurface if there is none."""
    written = _indexed(name)
    if not _PATH.fullmatch(written):
        raise NoSurface("name", name=name)
    return written


def _index(place: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, place))}]" if place else "[()]"
