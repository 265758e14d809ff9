"""Measure modules in further, unrecorded calls, by torch's profiler and its counter of floating-point operations."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.autograd.profiler import record_function
from torch.nn.modules import module as modules
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from explorer.runtime.module_forms.steps import FormBatch, Stage, fresh_inputs, side_of
from explorer.runtime.recorder.module_calls import Gone, LastCall
from explorer.runtime.recorder.own_hooks import hook_into
from explorer.runtime.step_recording import rank

_RUNS = 3  # timed runs; each module's fastest one counts
_RANGE = "explorer: "
_BACKWARD = "autograd::engine::evaluate_function: "
_ERROR_CHARACTERS = 200

Numbers = tuple[float, float, int, int]  # seconds of forward and backward, operations and bytes of the forward


class CannotMeasure(Exception):
    """Raised if modules cannot run again.

    Attributes: why: "ranks", "none", "gone" or "failed". module: its path. error: torch's words.
    """

    def __init__(self, why: str, module: str = "", error: str = "") -> None:
        super().__init__(why)
        self.why, self.module, self.error = why, module, error


def module_costs(calls: Mapping[str, LastCall]) -> dict[str, Numbers]:
    """Measure modules by path, in further calls of those that the program called. Raises CannotMeasure."""
    if rank()[1] > 1:
        raise CannotMeasure("ranks")
    found: dict[str, Numbers] = {}
    gone = ""
    for path, call in calls.items():
        try:
            found |= _costs_of_call(path, call)
        except Gone:
            gone = gone or path
        except Exception as problem:
            text = f"{type(problem).__name__}: {problem}"[:_ERROR_CHARACTERS]
            raise CannotMeasure("failed", path, text) from problem
    if not found:
        raise CannotMeasure("gone" if gone else "none", gone)
    return found


def _costs_of_call(path: str, call: LastCall) -> dict[str, Numbers]:
    module, inputs, keywords = call.again()
    batch, side = FormBatch(inputs, keywords, None), side_of(module)
    paths = {id(one): f"{path}.{name}" if name else path for name, one in module.named_modules()}
    stage = Stage(side, (), batch)

    def once(around_forward: Any) -> None:
        given, named = fresh_inputs(batch)
        with call.modes(), torch.enable_grad(), around_forward:
            output = module(*given, **named)
        loss = batch.value(output)
        if loss.requires_grad:
            loss.backward()

    try:
        counter = FlopCounterMode(display=False)
        names = counter.mod_tracker._known_modules
        names.update({one: paths[id(one)] for one in module.modules()})
        stage.begin(side)
        once(counter)  # the first call also warms up
        counted = {name: sum(each.values()) for name, each in counter.get_flop_counts().items()}
        runs = []
        for _ in range(_RUNS):
            stage.begin(side)  # outside of the profiler's memory count
            runs.append(_profiled(paths, once))
    finally:
        stage.before.put_back()
    fastest = {one: [min(times) for times in zip(*(run[one][:2] for run in runs), strict=True)] for one in runs[0]}
    return {
        one: (forward, backward, int(counted.get(one, 0)), runs[-1][one][2])
        for one, (forward, backward) in fastest.items()
    }


def _profiled(paths: Mapping[int, str], run: Callable[[Any], None]) -> dict[str, tuple[float, float, int]]:
    """Return seconds of forward and backward and bytes held, by path."""
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if torch.cuda.is_initialized() else [])]
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # otherwise it writes to standard error
    with profile(activities=activities, profile_memory=True) as profiler:
        run(_marked(paths))
    found: dict[str, list[float]] = {}
    owners: dict[int, list[str]] = {}  # a node's sequence number → modules around the operation that created it
    for event in sorted(profiler.events() or (), key=lambda one: one.time_range.start):
        seconds = max(event.cpu_time_total, event.device_time_total) / 1e6
        if event.name.startswith(_RANGE):
            kept = found.setdefault(event.name.removeprefix(_RANGE), [0.0, 0.0, 0])
            kept[0] += seconds
            kept[2] += event.cpu_memory_usage + event.device_memory_usage
        elif event.name.startswith(_BACKWARD):
            for path in owners.get(event.sequence_nr, ()):
                found[path][1] += seconds
        elif event.sequence_nr >= 0:
            owners[event.sequence_nr] = _around(event)
    return {path: (forward, backward, int(held)) for path, (forward, backward, held) in found.items()}


def _around(event: Any) -> list[str]:
    """Return the paths of the modules in whose calls an operation ran."""
    found = set()
    while event is not None:
        if event.name.startswith(_RANGE):
            found.add(event.name.removeprefix(_RANGE))
        event = event.cpu_parent
    return sorted(found)


@contextmanager
def _marked(paths: Mapping[int, str]) -> Iterator[None]:
    """Mark each call of a module for the profiler."""
    running: list[tuple[Any, record_function]] = []

    def enter(module: Any, _inputs: Any) -> None:
        if id(module) in paths:
            running.append((module, record_function(_RANGE + paths[id(module)])))
            running[-1][1].__enter__()

    def leave(module: Any, *_: Any) -> None:
        if id(module) in paths:
            running.pop()[1].__exit__(None, None, None)

    with ExitStack() as hooks:
        hooks.callback(hook_into(modules._global_forward_pre_hooks, enter))
        hooks.callback(hook_into(modules._global_forward_hooks, leave, modules._global_forward_hooks_always_called))
        yield
