"""Inside a recording, torch's functions are the objects that they are outside: programs compare and pickle them."""

import inspect
import pickle
import re
import sys
import threading
import warnings

import pytest
import torch
from torch import nn
from torch.nn.utils import clip_grad_value_  # before any recording, as programs do

import explorer

BEFORE = [
    clip_grad_value_,
    nn.utils.clip_grad_norm_,
    nn.Module.zero_grad,
    torch.optim.Optimizer.__init__,
    torch.optim.Optimizer.zero_grad,
    torch.optim.lr_scheduler.StepLR.step,
    torch.autograd.backward,
    torch.autograd.grad,
    threading.Thread.start,
    warnings.warn,
    warnings.showwarning,
]


def warns(x):
    if x.dim() > 3:
        warnings.warn("too many dimensions", stacklevel=2)
    return x * 2


@pytest.mark.parametrize(
    "module",
    [
        nn.MSELoss(),  # it warns about different shapes
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(),
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).eval(),
        nn.MultiheadAttention(8, 2),
        warns,
    ],
    ids=lambda module: getattr(module, "__name__", type(module).__name__),
)
def test_a_module_is_scripted_inside_a_recording(module):
    torch.jit._state._clear_class_state()  # so that already scripted code is scripted again
    with explorer.record():
        inside = torch.jit.script(module)
    torch.jit._state._clear_class_state()
    assert str(inside.graph) == str(torch.jit.script(module).graph)


@pytest.mark.parametrize("function", BEFORE, ids=lambda function: function.__qualname__)
def test_a_function_is_pickled_and_has_its_signature(function):
    def described():
        signature = "" if function is warnings.warn else str(inspect.signature(function))
        return (
            pickle.loads(pickle.dumps(function)) == function,
            signature,
            function.__qualname__,
            inspect.unwrap(function),
        )

    plain = described()
    with explorer.record():
        assert described() == plain and plain[0]
        inside = pickle.dumps(function)
    assert pickle.loads(inside) == function


def functions():
    """Return the functions and methods of the modules that a recording touches, by name."""
    found = {}
    for name in (
        "threading",
        "warnings",
        "torch.autograd",
        "torch.nn.utils",
        "torch.optim",
        "torch.optim.lr_scheduler",
    ):
        for attribute, value in list(vars(sys.modules[name]).items()):
            found[f"{name}.{attribute}"] = value
            if inspect.isclass(value):
                found |= {f"{name}.{attribute}.{method}": held for method, held in vars(value).items()}
    return {name: value for name, value in found.items() if callable(value) or isinstance(value, classmethod)}


def test_no_function_of_these_modules_is_another_object():
    before = functions()
    with explorer.record():
        inside = functions()
    changed = {name for name in before if inside[name] is not before[name]}
    in_c = set() if hasattr(torch.autograd.Function.apply, "__code__") else {"torch.autograd.Function.apply"}
    assert changed <= {"torch.autograd.Function._register_hook"} | in_c and len(before) > 300


def test_a_function_imported_before_the_recording_is_recorded():
    w = torch.ones(2, requires_grad=True)
    with explorer.record() as trace:
        (w * 8).sum().backward()
        clip_grad_value_([w], 1.0)
    assert [call.kind for call in trace.log.calls] == ["backward", "clip"] and w.grad.tolist() == [1, 1]


def filters():
    return list(warnings.filters), warnings.filters


def test_the_filters_of_warnings_are_restored():
    plain = filters()
    with explorer.record():
        pass
    assert filters() == plain and filters()[1] is plain[1]


def test_the_filters_are_restored_when_a_context_of_warnings_ends_after_the_recording():
    plain = filters()
    trace, within = explorer.record(), warnings.catch_warnings()
    trace.__enter__()
    within.__enter__()
    warnings.simplefilter("ignore")
    trace.__exit__(None, None, None)
    assert warnings.filters[1:] == plain[0]
    within.__exit__(None, None, None)
    assert filters() == plain and filters()[1] is plain[1]


def test_the_filters_are_restored_when_a_context_of_warnings_ends_inside_the_recording():
    plain = filters()
    trace, within = explorer.record(), warnings.catch_warnings()
    within.__enter__()
    inner = warnings.filters
    trace.__enter__()
    within.__exit__(None, None, None)
    trace.__exit__(None, None, None)
    assert filters() == plain and filters()[1] is plain[1] and inner == plain[0]


def test_pickled_filters_match_nothing_in_a_worker():
    with explorer.record():
        sent = pickle.dumps(warnings.filters)
    action, message, category, module, line = pickle.loads(sent)[0]
    assert (action, module, line) == ("ignore", None, 0) and category is Warning
    assert message == re.compile("(?!)") and not message.match("")


def test_a_patch_made_in_a_recording_keeps_torchs_own_function(monkeypatch):
    """As in a library that saves a method, replaces it, and restores it later."""
    with explorer.record():
        saved = threading.Thread.start
        monkeypatch.setattr(threading.Thread, "start", lambda thread: saved(thread))
    monkeypatch.undo()
    assert threading.Thread.start is saved and saved.__code__.co_varnames[0] == "self"
