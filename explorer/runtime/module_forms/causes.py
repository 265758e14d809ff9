"""Find why another form gets other gradients, by running the first module without some of its parts.

A Function's own backward, a hook, a `no_grad` … is the cause if the first module, without it, gets the gradients of the
second, and with everything else left out does not.
"""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from types import FrameType
from typing import Any, Literal
from unittest.mock import patch

import torch
from torch import nn
from torch.utils._pytree import tree_map_only
from torch.utils.hooks import RemovableHandle

from explorer.runtime.module_forms.gaps import FormGaps
from explorer.runtime.module_forms.steps import FormSide, FormStep, Stage

Kind = Literal[
    "tensor-hook", "parameter-hook", "backward-hook", "forward-hook", "function", "function-cut", "graph-off",
    "no-grad", "autocast", "eval", "train", "frozen", "missing", "constant", "random", "dtype",
]  # fmt: skip
_TRIED: tuple[Kind, ...] = (
    "tensor-hook", "parameter-hook", "backward-hook", "forward-hook", "function", "function-cut", "graph-off",
    "no-grad", "autocast", "eval", "train", "frozen",
)  # fmt: skip
_HOOKS: dict[str, Kind] = {
    "_backward_hooks": "backward-hook",
    "_backward_pre_hooks": "backward-hook",
    "_forward_hooks": "forward-hook",
    "_forward_pre_hooks": "forward-hook",
}
_MOST = 60  # most trials
_TOGETHER = 3  # kinds removed at the same time
_NOT_USERS = str(Path(torch.__file__).parent), str(Path(__file__).parents[2]), "<"
_OTHER_SEED = 1_234_567
Place = tuple[int, str]  # a line, and the name of its file


@dataclass(frozen=True)
class Cause:
    """The cause of a difference.

    Attributes: kind: its kind. name: of a Function, parameter, module or class. line: of the module's forward, or of a
    hook's definition, 0 if unknown. file: its name, "" for the file of the caller.
    """

    kind: Kind
    name: str
    line: int = 0
    file: str = ""


class Without:
    """Steps of a module without some parts. `met` collects the removable parts."""

    def __init__(self, side: FormSide, file: str, left_out: Iterable[Cause] = ()) -> None:
        self._side, self._out, self.met = side, frozenset(left_out), dict[Cause, None]()
        self._thread = threading.get_ident()
        self._file = file

    def _leaves_out(self, kind: Kind, name: str, place: Place = (0, "")) -> bool:
        cause = Cause(kind, name, *place)
        self.met[cause] = None
        return cause in self._out

    def _caller(self) -> Place | None:
        """Return the caller outside torch, None in another thread."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith(_NOT_USERS):
            frame = frame.f_back
        other = frame is None or threading.get_ident() != self._thread
        return None if other else self._place(frame.f_code.co_filename, frame.f_lineno)  # type: ignore[union-attr]

    def _place(self, file: str, line: int) -> Place:
        return line, "" if file == self._file else Path(file).name

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Run a step within the contexts of the removed parts."""
        with ExitStack() as undo:
            for path, module in self._side.module.named_modules():
                for name, kind in _HOOKS.items():
                    self._hooks(kind, path or type(module).__name__, vars(module).get(name), undo)
                if self._leaves_out("eval" if module.training else "train", type(module).__name__):
                    undo.enter_context(patch.object(module, "training", not module.training))
            for name, parameter in self._side.module.named_parameters():
                hooks = [parameter._backward_hooks, getattr(parameter, "_post_accumulate_grad_hooks", None)]
                for held in hooks:
                    self._hooks("parameter-hook", name, held, undo)
                if parameter.requires_grad and self._leaves_out("frozen", name):
                    undo.callback(parameter.requires_grad_)
                    parameter.requires_grad_(False)
            undo.callback(torch._C._set_grad_enabled, torch.is_grad_enabled())
            for owner, name, replaced in self._replaced():
                undo.enter_context(patch.object(owner, name, replaced))
            yield

    def _hooks(self, kind: Kind, name: str, hooks: dict | None, undo: ExitStack) -> None:
        own = [hook for hook in (hooks or {}).values() if hasattr(hook, "__code__")]
        if hooks and own:
            code = own[0].__code__
            if self._leaves_out(kind, name, self._place(code.co_filename, code.co_firstlineno)):
                undo.callback(hooks.update, dict(hooks))
                hooks.clear()

    def _replaced(self) -> list[tuple[Any, str, Any]]:
        """Return torch functions that note their callers and may do nothing."""
        register, switch = torch.Tensor.register_hook, torch._C._set_grad_enabled
        enter, leave = torch.autocast.__enter__, torch.autocast.__exit__
        apply = torch.autograd.Function.__dict__["apply"]  # written in C from torch 2.14 on
        idle = set[int]()

        def register_hook(tensor: torch.Tensor, hook: Callable) -> Any:
            place = self._caller()
            if place and self._leaves_out("tensor-hook", "", place):
                return RemovableHandle(OrderedDict())
            return register(tensor, hook)

        def set_grad_enabled(mode: bool) -> None:
            place = None if mode else self._caller()
            if not (place and torch.is_grad_enabled() and self._leaves_out("no-grad", "", place)):
                switch(mode)

        def autocast_enter(context: torch.autocast) -> Any:
            place = self._caller()
            if place and self._leaves_out("autocast", "", place):
                idle.add(id(context))
                return context
            return enter(context)

        def autocast_exit(context: torch.autocast, *problem: Any) -> Any:
            return None if id(context) in idle else leave(context, *problem)

        def applied(kind: type, *inputs: Any, **keywords: Any) -> Any:
            place, checkpoint = self._caller(), kind.__module__ == "torch.utils.checkpoint"
            if place is None or (kind.__module__.startswith("torch.") and not checkpoint):
                return apply.__get__(None, kind)(*inputs, **keywords)
            name = "checkpoint" if checkpoint else kind.__name__
            if self._leaves_out("function", name, place):
                return _forward(kind, inputs)
            if checkpoint and self._leaves_out("graph-off", name, place):
                switch(False)
                return _forward(kind, inputs)
            if self._leaves_out("function-cut", name, place):
                with torch.no_grad():
                    return tree_map_only(torch.Tensor, torch.Tensor.detach, _forward(kind, inputs))
            return apply.__get__(None, kind)(*inputs, **keywords)

        return [
            (torch.Tensor, "register_hook", register_hook),
            (torch._C, "_set_grad_enabled", set_grad_enabled),
            (torch.autocast, "__enter__", autocast_enter),
            (torch.autocast, "__exit__", autocast_exit),
            (torch.autograd.Function, "apply", classmethod(applied)),
        ]


class _Context:
    """The context of a Function whose backward is left out."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.needs_input_grad = tuple(isinstance(one, torch.Tensor) and one.requires_grad for one in inputs)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_given: None  # save_for_backward, mark_dirty, …


def _forward(kind: Any, inputs: Sequence[Any]) -> Any:
    own = kind.setup_context is torch.autograd.Function.setup_context
    return kind.forward(_Context(inputs), *inputs) if own else kind.forward(*inputs)


def causes(
    stage: Stage, other: FormSide, gaps: FormGaps, right: list[FormStep], file: str
) -> tuple[tuple[Cause, ...], ...]:
    """Return the parts that the other side omits: each explains its gradients.

    In an entry of several parts, it is unknown which matters.

    Args: file: the file whose lines need no name.
    """
    missing = stage.first.named().keys() - other.named().keys()
    lacks = {gap.name for gap in gaps.of(right) if gap.right is None and gap.name in missing}
    if lacks:
        return (tuple(Cause("missing", name) for name in sorted(lacks)),)
    return (
        _kept(stage, other, gaps, right)
        or _left_out(stage, other, gaps, right, file)
        or _random(stage, other, gaps, right)
    )


def _left_out(
    stage: Stage, other: FormSide, gaps: FormGaps, right: list[FormStep], file: str
) -> tuple[tuple[Cause, ...], ...]:
    met, trials = Without(stage.first, file), [0]
    _made(stage, met)
    held = other.named()
    trains = {name for name, parameter in stage.first.named().items() if parameter.requires_grad}
    frozen = {name for name in trains if name in held and not held[name].requires_grad}
    by_kind = {
        kind: [one for one in met.met if one.kind == kind and (kind != "frozen" or one.name in frozen)]
        for kind in _TRIED
    }

    def enough(left_out: Sequence[Cause]) -> bool:
        trials[0] += 1
        made = _made(stage, Without(stage.first, file, left_out)) if trials[0] <= _MOST else None
        return made is not None and not gaps.between(made, right)

    kinds = [several for several in by_kind.values() if several]
    parts = [
        [one for one in several if one.name == name]
        for several in kinds
        for name in {one.name: None for one in several}
    ]
    singles = [[one] for several in kinds for one in several]
    together = [list(chain(*some)) for size in range(2, _TOGETHER + 1) for some in combinations(kinds, size)]
    for tried in (kinds, parts, singles, together):
        if found := [_fewest(left_out, enough) for left_out in tried if enough(left_out)]:
            return tuple(dict.fromkeys(map(tuple, found)))
    return ()


def _fewest(left_out: list[Cause], enough: Callable[[Sequence[Cause]], bool]) -> list[Cause]:
    """Return the needed parts."""
    size = len(left_out) // 2
    while size:
        at = 0
        while at < len(left_out):
            rest = left_out[:at] + left_out[at + size :]
            if rest and enough(rest):
                left_out = rest
            else:
                at += size
        size //= 2
    return left_out


def _made(stage: Stage, without: Without) -> list[FormStep] | None:
    """Return the first module's steps without a part, None if impossible."""
    try:
        return stage.steps(stage.first, around=without)
    except Exception:  # such as a Function whose forward autograd cannot differentiate
        return None


def _kept(stage: Stage, other: FormSide, gaps: FormGaps, right: list[FormStep]) -> tuple[tuple[Cause, ...], ...]:
    """Find tensors in which the other side keeps a step's writes."""
    if any(gap.step == 1 for gap in gaps.of(right)):
        return ()
    stage.begin(other)
    own = {
        name: held
        for module in other.modules
        for name, held in (*module.named_buffers(), *vars(module).items())
        if isinstance(held, torch.Tensor) and not isinstance(held, nn.Parameter) and name not in stage.start
    }
    before = {name: held.detach().clone() for name, held in own.items()}
    changed = set[str]()

    @contextmanager
    def put_back() -> Iterator[None]:
        yield
        for name, held in own.items():
            if not torch.equal(held, before[name]):
                changed.add(name)
                held.detach().copy_(before[name])

    made = stage.steps(other, around=put_back)
    return (tuple(Cause("constant", name) for name in sorted(changed)),) if changed and not gaps.of(made) else ()


def _random(stage: Stage, other: FormSide, gaps: FormGaps, right: list[FormStep]) -> tuple[tuple[Cause, ...], ...]:
    """Return whether only the first module draws random numbers."""
    still = stage.steps(other, seed=_OTHER_SEED)
    drawn = stage.steps(stage.first, seed=_OTHER_SEED)
    fixed = not gaps.between(still, right) and bool(gaps.of(drawn))
    return ((Cause("random", ""),),) if fixed else ()
