"""A model's predictions over its input plane during training: program and result.

The program is rerun. When it compares a prediction with a target, the calls from input to prediction are repeated on a
grid with the current weights, without dropout and with batch norm's running statistics. The result counts only if both
runs have the same losses.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.training.curves import curves
from explorer.analysis.training.view import TrainingView
from explorer.program import CellSource, Program
from explorer.trace import Options, Trace

MOST_STEPS = 48  # steps whose predictions are computed
LINE, SIDE, MARGIN = 121, 30, 0.08  # points of a line, points of a square's side, its margin as a share of the data
MOST_POINTS = 400  # kept data points
SAME = 1e-5  # relative difference of two losses that count as equal
NAMES = DATA, TARGETS, GRID, FOUND, AT, KIND = "fit_data fit_targets fit_grid fit_found fit_at fit_kind".split()
Kind = Literal["plain", "logits", "probabilities", "classes"]
_LOSSES: tuple[Kind, ...] = ("plain", "logits", "probabilities", "classes")  # index: fit_kind

# The mode sees every torch call, and so does the recorder below it.
_WATCH = """\
import torch
from torch.overrides import TorchFunctionMode

class FitMode(TorchFunctionMode):
    def __init__(self, wanted, most, line, side, margin, points):
        super().__init__()
        self.wanted, self.most, self.points = wanted, most, points
        self.line, self.side, self.margin = line, side, margin
        self.calls, self.count, self.grid, self.found, self.at = [], 0, None, [], []
        self.data, self.targets, self.kind, self.asked, self.off = [], [], 0, False, False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        made = function(*args, **kwargs)
        if self.off or not torch.is_grad_enabled():
            return made
        name = getattr(function, "__name__", "")
        if name == "backward":
            self.calls, self.asked = [], False
            return made
        pair = self.pair(name, args, kwargs)
        if pair and not self.asked:
            self.asked = True
            self.count += 1
            self.off = True
            try:
                self.compared(name, *pair)
            except Exception:
                self.wanted = ()
            self.off = False
        if len(self.calls) < self.most and isinstance(made, torch.Tensor):
            self.calls.append((function, args, kwargs, made, name))
        return made

    def pair(self, name, args, kwargs):
        losses = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss",
                  "binary_cross_entropy", "binary_cross_entropy_with_logits", "sub", "rsub", "__sub__", "__rsub__")
        if name not in losses:
            return None
        given = [*args, *(kwargs[key] for key in ("input", "target", "other") if key in kwargs)][:2]
        if len(given) < 2 or not all(isinstance(one, torch.Tensor) for one in given):
            return None
        prediction, target = given if given[0].requires_grad else given[::-1]
        if not prediction.requires_grad or prediction.is_leaf or target.requires_grad or not prediction.dim():
            return None
        if name in ("cross_entropy", "nll_loss"):
            fits = prediction.dim() == 2 and target.shape == prediction.shape[:1] and not target.is_floating_point()
        else:
            fits = prediction.shape == target.shape
        return (prediction, target) if fits and len(prediction) > 1 else None

    def compared(self, name, prediction, target):
        import math
        last = self.count
        if not self.wanted or (last not in self.wanted and sum(map(len, self.data)) >= self.points):
            return
        # What the model itself reads; data made before the loop are seen in its first step only.
        for calls in ([call for call in self.calls if call[3].requires_grad], self.calls):
            behind, inputs = self.read(calls, prediction, target)
            fits = len(inputs) == 1 and (inputs[0].dim() == 1 or inputs[0].shape[1] <= 2)
            if fits:
                break
        if not fits:
            self.wanted = ()
            return
        data = inputs[0]
        kinds = {"cross_entropy": 3, "nll_loss": 3, "binary_cross_entropy": 2, "binary_cross_entropy_with_logits": 1}
        self.kind = kinds.get(name, 0)
        columns = prediction[0].numel()
        if (self.kind == 3) != (columns > 1):
            self.wanted = ()
            return
        with torch.no_grad():
            wide = data.detach().reshape(len(data), -1)
            if sum(map(len, self.data)) < self.points and not any(torch.equal(wide, one) for one in self.data):
                self.data.append(wide.clone())
                self.targets.append(target.detach().reshape(len(target), -1)[:, 0].float().clone())
            if self.grid is None:
                whole = self.source(wide)
                low, high = whole.min(0).values, whole.max(0).values
                room = (high - low) * self.margin
                low, high = low - room, high + room
                axes = [torch.linspace(float(a), float(b), self.line if wide.shape[1] == 1 else self.side)
                        for a, b in zip(low, high)]
                self.grid = torch.cartesian_prod(*axes).reshape(-1, wide.shape[1]).to(wide.dtype)
            if last not in self.wanted:
                return
            put = {id(data): self.grid.reshape(-1, *data.shape[1:])}
            for function, args, kwargs, made, of in calls:
                if id(made) not in behind or not any(id(one) in put for one in self.tensors(args, kwargs)):
                    continue
                args = [self.swap(one, put) for one in args]
                kwargs = {key: self.swap(one, put) for key, one in kwargs.items()}
                if "dropout" in of:
                    put[id(made)] = args[0]
                elif of == "batch_norm":
                    rest = {**dict(zip(("input", "running_mean", "running_var", "weight", "bias"), args)), **kwargs}
                    rest.pop("training", None), rest.pop("momentum", None)
                    rest["eps"] = kwargs.get("eps", args[7] if len(args) > 7 else 1e-5)
                    put[id(made)] = torch.nn.functional.batch_norm(**rest, training=False)
                else:
                    put[id(made)] = function(*args, **kwargs)
            over = put[id(prediction)]
            if len(over) != len(self.grid):
                self.wanted = ()
                return
            over = over.reshape(len(over), -1)
            self.found.append((over.argmax(1) if self.kind == 3 else over[:, 0]).float())
            self.at.append(last)

    def read(self, calls, prediction, target):
        behind, inputs, later = {id(prediction)}, {}, set()
        for function, args, kwargs, made, of in reversed(calls):
            if id(made) in behind:
                behind.update(id(one) for one in self.tensors(args, kwargs))
        for function, args, kwargs, made, of in calls:
            for one in self.tensors(args, kwargs):
                flat = one.is_floating_point() and not one.requires_grad and len(one.shape) in (1, 2)
                fits = flat and len(one) == len(prediction) and id(one) not in later
                if fits and id(one) in behind and one is not target:
                    inputs.setdefault(id(one), one)
            if any(id(one) in inputs or id(one) in later for one in self.tensors(args, kwargs)):
                later.add(id(made))
        return behind, [one for key, one in inputs.items() if key not in later]

    def source(self, wide):
        for one in list(globals().values()):
            if isinstance(one, torch.Tensor) and one.dtype == wide.dtype and one.dim() and len(one) > len(wide):
                rows = one.detach().reshape(len(one), -1)
                if rows.shape[1] == wide.shape[1] and (rows == wide[:1]).all(1).any():
                    return rows
        return wide

    def tensors(self, args, kwargs):
        for one in [*args, *kwargs.values()]:
            if isinstance(one, torch.Tensor):
                yield one
            elif isinstance(one, (list, tuple)):
                yield from (each for each in one if isinstance(each, torch.Tensor))

    def swap(self, one, put):
        if isinstance(one, torch.Tensor):
            return put.get(id(one), one)
        return type(one)(self.swap(each, put) for each in one) if type(one) in (list, tuple) else one

"""


class NoFit(Exception):
    """Why there is no fit picture. Attributes: kind: end of the message training-fit-<kind>."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, eq=False)
class Fit:
    """Data points and the model's predictions.

    Attributes:
        kind: kind of prediction: a number (plain), the logit or probability of class 1, or a class.
        data: (points, 1 or 2). targets: (points,).
        grid: (LINE, 1) or (SIDE², 2), the second axis fastest.
        steps: step numbers. found: (steps, grid), the prediction at each.
    """

    kind: Kind
    data: np.ndarray
    targets: np.ndarray
    grid: np.ndarray
    steps: np.ndarray
    found: np.ndarray


def may_fit(trace: Trace) -> bool:
    """Return whether an operation reads one or two numbers per example."""
    tensors = trace.tensors
    read = {tensor for operation in range(len(trace.operations)) for tensor in trace.operations.inputs[operation]}
    for tensor in read:
        shape = trace.shapes[tensors.shape[tensor]]
        flat = len(shape) == 1 or (len(shape) == 2 and shape[1] in (1, 2))
        if flat and shape[0] > 1 and not tensors.requires_grad[tensor]:
            return True
    return False


def fit_program(trace: Trace, view: TrainingView) -> tuple[Program, Options]:
    """Write the watched program as one cell."""
    wanted = np.unique(np.linspace(1, view.called, min(MOST_STEPS, view.called)).round().astype(int)).tolist()
    given = f"{wanted!r}, 2000, {LINE}, {SIDE}, {MARGIN}, {MOST_POINTS}"
    end = [
        "fit_watch.__exit__(None, None, None)",
        f"{DATA} = torch.cat(fit_watch.data)[:{MOST_POINTS}].float()",
        f"{TARGETS} = torch.cat(fit_watch.targets)[:{MOST_POINTS}]",
        f"{GRID}, {FOUND} = fit_watch.grid.float(), torch.stack(fit_watch.found)",
        f"{AT} = torch.tensor(fit_watch.at)",
        f"{KIND} = torch.tensor([fit_watch.kind, fit_watch.count])",
    ]
    own = "\n".join(cell.source for cell in trace.own_cells)
    text = f"{_WATCH}\nfit_watch = FitMode({given})\nfit_watch.__enter__()\n{own}\n" + "\n".join(end) + "\n"
    return Program([CellSource(text)]), Options(detail="light", full=tuple(NAMES))


def fit_of(result: Trace, trace: Trace, place: int) -> Fit:
    """Read the result of `fit_program` for a place of the first run. Raises NoFit."""
    parts = [_entries(result, name) for name in NAMES]
    if any(part is None for part in parts):
        raise NoFit("time" if result.end == "limited" else "none")
    data, targets, grid, outputs, at, kind = (part for part in parts if part is not None)
    first, again = curves(trace, place), curves(result)
    if first is None or again is None or int(kind[1]) != first.calls or len(outputs) != len(at):
        raise NoFit("none")
    if len(first.loss) != len(again.loss) or not np.allclose(first.loss, again.loss, rtol=SAME, equal_nan=True):
        raise NoFit("differs")
    points = np.unique(np.column_stack([data, targets]), axis=0)
    return Fit(_LOSSES[int(kind[0])], points[:, :-1], points[:, -1], grid, at, outputs)


def _entries(result: Trace, name: str) -> np.ndarray | None:
    value = result[name] if result.bound(name) is not None else None
    return None if value is None or value.data is None else np.asarray(value.data, float).reshape(value.shape)
