"""Record backward calls: the patch between the program and torch's engine."""

import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain
from types import FrameType
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack

from explorer.runtime.recorder import (
    gradient_hooks,
    optimizer_steps,
    properties,
    torch_patches,
    training_log,
    warning_filter,
)
from explorer.runtime.recorder.calls import BegunCall, TorchCall
from explorer.runtime.recorder.hidden_calls import (
    call_of,
    runs_compiled,
    traced,
    unrecorded,
    when_returned,
    without_mode,
    without_modes,
)
from explorer.runtime.recorder.memory import is_wrapped
from explorer.runtime.recorder.nodes import sequence_number
from explorer.runtime.recorder.optimizer_steps import OptimizerStep, is_recorded, remove_gradients
from explorer.runtime.recorder.own_hooks import modules_unhooked
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import NODE_OPERATION, NODE_VARIABLE, STATE_OPERATION, BackwardRow, SequenceRange
from explorer.runtime.recorder.sharded_parameters import ShardedLeaves
from explorer.runtime.recorder.source_map import release_variables, safe_str
from explorer.runtime.recorder.training_rows import StartedStep

MOST_WARNINGS = 100  # most warnings of a run whose places are kept
LONGEST_WARNING = 20_000  # longest warning
_RUNTIME = os.path.dirname(os.path.dirname(__file__))
_RECORDER = os.path.dirname(__file__)
_REPLACING = tuple(  # functions that replace torch's, or run within its warnings
    module.__file__ for module in (torch_patches, training_log, optimizer_steps, warning_filter)
)
_PARAMETERS = torch.nn.Module.parameters, torch.nn.Module.named_parameters
_in_functorch = torch._C._functorch.peek_interpreter_stack
_anomaly_enabled = torch.is_anomaly_enabled
_is_distributed = torch.distributed.is_initialized if torch.distributed.is_available() else bool


def foreign(given) -> bool:
    """Return whether a call uses the graph of an ended torch.func transform."""
    tensors = (tensor for tensor in given if isinstance(tensor, torch.Tensor))
    return _in_functorch() is None and any(map(is_wrapped, tensors))


class EnginePatch:
    """A recorder's part in one thread's backward calls and Functions.

    Attributes:
        kind: kind of recorded calls while set, "" for their own: the side pass sets "implicit".
        warnings: the first in its thread, each with its span. Warnings of torch count even if Python hides them.
        before: called just before a call that frees its graph, until it returns True (the side pass of `--of`).
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.kind = ""
        self.before: Callable[[], bool] | None = None
        self._thread = threading.get_ident()
        self.warnings: list[tuple[str, int]] = []
        self._within = 0  # running calls that are not recorded

    def __enter__(self) -> "EnginePatch":
        torch_patches.begin(self, self._thread)
        return self

    def __exit__(self, *problem) -> None:
        torch_patches.end(self, self._thread)

    def thread_started(self) -> None:
        """Count a started thread: other threads are not recorded."""
        self.recorder.rows.counted["threads"] += 1

    def trained_elsewhere(self) -> None:
        """Note a backward in a thread that is not recorded."""
        self.recorder.rows.counted["elsewhere"] += 1

    def hooked(self) -> None:
        """Called when code of the program hooks into the graph."""
        self.recorder.hooked()

    def refers_to(self, reference: weakref.ref) -> bool:
        """Return whether a weak reference belongs to the recorder."""
        return self.recorder.tensors.refers_to(reference)

    def swapped(self, tensor: torch.Tensor) -> None:
        """Record a swapped tensor object as a new one."""
        self.recorder.part_with(tensor)

    def made_new(self, tensor: torch.Tensor) -> None:
        """Note that a tensor object has another's contents."""
        self._note(self.recorder.seen, tensor)

    def warned(self, show, warning: warnings.WarningMessage) -> None:
        """Keep a warning. If a frame of the recorder seems to cause it, warn at the frame that does without it."""
        if self._is_reading():
            return
        frame = self.silenced(f"{warning.category.__name__}: {warning.message}\n")
        if frame is None or not warning.filename.startswith(_RUNTIME):
            show(warning)
            return
        caller: FrameType | None = sys._getframe(1)
        while caller is not None and caller.f_code.co_filename.startswith(_RUNTIME):
            if (caller.f_code.co_filename, caller.f_lineno) == (warning.filename, warning.lineno):  # from C code
                frame = caller.f_back or frame
            caller = caller.f_back
        scope, line = frame.f_globals, frame.f_lineno
        module, registry = scope.get("__name__"), scope.setdefault("__warningregistry__", {})
        warnings.warn_explicit(
            warning.message, warning.category, frame.f_code.co_filename, line, module, registry, source=warning.source
        )

    def silenced(self, text: str) -> FrameType | None:
        """Keep a warning that may be hidden. Return the program's frame that caused it."""
        frame, _ = self.recorder.source_map.program_frame(1)
        if frame is not None and not self._is_reading():
            warning = text[:LONGEST_WARNING], self.recorder.source_map.call_site(frame).span
            if len(self.warnings) < MOST_WARNINGS and warning not in self.warnings:
                self.warnings.append(warning)
        return frame

    def _is_reading(self) -> bool:
        """Return whether the recorder itself computes."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and self.recorder.source_map.files[frame.f_code.co_filename] < 0:
            code = frame.f_code
            if code.co_filename.startswith(_RECORDER) and not (code in _PASSING or code.co_filename in _REPLACING):
                return True
            frame = frame.f_back
        return False

    # ---- the engine ---------------------------------------------------------------------------------------------

    def run(self, engine, outputs, /, *args, **kwargs):
        """Replaces `_engine_run_backward`: makes the same call and records it."""
        recorder = self.recorder
        given = [*outputs, *(args[3] if len(args) > 3 else ())]
        if foreign(given) or traced():
            return engine(outputs, *args, **kwargs)
        if self.before is None and recorder.gaps.skip_or_close(sys._getframe(1)):
            recorder.gaps.open.backwards += 1
            return self._unwatched(engine, outputs, args, kwargs)
        recorder.gaps.close()
        recorder.pauses += 1
        try:
            if self.before is not None and not (len(args) > 1 and args[1]):
                before, self.before = self.before, None
                if not before():
                    self.before = before
            index, row = self._begun(outputs, args, kwargs)
            if row is None:
                return engine(outputs, *args, **kwargs)
            row.begun = sequence_number()
            if row.create_graph:
                recorder.nodes.engine.append(SequenceRange(row.begun, 2**63, index))
            sharded = self._note(ShardedLeaves, recorder)
            taken = self._step_begins(outputs, args, kwargs, row)
            if recorder.sink.asked is not None and self._note(recorder.sink.asked.begins, index, outputs):
                args = (*args[:1], True, *args[2:])  # retain the graph until the requested entries are explained
            self.trained("backward", index)
            recorder.running.append((index, row))
            # Torch itself may read gradients during a backward, or change them, as DistributedDataParallel does.
            recorder.sink.early |= recorder.nodes.user_code or _anomaly_enabled() or _is_distributed()
            recorder.sink.enter(row)
            try:
                results = engine(outputs, *args, **kwargs)
            except BaseException as problem:
                row.status, row.error = "failed", safe_str(problem)[:4000]
                row.failed_node = self._failed(row, problem)
                if taken is not None:
                    recorder.training.failed(taken)
                raise
            finally:
                if recorder.nodes.user_code:  # user code ran too
                    recorder.values.summary_cache.moment += 1
                self._note_sums(row)
                recorder.running.pop()
                recorder.sink.enter(recorder.running[-1][1] if recorder.running else None)
                if row.create_graph:
                    recorder.nodes.engine[-1].end = sequence_number()
            with recorder.paused():
                self._end(index, row, args, kwargs, results)
                if sharded is not None:
                    sharded.end(row)
                if recorder.sink.asked is not None:
                    recorder.sink.asked.ended(index, row)
            self._step_ends(taken, results, index)
            return results
        finally:
            recorder.pauses -= 1

    def _unwatched(self, engine, outputs, args, kwargs):
        """Record only a call's training step, within a long loop."""
        self.recorder.gaps.pause()
        try:
            taken = self._step_begins(outputs, args, kwargs, None)
            self.trained("backward", 0)
            self._within += 1
            try:
                results = engine(outputs, *args, **kwargs)
            except BaseException:
                if taken is not None:
                    self.recorder.training.failed(taken)
                raise
            finally:
                self._within -= 1
            self._step_ends(taken, results, 0)
            return results
        finally:
            self.recorder.gaps.go_on()

    def _step_begins(self, outputs, args, kwargs, row: BackwardRow | None) -> StartedStep | None:
        recorder = self.recorder
        if self.kind or self._within or recorder.running:  # a nested backward is not a step
            return None
        inputs = (args[3] if len(args) > 3 else None) or ()
        with recorder.paused():
            frame, _ = recorder.source_map.program_frame(2)
            leaves = None if row is None or inputs else partial(recorder.nodes.leaves_below, row.roots)
            accumulates, watched = bool(kwargs.get("accumulate_grad")), row is not None
            return recorder.training.begin(outputs, accumulates, inputs, frame, watched, leaves)
        return None

    def _step_ends(self, taken: StartedStep | None, results: object, index: int) -> None:
        if taken is not None:
            self._note(self.recorder.training.end, taken, results, index)

    def stepping(self, optimizer: object) -> None:
        """Note that an optimizer begins its step."""
        self.recorder.gaps.pause()
        with self.recorder.paused():
            self.recorder.training.stepping(optimizer)
            self.recorder.log.stepping(optimizer)

    def stepped(self, optimizer: object) -> None:
        """Note that an optimizer has ended its step."""
        self.recorder.training.stepped()
        self._note(self.recorder.log.stepped, optimizer)
        self.recorder.gaps.go_on()

    def step(self, step, optimizer, /, *args, **kwargs):
        """Replaces an optimizer's step of torch: makes it and records it."""
        if not (args or kwargs):  # a closure computes other gradients
            self._note(self.recorder.training.expect, optimizer)
        if not is_recorded(self.recorder) or optimizer.defaults.get("differentiable"):
            return step(optimizer, *args, **kwargs)
        return OptimizerStep(self.recorder, optimizer, sys._getframe(1)).run(step, args, kwargs)

    def zero_grad(self, zero_grad, owner, /, *args, **kwargs):
        """Replaces `zero_grad` of optimizers and modules."""
        kind = torch.optim.Optimizer if isinstance(owner, torch.optim.Optimizer) else torch.nn.Module
        own = kind is torch.nn.Module and (type(owner).parameters, type(owner).named_parameters) != _PARAMETERS
        to_none = all(given is True for given in (*args, *kwargs.values()))  # `set_to_none`
        if not to_none or not is_recorded(self.recorder) or own:
            return zero_grad(owner, *args, **kwargs)
        groups = [owner.parameters()] if kind is torch.nn.Module else [group["params"] for group in owner.param_groups]
        remove_gradients(self.recorder, kind, chain.from_iterable(groups), sys._getframe(1))
        with without_mode(self.recorder):
            return zero_grad(owner)

    def trained(self, event: str, *given) -> None:
        """Pass an event to the TrainingBook, by its name."""
        if not self.kind:  # the side pass is not part of the program
            self._note(getattr(self.recorder.log, event), *given)

    def _note(self, write: Callable[..., Any], *given) -> Any:
        """Record something while the mode does not see the reads, None if that fails."""
        with self.recorder.paused():
            return write(*given)
        return None

    def refused(self, outputs, grads, problem: Exception, caller: FrameType) -> None:
        """`_make_grads` refused a root: record that call too."""
        recorder = self.recorder
        if foreign(outputs) or traced():
            return
        if recorder.gaps.skip_or_close(caller):
            recorder.gaps.open.backwards += 1
            return
        accumulates = caller.f_code is torch.autograd.backward.__code__
        _, row = self._begun(outputs, (grads,), {"accumulate_grad": accumulates})
        if row is not None:
            row.status, row.error = "failed", safe_str(problem)[:4000]

    def _begun(self, outputs, args, kwargs) -> tuple[int, BackwardRow | None]:
        """Return a new call's id and row, or None."""
        recorder = self.recorder
        with recorder.paused():
            return self._begin(outputs, args, kwargs)
        recorder.rows.backwards.pop(recorder.backward_count, None)
        return 0, None

    def _begin(self, outputs, args, kwargs) -> tuple[int, BackwardRow]:
        recorder = self.recorder
        given = dict(zip(("seeds", "retain", "create", "inputs"), args, strict=False))
        recorder.backward_count = index = recorder.backward_count + 1
        recorder.tensors.compare_exposed(recorder.operation_count + 1)
        frame, _ = recorder.source_map.program_frame(3)
        span = -1 if frame is None else recorder.source_map.call_site(frame).span
        create = bool(given.get("create"))
        recorder.nodes.again = self._again()
        row = BackwardRow(
            kind=self.kind or ("backward" if kwargs.get("accumulate_grad") else "grad"),
            span=span,
            operations=recorder.operation_count,
            roots=[_node_of(recorder, output) for output in outputs],
            root_tensors=[recorder.seen(o) if isinstance(o, torch.Tensor) else 0 for o in outputs],
            seeds=[0 if seed is None else recorder.values.add(seed) for seed in given.get("seeds") or ()],
            inputs=[recorder.seen(i) if isinstance(i, torch.Tensor) else 0 for i in given.get("inputs") or ()],
            retain_graph=bool(given.get("retain")),
            create_graph=create,
            inside=recorder.running[-1][0] if recorder.running else 0,
        )
        recorder.nodes.again = None
        recorder.rows.backwards[index] = row
        if recorder.sink.kept is not None:
            recorder.sink.kept.backward_begins(index)
        if recorder.nodes.hook_cap is not None:
            for output in outputs:
                node = properties.grad_fn(output) if isinstance(output, torch.Tensor) else output.node
                if node is not None:
                    recorder.nodes.hook_below(node)
        if frame is not None:
            self._name_roots(outputs, row, frame)
        return index, row

    def _again(self) -> tuple[int, int] | None:
        """Return NodeBook.again for a nested call (in a reentrant checkpoint)."""
        recorder = self.recorder
        outer = recorder.running[-1][1] if recorder.running else None
        if outer is None or not outer.order or outer.order[-1] not in recorder.rows.nodes:
            return None
        return outer.begun, recorder.rows.nodes.field(outer.order[-1], NODE_OPERATION)

    def _name_roots(self, outputs, row: BackwardRow, frame) -> None:
        source_map = self.recorder.source_map
        code, site = source_map.code(frame.f_code), source_map.call_site(frame)
        variables = frame.f_locals
        for name in site.operands:
            value = variables.get(name, frame.f_globals.get(name))
            for tensor, output in zip(row.root_tensors, outputs, strict=True):
                if value is output and tensor:
                    made = self.recorder.rows.tensors.last(tensor, STATE_OPERATION)
                    scope = code.scope if name in variables else ""
                    call = source_map.call_of(frame) if scope else 0
                    self.recorder.names.bind(name, scope, tensor, -1, made or row.operations, call)
        release_variables(frame, variables)

    def _note_sums(self, row: BackwardRow) -> None:
        """Record this call's `.grad` sums, and known `.grad` tensors' states."""
        recorder, nodes = self.recorder, self.recorder.rows.nodes
        with recorder.paused():
            for node in row.accumulations:
                if node not in nodes:
                    continue
                if node not in row.left and node != row.failed_node:
                    recorder.sink.accumulated(row, node, recorder.sink.leaf_gradient(row.handed[node][0]))
                gradient = recorder.sink.leaf_gradient(nodes.field(node, NODE_VARIABLE))
                if gradient is not None and recorder.tensors.find(gradient):
                    recorder.seen(gradient)

    def _end(self, index: int, row: BackwardRow, args, kwargs, results) -> None:
        """End a call. autograd.grad's result existed before its inputs' nodes ran: record it as their gradient."""
        inputs = args[3] if len(args) > 3 else ()
        if not inputs or kwargs.get("accumulate_grad"):
            return
        recorder, there = self.recorder, set(row.order)
        for tensor, result in zip(inputs, results, strict=False):
            if result is None:
                continue
            node = _node_of(recorder, tensor)
            number = tensor.output_nr
            if node and node not in there:
                row.order.append(node)
                row.captured.add(node)
                row.arrived.append([0] * number + [recorder.values.add(result)])
                if recorder.sink.kept is not None:
                    recorder.sink.kept.taken(index, node, number, result)

    def _failed(self, row: BackwardRow, problem: BaseException) -> int:
        """Return the node in which an error began, 0 if none."""
        last, traceback = row.order[-1] if row.order else 0, problem.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename != gradient_hooks.__file__:
            traceback = traceback.tb_next
        return 0 if self.recorder.complete and (last in row.left or traceback is not None) else last

    # ---- custom functions ---------------------------------------------------------------------------------------

    def apply_function(self, original, cls, /, *args, **kwargs):
        """Replace `Function.apply` by one recorded operation."""
        recorder = self.recorder
        if recorder.pauses or traced():
            return original(cls, *args, **kwargs)
        if recorder.gaps.skip_or_close(sys._getframe(2)):
            recorder.operation_count += 1
            return original(cls, *args, **kwargs)
        self._look_into(cls)
        of = TorchCall(f"{cls.__name__}.apply", f"{cls.__module__}.{cls.__qualname__}.apply", True, writes=True)
        with without_modes():  # keep the mode on the stack only for the program's own calls
            begun = recorder.begin(of, args, kwargs, sys._getframe(1))  # so that `forward` is one call, not two rounds
        try:
            result = original(cls, *args, **kwargs)
        except BaseException as problem:
            recorder.failed(begun, problem)
            raise
        if begun is not None:
            self._ended(begun, result)
        return result

    def _look_into(self, cls) -> None:
        backward = cls.__dict__.get("backward")
        files = self.recorder.source_map.files
        if isinstance(backward, staticmethod) and files[backward.__func__.__code__.co_filename] >= 0:
            torch_patches.look_into(cls, backward)

    @contextmanager
    def inside_backward(self, filename: str):
        """Activate the mode inside the program's own backward."""
        recorder = self.recorder
        if recorder.sink.run is None or recorder.source_map.files[filename] < 0:
            yield
            return
        pauses, recorder.pauses = recorder.pauses, 0
        try:
            with nullcontext() if recorder in _get_current_function_mode_stack() else recorder:
                yield
        finally:
            recorder.pauses = pauses

    # ---- compiled functions -------------------------------------------------------------------------------------

    @contextmanager
    def apart(self):
        """Hide our mode and module hooks from torch's compiler."""
        recorder = self.recorder
        with modules_unhooked(), unrecorded(recorder), without_mode(recorder):
            yield

    @contextmanager
    def inside_compiled(self, frame: FrameType):
        """Record a compiled function's call as one operation."""
        recorder = self.recorder
        if not runs_compiled() and not recorder.pauses:
            yield
            return
        begun = None
        if not recorder.pauses and recorder.gaps.skip_or_close(frame):
            recorder.operation_count += 1
        elif not recorder.pauses and not traced():
            begun = self._compiled(frame)
        with self.apart():
            yield
        problem = sys.exc_info()[1]
        if problem is not None:
            recorder.failed(begun, problem)
        elif begun is not None:
            when_returned(frame, partial(self._ended, begun))
        release_variables(frame, frame.f_locals)

    def _compiled(self, frame: FrameType) -> BegunCall | None:
        outer, callee, files = frame.f_back, frame, self.recorder.source_map.files
        while outer is not None and files[outer.f_code.co_filename] < 0:
            outer, callee = outer.f_back, outer
        with without_modes():
            return self.recorder.begin(*call_of(frame, callee), frame)

    def _ended(self, begun: BegunCall, result: object) -> None:
        with without_modes():
            self.recorder.end(begun, result)


def _node_of(recorder: Recorder, output) -> int:
    if isinstance(output, torch.Tensor) and is_wrapped(output):  # another transform hides that it is a leaf
        return recorder.nodes.of(output) or recorder.nodes.accumulator(recorder.tensors.find(output))
    if isinstance(output, torch.Tensor):
        return recorder.nodes.of(output) or recorder.nodes.leaf(output)
    return recorder.nodes.register(output.node)  # a GradientEdge


_PASSING = {  # functions that make the program's own call
    method.__code__
    for method in (
        *(Recorder.__torch_function__, Recorder._unrecorded, EnginePatch.warned, EnginePatch.silenced),
        *(EnginePatch.run, EnginePatch._unwatched, EnginePatch.apply_function, EnginePatch._is_reading),
        *(EnginePatch.step, EnginePatch.zero_grad),
    )
}
