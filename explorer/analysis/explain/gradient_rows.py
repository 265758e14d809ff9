"""The gradient of every parameter, or why it has none."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from explorer.analysis.explain.autograd.gradient_cuts import GradientCut, all_cuts
from explorer.analysis.explain.autograd.gradients import (
    accumulations,
    called_backwards,
    has_counted_later,
    numbered_backward,
    outermost,
    recomputed_inputs,
    selected_backward,
    starts_with_zeros,
)
from explorer.analysis.explain.autograd.reasons import (
    cut_of,
    placed,
    reason_of,
    reason_text,
    tensor_gradient,
    zero_reason,
)
from explorer.analysis.explain.autograd.view_records import Cut, ZeroReason
from explorer.analysis.run.levels import Level
from explorer.analysis.run.model import ASKS, Run, is_torchs_own, one_line, run_of
from explorer.analysis.run.names import hidden_in, name_of, word_of
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations.signatures import find_signature
from explorer.analysis.run.rounding import same_value
from explorer.text.numbers import shorten
from explorer.trace import InputTensor, Trace, Value

_WORD = 40  # widest code shown for an unnamed tensor

State = Literal["flows", "zero", "nonfinite", "none", "frozen", "unread"]

# Target networks, teachers, unused experts and heads intentionally lack gradients. A satisfied margin or a
# zero-initialized layer yields zeros. A diagnosis reports more serious cases.
LEVELS: dict[State, Level] = {"nonfinite": "fault", "none": "note", "zero": "note"}


@dataclass(frozen=True, repr=False)
class GradientRow:
    """A tensor and its gradient.

    Attributes:
        name: name in the program, path of the parameter, or creating text.
        tensor: id in the Trace.
        leaf: whether it is a leaf, like parameters.
        value: last value.
        gradient: gradient, or None. For a finally frozen parameter, earlier gradients count only if that backward
            is requested.
        backward: number of that backward, from 1, or None.
        held: `.grad` before that backward. None: empty, or not a leaf.
        state: flows, zero (every entry is 0), nonfinite (some entry is), none (nothing arrived), frozen
            (requires_grad=False) or unread (unreadable gradient).
        reason: why it has no gradient, or "". cut: where it was lost, if known.
        allowed: whether the user accepted its state.
        grad: final `.grad`. None: empty, or not a leaf.
        moved: optimizer writes since it was frozen, from momentum and weight decay.
        zero: why its gradient is 0, None if unknown.
        later: whether later, merely counted calls may have written `.grad`. Without a `backward`, all calls that
            reached it were only counted, and `gradient` is the final `.grad`.
        writes: whether that call writes `.grad`: backward() does, autograd.grad does not.
        after: `.grad` when that backward returned. None: unknown, or not a leaf.
        clipped: line that clipped it after that backward, or 0.
        brought_again: line of a later backward that determined the final `.grad`, or 0.
        trained: whether it is an nn.Parameter or in an optimizer. Without either, every leaf counts.
        path: name in the model's `state_dict()`. The name itself outside models, and if several models have that path.
    """

    name: str
    tensor: int
    leaf: bool
    value: Value | None
    gradient: Value | None
    backward: int | None
    held: Value | None
    state: State
    reason: str = ""
    cut: Cut | None = None
    allowed: bool = False
    grad: Value | None = None
    moved: int = 0
    zero: ZeroReason | None = None
    later: bool = False
    writes: bool = True
    after: Value | None = None
    clipped: int = 0
    brought_again: int = 0
    trained: bool = True
    path: str = ""

    def __repr__(self) -> str:
        norm = "" if self.gradient is None or self.gradient.norm is None else f", norm {self.gradient.norm:.4g}"
        return f"<{self.name or 'a tensor without a name'} {self.shape}: {self.why() or self.state + norm}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return () if self.value is None else self.value.shape

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code>"

    @property
    def changed(self) -> bool:
        """Whether the final `.grad` differs from backward's: all-reduce, hook, clipping, `zero_grad`."""
        return self.reduced or self.altered

    @property
    def altered(self) -> bool:
        """Whether `.grad` changed after backward: clipping, `zero_grad`, the user's code."""
        return self._differs(self.grad, self.after or self._brought)

    @property
    def reduced(self) -> bool:
        """Whether `.grad` differed from the gradient after backward: an all-reduce or a leaf's hook."""
        return self._differs(self.after, self._brought)

    @property
    def _brought(self) -> Value | None:
        """Value that backward put into an empty `.grad`, otherwise None."""
        return self.gradient if self.held is None and self.writes else None

    @staticmethod
    def _differs(left: Value | None, right: Value | None) -> bool:
        if left is None or right is None or not left.entries or not right.entries or left.shape != right.shape:
            return False  # missing or unreadable; a sharded `.grad` is a part of the gradient
        return not same_value(left, right)

    @property
    def level(self) -> Level:
        """Severity of its state."""
        return "info" if self.allowed else LEVELS.get(self.state, "info")

    @property
    def largest(self) -> float | None:
        """Largest magnitude of the finite entries read, or None."""
        gradient = self.gradient
        if gradient is None:
            return None
        if gradient.minimum is None or gradient.maximum is None:  # complex numbers have no order
            return max((abs(entry) for entry in gradient.entries if math.isfinite(abs(entry))), default=None)
        return max(abs(gradient.minimum), abs(gradient.maximum))

    @property
    def is_exact_zero(self) -> bool:
        """Whether its gradient is 0 in exact arithmetic, apart from rounding."""
        return self.zero is not None and self.zero.is_exact

    def why(self, lang: str = "en") -> str:
        """Return briefly why its gradient is missing or 0, otherwise ""."""
        if self.zero is not None and not self.zero.is_exact:
            return self.zero.short_text(lang)
        return reason_text(self.reason, self.cut, lang) if self.reason else ""


def parameter_rows(trace: Trace, backward: int | None = None) -> tuple[GradientRow, ...]:
    """Return rows for parameters, frozen ones included, and named leaves that require grad.

    Args:
        backward: number of the backward, from 1. None: for each the last that an optimizer used, otherwise the
            last that reached it.

    Raises:
        IndexError: no such backward.
    """
    columns = trace.tensors
    leaves = (i for i in range(len(columns)) if columns.is_leaf[i])
    wanted = [i for i in leaves if columns.requires_grad[i] or columns.is_parameter[i]]
    own, run = recomputed_inputs(trace), run_of(trace)
    rows = (row for row in _rows(trace, wanted, backward) if row.state not in ("none", "frozen") or _exists(run, row))
    shown = [
        row for row in rows if row.tensor not in own and (row.state != "none" or not is_torchs_own(trace, row.tensor))
    ]
    trained = {row.tensor for row in shown if columns.is_parameter[row.tensor] or row.tensor in run.held}
    titled = _titled(run, shown)
    marked = (replace(row, trained=not trained or row.tensor in trained) for row in titled)
    # Libraries create their own leaves in a backward, which has no program text, and in a call.
    kept = (row for row in marked if row.name or row.trained or row.level == "fault")
    return tuple(sorted((row for row in kept if not hidden_in(run, row.tensor)[0]), key=lambda row: not row.trained))


def _text_of(tensor: Tensor, within: bool = False) -> str:
    """Return the text that created an unnamed tensor. Args: within: with the module that reads it."""
    if word := one_line(word_of(tensor.run, tensor.id)):
        return shorten(word, _WORD)
    roles = ((_role(call, tensor), call.module) for call in tensor.users)
    role, module = next((one for one in roles if one[0]), ("", ""))
    if not role or tensor.place is None:
        return ""
    return f"{shorten(one_line(tensor.place.text), _WORD)}{f': {module}' if within and module else ''}.{role}"


def _titled(run: Run, rows: Sequence[GradientRow]) -> list[GradientRow]:
    """Name rows without a name by the text that created the tensor: several of one call by module, then by number."""
    unnamed = [row.tensor for row in rows if not row.name]
    texts = {tensor: _text_of(run.tensor(tensor)) for tensor in unnamed}
    alike = _repeated(texts)
    texts |= {tensor: _text_of(run.tensor(tensor), True) for tensor in unnamed if texts[tensor] in alike}
    alike, seen = _repeated(texts), Counter[str]()
    for tensor, text in texts.items():
        if text in alike:
            seen[text] += 1
            texts[tensor] = f"{text} ({seen[text]})"
    return [row if row.name else replace(row, name=texts[row.tensor], path=texts[row.tensor]) for row in rows]


def _repeated(texts: Mapping[int, str]) -> set[str]:
    return {text for text, count in Counter(texts.values()).items() if text and count > 1}


def _role(call: Call, tensor: Tensor) -> str:
    """Return the parameter a tensor is passed to, or ""."""
    found, place = find_signature(f"torch.nn.functional.{call.name}"), call.inputs.index(tensor)
    names = found.signature.strip("(").split(", ") if found is not None else []
    given = call.arguments.positional
    position = next((k for k, one in enumerate(given) if isinstance(one, InputTensor) and one.number == place), -1)
    return names[position].partition("=")[0] if 0 <= position < len(names) else ""


def _exists(run: Run, row: GradientRow) -> bool:
    """Return whether a tensor was not replaced.

    It needs a name and, if it was part of a module, a module path that has not ended.
    """
    paths = [binding for binding in run.tensor(row.tensor).bindings if "." in binding.name]
    return bool(row.name) and (not paths or any(binding.until < 0 for binding in paths))


def named_rows(trace: Trace, backward: int | None = None) -> tuple[GradientRow, ...]:
    """Return rows for named tensors that require grad, results included."""
    columns = trace.tensors
    named = sorted(set(trace.index.bound.values()))
    return _rows(trace, [i for i in named if columns.requires_grad[i]], backward)


def _rows(trace: Trace, tensors: Sequence[int], number: int | None) -> tuple[GradientRow, ...]:
    rows = _Rows(trace, tensors, number)
    return tuple(map(rows.row, tensors))


@dataclass(frozen=True)
class _Arrival:
    """A tensor's gradient in a row.

    Attributes:
        by: backward that brought it or did not, None if only counted ones did.
        value: its value, -1 for none. reason, cut: why there is none.
        is_counted: whether only counted calls brought it.
    """

    by: int | None
    value: int
    reason: str | None
    cut: Cut | None
    is_counted: bool = False


class _Rows:
    """Rows of the requested backward, or each tensor's last."""

    def __init__(self, trace: Trace, tensors: Sequence[int], number: int | None) -> None:
        self.trace, self.run = trace, run_of(trace)
        asked = numbered_backward(trace, number)
        self.is_own = asked is None
        self.shown = selected_backward(trace) if asked is None else asked
        self.arrived = _arrived_last(trace) if self.is_own else {}
        self.lost = self._lost(tensors) if self.is_own and self.run.backwards else {}
        pairs = (zip(call.row.accumulated, call.row.after, strict=True) for call in self.run.backwards if trace.limits)
        self.unread = {leaf for pair in pairs for leaf, after in pair if after < 0}
        outer = called_backwards(trace)
        self.held = {(number, leaf): grads for number in outer for leaf, grads in accumulations(trace, number).items()}
        self.alive = set(trace.index.bound.values())
        self.last_held = {leaf: (number, after) for (number, leaf), (_, after) in self.held.items()}
        self.left_out = any(bound.kind == "backwards" for bound in trace.limits)

    def _lost(self, tensors: Sequence[int]) -> dict[int, GradientCut]:
        """Return where gradients of all backward calls were lost."""
        ways = (tensor_gradient(self.trace, tensor, self.shown)[1] for tensor in tensors)
        return all_cuts(self.trace, *(call.id for call in self.run.backwards))[0] if "not_on_path" in ways else {}

    def row(self, tensor: int) -> GradientRow:
        """Return the row of a tensor."""
        trace, columns, arrival = self.trace, self.trace.tensors, self._arrival(tensor)
        gradient, by = trace.value(arrival.value), arrival.by
        none = gradient is None
        brought = None if none else by
        state = _state(trace, tensor, gradient)
        before, after = (-1, -1) if brought is None else self.held.get((brought, tensor), (-1, -1))
        name = name_of(self.run, tensor)
        return GradientRow(
            name,
            tensor,
            columns.is_leaf[tensor],
            trace.latest(tensor),
            gradient,
            None if brought is None else brought + 1,
            trace.value(before),
            state,
            (arrival.reason or "not_taken") if none else "",
            arrival.cut if none else None,
            grad=trace.value(columns.grad[tensor]),
            moved=_moved(trace, tensor, self.arrived[tensor][0]) if state == "frozen" and tensor in self.arrived else 0,
            later=arrival.is_counted or (by is not None and has_counted_later(trace, by)),
            writes=by is None or trace.backwards[by].kind == "backward",
            after=trace.value(after),
            clipped=0 if brought is None else _clipped(trace, tensor, brought),
            brought_again=0 if brought is None else _later_line(trace, tensor, brought, self.last_held),
            zero=zero_reason(trace, by, tensor, gradient),
            path=trace.path_in_model(tensor, name),
        )

    def _arrival(self, tensor: int) -> _Arrival:
        """Return the gradient of a row, or why there is none."""
        found = self._of_backward(tensor)
        if found.value >= 0:
            return found
        if tensor in self.arrived and self.trace.tensors.requires_grad[tensor]:
            by, value = self.arrived[tensor]
            found = replace(found, by=by, value=value)
        elif self.is_own and tensor in self.unread:
            found = replace(found, reason="capped", cut=None)
        return self._counted(tensor, found) if self.is_own and found.value < 0 else found

    def _of_backward(self, tensor: int) -> _Arrival:
        """Return a tensor's gradient in the backward that trains it."""
        trace, by = self.trace, self.shown
        own = self.run.own_backward(tensor, by) if self.is_own else by
        value, reason = tensor_gradient(trace, tensor, by)
        brought, why = tensor_gradient(trace, tensor, own)
        if brought >= 0 and trace.tensors.requires_grad[tensor]:
            by, value = own, brought
        elif value < 0 and tensor not in self.arrived:
            by, reason = own, why
        if reason == "not_on_path" and tensor in self.lost:
            return _Arrival(by, value, reason_of(self.lost[tensor]), placed(trace, self.lost[tensor]))
        return _Arrival(by, value, reason, cut_of(trace, tensor, by))

    def _counted(self, tensor: int, found: _Arrival) -> _Arrival:
        """Return the final `.grad` if only counted calls may have set it."""
        grad, unknown = self.trace.tensors.grad[tensor], found.reason == "capped"
        if unknown and tensor in self.alive and grad < 0:
            found = replace(found, reason="empty")
        has_grad = self.trace.tensors.requires_grad[tensor] and grad >= 0
        if self.left_out and (unknown or has_grad) and tensor not in self.run.received:
            return replace(found, by=None, value=grad, is_counted=True)
        return found


def _state(trace: Trace, tensor: int, gradient: Value | None) -> State:
    if gradient is None:
        columns = trace.tensors
        return "frozen" if columns.is_parameter[tensor] and not columns.requires_grad[tensor] else "none"
    if gradient.nonfinite:
        return "nonfinite"
    if gradient.norm is None:  # no entries, or none that could be read
        return "flows" if 0 in gradient.shape else "unread"
    return "flows" if gradient.norm or gradient.maximum or gradient.minimum else "zero"


def _arrived_last(trace: Trace) -> dict[int, tuple[int, int]]:
    """Map leaves to the last successful backward that reached them, and its gradient id."""
    last: dict[int, tuple[int, int]] = {}
    variable = trace.nodes.variable
    for number in sorted(range(len(trace.backwards)), key=lambda i: (starts_with_zeros(trace, i), -i)):
        call = trace.backwards[number]
        if call.status != "ok":
            continue
        for step, node in enumerate(call.order):
            arrived = max(call.arrived[step], default=-1) if variable[node] >= 0 else -1
            if arrived >= 0:
                last.setdefault(variable[node], (outermost(trace, number), arrived))
    return last


def _moved(trace: Trace, tensor: int, last: int) -> int:
    """Count optimizer writes to a leaf since it was frozen."""
    later = next((call for call in trace.backwards[last + 1 :] if call.status == "ok" and call.inside < 0), None)
    if later is None:
        return 0
    leaf = run_of(trace).tensor(tensor)
    since = max((later.operations, *(call.id for call in leaf.users if call.name in ASKS)))
    return sum(write.id >= since and write.is_of_optimizer for write in leaf.writes)


def _later_line(trace: Trace, tensor: int, backward: int, last: Mapping[int, tuple[int, int]]) -> int:
    """Return the later backward's line that determined `.grad`, or 0."""
    number, after = last.get(tensor, (backward, -1))
    same = trace.value(after) == trace.value(trace.tensors.grad[tensor])
    return trace.line(trace.backwards[number].span) if number > backward and same else 0


def _clipped(trace: Trace, tensor: int, backward: int) -> int:
    """Return the line that clipped a leaf's gradient between two backward calls, or 0."""
    calls = [call for call in trace.backwards[backward + 1 :] if call.inside < 0 and tensor in call.accumulated]
    until = calls[0].operations if calls else len(trace.operations) + 1
    clips = [call for call in trace.log.calls if call.kind == "clip" and call.subject >= 0]
    since = trace.backwards[backward].operations
    lines = [trace.line(c.span) for c in clips if since <= c.operations < until and tensor in trace.log.sets[c.subject]]
    return lines[-1] if lines else 0
