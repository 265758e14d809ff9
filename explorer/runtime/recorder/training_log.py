"""Training calls that are not operations: optimizers, clipping, schedules, hooks.

No mode sees most of these functions of torch: they are replaced while recordings run.
"""

import math
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from itertools import islice
from typing import Any

import torch
from msgspec import Struct, field
from msgspec.structs import replace
from torch._C import TensorBase
from torch.nn.utils import clip_grad
from torch.optim import lr_scheduler, swa_utils

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.loaded_states import strayed
from explorer.runtime.recorder.measures import Readable
from explorer.runtime.recorder.source_map import SourceMap
from explorer.runtime.recorder.summaries import SummaryCache
from explorer.runtime.recorder.tensors import TensorBook, gone
from explorer.trace.training_log import (
    CALLS,
    DEEP,
    GROUPS,
    HELD,
    OPTIMIZERS,
    SETS,
    CallKind,
    OptimizerRow,
    ParameterGroup,
    TrainingCall,
)


class MadeOptimizer(Struct):
    """An optimizer.

    Attributes: groups: its groups as ids of tensors, their count, rate (from its first step on, the rate of that step)
    and weight decay. last: the rates at its last step, or later from a scheduler. name: of a variable that holds it at
    the end.
    """

    ref: Any
    kind: str
    span: int
    operations: int
    groups: list[tuple[list[int], int, float, float]] = field(default_factory=list)
    settled: bool = False
    last: list[float] = field(default_factory=list)
    name: str = ""


class TrainingBook:
    """The calls of a run.

    Args:
        begun: how many operations have begun.
        watches: whether operations are recorded at the moment.
        modes: the modules called so far, with their modes.
    """

    def __init__(
        self,
        source_map: SourceMap,
        tensors: TensorBook,
        begun: Callable[[], int],
        watches: Callable[[], bool],
        modes: Callable[[], str] = lambda: "",
    ) -> None:
        self._source_map, self._tensors, self._begun, self._watches = source_map, tensors, begun, watches
        self._modes = modes
        self.optimizers: list[MadeOptimizer] = []
        self.sets: list[list[int]] = []
        self.strayed: list[list[int]] = []
        self.calls: list[TrainingCall] = []  # with row ids from 1 until the end
        self.left_out = 0  # number of calls beyond the limit
        self._known: dict[int, int] = {}  # optimizers by id(), numbered from 1
        self._sets: dict[tuple[int, ...], int] = {}
        self._held = 0
        self._hooked: list[tuple[int, weakref.ref]] = []  # call numbers

    # ---- optimizers ---------------------------------------------------------------------------------------------

    def made(self, optimizer: Any) -> None:
        """Record a new optimizer."""
        if optimizer is not None and not self._number(optimizer):
            self._enter(optimizer, self._span())

    def _number(self, optimizer: Any) -> int:
        number = self._known.get(id(optimizer), 0)
        return number if number and self.optimizers[number - 1].ref() is optimizer else 0

    def _enter(self, optimizer: Any, span: int) -> int:
        if len(self.optimizers) >= OPTIMIZERS:
            return 0
        row = MadeOptimizer(weakref.ref(optimizer), type(optimizer).__name__, span, self._begun())
        self.optimizers.append(row)
        self._known[id(optimizer)] = len(self.optimizers)
        self._read(row, optimizer)
        return len(self.optimizers)

    def _read(self, row: MadeOptimizer, optimizer: Any) -> None:
        """Read its groups of known tensors. Options keep their first values."""
        groups, settled = [], True
        for at, group in enumerate(vars(optimizer).get("param_groups", ())[:GROUPS]):
            held = list(group.get("params", ()))
            ids = [index for tensor in held[:HELD] if (index := self._tensors.find(tensor))]
            settled = settled and len(ids) == len(held)
            first = (
                row.groups[at][2:] if at < len(row.groups) else (_number(group, "lr"), _number(group, "weight_decay"))
            )
            groups.append((ids, len(held), *first))
        row.groups, row.settled = groups, settled

    def stepping(self, optimizer: Any) -> None:
        """Begin an optimizer's step."""
        number = self._number(optimizer) or self._enter(optimizer, -1)
        if number:
            row, rates = self.optimizers[number - 1], _rates(optimizer)
            if not row.last:  # a scheduler may have set them since its creation
                self._compare_state(optimizer)
                row.groups[: len(rates)] = [
                    (*group[:2], rate, group[3]) for group, rate in zip(row.groups, rates, strict=False)
                ]
            row.last = rates
        self._log("step", number, value=rate_of(optimizer))

    def _compare_state(self, optimizer: Any) -> None:
        """Record parameters whose loaded state belongs to another parameter."""
        earlier = [one for row in self.optimizers if (one := row.ref()) is not None and one is not optimizer]
        pairs = strayed(optimizer, earlier) if isinstance(optimizer, torch.optim.Optimizer) else ()
        found = ([self._tensors.find(one) for one in pair] for pair in islice(pairs, SETS - len(self.strayed)))
        self.strayed += [pair for pair in found if all(pair)]

    def stepped(self, optimizer: Any) -> None:
        """End an optimizer's step, after which its tensors are known."""
        number = self._number(optimizer)
        row = self.optimizers[number - 1] if number else None
        groups = vars(optimizer).get("param_groups", ())
        if row is not None and (not row.settled or len(groups) != len(row.groups)):
            self._read(row, optimizer)

    # ---- the other calls ----------------------------------------------------------------------------------------

    def backward(self, index: int) -> None:
        """Record a backward call, 0 for an unrecorded graph."""
        self._log("backward", index, self._modes() if len(self.calls) < CALLS else "")

    def clipped(self, name: str, parameters: Any, bound: Any, norm: Any) -> None:
        """Record that gradients are about to be clipped.

        Args: norm: of all of them, None for unknown.
        """
        held = tuple(index for tensor in parameters if (index := self._tensors.find(tensor)))
        if held not in self._sets:
            if len(self._sets) >= SETS or self._held + len(held) > HELD:
                return
            self._held += len(held)
            self.sets.append(list(held))
            self._sets[held] = len(self.sets)
        before = norm_of(parameters, self._tensors.values.summary_cache) if norm is None else _float(norm)
        self._log("clip", self._sets[held], name, _float(bound), before)

    def scheduled(self, scheduler: Any, before: float, given: object) -> None:
        """Record that a scheduler has set the rate, from a metric or an epoch if it was given one."""
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is not None:
            number = self._number(optimizer) or self._enter(optimizer, -1)
            if number and self.optimizers[number - 1].last:
                self.optimizers[number - 1].last = _rates(optimizer)
            numbers = rate_of(optimizer), before, _planned(scheduler), _float(given)
            self._log("schedule", number, type(scheduler).__name__, *numbers, vars(scheduler).get("mode") == "max")

    def scheduling(self, scheduler: Any) -> None:
        """Record the creation of a scheduler."""
        optimizer = getattr(scheduler, "optimizer", None)
        is_followed = type(scheduler).step.__module__.startswith("torch.")  # the program's own step may be unseen
        if is_followed and isinstance(optimizer, torch.optim.Optimizer):
            self._log("scheduler", self._number(optimizer) or self._enter(optimizer, -1), type(scheduler).__name__)

    def loaded(self, given: Any, result: Any) -> None:
        """Record that a module has loaded a dictionary of tensors."""
        unexpected = getattr(result, "unexpected_keys", None)
        if isinstance(unexpected, list):
            self._log("load", 0, "", len(given) - len(unexpected), len(given))

    def hooked(self, tensor: Any, kind: CallKind = "hook") -> None:
        """Record a hook on a tensor, or its retain_grad."""
        index, before = self._tensors.find(tensor), len(self.calls)
        self._log(kind, index)
        if not index and len(self.calls) > before:  # a parameter that no operation has read yet
            self._hooked.append((before, weakref.ref(tensor)))

    def _span(self) -> int:
        frame, _ = self._source_map.program_frame(2)
        return -1 if frame is None else self._source_map.call_site(frame).span

    def _log(
        self,
        kind: CallKind,
        subject: int,
        name: str = "",
        value: float = math.nan,
        before: float = math.nan,
        planned: int = 0,
        given: float = math.nan,
        maximizes: bool = False,
    ) -> None:
        if len(self.calls) >= CALLS:
            self.left_out += 1
            return
        frame, callee = self._source_map.program_frame(1)
        span = -1
        iteration: tuple[int, ...] = ()
        if frame is not None and self._watches():
            site, iteration = self._source_map.locate(frame, callee)
            span = site.span
        elif frame is not None:
            span = self._source_map.call_site(frame).span
        at, numbers = (span, self._begun(), list(iteration[-DEEP:])), (_known(value), _known(before), planned)
        self.calls.append(TrainingCall(kind, *at, subject, name[:100], *numbers, _known(given), maximizes))

    # ---- the end ------------------------------------------------------------------------------------------------

    def finish(self, optimizers: Iterable[tuple[str, Any]]) -> None:
        """Name the optimizers held by variables, add those without a step, and reread their groups."""
        for name, optimizer in optimizers:
            number = self._number(optimizer) or (self._enter(optimizer, -1) if self._is_met(optimizer) else 0)
            if number and not self.optimizers[number - 1].name:
                self.optimizers[number - 1].name = name
        for at, tensor in self._hooked:
            if (hooked := tensor()) is not None:
                self.calls[at] = replace(self.calls[at], subject=self._tensors.find(hooked))
        for row in self.optimizers:
            optimizer = row.ref()
            if optimizer is not None and not row.settled:
                self._read(row, optimizer)

    def _is_met(self, optimizer: Any) -> bool:
        """Return whether the run has recorded a tensor that the optimizer holds."""
        groups = vars(optimizer).get("param_groups", ())
        return any(self._tensors.find(tensor) for group in groups for tensor in group.get("params", ()))

    def columns(
        self, operations: Callable[[int], int], tensor: Callable[[int], int], backward: Callable[[int], int]
    ) -> tuple[list[OptimizerRow], list[list[int]], list[TrainingCall], list[list[int]]]:
        """Return the fields of a TrainingLog.

        Args: operations: maps a count of operations to the count of kept operations. tensor, backward: map ids to rows
        of the Trace.
        """
        sets = [_kept(set_, tensor) for set_ in self.sets]
        made, left = [], HELD - sum(map(len, sets))
        for optimizer in self.optimizers:
            groups = []
            for at, (ids, count, rate, decay) in enumerate(optimizer.groups):
                held = _kept(ids, tensor)[: max(0, left)]
                left -= len(held)
                last = optimizer.last[at] if at < len(optimizer.last) else math.nan
                groups.append(ParameterGroup(held, count, _known(rate), _known(decay), _known(last)))
            kind, name, begun = optimizer.kind[:100], optimizer.name[:100], operations(optimizer.operations)
            made.append(OptimizerRow(kind, optimizer.span, begun, groups, name))
        rows = {"backward": backward, "hook": tensor, "retain": tensor}
        calls = [
            replace(
                call,
                operations=operations(call.operations),
                subject=rows[call.kind](call.subject) if call.kind in rows else call.subject - 1,
            )
            for call in self.calls
        ]
        return made, sets, calls, [pair for ids in self.strayed if len(pair := _kept(ids, tensor)) == len(ids)]

    def forget(self) -> None:
        """Release everything."""
        self._known.clear()
        self._sets.clear()
        self._hooked.clear()
        for row in self.optimizers:
            row.ref = gone
        self._begun, self._watches, self._modes = int, bool, str  # drop references to the recorder


def _kept(ids: list[int], tensor: Callable[[int], int]) -> list[int]:
    return [row for index in ids if (row := tensor(index)) >= 0]


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _number(group: dict, name: str) -> float:
    return _float(group.get(name))


def _float(value: object) -> float:
    """Return a number as a float, NaN for anything else."""
    try:
        if isinstance(value, torch.Tensor):
            value = TensorBase.item(value)
        return float(value) if isinstance(value, int | float) else math.nan
    except Exception as problem:  # a tensor of several entries, or without data
        reraise_recorder_error(problem)
        return math.nan


def rate_of(optimizer: Any) -> float:
    """Return an optimizer's largest learning rate, NaN if there are none."""
    return max((rate for rate in _rates(optimizer) if rate == rate), default=math.nan)


def _rates(optimizer: Any) -> list[float]:
    return [_number(group, "lr") for group in vars(optimizer).get("param_groups", ())]


def norm_of(parameters: Any, summary_cache: SummaryCache) -> float:
    """Return the joint norm of the parameters' gradients, 0 if there are none."""
    gradients = [tensor.grad for tensor in parameters if tensor.grad is not None]
    return math.sqrt(sum(Readable(gradient).norm(summary_cache) ** 2 for gradient in gradients))


_PLANNED = {"OneCycleLR": "total_steps", "CosineAnnealingLR": "T_max", "PolynomialLR": "total_iters"}


def _planned(scheduler: Any) -> int:
    """Return a scheduler's planned number of calls, 0 if it has no end."""
    planned = getattr(scheduler, _PLANNED.get(type(scheduler).__name__, ""), 0)
    return planned if type(planned) is int and 0 < planned < 1 << 31 else 0


Notify = Callable[..., None]  # passes an event of a TrainingBook to all recordings of the thread
_SCHEDULERS = lr_scheduler.__file__


def of_training(notify: Notify) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield the functions to replace: owner, name, and a function that wraps it."""
    yield torch.optim.Optimizer, "__init__", partial(_made, notify=notify, event="made")
    for scheduler in (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau):
        yield scheduler, "__init__", partial(_made, notify=notify, event="scheduling")
    yield torch.nn.Module, "load_state_dict", partial(_loaded, notify=notify)
    yield clip_grad, "_clip_grads_with_norm_", partial(_clipped_by_norm, notify=notify)
    yield clip_grad, "clip_grad_value_", partial(_clipped_by_value, notify=notify)
    yield from ((scheduler, "step", partial(_scheduled, notify=notify)) for scheduler in _schedulers())


def _schedulers() -> list[type]:
    """Return torch's schedulers with their own step."""
    modules = lr_scheduler, swa_utils
    found = [(module, var) for module in modules for var in list(vars(module).values()) if isinstance(var, type)]
    own = [var for module, var in found if var.__module__ == module.__name__ and "step" in vars(var)]
    return [var for var in own if issubclass(var, lr_scheduler.LRScheduler)]


def _made(original, notify: Notify, event: str):
    @wraps(original)
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        notify(event, self)

    return init


def _loaded(original, notify: Notify):
    @wraps(original)
    def load_state_dict(self, state_dict, *args, **kwargs):
        result = original(self, state_dict, *args, **kwargs)
        notify("loaded", state_dict, result)
        return result

    return load_state_dict


def _clipped_by_norm(original, notify: Notify):
    @wraps(original)
    def clip(parameters, max_norm, total_norm, *args, **kwargs):
        held = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        notify("clipped", "clip_grad_norm_", held, max_norm, total_norm)
        return original(held, max_norm, total_norm, *args, **kwargs)

    return clip


def _clipped_by_value(original, notify: Notify):
    @wraps(original)
    def clip(parameters, clip_value, *args, **kwargs):
        held = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        notify("clipped", "clip_grad_value_", held, clip_value, None)
        return original(held, clip_value, *args, **kwargs)

    return clip


def _scheduled(original, notify: Notify):
    @wraps(original)
    def step(self, *args, **kwargs):
        if sys._getframe(2).f_code.co_filename == _SCHEDULERS:  # only the first of chained calls
            return original(self, *args, **kwargs)
        optimizer = getattr(self, "optimizer", None)
        before = rate_of(optimizer) if optimizer is not None else float("nan")
        result = original(self, *args, **kwargs)
        notify("scheduled", self, before, next(iter((*args, *kwargs.values())), None))
        return result

    return step
