"""Backward calls: what stands between the program and torch's engine while a record runs."""

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack

from explorer.runtime.notebook.outputs import own_words
from explorer.runtime.recording import answers
from explorer.runtime.recording.calls import TorchCall
from explorer.runtime.recording.nodes import Hook, register_hook, sequence_number
from explorer.runtime.recording.places import release_variables
from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.rows import BackwardRow, SequenceRange
from explorer.runtime.recording.wrapped import is_wrapped

_in_functorch = torch._C._functorch.peek_interpreter_stack


def _is_wrapper(tensor: object) -> bool:
    """Whether it is one of torch.func's wrappers, which outlive their transform in what `vjp` returns."""
    return isinstance(tensor, torch.Tensor) and is_wrapped(tensor)


class EnginePatch:
    """Puts the recorder around `torch.autograd`'s one way into the engine and around custom Functions, for a while.

    Attributes:
        kind: what calls are written down as while it is set ("" for what they are): the side pass says "implicit".
        before: called just before a call that frees its graph, until it returns True (the side pass of `--of`).
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.kind = ""
        self.before: Callable[[], bool] | None = None
        self._thread = threading.get_ident()
        self._engine: Any = None
        self._make_grads: Any = None
        self._apply: Any = None
        self._start_thread: Any = None
        self._wrapped: list[tuple[Any, object]] = []

    def __enter__(self) -> "EnginePatch":
        self._engine, self._make_grads = torch.autograd._engine_run_backward, torch.autograd._make_grads
        self._apply = torch.autograd.Function.__dict__["apply"]
        patch, original = self, self._apply.__func__

        def apply(cls, *args, **kwargs):
            return patch.apply_function(original, cls, args, kwargs)

        self._start_thread = threading.Thread.start

        def start(thread, *args, **kwargs):
            counted = patch.recorder.rows.counted  # what other threads do is not recorded
            counted["threads"] = counted.get("threads", 0) + 1
            return patch._start_thread(thread, *args, **kwargs)

        autograd: Any = torch.autograd
        thread: Any = threading.Thread
        thread.start = start
        autograd._engine_run_backward, autograd._make_grads = self.run, self.make_grads
        autograd.Function.apply = classmethod(apply)
        self._register_hook = torch.autograd.Function.__dict__.get("_register_hook")  # of an outer record

        def enter_hook(hooks, hook):
            if type(hook) is not Hook:
                patch.recorder.hooked()
            return register_hook(hooks, hook)

        torch.autograd.Function._register_hook = staticmethod(enter_hook)
        return self

    def __exit__(self, *problem) -> None:
        threading.Thread.start = self._start_thread
        torch.autograd._engine_run_backward, torch.autograd._make_grads = self._engine, self._make_grads
        torch.autograd.Function.apply = self._apply
        if self._register_hook is None:
            del torch.autograd.Function._register_hook  # torch's own is inherited
        else:
            torch.autograd.Function._register_hook = self._register_hook
        for cls, backward in self._wrapped:
            cls.backward = backward
        self._wrapped.clear()

    # ---- the engine ---------------------------------------------------------------------------------------------

    def run(self, outputs, *args, **kwargs):
        """In place of `_engine_run_backward`: the same call, written down."""
        recorder = self.recorder
        given = [*outputs, *(args[3] if len(args) > 3 else ())]
        if self._foreign(given):
            return self._engine(outputs, *args, **kwargs)
        if recorder.gap is not None and self.before is None and recorder.skips(sys._getframe(1)):
            recorder.gap.backwards += 1
            return self._engine(outputs, *args, **kwargs)
        recorder.close_gap()
        recorder.passive += 1
        try:
            if self.before is not None and not (len(args) > 1 and args[1]):
                before, self.before = self.before, None
                if not before():
                    self.before = before
            index, row = self._begun(outputs, args, kwargs)
            if row is None:
                return self._engine(outputs, *args, **kwargs)
            start = sequence_number()
            if row.create_graph:
                recorder.nodes.engine.append(SequenceRange(start, 2**63, index))
            recorder.running.append((index, row))
            recorder.sink.run = row
            try:
                results = self._engine(outputs, *args, **kwargs)
            except BaseException as problem:
                row.status, row.error = "failed", own_words(problem)[:4000]
                row.failed_node = self._failed(row)
                raise
            finally:
                recorder.running.pop()
                recorder.sink.run = recorder.running[-1][1] if recorder.running else None
                if row.create_graph:
                    recorder.nodes.engine[-1].end = sequence_number()
            try:
                self._end(row, args, kwargs, results)
            except Exception:
                recorder.lost()
            return results
        finally:
            recorder.passive -= 1

    def make_grads(self, outputs, grads, is_grads_batched):
        """In place of `_make_grads`, which refuses what cannot be differentiated: a call that ends there is one too."""
        try:
            return self._make_grads(outputs, grads, is_grads_batched=is_grads_batched)
        except Exception as problem:
            if not self._foreign(outputs):
                self._refused(outputs, grads, problem, sys._getframe(1))
            raise

    def _refused(self, outputs, grads, problem: Exception, caller) -> None:
        recorder = self.recorder
        if recorder.gap is not None and recorder.skips(caller):
            recorder.gap.backwards += 1
            return
        recorder.passive += 1
        try:
            accumulates = caller.f_code is torch.autograd.backward.__code__
            _, row = self._begun(outputs, (grads,), {"accumulate_grad": accumulates})
            if row is not None:
                row.status, row.error = "failed", own_words(problem)[:4000]
        finally:
            recorder.passive -= 1

    def _foreign(self, given) -> bool:
        """Whether a call is none of the program's own: another thread's, or one over torch.func's wrappers."""
        return threading.get_ident() != self._thread or _in_functorch() is not None or any(map(_is_wrapper, given))

    def _begun(self, outputs, args, kwargs) -> tuple[int, BackwardRow | None]:
        """The id and row of the call that begins, None where it could not be written down."""
        recorder = self.recorder
        try:
            return self._begin(outputs, args, kwargs)
        except Exception:
            recorder.lost()
            recorder.rows.backwards.pop(recorder.backward_count, None)
            return 0, None

    def _begin(self, outputs, args, kwargs) -> tuple[int, BackwardRow]:
        recorder = self.recorder
        given = dict(zip(("seeds", "retain", "create", "inputs"), args, strict=False))
        recorder.backward_count = index = recorder.backward_count + 1
        frame, _ = recorder.places.program_frame(3)
        span = -1 if frame is None else recorder.places.spot(frame).span
        create = bool(given.get("create"))
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
        recorder.rows.backwards[index] = row
        if recorder.nodes.hook_cap is not None:
            for output in outputs:
                node = answers.grad_fn(output) if isinstance(output, torch.Tensor) else output.node
                if node is not None:
                    recorder.nodes.hook_below(node)
        if frame is not None:
            self._name_roots(outputs, row, frame)
        return index, row

    def _name_roots(self, outputs, row: BackwardRow, frame) -> None:
        places = self.recorder.places
        code, spot = places.code(frame.f_code), places.spot(frame)
        variables = frame.f_locals
        for name in spot.operands:
            value = variables.get(name, frame.f_globals.get(name))
            for tensor, output in zip(row.root_tensors, outputs, strict=True):
                if value is output and tensor:
                    made = self.recorder.rows.tensors[tensor].versions[-1].operation
                    scope = code.scope if name in variables else ""
                    self.recorder.names.bind(name, scope, tensor, -1, made or row.operations)
        release_variables(frame, variables)

    def _end(self, row: BackwardRow, args, kwargs, results) -> None:
        """What autograd.grad returns was taken before the nodes of its inputs ran: write it down as their arrival."""
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

    def _failed(self, row: BackwardRow) -> int:
        last = row.order[-1] if row.order else 0
        return 0 if self.recorder.complete and last in row.left else last

    # ---- custom functions ---------------------------------------------------------------------------------------

    def apply_function(self, original, cls, args, kwargs):
        """In place of `Function.apply`, which no mode sees: one operation; its backward is looked into when it runs."""
        recorder = self.recorder
        if recorder.passive or threading.get_ident() != self._thread:
            return original(cls, *args, **kwargs)
        if recorder.gap is not None and recorder.skips(sys._getframe(2)):
            recorder.operation_count += 1
            recorder.gap.operations += 1
            return original(cls, *args, **kwargs)
        self._wrap_backward(cls)
        call = TorchCall(f"{cls.__name__}.apply", f"{cls.__module__}.{cls.__qualname__}.apply", True, writes=True)
        with torch._C.DisableTorchFunction():  # the mode stands on the stack: only the program's own calls are for it
            begun = recorder.begin(call, args, kwargs, sys._getframe(2))
        try:
            result = original(cls, *args, **kwargs)
        except BaseException as problem:
            recorder.failed(begun, problem)
            raise
        with torch._C.DisableTorchFunction():
            recorder.end(begun, call, kwargs, result)
        return result

    def _wrap_backward(self, cls) -> None:
        """Let the mode be active inside the program's own backward: there user code holds no lock of the engine."""
        backward = cls.__dict__.get("backward")
        files = self.recorder.places.files
        if not isinstance(backward, staticmethod) or backward.__func__.__code__.co_filename not in files:
            return
        if any(known is cls for known, _ in self._wrapped):
            return
        recorder, function = self.recorder, backward.__func__

        @functools.wraps(function)
        def recorded(*args, **kwargs):
            if recorder.sink.run is None:
                return function(*args, **kwargs)
            passive, recorder.passive = recorder.passive, 0
            try:
                if recorder in _get_current_function_mode_stack():
                    return function(*args, **kwargs)
                with recorder:
                    return function(*args, **kwargs)
            finally:
                recorder.passive = passive

        self._wrapped.append((cls, backward))
        cls.backward = staticmethod(recorded)


def _node_of(recorder: Recorder, output) -> int:
    if isinstance(output, torch.Tensor):
        return recorder.nodes.of(output) or recorder.nodes.leaf(output)
    return recorder.nodes.register(output.node)  # a GradientEdge
