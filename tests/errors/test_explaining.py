"""Which rule explains an error, and that no rule trusts a Trace."""

import random

import pytest
from msgspec.structs import replace

from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.messages import finding_text
from explorer.analysis.run.source.expressions import changed_lines, replace_span, with_argument
from explorer.text import LANGUAGES
from explorer.trace import Failure, Span, Trace
from explorer.trace.scene import Scene
from tests.traces import trace_of

PROGRAMS = [
    "a = torch.ones(2, requires_grad=True)\nL = (a * a).sum()\nL.backward()\nL.backward()",
    "a = torch.ones(2, requires_grad=True)\ny = a.exp()\ny += 1\ny.sum().backward()",
    "a = torch.ones(2, requires_grad=True)\na[0] = 5.",
    "a = torch.ones(2)\na.sum().backward()",
    "a = torch.ones(2, requires_grad=True)\nb = a * 2\nb.sum().backward()\nprint(b.grad * 2)",
    "def f(x):\n    return x @ x\nfor i in range(2):\n    f(torch.ones(2, 3))",
    "torch.ones(2, 3) + torch.ones(2)",
    "torch.arange(6).reshape(4, 2)",
    "a = torch.ones(3)\na[3]",
    "torch.ones(3).sum(dim=1)",
    "torch.ones(2, 2) @ torch.ones(2, 2).double()",
    "torch.ones(2).cuda()",
    "net = nn.Linear(4, 2)\nnet(torch.ones(3, 5))",
    "torch.optim.SGD([], 0.1)",
    "torch.tensor(['a'])",
    "torch.stack([torch.ones(2), torch.ones(3)])",
    "F.cross_entropy(torch.ones(3, 2), torch.tensor([0, 1]))",
    "np.ones(2)",
    "def f():\n    return later\nf()\nlater = 1",
    "class A:\n    def __init__(self):\n        self.b = 1\n        b + 1\nA()",
    "n = 0\ndef f():\n    n += 1\nf()",
    "def f(a):\n    return a\nf(b=1)",
    "class A:\n    def f(x):\n        return x\nA().f(1)",
    "torch.tensr([1])",
    "# %%\nx = torch.ones(2)\n\n# %%\nx.add(torch.ones(3))\n\n# %%\ny = x + 1",
]
HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\n"


def failures(trace):
    return [(i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs if isinstance(one, Failure)]


@pytest.fixture(scope="module")
def traces():
    return [trace_of(HEAD + program) for program in PROGRAMS]


def test_every_error_is_explained_in_both_languages(traces):
    for trace in traces:
        ((cell, failure),) = failures(trace)
        told = explain(trace, cell, failure)
        assert told is not None, failure
        sentences = [finding_text(lang, told, part) for lang in LANGUAGES for part in ("title", "cause", "repair")]
        assert all(sentences) and failure.text not in sentences


def test_the_failure_of_an_earlier_cell_finds_its_own_operation(traces):
    ((cell, failure),) = failures(traces[-1])
    told = explain(traces[-1], cell, failure)
    assert (cell, told.kind) == (2, "broadcast-sizes-of-equal-axes")  # the imports are a separate cell
    assert "x (2,) has 2" in finding_text("en", told, "cause")


@pytest.mark.parametrize("program", ["print(undefined)", "a = (1", "{}['key']", "int('x')"])
def test_pythons_own_errors_are_not_explained(program):
    trace = trace_of(program)
    assert explain(trace, *failures(trace)[0]) is None


@pytest.mark.parametrize(
    "raised",
    [
        "RuntimeError('the kettle is empty')",
        "KeyError('speed')",
        "TypeError('f() takes 2 positional arguments but 3 were given')",
        "AssertionError('never')",
    ],
)
def test_an_error_of_the_programs_own_is_not_explained(raised):
    trace = trace_of(f"def f():\n    raise {raised}\nf()")
    assert explain(trace, *failures(trace)[0]) is None


def place(trace: Trace, pick: random.Random) -> int:
    """Return the index of any place of a program, or -1."""
    return pick.randrange(-1, len(trace.spans)) if trace.spans else -1


def moved(scene: Scene | None, trace: Trace, pick: random.Random) -> Scene | None:
    """Return a scene with its parts at any places of another program."""
    if scene is None:
        return None
    spans = [{name: place(trace, pick) for name in ("span", "assigned", "value")} for _ in scene.parts]
    things = [replace(part.thing, function=place(trace, pick)) for part in scene.parts]
    parts = [replace(part, thing=thing, **at) for part, thing, at in zip(scene.parts, things, spans, strict=True)]
    return replace(scene, parts=parts)


def test_no_rule_trusts_that_a_trace_and_its_failure_belong_together(traces):
    """Traces are untrusted: any message may be at any place of any program."""
    pick = random.Random(0)
    found = [failure for trace in traces for _, failure in failures(trace)]
    for trace in traces:
        for failure in found:
            strange = replace(failure, span=place(trace, pick), frames=[], scene=moved(failure.scene, trace, pick))
            told = explain(trace, pick.randrange(len(trace.cells)), strange)
            if told is not None:
                assert finding_text("en", told, "cause") and told.is_in(trace)


@pytest.mark.thorough
@pytest.mark.parametrize("fill", ['f"{', "(", "a, ", "'", "x=", "\\", 'device="', "for x "])
@pytest.mark.parametrize("program", ["torch.ones(2).cuda()", "torch.ones(3) + torch.ones(2)"])
def test_long_lines_are_read_in_one_pass(program, fill):
    """Without an assertion on time: a pattern that tries every pair of places would not end."""
    trace = trace_of(f"{program}  # {fill * (150_000 // len(fill))}")
    for cell, failure in failures(trace):
        assert explain(trace, cell, failure) is not None


def test_copying_entries_is_not_reported_as_reading_only_a_shape():
    trace = trace_of("x = torch.ones(3, requires_grad=True)\ny = torch.ones(2).new_tensor(x)\ny.sum().backward()")
    ((cell, failure),) = failures(trace)
    told = explain(trace, cell, failure)
    assert told is None or told.kind != "only-a-shape-was-read"


def test_a_fix_is_shown_by_its_changed_lines():
    lines = changed_lines("a\nb\nc\nd", "a\nB1\nB2\nc\nd")
    assert [(one.sign, one.number, one.text) for one in lines] == [("-", 2, "b"), ("+", 2, "B1"), ("+", 3, "B2")]
    assert changed_lines("a\na", "a\na\na")[0].sign == "+"


def test_text_edits_are_applied():
    assert replace_span("f(\n  x,\n)\ny", Span(0, 1, 0, 3, 1), "g(x)") == "g(x)\ny"
    assert with_argument("f(x, )", "y=1") == "f(x, y=1)" and with_argument("x.grad", "y") is None
