"""Probe a float64 run by function mode and engine patch.

Half precision becomes float64 too: autocast leaves such tensors alone.
"""

import contextlib
from collections.abc import Iterator
from types import FrameType

import torch
from torch import default_generator
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.autograd.graph import GradientEdge, get_gradient_edge
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from explorer.runtime.recorder.calls import BegunCall, tensors_in
from explorer.runtime.recorder.engine import EnginePatch, foreign
from explorer.runtime.recorder.memory import inside
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import BackwardRow
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import PADDING, TARGET, Move

_FACTORIES = {"rand", "randn", "normal"}  # functions that use the default dtype if none is given
WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64}
WIDE |= {torch.complex32: torch.complex128, torch.complex64: torch.complex128}
_NARROW = {torch.float64: torch.float32, torch.complex128: torch.complex64}  # for random numbers
WIDENING = (torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16)


class NarrowDraws(TorchDispatchMode):
    """Draws random numbers in float32 and widens them, because float64 draws differ."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler, which takes a second."""
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Handle a kernel call in torch's place."""
        with torch._C.DisableTorchFunction():  # otherwise a kernel without tensors would count as a call of the program
            return _run(function, args, kwargs or {})


def _run(function, args: tuple, kwargs: dict):
    if torch.Tag.nondeterministic_seeded not in function.tags:
        return function(*args, **kwargs)
    packet = function.overloadpacket.__name__
    if packet == "native_dropout":
        entries, mask = function(torch.ones_like(args[0], dtype=torch.float32), *args[1:], **kwargs)
        return args[0] * entries, mask
    if packet == "rrelu_with_noise":
        noise = args[1].to(torch.float32)
        function(args[0].to(torch.float32), noise, *args[2:], **kwargs)
        return args[0] * args[1].copy_(noise)
    if packet == "normal" and "out" not in kwargs and any(isinstance(one, torch.Tensor) for one in args):
        return _normal(function, *args, **kwargs)
    generator = next((one for one in (*args, *kwargs.values()) if isinstance(one, torch.Generator)), default_generator)
    before = generator.get_state()
    if _may_draw_nothing(packet, args):
        wide = function(*args, **kwargs)
        if torch.equal(generator.get_state(), before):
            return wide
        generator.set_state(before)
    narrow_args, narrow_kwargs = tree_map(_narrowed, (args, kwargs))
    if packet in _FACTORIES and narrow_kwargs.get("dtype") is None and _takes_dtype(function):
        narrow_kwargs["dtype"] = torch.float32
    drawn = function(*narrow_args, **narrow_kwargs)
    if packet.endswith("_") and isinstance(args[0], torch.Tensor):
        return args[0].copy_(drawn) if drawn is not args[0] else drawn
    return tree_map(_widened, drawn)


def _normal(function, mean, std=1.0, **options) -> torch.Tensor:
    """Draw standard numbers and scale them as torch does, because float32 would round away a move's change."""
    standard = (
        torch.full_like(one, number, dtype=torch.float32) if isinstance(one, torch.Tensor) else number
        for one, number in ((mean, 0.0), (std, 1.0))
    )
    return _widened(function(*standard, **options)) * std + mean


def _may_draw_nothing(packet: str, args: tuple) -> bool:
    """Return whether a call may only compute, as attention without dropout does, and can be repeated if it draws."""
    tensors = [one for one in args if isinstance(one, torch.Tensor)]
    return bool(tensors) and not packet.endswith("_") and all(one.is_cpu for one in tensors)


def _takes_dtype(function) -> bool:
    return any(argument.name == "dtype" for argument in function._schema.arguments)


def _narrowed(value):
    if isinstance(value, torch.Tensor):
        return value.to(_NARROW[value.dtype]) if value.dtype in _NARROW else value
    return _NARROW.get(value, value) if isinstance(value, torch.dtype) else value


def _widened(value):
    return value.to(WIDE[value.dtype]) if isinstance(value, torch.Tensor) and value.dtype in WIDE else value


def wide_call(function, args: tuple, kwargs: dict | None) -> tuple:
    """Repeat a call with float64 in place of a narrower dtype."""
    if function in WIDENING:
        function = torch.Tensor.double
    if any(isinstance(argument, torch.dtype) for argument in args):
        args = tuple(map(_wide, args))
    if kwargs and any(isinstance(kwarg, torch.dtype) for kwarg in kwargs.values()):
        kwargs = {name: _wide(value) for name, value in kwargs.items()}
    return function, args, kwargs


def _wide(argument):
    return WIDE.get(argument, argument) if isinstance(argument, torch.dtype) else argument


def widen(tensor: torch.Tensor) -> None:
    """Convert a narrow tensor from outside torch, such as an array, to float64."""
    if tensor.dtype in WIDE and tensor.grad_fn is None:
        with contextlib.suppress(RuntimeError):
            tensor.data = tensor.data.to(WIDE[tensor.dtype])


def direction(move: Move, leaf: torch.Tensor, alone: bool) -> torch.Tensor:
    """Draw a repeatable number from 0.5 to 1.5 per entry.

    Signs alone would hide errors that are equal in entries of opposite signs. The program's own generators are
    unaffected.

    Args:
        leaf: complex numbers as pairs.
        alone: whether no other leaf moves.
    """
    if alone and leaf.numel() == 1:
        return torch.ones_like(leaf, requires_grad=False)
    drawing = torch.Generator().manual_seed(1 + move.operation * 64 + move.operand)
    drawn = torch.randint(-1024, 1024, leaf.shape, generator=drawing, dtype=torch.int16).to(leaf.dtype).add_(0.5)
    return drawn.div_(1024).add_(drawn.sign(), alpha=0.5)


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """View complex numbers as pairs."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _padding(args: tuple, kwargs: dict | None) -> int | None:
    """Return an embedding's padding row."""
    return args[2] if len(args) > 2 else (kwargs or {}).get("padding_idx")


def _padded(begun: BegunCall) -> torch.Tensor:
    """Return where a result of `pad_sequence` is padding."""
    sequences, first, _, *side = begun.args
    return torch._C._nn.pad_sequence([torch.ones_like(one) for one in sequences], first, 0.0, *side) == 0


def at_padding(gradient: torch.Tensor, where: torch.Tensor) -> float:
    """Return the sum of a gradient's magnitudes at the padded ends of sequences.

    It is 0 if the gradient is the same at other positions, as of a sum, to which zeros add nothing.
    """
    axes, ends = range(where.dim()), (where.int(), where.int().flip(tuple(range(where.dim()))))
    if where.dim() < 2 or not any(torch.equal(one.cummax(axis)[0], one) for one in ends for axis in axes):
        return 0.0
    where = where.reshape(where.shape + (1,) * (gradient.dim() - where.dim()))
    padded = gradient * where
    for axis in axes:
        others = (gradient * ~where).sum(axis, keepdim=True) / (~where).sum(axis, keepdim=True)
        if torch.allclose(padded, others * where, rtol=1e-9, atol=0.0):
            return 0.0
    return float(padded.abs().sum())


def target_position(ids: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return where a target is one position, and where the input is the same one, if each target is the next input.

    Args:
        ids: the input. One of its axes is time.
        target: classes, negative if ignored.

    Returns: a mask of the targets, as many as the scores' rows, and one of the input.
    """
    for axis in range(ids.dim()):
        later = ids.narrow(axis, 1, max(ids.shape[axis] - 1, 0))
        if target.numel() not in (ids.numel(), later.numel()) or len(later.unique()) < _FEW:
            continue
        shaped = target.reshape(ids.shape if target.numel() == ids.numel() else later.shape)
        given = shaped.narrow(axis, 0, later.shape[axis])
        if bool(((given == later) | (given < 0)).all()) and len(given[given >= 0].unique()) >= _FEW:
            middle = (later.shape[axis] - 1) // 2
            rows, entries = torch.zeros_like(shaped, dtype=torch.bool), torch.zeros_like(ids, dtype=torch.bool)
            rows.select(axis, middle)[...] = shaped.select(axis, middle) >= 0
            entries.select(axis, middle + 1)[...] = True
            return rows.flatten(), entries
    return None


_FEW = 3  # different tokens, below which a target equals the next input by chance
_NARROWING = ("float", "half", "bfloat16")
_in_functorch = torch._C._functorch.peek_interpreter_stack
_reading = torch._C.DisableTorchFunction
_ROW = BackwardRow("backward", -1, 0, [], [], [], [], False, False)  # a dummy row


def _edge(result: torch.Tensor) -> GradientEdge:
    """Return the edge where a result's gradient can be requested."""
    if not result.requires_grad:
        result.add_(torch.zeros((), dtype=result.dtype, requires_grad=True))
    return get_gradient_edge(result)


def _memory(tensor: torch.Tensor) -> tuple[int, int]:
    """Identify a tensor's entries until the program changes them."""
    return (tensor.data_ptr() if torch._C._has_storage(tensor) else -1, tensor._version)


def _whole(made: BegunCall) -> list[torch.Tensor]:
    """Return the integer operands of a call."""
    return [one for one in tensors_in(made.kwargs or {}, tensors_in(made.args, [])) if one.dtype == torch.int64]


class Reached(BaseException):
    """Raised when the requested backward is about to begin. `except Exception` does not catch it."""


class Prober(Recorder):
    """Counts calls, moves leaves, and keeps a probe's values.

    Args:
        moves: the leaves to move.
        root: operation and output of a tensor to keep, (-1, -1) for none.
        by: how far the leaves are moved.
    """

    calls_up = 2

    def __init__(self, source_map: SourceMap, moves: tuple[Move, ...], root: tuple[int, int], by: float) -> None:
        super().__init__(source_map, complete=False)
        self.leaves: dict[Move, torch.Tensor] = {}
        self.padding: list[tuple[GradientEdge, torch.Tensor]] = []  # results, and where they are padding
        self.targets: list[tuple[torch.Tensor, GradientEdge, torch.Tensor]] = []  # scores, an input, and their targets
        self.root: torch.Tensor | None = None
        self._moves: dict[int, list[Move]] = {}
        for move in moves:
            self._moves.setdefault(move.operation, []).append(move)
        self._pads: dict[int, torch.Tensor | None] = {one.operand: None for one in moves if one.name == PADDING}
        self._losses = {one.operand for one in moves if one.name == TARGET}
        self._inputs: list[tuple[torch.Tensor, GradientEdge]] = []  # those that may be the targets, embedded
        self._wrapped: set[tuple[int, int]] = set()  # memory and version that torch.func has read through a wrapper
        self._root, self._by, self._alone = root, by, len(moves) == 1

    @contextlib.contextmanager
    def in_backward(self) -> Iterator[None]:
        """Count no operation while the engine runs."""
        self.pauses += 1
        self.running.append((0, _ROW))
        self.sink.run = _ROW
        try:
            yield
        finally:
            self.running.pop()
            self.sink.run = _ROW if self.running else None
            self.pauses -= 1

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Handle a call in torch's place."""
        function, args, kwargs = wide_call(function, args, kwargs)
        return super().__torch_function__(function, types, args, kwargs)

    def begin(self, call, args, kwargs, caller) -> BegunCall:
        """Count an operation, and move the leaves that it is the first to read."""
        number = self.operation_count
        begun = BegunCall(call, args, kwargs, caller, number)
        self.operation_count += 1
        opaque = _in_functorch() is not None
        given = tensors_in(kwargs or {}, tensors_in(args, []))
        with _reading():
            if not opaque:
                for tensor in given:
                    widen(tensor)
            for move in self._moves.get(number, ()):
                with temporarily_clear_interpreter_stack():
                    self._move(move, call.name, given, _padding(args, kwargs) if call.name == "embedding" else None)
            if opaque:
                self._wrapped.update(map(_memory, (inside(tensor) for tensor in given if inside(tensor) is not tensor)))
        return begun

    def seen(self, tensor, opaque=False, operation=0) -> int:
        """Do nothing: a probe records no outputs."""
        return 0

    def read_gradients(self, call, held, caller) -> None:
        """Count reads of `.grad`."""
        for leaf, _ in held:
            self.begin(call, (leaf,), None, caller)

    def _move(self, move: Move, name: str, given: list[torch.Tensor], padding: int | None) -> None:
        if move.operand < len(given) and (move.name == name or move.name in _NARROWING):
            leaf = inside(given[move.operand])
            if _memory(leaf) in self._wrapped:
                return  # too late: the program has read it before
            self.leaves[move] = leaf
            entries = as_real(leaf.data)
            along = direction(move, entries, self._alone)
            if padding is not None:  # a row that the program excludes from the gradient
                along[padding] = 0
            entries.add_(along, alpha=self._by)

    def _keep_padding(self, made: BegunCall, result: torch.Tensor) -> None:
        """Record where a result is padding, so that its gradient can be requested."""
        if made.index in self._pads:
            self._pads[made.index] = _padded(made)
        for move in self._moves.get(made.index, ()):
            if move.name == PADDING:
                where = self._pads[move.operand]
                if where is None:
                    given = tensors_in(made.kwargs or {}, tensors_in(made.args, []))
                    ids = next(one for one in given if one.dtype not in WIDE)
                    where = ids == _padding(made.args, made.kwargs)
                self.padding.append((_edge(result), where))

    def _keep_targets(self, made: BegunCall, result: torch.Tensor) -> None:
        """Note inputs that may be targets, and at the loss the scores whose targets the next inputs are."""
        if any(move.name == TARGET for move in self._moves.get(made.index, ())):
            self._inputs += [(ids.clone(), _edge(result)) for ids in _whole(made)[:1]]
        elif made.index in self._losses:
            scores, target = tensors_in(made.args, [])[0], _whole(made)[0]
            found = ((edge, target_position(ids, target)) for ids, edge in self._inputs)
            shown = [(edge, position) for edge, position in found if position is not None]
            if len(shown) == 1:  # an encoder may read all that its decoder is to predict
                (edge, (rows, entries)), last = shown[0], scores.movedim(1 if scores.dim() > 1 else 0, -1)
                self.targets.append((last.reshape(-1, last.shape[-1])[rows], edge, entries))

    def end(self, made, result) -> None:
        """Keep padding, targets, and the output that a probe's backward starts from."""
        if made.index in self._pads or made.index in self._moves or made.index in self._losses:
            with _reading(), contextlib.suppress(RuntimeError, IndexError):
                self._keep_padding(made, result)
                self._keep_targets(made, result)
        operation, output = self._root
        results = tensors_in(result, []) if made.index == operation else []
        if 0 <= output < len(results):
            self.root = results[output]

    def failed(self, made, problem) -> None:
        """Do nothing: a probe records no outputs."""


class ProbedEngine(EnginePatch):
    """Counts the engine's calls as a Trace does, and stops at the requested one."""

    def __init__(self, prober: Prober, call: int, reached) -> None:
        super().__init__(prober)
        self._prober, self._call, self._reached, self._begun_calls = prober, call, reached, 0

    def run(self, engine, outputs, /, *args, **kwargs):
        """Replace `_engine_run_backward`."""
        inner = bool(self._prober.running) or foreign([*outputs, *(args[3] if len(args) > 3 else ())])
        if not inner:
            self._count(outputs, args[0] if args else ())
        with self._prober.in_backward():
            return engine(outputs, *args, **kwargs)

    def refused(self, outputs, grads, problem: Exception, caller: FrameType) -> None:
        """Count a call that is refused before the engine begins."""
        if not foreign(outputs) and not self.recorder.running:
            self._begun_calls += 1

    def _count(self, outputs, seeds) -> None:
        number, self._begun_calls = self._begun_calls, self._begun_calls + 1
        if number == self._call:
            self.recorder.pauses += 1
            self._reached(outputs, seeds)
            raise Reached
