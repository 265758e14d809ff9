"""Record every torch call of the program and its results."""

import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from types import FrameType
from typing import Any

import torch
from torch import get_rng_state, is_autocast_enabled
from torch._C import TensorBase
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from explorer.runtime.recorder.calls import (
    CALLS,
    OF_TORCH,
    BegunCall,
    TorchCall,
    kept_arguments,
    only_tensors,
    replaced_by,
    tensors_in,
    tensors_of_call,
)
from explorer.runtime.recorder.end_states import name_all, write_end_states
from explorer.runtime.recorder.gaps import Gaps
from explorer.runtime.recorder.gradient_hooks import Sink
from explorer.runtime.recorder.hidden_calls import (
    Paused,
    dispatch_modes,
    function_modes,
    profiled,
    take_mode,
    traced,
    without_modes,
)
from explorer.runtime.recorder.loss_terms import LossCall, loss_row
from explorer.runtime.recorder.module_calls import LastCall, named_parts
from explorer.runtime.recorder.names import NameBook
from explorer.runtime.recorder.node_kinds import hooks_now
from explorer.runtime.recorder.nodes import NodeBook, sequence_number
from explorer.runtime.recorder.object_contents import EMPTY
from explorer.runtime.recorder.roots import MOST, ModuleRoots, RunningModule
from explorer.runtime.recorder.rows import (
    NONE,
    OP_INPUTS,
    OP_OUTPUTS,
    OPERATION,
    STATE_OPERATION,
    STATE_VALUE,
    TENSOR_STRIDE,
    BackwardRow,
    PruneMark,
    RunRows,
)
from explorer.runtime.recorder.source_map import DRAWS, FOREIGN, Activation, SourceMap
from explorer.runtime.recorder.states import TensorStates
from explorer.runtime.recorder.table import as_tuple
from explorer.runtime.recorder.tensors import ArrayBook, TensorBook
from explorer.runtime.recorder.training_log import TrainingBook
from explorer.runtime.recorder.training_steps import TrainingSteps
from explorer.runtime.recorder.values import ValueStore
from explorer.runtime.signals import raised_by_handler
from explorer.trace import AUTOCAST, NAME

_grad_enabled = torch._C.is_grad_enabled
_jit_state = torch._C._get_tracing_state
_in_functorch = torch._C._functorch.peek_interpreter_stack
_Tensor = torch.Tensor
_OF_TORCH = frozenset(map(id, (torch.Tensor, torch.nn.Parameter)))  # types whose calls run no code of the program
_STEPS = 24_000_000  # bytes of training steps in `record()`; a sixth of that in a child
_ENTER = "_record_function_enter"
_MEMORY = ("data_ptr", "storage", "untyped_storage")  # calls that let the program write unnoticed by torch
_INDEXES = ("__getitem__", "__setitem__")
_SHOWS = frozenset(
    ("__format__", "__repr__", "__str__", "__reduce_ex__", "__len__", "_make_subclass", *_MEMORY)
)  # operations that use a tensor


class Recorder(TorchFunctionMode):
    """Records what the program does with torch. It never changes the program.

    Attributes: source_map: the program's texts. rows: the recorded rows. running: the backward calls in progress,
    innermost last. While one runs recording pauses: reading a tensor's state while the engine unpacks a saved tensor
    can deadlock. pauses: how many contexts pause the recording now. A call of torch is recorded while it is 0. modules:
    the calls of nn.Modules whose forward runs, innermost last. roots: names of the outermost ones. calls_up: how many
    frames above `__torch_function__` the call stands.

    Args:
        operation_cap: how many operations are kept before the middle of the run is only counted (None: all).
        on_full: called when there are more.
        on_failure: called with each exception of an operation, and its span.
        values: where values go, None: a store that keeps samples of large ones.
    """

    calls_up = 1

    def __init__(
        self,
        source_map: SourceMap,
        complete: bool,
        operation_cap: int | None = None,
        on_full: Callable[[], None] = lambda: None,
        on_failure: Callable[[BaseException, int], None] = lambda problem, span: None,
        values: ValueStore | None = None,
    ) -> None:
        super().__init__()
        self.source_map, self.complete, self.operation_cap = source_map, complete, operation_cap
        self.rows, self.values = RunRows(), values or ValueStore(light=not complete)
        self.count_unrecorded = self.rows.count_unrecorded
        self.sink = Sink(self.rows, self.values, complete)
        self.tensors = TensorBook(self.rows, self.values, complete)
        self.arrays = ArrayBook(self.tensors)
        self.nodes = NodeBook(self.rows, self.tensors, self.sink, complete, operation_cap)
        self.sink.made_gradients = self.nodes.name_gradients
        self.states = TensorStates(self.tensors, self.nodes)
        self.operation_count = self.backward_count = 0
        self.pauses = 0
        self.called_backward = False  # whether the program called backward, even if that failed before the engine ran
        self.running: list[tuple[int, BackwardRow]] = []
        self.modules: list[RunningModule] = []
        self.last_calls: dict[Any, LastCall] = {}  # by module id during the run, by path afterwards
        self.names = NameBook(self.rows, source_map)
        source_map.on_leave = self.name_left
        self.marks = 0  # open ranges of torch's profiler
        self.training = TrainingSteps(source_map, self.tensors, _STEPS if operation_cap is None else _STEPS // 6)
        self.roots = roots = ModuleRoots(source_map.files, self.tensors)
        self.log = TrainingBook(
            source_map, self.tensors, lambda: self.operation_count, lambda: self.gaps.open is None, roots.modes
        )
        self.gaps = Gaps(self)
        self.settled: PruneMark | None = None  # how far the last pruning has examined the rows
        self._on_full, self._on_failure = on_full, on_failure

    def __enter__(self) -> "Recorder":
        if self in _get_current_function_mode_stack():
            raise RuntimeError("this recording has begun already")
        return super().__enter__()

    def __exit__(self, *problem) -> None:
        """Leave torch's stack of modes from any position."""
        self.gaps.away = False
        take_mode(self)  # absent if the recording ends in a different thread

    def watch_size(self, operations: int, on_full: Callable[[], None]) -> None:
        """Call a function once more operations than these are recorded."""
        self.operation_cap, self._on_full = operations, on_full

    # ---- operations ---------------------------------------------------------------------------------------------

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Called by torch in place of every call, with this mode disabled."""
        call = CALLS[function]
        if call.foreign:
            function = replaced_by(function, sys._getframe(self.calls_up))
            call = CALLS[function]
        frame = sys._getframe(self.calls_up)
        if self.pauses or not call.recorded or _jit_state() is not None or ((modes := dispatch_modes()) and traced()):
            if call.hooks:
                self.hooked()
                self._hooked_at(call, args)
            elif call.name == "backward":
                self.called_backward = True
            elif args:
                self._looked_at(call, args, frame)
            return function(*args, **kwargs) if kwargs else function(*args)
        if self.gaps.open is not None and self.gaps.skip_or_close(frame):
            self.operation_count += 1
            return self._unrecorded(function, call, args, kwargs, frame)
        seen = modes or function_modes() or profiled() or (types and not _OF_TORCH.issuperset(map(id, types)))
        if seen:
            with without_modes():
                begun = self.begin(call, args, kwargs, frame)
        else:
            begun = self.begin(call, args, kwargs, frame)
        drawn = None if seen or self.sink.kept is None else get_rng_state()  # the recording keeps all entries
        try:
            result = function(*args, **kwargs) if kwargs else function(*args)
        except BaseException as problem:
            self.failed(begun, problem)
            raise
        if begun is not None:
            if seen:
                with without_modes():
                    self.end(begun, result)
            else:
                self.end(begun, result)
            if drawn is not None and not TensorBase.equal(drawn, get_rng_state()):
                self.rows.operations.draws[begun.index] = TensorBase.numpy(drawn).tobytes()
            if call.reduces and self.complete and not (begun.opaque or seen):
                self._reduced(function, begun, result)
        return result

    def _reduced(self, function, begun: BegunCall, result: object) -> None:
        """Record the terms of a loss, except for subclasses."""
        try:
            if not isinstance(result, _Tensor) or TensorBase.dim(result) or not TensorBase.is_floating_point(result):
                return
            args, kwargs, gradient, index = begun.args, begun.kwargs, result.requires_grad, begun.index
            operations, rows, values = self.rows.operations, self.rows.tensors, self.values
            ids = *begun.identities, self.tensors.find(result)
            held = [(rows.last(one, STATE_VALUE), rows.field(one, TENSOR_STRIDE)) for one in ids]
            kept = operations.arguments.get(index, "" if kwargs else only_tensors(args))
            later = all(values.is_whole(value) for value, _ in held) and all(one.is_cpu for one in begun.inputs)
            given, named = ((), {}) if isinstance(kept, str) else (kept[0], kept[1] or {})
            outside = sum(isinstance(one, _Tensor) for one in (*given, *named.values()))  # inside lists
            if later and outside == len(begun.inputs) and not is_autocast_enabled("cpu"):
                values.waiting.append(LossCall(operations.losses, index, function, given, named, held, gradient))
            elif row := loss_row(function, args, kwargs, result, gradient):
                operations.losses[index] = row
        except Exception as problem:  # out of memory, or arguments that only this reduction takes
            if raised_by_handler(problem):
                raise

    def _unrecorded(self, function, call: TorchCall, args: tuple, kwargs: dict | None, frame: FrameType):
        """Make a call that is recorded only if it fails."""
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        except BaseException as problem:
            if self.gaps.open is not None:
                self.operation_count -= 1  # undo the count, because the call is recorded
                self.gaps.close()
            self.failed(self.begin(call, args, kwargs, frame), problem)
            raise

    def hooked(self) -> None:
        """Note that the program hooks into the graph."""
        self.nodes.user_code = self.sink.hooked = True

    def _hooked_at(self, call: TorchCall, args: tuple) -> None:
        """Note that the program may have registered a hook on a tensor."""
        if self.pauses or call.name != "register_hook" or not args:
            return
        with self.paused():
            self.nodes.may_alter(args[0])
            self.log.hooked(args[0])

    def _looked_at(self, call: TorchCall, args: tuple, frame: FrameType) -> None:
        """Record that the program shows tensors, or reads their shape or similar facts."""
        if call.name in _MEMORY:
            self.values.summary_cache.off = True
        if call.name == "retain_grad":
            with self.paused():
                self.log.hooked(args[0], "retain")
        if call.name in _SHOWS or self.source_map.files[frame.f_code.co_filename] >= 0:
            self._reads(args)

    def _reads(self, objects: Iterable) -> None:
        """Note which of these are tensors whose entries or facts leave torch."""
        known = (self.tensors.known.get(id(one)) for one in objects)
        self.rows.looked_at.update(one[1] for one in known if one is not None)

    def _read_bounds(self, args: tuple) -> None:
        """Note the tensors that are bounds of slices, which are no inputs."""
        for index in args[1] if len(args) > 1 and type(args[1]) is tuple else args[1:2]:
            if type(index) is slice:
                self._reads((index.start, index.stop, index.step))

    def part_with(self, tensor: torch.Tensor) -> None:
        """Drop a tensor object that is about to become another one, because torch counts references."""
        self.gaps.close()
        with self.paused():
            self.nodes.release(self.tensors.find(tensor))
            self.tensors.part_with(tensor)

    def paused(self) -> Paused:
        """Return a context for the recorder's own reads. An error in it is counted."""
        return Paused(self)

    def begin(self, call: TorchCall, args: tuple, kwargs: dict | None, caller: FrameType) -> BegunCall | None:
        """Record the start of an operation, with its place and its inputs.

        None for a call that only draws tensors, which is not recorded. If recording fails, that is counted.
        """
        begins = False
        try:
            frame: FrameType | None = caller
            callee, foreign = None, False
            files = self.source_map.files
            while frame is not None and (cell := files[frame.f_code.co_filename]) < 0:
                if cell == DRAWS:
                    self._reads(args)
                    return None
                foreign = foreign or cell == FOREIGN
                frame, callee = frame.f_back, frame
            opaque = _in_functorch() is not None  # inside torch.func everything is a wrapper
            operations = self.rows.operations
            if operations.count != self.operation_count:  # some operations were not recorded
                operations.skip_to(self.operation_count)
            self.operation_count = index = operations.count + 1
            span, site = -1, None
            iteration: tuple[int, ...] = ()
            if frame is not None:
                site, iteration = self.source_map.locate(frame, callee)
                span = site.span
                operations.callers[index] = self.source_map.stack[-1].caller
            plain = not kwargs and OF_TORCH.issuperset(map(type, args))
            inputs = args if plain else tensors_of_call(args, kwargs)
            self.nodes.operation_begins()
            begins = True
            identities, versions = self.states.read(inputs, index, opaque)
            if call.name in _INDEXES:
                self._read_bounds(args)
            operations.cells += (
                call.name,
                call.function,
                span,
                iteration,
                self.modules[-1] if self.modules else None,
                _grad_enabled(),
                self.running[-1][0] if self.running else 0,
                identities,
                versions,
                NONE,
            )
            operations.count = index
            if modes := (self.modules[-1].mode if self.modules else 0) + AUTOCAST * is_autocast_enabled("cpu"):
                operations.modes[index] = modes
            if foreign and (text := self.source_map.between(caller, frame)):
                operations.frames[index] = text
            if not plain and (self.complete or call.marks) and (kept := kept_arguments(args, kwargs, len(inputs))):
                operations.arguments[index] = kept
            if inputs and site is not None and (site.operands or site.paths):
                self.names.name_inputs(index, identities, inputs, site, frame)
            self.nodes.starts.append((sequence_number(), index))
            cap = self.operation_cap
            if cap is not None and index > cap and len(operations) > cap:
                self._on_full()
            begun = BegunCall(call, args, kwargs, caller, index, inputs, identities, span, frame, callee, site, opaque)
            if call.marks:
                self.marks = max(0, self.marks + (1 if call.name.startswith(_ENTER) else -1))
            if index >= self.gaps.next:  # only now is it known whether a range begins, and its end is not in a gap
                self.gaps.begin(index)
            return begun
        except Exception as problem:
            self.count_unrecorded(problem)
            if begins:
                self.nodes.operation_ends()
            return None

    def failed(self, begun: BegunCall | None, problem: BaseException) -> None:
        """Record that the operation raised."""
        if begun is not None:
            self.nodes.operation_ends()
        of_its_own = isinstance(problem, Exception)  # otherwise a limit or an exit interrupted it
        if begun is not None and of_its_own and begun.index in self.rows.operations:  # its row may have been dropped
            self.rows.operations.errors[begun.index] = type(problem).__name__
        self._on_failure(problem, -1 if begun is None else begun.span)

    def end(self, begun: BegunCall, result: object) -> None:
        """Record an operation's changes and results."""
        index, call, opaque = begun.index, begun.of, begun.opaque
        try:
            if not call.pure or call.renews or begun.kwargs:
                self._change(begun)
            elif result is None:  # such as a missing `.grad`
                return
            if self.complete and not opaque:
                self.nodes.at_hand = () if call.writes else begun.identities
                self.nodes.own = call.own and hooks_now(False) is None
            outputs: int | list[int] | tuple = ()
            if isinstance(result, _Tensor):
                outputs = self.states.made(result, index, opaque, call.shares)
            elif result is not None:
                made = self.states.made
                outputs = [made(tensor, index, opaque, True) for tensor in tensors_in(result, [])]
            if opaque:  # a wrapper, whose contents torch takes out unseen
                self.rows.looked_at.update(as_tuple(outputs))
            operations = self.rows.operations
            at = operations.at(index) if operations.gone else index * OPERATION - OPERATION
            if at >= 0:
                operations.cells[at + OP_OUTPUTS] = outputs
            if begun.site is not None and begun.site.targets is not None:
                self.names.bind_targets(begun, as_tuple(outputs))
        except Exception as problem:
            self.count_unrecorded(problem)
        finally:
            self.nodes.operation_ends()
            if self.complete:
                self.nodes.at_hand, self.nodes.own, self.nodes.result = None, False, None

    def _change(self, begun: BegunCall) -> None:
        """Record an operation's changes of its inputs."""
        call, index, identities, inputs, opaque = begun.of, begun.index, begun.identities, begun.inputs, begun.opaque
        given_out = bool(begun.kwargs) and begun.kwargs.get("out") is not None
        if given_out or not call.pure:
            self.values.summary_cache.wrote(inputs if call.own else None)
        if call.writes or given_out:
            self.states.written(index, identities, inputs, opaque)
        if call.unversioned and not opaque:
            for identity, tensor in zip(identities, inputs, strict=True):
                if not tensor.requires_grad and (call.name[-1] == "_" or tensor is not inputs[0]):  # norms read it
                    self.tensors.compare(identity, tensor, index, index)
        if call.renews and inputs:  # the tensor comes first; other arguments stay unchanged
            self.states.renewed(index, identities[0], inputs[0], call)
        if call.exposes:
            self.values.summary_cache.off = True
            for identity in identities:
                self.tensors.expose(identity)

    # ---- outside of operations ----------------------------------------------------------------------------------

    def seen(self, tensor: torch.Tensor) -> int:
        """Return the id of a tensor that the program uses outside of an operation."""
        self.nodes.operation_begins()  # torch may renew the node of a view
        try:
            return self.states.seen(tensor, self.operation_count + 1)
        finally:
            self.nodes.operation_ends()

    def read_gradients(
        self, call: TorchCall, held: list[tuple[torch.Tensor, torch.Tensor | None]], caller: FrameType
    ) -> None:
        """Record reads of `.grad` in one place. `held` has each leaf with what is read."""
        if not held or (begun := self.begin(call, held[0][:1], None, caller)) is None:
            return
        self.end(begun, held[0][1])
        operations, calls = self.rows.operations, self.rows.backwards.values()
        sums = self.nodes.sums(islice(reversed(calls), 1))
        row, frames = operations.cells[-OPERATION:], operations.frames.get(begun.index)
        for leaf, gradient in held[1:]:
            self.operation_count = index = operations.count + 1
            row[OP_INPUTS:OP_OUTPUTS] = read = self.states.read((leaf,), index, False)
            value = sums.get(read[0][0], 0)
            row[OP_OUTPUTS] = NONE if gradient is None else self.states.made(gradient, index, False, True, value)
            operations.cells += row
            operations.count = index
            if frames is not None:
                operations.frames[index] = frames

    # ---- the end ------------------------------------------------------------------------------------------------

    def finish(self, namespaces: list[dict]) -> None:
        """Record the final states, and replace modules by their paths.

        Args:
            namespaces: the program's namespaces, the most local first. Unknown tensors in them are left out.
        """
        self.gaps.close()
        for left in reversed(self.source_map.stack):
            self.name_left(left)
        namespaces = [{name: it for name, it in held.items() if id(type(it)) not in EMPTY} for held in namespaces]
        with self.paused():
            self.training.finish(namespaces)
        with without_modes():
            write_end_states(self.tensors, self.nodes, self.operation_count + 1, self.count_unrecorded)
        paths, optimizers = name_all(self.tensors, self.names, self.roots.found, namespaces)
        with self.paused():
            self.log.finish(optimizers)
        self.names.bind_within(self.nodes.within)
        self.rows.operations.name_modules(paths)
        self.rows.results = {key: (one.path(paths)[:NAME], parts) for key, (one, parts) in self.rows.results.items()}
        self.last_calls = {paths[key]: call for key, call in self.last_calls.items() if key in paths}

    def name_tensors(self, namespace: dict, names: Iterable[str], known_only: bool = False) -> None:
        """Bind the names of a namespace to their current tensors."""
        self.gaps.close()
        named = [
            (name, value)
            for name in names
            if issubclass(type(value := namespace.get(name)), _Tensor) and not name.startswith("_")
        ]
        bound = self.names.current[""]
        with self.paused():
            for name, tensor in named:
                try:
                    index = self.tensors.find(tensor) if known_only else self.seen(tensor)
                    if index and (name not in bound or bound[name].tensor != index):
                        made = self.rows.tensors.last(index, STATE_OPERATION)
                        self.names.bind(name, "", index, -1, made or self.operation_count)
                except Exception as problem:
                    self.count_unrecorded(problem)
            self.arrays.see(namespace, names, self.operation_count)

    def name_left(self, left: Activation) -> None:
        """Bind the names of a call to their values after its last operation."""
        for name, scope, tensor, before in self.names.rebound(left):
            try:
                if (index := self.tensors.find(tensor)) and index != before:
                    self.names.bind(name, scope, index, -1, self.operation_count, left.number)
            except Exception as problem:
                self.count_unrecorded(problem)

    def module_left(self, call: RunningModule, inputs: tuple, keywords: Mapping[str, Any], result: Any) -> None:
        """Called when the call of a module ends."""
        if self.gaps.open is not None:
            return
        if parts := named_parts(result):
            with self.paused():
                self.rows.results[id(call.module)] = call, [(name, self.tensors.find(one)) for name, one in parts]
        if call.caller is None and (len(self.last_calls) < MOST or id(call.module) in self.last_calls):
            with self.paused():
                self.last_calls[id(call.module)] = LastCall.of(call.module, inputs, keywords)
                if not self.roots.tried(call.module):
                    self.roots.called(call.module)

    def close(self) -> None:
        """End the recording: hooks become inactive, nothing of the program is held any more."""
        self.sink.close()
        self.modules.clear()
        books = self.training, self.log, self.source_map, self.tensors, self.nodes, self.names, self.roots
        for book in (*books, self.values):
            book.forget()
        del self.log, self.gaps  # they refer to this recorder: without the cycle all rows are freed at once
