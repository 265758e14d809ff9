"""The recorder: a TorchFunctionMode that records every torch call of the program and its results."""

import sys
from collections.abc import Callable, Iterable
from types import FrameType

import torch
from msgspec import Struct
from torch.autograd.graph import Node
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, _pop_mode, _push_mode

from explorer.runtime.recorder import answers
from explorer.runtime.recorder.arguments import arguments_text
from explorer.runtime.recorder.arrays import ArrayBook
from explorer.runtime.recorder.calls import CALLS, TorchCall, tensors_in
from explorer.runtime.recorder.ending import name_all, write_end_states
from explorer.runtime.recorder.functorch_wrappers import inside
from explorer.runtime.recorder.hidden_calls import dispatch_modes, function_modes, profiled, traced, unseen
from explorer.runtime.recorder.names import NameBook
from explorer.runtime.recorder.nodes import NodeBook, sequence_number
from explorer.runtime.recorder.program_places import DRAWS, CallSite, Places
from explorer.runtime.recorder.roots import ModuleRoots
from explorer.runtime.recorder.rows import (
    NODE,
    NODE_VALUES,
    OP_INPUTS,
    OP_SPAN,
    STATE,
    STATE_NODE,
    STATE_OPERATION,
    STATE_OUTPUT,
    STATE_VALUE,
    TENSOR,
    TENSOR_IS_LEAF,
    TENSOR_LAST,
    TENSOR_REQUIRES_GRAD,
    TENSOR_VERSION,
    BackwardRow,
    MarkedPlace,
    PruneMark,
    Rows,
)
from explorer.runtime.recorder.sink import Sink
from explorer.runtime.recorder.skipped_loops import SkippedLoop, gap_here
from explorer.runtime.recorder.stepping import OptimizerSteps, is_own
from explorer.runtime.recorder.tensors import TensorBook
from explorer.runtime.recorder.training import TrainingSteps
from explorer.runtime.recorder.training_log import TrainingBook
from explorer.runtime.recorder.values import ValueStore

_grad_enabled = torch._C.is_grad_enabled
_jit_state = torch._C._get_tracing_state
_in_functorch = torch._C._functorch.peek_interpreter_stack
_Tensor = torch.Tensor
_SEQUENCES = (list, tuple)
_STEPS = 24_000_000  # for the training steps in `record()`; a sixth of it in a child
_BETWEEN = 500  # operations recorded between two gaps
_MEMORY = ("data_ptr", "storage", "untyped_storage")  # calls that let the program write past torch


def _tensors_of_call(args: tuple, kwargs: dict | None) -> list[torch.Tensor]:
    """The tensors among a call's arguments, those in lists and dictionaries included."""
    inputs: list[torch.Tensor] = []
    for argument in args:
        if isinstance(argument, _Tensor):
            inputs.append(argument)
        elif type(argument) in _SEQUENCES:
            tensors_in(argument, inputs)
    if kwargs:
        tensors_in(kwargs, inputs)
    return inputs


class RunningOperation(Struct, gc=False):
    """A running operation: its id, tensors and their ids, the program's frame and the library frame it called."""

    index: int
    inputs: list[torch.Tensor]
    identities: list[int]
    outputs: list[int]
    span: int
    frame: FrameType | None
    callee: FrameType | None
    spot: CallSite | None
    opaque: bool


class Recorder(TorchFunctionMode):
    """Records what the program does with torch; it never changes the program.

    Attributes:
        places: the program's texts.
        rows: the recorded rows.
        running: the backward calls in progress, innermost last; while one runs the mode is passive: reading a tensor's
            state while the engine unpacks a saved tensor can deadlock.
        modules: the nn.Modules whose forward runs, innermost last; roots: names of the outermost ones.
        operation_cap: how many operations are kept before the middle of the run is only counted (None: all).
        calls_up: how many frames above `__torch_function__` the call stands.
    """

    calls_up = 1

    def __init__(self, places: Places, complete: bool, operation_cap: int | None = None) -> None:
        super().__init__()
        self.places, self.complete, self.operation_cap = places, complete, operation_cap
        self.rows, self.values = Rows(), ValueStore()
        self.sink = Sink(self.rows, self.values)
        self.sink.name_gradients = self._name_gradients
        self.tensors = TensorBook(self.rows, self.values, complete)
        self.arrays = ArrayBook(self.tensors)
        self.nodes = NodeBook(self.rows, self.tensors, self.sink, complete)
        self.nodes.hook_cap = operation_cap
        self.operation_count = self.backward_count = 0
        self.passive = 0
        self.asked = False  # whether the program called backward, even if that failed before the engine ran
        self.running: list[tuple[int, BackwardRow]] = []
        self.modules: list[torch.nn.Module] = []
        self.names = NameBook(self.rows)
        self.steps = OptimizerSteps(self.tensors.find)
        self.training = TrainingSteps(places, self.tensors, _STEPS if operation_cap is None else _STEPS // 6)
        self.log = TrainingBook(places, self.tensors, lambda: self.operation_count, lambda: self.gap is None)
        self.roots = ModuleRoots(places.files, self.tensors)
        self.gap: SkippedLoop | None = None
        self._next_gap = 0  # operations before the next one
        self.settled: PruneMark | None = None  # how far the last pruning has examined the rows
        self.on_full = lambda: None  # called when operation_cap is exceeded
        self.on_failure: Callable[[BaseException, int], None] | None = None  # called with exceptions of operations

    def __exit__(self, *problem) -> None:
        """Leave torch's stack of modes from any position: recordings may end in another order than they began."""
        if self not in _get_current_function_mode_stack():  # ended in another thread than it began in
            return
        above = []
        while (top := _pop_mode()) is not self:
            above.append(top)
        for mode in reversed(above):
            _push_mode(mode)

    # ---- operations ---------------------------------------------------------------------------------------------

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Called by torch in place of every call, with this mode disabled."""
        call = CALLS[function]
        modes = dispatch_modes()
        if self.passive or not call.recorded or _jit_state() is not None or (modes and traced()):
            if call.hooks:
                self.hooked()
                if not self.passive and call.name == "register_hook" and args:
                    self.hooked_at(args[0])
            elif call.name == "backward":
                self.asked = True
            elif call.name in _MEMORY:
                self.values.remembered.off = True
            return function(*args, **kwargs) if kwargs else function(*args)
        if self.gap is not None and self.skips(sys._getframe(1)):
            return self._unwatched(call, function, args, kwargs)
        if self.steps.marks and self.steps.hides(call.name, args, sys._getframe(self.calls_up)):
            return self._within_step(call, function, args, kwargs)
        seen = types or modes or function_modes() or profiled()  # by code of the program
        if seen:
            with unseen():
                begun = self.begin(call, args, kwargs, sys._getframe(self.calls_up))
        else:
            begun = self.begin(call, args, kwargs, sys._getframe(self.calls_up))
        try:
            result = function(*args, **kwargs) if kwargs else function(*args)
        except BaseException as problem:
            self.failed(begun, problem)
            raise
        if seen:
            with unseen():
                self.end(begun, call, kwargs, result)
        else:
            self.end(begun, call, kwargs, result)
        return result

    # ---- the middle of a long loop ------------------------------------------------------------------------------

    def skips(self, frame: FrameType) -> bool:
        """Whether a call from `frame` is inside an open gap; closes a gap that has ended."""
        try:
            if not self.gap.goes_on(frame):
                self.close_gap()
        except Exception:
            self.close_gap()
            self.lost()
        return self.gap is not None

    def close_gap(self) -> None:
        """Record everything again from now on."""
        gap, self.gap = self.gap, None
        if gap is None:
            return
        self.values.remembered.moment += 1
        counted, unwatched = self.rows.counted, sequence_number() - gap.start
        for kind, count in (("operations", gap.operations), ("nodes", unwatched), ("backwards", gap.backwards)):
            counted[kind] = counted.get(kind, 0) + count
        self._next_gap = self.operation_count + _BETWEEN
        try:
            self.nodes.skip(gap.start, self.operation_count)
            gap.close()
            with unseen():
                for index, tensor in self.tensors.living():
                    self.tensors.renewed(index, tensor)
        except Exception:
            self.lost()

    def _unwatched(self, call: TorchCall, function, args: tuple, kwargs: dict | None):
        self.operation_count += 1
        self.gap.operations += 1
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        except BaseException as problem:
            self.close_gap()
            self.failed(self.begin(call, args, kwargs, sys._getframe(2)), problem)
            raise

    def hooked(self) -> None:
        """Code of the program hooks into the graph."""
        self.nodes.user_code = self.sink.hooked = True

    def hooked_at(self, tensor: torch.Tensor) -> None:
        """The program registers a hook on a tensor."""
        try:
            with unseen():
                self.log.hooked(tensor)
        except Exception:
            self.lost()

    def release(self, tensors: tuple[torch.Tensor, ...]) -> None:
        """Release tensor objects that are about to be swapped: torch counts references."""
        self.close_gap()
        for tensor in tensors:
            self.nodes.release(self.tensors.find(tensor))

    def part_with(self, tensors: tuple[torch.Tensor, ...]) -> None:
        """Forget tensor objects after a swap: they are recorded as new ones."""
        try:
            with unseen():
                for tensor in tensors:
                    if self.tensors.find(tensor):
                        self.tensors.part_with(tensor)
                        self.seen(tensor)
        except Exception:
            self.lost()

    def lost(self) -> None:
        """Count something that could not be recorded."""
        counted = self.rows.counted
        counted["lost"] = counted.get("lost", 0) + 1

    def _mark(self, index: int) -> MarkedPlace:
        """Note the place of a recorded operation."""
        operations = self.rows.operations
        at = operations.at(index)
        span, iteration, module, _, in_backward = operations.cells[at + OP_SPAN : at + OP_INPUTS]
        return MarkedPlace(span, iteration, module, in_backward, operations.frames.get(index, ""))

    def begin(self, call: TorchCall, args: tuple, kwargs: dict | None, caller: FrameType) -> "RunningOperation | None":
        """Record the start of an operation, with its place and its inputs.

        Returns None for calls that only draw tensors, and if recording fails, which is counted.
        """
        try:
            if self.steps.marks and not (call.name == "grad" and is_own(caller)):
                self.end_step()
            frame, callee = caller, None
            files = self.places.files
            while frame is not None and (cell := files[frame.f_code.co_filename]) < 0:
                if cell == DRAWS:
                    return None
                frame, callee = frame.f_back, frame
            opaque = _in_functorch() is not None  # inside torch.func everything is a wrapper
            operations = self.rows.operations
            if operations.count != self.operation_count:  # some were not recorded
                operations.skip_to(self.operation_count)
            self.operation_count = index = operations.count + 1
            span, spot = -1, None
            iteration: tuple[int, ...] = ()
            if frame is not None:
                spot, iteration = self.places.locate(frame, callee)
                span = spot.span
            inputs = _tensors_of_call(args, kwargs)
            identities = [self.seen(tensor, opaque, index) for tensor in inputs]
            tensors = self.rows.tensors
            if tensors.gone:
                versions = [tensors.field(identity, TENSOR_VERSION) for identity in identities]
            else:
                cells = tensors.cells
                versions = [cells[(identity - 1) * TENSOR + TENSOR_VERSION] for identity in identities]
            outputs: list[int] = []
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
                outputs,
            )
            operations.count = index
            if callee is not None and (text := self.places.between(caller, frame)):
                operations.frames[index] = text
            if (self.complete or call.marks) and (text := arguments_text(args, kwargs, len(inputs))):
                operations.arguments[index] = text
            if call.marks:
                self.steps.marked(call.name, args, self._mark(index))
            if inputs and spot is not None:
                self.names.note_inputs(index, identities, inputs, spot, frame)
            nodes = self.nodes
            nodes.starts.append(sequence_number())
            nodes.start_operations.append(index)
            if self.operation_cap is not None and len(operations) > self.operation_cap:
                self.on_full()
            if self.settled is not None and index >= self._next_gap and not self.running:
                self._next_gap = index + _BETWEEN
                self.gap = gap_here(self.places, self.operation_cap // 4, sequence_number())
            return RunningOperation(index, inputs, identities, outputs, span, frame, callee, spot, opaque)
        except Exception:
            self.lost()
            return None

    def failed(self, begun: "RunningOperation | None", problem: BaseException) -> None:
        """The operation raised."""
        of_its_own = isinstance(problem, Exception)  # otherwise a limit or an exit interrupted it
        if of_its_own and begun is not None and begun.index in self.rows.operations:  # it may have been dropped
            self.rows.operations.errors[begun.index] = type(problem).__name__
        if self.on_failure is not None:
            self.on_failure(problem, -1 if begun is None else begun.span)

    def end(self, begun: "RunningOperation | None", call: TorchCall, kwargs: dict | None, result: object) -> None:
        """Record what an operation changed and made, as far as torch lets it be read."""
        if begun is None:
            return
        try:
            index, outputs, opaque = begun.index, begun.outputs, begun.opaque
            if kwargs or not call.pure or call.renews:
                self._change(begun, call, kwargs)
            if self.complete and not opaque:
                self.nodes.at_hand = [] if call.writes else begun.inputs
            if isinstance(result, _Tensor):
                outputs.append(self.made(result, index, opaque, call.shares))
            elif result is not None:
                outputs.extend([self.made(tensor, index, opaque, True) for tensor in tensors_in(result, [])])
            if begun.spot is not None and begun.spot.targets is not None:
                self._bind_targets(begun, call)
        except Exception:
            self.lost()
        finally:
            self.nodes.at_hand = None

    def _change(self, begun: "RunningOperation", call: TorchCall, kwargs: dict | None) -> None:
        """Record what an operation did to its inputs."""
        index, identities, inputs, opaque = begun.index, begun.identities, begun.inputs, begun.opaque
        given_out = bool(kwargs) and kwargs.get("out") is not None
        if given_out or not call.pure:
            self.values.remembered.moment += 1
        if call.writes or given_out:
            self._writes(index, identities, inputs, opaque)
        if call.renews and inputs:  # the tensor itself comes first; the other arguments stay unchanged
            self._renew(index, identities[0], inputs[0], call)
        if call.exposes:
            self.values.remembered.off = True
            for identity in identities:
                self.tensors.expose(identity)

    # ---- an optimizer's step ------------------------------------------------------------------------------------

    def _within_step(self, call: TorchCall, function, args: tuple, kwargs: dict | None):
        try:
            with unseen():
                for tensor in self.steps.using(call.name, args, kwargs):
                    self.seen(tensor)  # a backward has added to `.grad` before the step
        except Exception:
            self.lost()
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        except BaseException as problem:
            self.failed(self.begin(call, args, kwargs, sys._getframe(1 + self.calls_up)), problem)
            raise

    def end_step(self) -> None:
        """Record the step so far as one operation."""
        step = self.steps.pending()
        if step is None:
            return
        used, step.read = step.read, {}
        fused, step.fused = step.fused, set()
        tensors = self.rows.tensors
        used = {identity: tensor for identity, tensor in used.items() if identity in tensors}
        operations, mark = self.rows.operations, step.mark
        operations.skip_to(self.operation_count)
        identities = list(used)
        outputs: list[int] = []
        self.operation_count = index = operations.add(
            step.name,
            f"torch.optim.{step.name}" if hasattr(torch.optim, step.name.partition(".")[0]) else step.name,
            mark.span,
            mark.iteration,
            mark.module,
            False,
            mark.in_backward,
            identities,
            [tensors.field(identity, TENSOR_VERSION) for identity in used],
            outputs,
        )
        if mark.frames:
            operations.frames[index] = mark.frames
        self.nodes.starts.append(sequence_number())
        self.nodes.start_operations.append(index)
        self._writes(index, identities, list(used.values()), False)
        self.values.remembered.moment += bool(fused)
        for identity in fused & used.keys():
            self.tensors.compare(identity, used[identity], index, index)
        outputs += [identity for identity in used if tensors.last(identity, STATE_OPERATION) == index]

    def seen(self, tensor: torch.Tensor, opaque: bool = False, operation: int = 0) -> int:
        """The id of a tensor that the program uses; unrecorded changes are recorded first.

        `operation` is the operation that begins, 0 for none.
        """
        begun = operation or self.operation_count + 1
        known = self.tensors.known.get(id(tensor))
        if known is None or known[0]() is not tensor:
            index = self.tensors.add(tensor, 0)
            self._attach(index, inside(tensor) if opaque else tensor)
            return index
        index, tensors = known[1], self.rows.tensors
        cells, at = tensors.cells, tensors.at(index) if tensors.gone else (index - 1) * TENSOR
        if at < 0:  # dropped because the run was too long: it is added again
            return self.tensors.add(tensor, 0)
        if tensors.stale and index in tensors.stale:
            tensors.stale.discard(index)
            self._attach(index, tensor)
        try:
            version = tensor._version
        except Exception:  # inference tensors have no version
            version = -1
        if cells[at + TENSOR_VERSION] != version or cells[at + TENSOR_REQUIRES_GRAD] is not tensor.requires_grad:
            cells[at + TENSOR_REQUIRES_GRAD], cells[at + TENSOR_IS_LEAF] = tensor.requires_grad, answers.is_leaf(tensor)
            written = self.tensors.unseen_write(index)
            node, output = tensors.last(index, STATE_NODE), tensors.last(index, STATE_OUTPUT)
            self.tensors.changed(index, tensor, written, node, output, begun)
            if written and not opaque:
                self._attach(index, tensor)
        elif tensors.exposed and index in tensors.exposed:
            self.tensors.compare(index, tensor, begun)
        return index

    def made(self, tensor: torch.Tensor, operation: int, opaque: bool, shares: bool) -> int:
        """The id of a returned tensor; `shares`: it may share an argument's memory without being a view."""
        known = self.tensors.known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] in self.rows.tensors:
            index, tensors = known[1], self.rows.tensors
            historic = tensor.requires_grad and not answers.is_leaf(tensor)
            if historic and not tensors.last(index, STATE_NODE):  # a custom Function gave it a history
                at = tensors.at(index)
                tensors.cells[at + TENSOR_REQUIRES_GRAD], tensors.cells[at + TENSOR_IS_LEAF] = True, False
                tensors.write_last(index, STATE_OPERATION, operation)
                self._attach(index, tensor)
            return index  # an input returned as it is: its writes are already recorded
        fresh = not shares and answers.has_own_memory(tensor)
        node = None if opaque else answers.grad_fn(tensor)
        index = self.tensors.add(tensor, operation, fresh, node is not None)
        if node is not None or opaque:
            self._attach(index, inside(tensor) if opaque else tensor, node)
        return index

    def _attach(self, index: int, tensor: torch.Tensor, node: Node | None = None) -> None:
        """Connect the last state of a tensor with its node."""
        if node is None and (node := answers.grad_fn(tensor)) is None:
            return
        identity = self.nodes.register(node)
        tensors, nodes, output = self.rows.tensors, self.rows.nodes, tensor.output_nr
        states = tensors.states
        at = tensors.at(index) if tensors.gone else (index - 1) * TENSOR
        last = tensors.cells[at + TENSOR_LAST]
        at = states.at(last) if states.gone else (last - 1) * STATE
        states.cells[at + STATE_NODE], states.cells[at + STATE_OUTPUT] = identity, output
        value = states.cells[at + STATE_VALUE]
        at = nodes.at(identity) if nodes.gone else (identity - 1) * NODE
        if at < 0:
            return
        values = nodes.cells[at + NODE_VALUES]
        if not values and not output:
            values.append(value)
            return
        values = nodes.values(identity, output)
        values[output] = values[output] or value

    def _writes(self, operation: int, identities: list[int], inputs: list[torch.Tensor], opaque: bool) -> None:
        written = set()
        for index, tensor in zip(identities, inputs, strict=True):
            tensors = self.rows.tensors
            if index not in tensors or index in written:
                continue
            if answers.version(tensor) == tensors.field(index, TENSOR_VERSION) != -1:
                continue
            written |= {index, self._write(operation, index, tensor, opaque)}
        for index in list(written):
            for alias, tensor in self.tensors.aliases(index, operation):
                if alias not in written:
                    written.add(alias)
                    tensors = self.rows.tensors
                    node, output = tensors.last(alias, STATE_NODE), tensors.last(alias, STATE_OUTPUT)
                    self.tensors.changed(alias, tensor, operation, node, output)
                    tensors.stale.add(alias)

    def _write(self, operation: int, index: int, tensor: torch.Tensor, opaque: bool) -> int:
        """Record a write to a tensor; return the id of the base whose history it rewrote, or 0."""
        self.tensors.renewed(index, tensor)
        self.tensors.changed(index, tensor, operation, 0, 0)
        if opaque:
            return 0
        self._attach(index, tensor)
        known = 0
        if tensor.requires_grad and tensor._is_view():  # the write rewrote the base's history
            base = tensor._base
            known = self.tensors.find(base) if base is not None else 0
            if known:
                self.tensors.changed(known, base, operation, 0, 0)
                self.tensors.renewed(known, base)
                self._attach(known, base)
        return known

    def _renew(self, operation: int, index: int, tensor: torch.Tensor, call: TorchCall) -> None:
        self.tensors.renewed(index, tensor)
        if call.name == "data=" or (call.name.endswith("_") and call.name != "requires_grad_"):
            self.tensors.compare(index, tensor, operation, operation)

    def _bind_targets(self, begun: "RunningOperation", call: TorchCall) -> None:
        """Bind the names that the expression is assigned to, if this call is the whole expression."""
        names, outputs = begun.spot.targets, begun.outputs
        if begun.callee is not None and begun.callee.f_code is not call.code:
            return
        if len(names) == len(outputs):
            for name, tensor in zip(names, outputs, strict=True):
                if name is not None:
                    self.names.bind(name, begun.spot.scope, tensor, begun.spot.span, begun.index)

    # ---- backward -----------------------------------------------------------------------------------------------

    def _name_gradients(self, gradients: tuple) -> None:
        """Record the nodes of gradients under create_graph, which have a history of their own."""
        with unseen():
            for gradient in gradients:
                if gradient is not None and gradient.grad_fn is not None:
                    made = self.nodes.of(gradient)
                    if made in self.rows.nodes:
                        output = gradient.output_nr
                        values = self.rows.nodes.values(made, output)
                        values[output] = values[output] or self.values.add(gradient)

    # ---- the end ------------------------------------------------------------------------------------------------

    def finish(self, namespaces: list[dict]) -> dict[int, str]:
        """Record the final states; return the path of each module by its id.

        Args:
            namespaces: the program's namespaces, the most local first; unknown tensors in them are left out.
        """
        self.close_gap()
        self.end_step()
        with unseen():
            try:
                self.training.finish(namespaces)
                self.log.finish()
            except Exception:
                self.lost()
            write_end_states(self.tensors, self.operation_count + 1, self.lost)
        return name_all(self.tensors, self.names, self.roots.found, namespaces)

    def name_tensors(self, namespace: dict, names: Iterable[str], known_only: bool = False) -> None:
        """Bind names of a namespace to their tensors, as they stand now."""
        self.close_gap()
        with unseen():
            for name in names:
                value = namespace.get(name)
                if isinstance(value, _Tensor) and not name.startswith("_"):
                    try:
                        self._name_tensor(name, value, known_only)
                    except Exception:
                        self.lost()
            try:
                self.arrays.see(namespace, names, self.operation_count)
            except Exception:
                self.lost()

    def _name_tensor(self, name: str, tensor: torch.Tensor, known_only: bool) -> None:
        index = self.tensors.find(tensor) if known_only else self.seen(tensor)
        if index:
            made = self.rows.tensors.last(index, STATE_OPERATION)
            self.names.bind(name, "", index, -1, made or self.operation_count)

    def module_called(self, module: torch.nn.Module) -> None:
        """Called when a module runs that no other module called."""
        if self.gap is None:
            try:
                with unseen():
                    self.roots.called(module)
            except Exception:
                self.lost()

    def forget(self) -> None:
        """Drop all rows; only their number is kept."""
        self.rows = Rows(counted={"lost": self.operation_count + 1})
        self.values.clear()
        self.arrays.rows.clear()
        self.training.drop()

    def close(self) -> None:
        """End the recording: hooks become inactive, nothing of the program is held any more."""
        self.sink.close()
        self.steps.forget()
        self.training.forget()
        self.log.forget()
        self.places.forget()
        self.tensors.forget()
        self.nodes.forget()
        self.modules.clear()
        self.names.forget()
        self.roots.forget()
